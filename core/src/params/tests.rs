//! Parameters as a whole: declared, set from text, refused.

use glam::Vec2;

use super::*;

choice! {
    /// A shape.
    pub enum Shape {
        /// Round.
        Round = "round",
        /// Square.
        Square = "square",
    }
}

params! {
    /// A thing for the tests.
    pub struct Thing {
        /// How high.
        pub height: f32 = 10.0, "m" in 0.1..=100.0, log;
        /// How many.
        pub count: u32 = 3, "" in 1.0..=8.0;
        /// How wide.
        pub window: u32 = 5, "" in 0.0..=10.0, odd;
        /// How deep.
        pub row: u32 = 4, "" in 3.0..=9.0, even;
        /// Which.
        pub shape: Shape = Shape::Round;
        /// Whether.
        pub wrap: bool = false;
        /// Where.
        pub places: Vec<Vec2> = Vec::new(), "" in 0.0..=1.0;
        /// What it is called.
        pub label: Name = Name::default();
    }
}

#[test]
fn a_struct_is_known_from_its_declaration() {
    let mut thing = Thing::default();
    assert_eq!(thing.doc(), "A thing for the tests.");
    let mut seen = Vec::new();
    thing.visit(&mut |param, _| seen.push((param.name, param.doc, param.unit, param.logarithmic)));
    assert_eq!(seen[0], ("height", "How high.", "m", true));
    assert_eq!(seen[5], ("wrap", "Whether.", "", false));
}

#[test]
fn text_sets_what_it_names() {
    let mut thing = Thing::default();
    for (name, text) in [
        ("height", "0.1"),
        ("count", "8"),
        ("shape", "square"),
        ("wrap", "true"),
        ("places", "[(0, 1), (0.5, 0.25)]"),
        ("label", "wet_2"),
    ] {
        set_from_text(&mut thing, name, text).unwrap();
    }
    let places = vec![Vec2::new(0.0, 1.0), Vec2::new(0.5, 0.25)];
    let label = Name::new("wet_2").unwrap();
    assert_eq!(
        thing,
        Thing { height: 0.1, count: 8, shape: Shape::Square, wrap: true, places, label, ..thing.clone() }
    );
}

#[test]
fn refusals_say_what_would_be_accepted() {
    let mut thing = Thing::default();
    let mut say = |name, text| set_from_text(&mut thing, name, text).unwrap_err().to_string();
    assert_eq!(say("height", "1000"), "height: 1000 is outside 0.1 to 100 m");
    assert_eq!(say("height", "NaN"), "height: NaN is outside 0.1 to 100 m");
    assert_eq!(say("count", "-2"), "count: -2 is outside 1 to 8");
    assert_eq!(say("count", "two"), "count: `two` is not a whole number from 1 to 8");
    assert_eq!(say("count", "2.5"), "count: `2.5` is not a whole number from 1 to 8");
    assert_eq!(say("window", "6"), "window: 6 is even; use 5 or 7");
    assert_eq!(say("window", "10"), "window: 10 is even; use 9");
    assert_eq!(say("window", "x"), "window: `x` is not an odd number or 0, from 0 to 10");
    assert_eq!(say("row", "3"), "row: 3 is odd; use 4");
    assert_eq!(say("row", "x"), "row: `x` is not an even number from 3 to 9");
    assert_eq!(say("height", "tall"), "height: `tall` is not a number from 0.1 to 100 m");
    assert_eq!(say("shape", "flat"), "shape: `flat` is not one of round, square");
    assert_eq!(say("places", "[(0, 1), (2, 1)]"), "places: place 2: 2 is outside 0 to 1");
    assert_eq!(
        say("places", "0.5"),
        "places: `0.5` is not a list of places such as [(0.5, 0.0), (0.4, 1.0)], their numbers 0 to 1"
    );
    assert!(say("label", "Wet").starts_with("label: `Wet` is not a name of lower-case letters"));
    assert_eq!(
        say("width", "1"),
        "width: there is no such parameter; there are height, count, window, row, shape, wrap, places, label"
    );
    assert_eq!(thing, Thing::default());
}

#[test]
fn all_errors_describe_a_range_in_the_same_words() {
    let (from_f32, whole) = (f64::from(-1e11f32)..=f64::from(1e11f32), 0.0..=f64::from(u32::MAX));
    let cases = [
        (from_f32, "-100000000000 to 100000000000 m"),
        (whole, "0 to 4294967295 m"),
        (0.1..=0.3, "0.1 to 0.3 m"),
    ];
    for (range, words) in cases {
        let param = Param { unit: "m", range, ..Param::new("place") };
        assert_eq!(param.check(f64::NAN), Err(format!("NaN is outside {words}")));
        assert_eq!(param.accepted(Reading::Float(0.0)), format!("a number from {words}"));
        assert!(param.accepted(Reading::Place((0.0, 0.0, 0.0))).ends_with(words));
    }
}

#[test]
fn a_whole_number_moves_on_to_the_next_accepted_one() {
    let mut params = Vec::new();
    Thing::default().read(&mut |param, _| params.push(param.clone()));
    let fitting = |name: &str, number, before| {
        params.iter().find(|param| param.name == name).unwrap().fitting(number, before)
    };
    assert_eq!([fitting("window", 6, 5), fitting("window", 6, 7), fitting("window", 2, 1)], [7, 5, 3]);
    assert_eq!([fitting("window", 0, 1), fitting("window", 10, 9), fitting("window", 99, 9)], [0, 9, 9]);
    assert_eq!(
        [fitting("row", 3, 4), fitting("row", 0, 4), fitting("row", 9, 8), fitting("row", 6, 4)],
        [4, 4, 8, 6]
    );
    assert_eq!(fitting("count", 4, 3), 4);
}

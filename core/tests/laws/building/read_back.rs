//! Recipes changed by a program are either accepted and read back unchanged, or refused and never written.

use upland_core::params::{Name, Params, Value, each, each_mut};
use upland_core::scatter::Rule;
use upland_core::steps::filter::Hole;
use upland_core::steps::generate::{Fbm, Flat};
use upland_core::steps::water::River;
use upland_core::steps::{self, Ground, Kind, Operation};
use upland_core::texture::{Limits, TerrainType, Texture};
use upland_core::{
    Blend, Bookmark, Error, FilePath, Flight, Mixing, Recipe, Result, Sets, Skin, Step, View, Waypoint, Work,
    params,
};

/// Random numbers that follow from a seed (xorshift, Marsaglia 2003).
struct Chance(u64);

impl Chance {
    fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % count
    }

    /// A number from a range, or one end of it; sometimes another one, or none.
    fn number(&mut self, (low, high): (f32, f32), is_wild: bool) -> f32 {
        let share = self.below(1001) as f32 / 1000.0;
        match (is_wild, self.below(6)) {
            (true, 0) => [f32::NAN, f32::INFINITY, f32::NEG_INFINITY][self.below(3)],
            (true, 1) => high * 2.0 + 1.0,
            (true, 2) => low - 1.0,
            (_, 3) => [low, high][self.below(2)],
            _ => low + (high - low) * share,
        }
    }

    fn text(&mut self) -> String {
        let texts =
            ["", "a \"b\" \\ c", "two\nlines\t\u{7}", "ä 高 \u{1F3D4}", "(x: 1), // no", "None", "spruce"];
        texts[self.below(texts.len())].to_owned()
    }
}

/// Puts other values in place of some.
fn change(params: &mut dyn Params, chance: &mut Chance, is_wild: bool) {
    let mut count = 0;
    each(params, &mut |_, _, _| count += 1);
    let chosen: Vec<usize> = (0..1 + chance.below(4)).map(|_| chance.below(count.max(1))).collect();
    let mut index = 0;
    each_mut(params, &mut |_, param, value| {
        let is_chosen = chosen.contains(&index);
        index += 1;
        if !is_chosen {
            return;
        }
        let range = (*param.range.start() as f32, *param.range.end() as f32);
        let range = (range.0.max(-1e30), range.1.min(1e30));
        match value {
            Value::Float(number) => *number = chance.number(range, is_wild),
            Value::Int(number) => *number = chance.number(range, is_wild).clamp(0.0, 4e9) as u32,
            Value::Byte(number) => *number = chance.number(range, is_wild) as u8,
            Value::Short(number) => *number = chance.number(range, is_wild) as u16,
            Value::Seed(seed) => *seed = u64::MAX - chance.below(9) as u64,
            Value::Size(size) => size.1 = chance.number(range, is_wild).clamp(0.0, 4e9) as u32,
            Value::Flag(flag) => *flag = !*flag,
            Value::Choice(choice) => choice.set_index(chance.below(choice.names().len())),
            Value::File(file) => file.set(chance.text()),
            Value::Name(name) => *name = Name::new(["", "flow", "wet_2"][chance.below(3)]).unwrap(),
            Value::Text(text) => *text = chance.text(),
            Value::Colour(colour) => {
                colour.iter_mut().for_each(|one| *one = chance.number((0.0, 1.0), is_wild))
            }
            Value::Colours(colours) => colours.resize(chance.below(3), [1, 2, 3]),
            Value::Place(place) => place.1 = chance.number(range, is_wild),
            Value::Points(points) => {
                let mut next = || chance.number(range, is_wild);
                *points = vec![glam::vec2(next(), next())];
            }
            Value::List(list) => {
                if chance.below(2) == 0 {
                    list.add();
                } else {
                    list.remove(0);
                }
            }
            Value::Optional(optional) => {
                if chance.below(2) == 0 {
                    let _ = optional.insert();
                } else {
                    optional.clear();
                }
            }
            Value::Group(_) => {}
        }
    });
}

/// A recipe that has something of everything.
fn everything(texture: Skin) -> Recipe {
    let named = |name: &str| {
        let mut step = Step::from_name(name).unwrap();
        step.visit(&mut |param, value| match value {
            Value::File(file) if param.required => *file = FilePath::new("land.asc"),
            Value::Name(name) if param.required => *name = Name::new("flow").unwrap(),
            _ => {}
        });
        step
    };
    let place = (1.0, 2.0, 3.0);
    Recipe {
        about: "All that there is".into(),
        seed: u64::MAX,
        steps: steps::names().into_iter().map(named).collect(),
        texture,
        scatter: vec![Rule::new("spruce", 100.0, 3.0), Rule::new("boulder", 5.0, 9.0)],
        view: Some(View { from: place, look: (0.0, 0.0, 0.0) }),
        bookmarks: vec![Bookmark { name: "Top".into(), from: place, look: place }],
        flights: vec![Flight { name: "Round".into(), waypoints: vec![Waypoint::default(); 3] }],
        ..Recipe::new("Everything", (9, 7), 10.0)
    }
}

#[test]
fn what_a_check_accepts_is_read_back_equal_and_what_it_refuses_cannot_be_read() {
    let custom = Texture { light: Some(Default::default()), ..Texture::temperate() };
    let sets = vec![Skin::Arid, Skin::Custom(custom.clone()), Skin::Temperate.in_season(0.3)];
    let skins = [
        Skin::Custom(custom),
        Skin::Temperate.in_season(0.25),
        Skin::Sets(Sets { sets, at: 0.25, mask: None }),
    ];
    let (mut accepted, mut refused) = (0, 0);
    for case in 0..240_u64 {
        let mut chance = Chance(case.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let is_wild = case % 3 == 0;
        let mut recipe = everything(skins[chance.below(skins.len())].clone());
        // Some of the steps: one that is refused hides what the others are.
        recipe.steps.retain(|_| chance.below(8) == 0);
        for step in &mut recipe.steps {
            change(step, &mut chance, is_wild);
            // No parameter of steps of all kinds.
            if chance.below(3) == 0 {
                step.mixing.blend = Blend::Add;
                step.mixing.amount = 0.5;
            }
        }
        change(&mut recipe.texture, &mut chance, is_wild);
        change(&mut recipe.scatter[0], &mut chance, is_wild);
        change(&mut recipe.sun, &mut chance, is_wild);
        change(&mut recipe.weather, &mut chance, is_wild);
        change(&mut recipe.water, &mut chance, is_wild);
        change(&mut recipe.bookmarks[0], &mut chance, is_wild);
        change(&mut recipe.flights[0].waypoints[1], &mut chance, is_wild);
        recipe.name = chance.text();
        if chance.below(3) == 0 {
            recipe.unit = Some(chance.number((1.0, 100_000.0), is_wild));
            recipe.size = (1 + chance.below(70_000) as u32, 65);
        }
        let text = recipe.to_ron_unchecked().unwrap();
        let read = Recipe::from_ron(&text, "again.ron");
        match (recipe.check(), recipe.to_ron()) {
            (Ok(()), Ok(written)) => {
                assert_eq!(written, text);
                let read = read.unwrap_or_else(|error| panic!("case {case}: {error}\n{text}"));
                assert_eq!(read, recipe, "case {case}\n{text}");
                accepted += 1;
            }
            (Err(error), Err(said)) => {
                assert_eq!(error.to_string(), said.to_string());
                assert!(read.is_err(), "case {case}: it could be read, but {error}\n{text}");
                refused += 1;
            }
            (checked, written) => panic!("case {case}: {checked:?} but {written:?}"),
        }
    }
    assert!(accepted > 60 && refused > 40, "{accepted} accepted, {refused} refused");
}

#[test]
fn each_kind_of_mistake_is_refused_by_its_path_and_not_written() {
    let land = || Recipe::new("Land", (9, 9), 10.0);
    let step = |operation: Box<dyn Operation>| Recipe { steps: vec![Step::new(operation)], ..land() };
    let kind = |kind: TerrainType| Skin::Custom(Texture { types: vec![kind], ..Texture::default() });
    let rock = || TerrainType::new("rock", [0.5; 3]);
    let rule = || Rule::new("spruce", 10.0, 3.0);
    let cases = [
        ("steps.0.octaves", step(Box::new(Fbm { octaves: 99.0, ..Fbm::default() }))),
        ("steps.0.radius", step(Box::new(Hole { radius: -1.0, ..Hole::default() }))),
        ("steps.0.amount", {
            let mixing = Mixing { amount: f32::NAN, ..Mixing::default() };
            Recipe { steps: vec![Step { mixing, ..Step::new(Fbm::default()) }], ..land() }
        }),
        ("steps.0.points", step(Box::new(River { points: vec![glam::Vec2::NAN], ..River::default() }))),
        ("steps.0.points", step(Box::new(River { points: vec![glam::Vec2::ONE; 1001], ..River::default() }))),
        ("texture.season", Recipe { texture: Skin::Temperate.in_season(7.0), ..land() }),
        ("texture.types.0.elevation.max", {
            let elevation = Limits { min: 0.0, max: f32::INFINITY, release: 0.0 };
            Recipe { texture: kind(TerrainType { elevation, ..rock() }), ..land() }
        }),
        ("texture.types.0.slope", {
            let slope = Limits { min: 30.0, max: 20.0, release: 0.0 };
            Recipe { texture: kind(TerrainType { slope, ..rock() }), ..land() }
        }),
        (
            "texture.types.0.colour",
            Recipe { texture: kind(TerrainType::new("x", [0.0, 2.0, 0.0])), ..land() },
        ),
        ("texture", {
            let twice = Sets { sets: vec![Skin::Arid; 2], ..Sets::default() };
            let sets = vec![Skin::Arid, Skin::Sets(twice)];
            Recipe { texture: Skin::Sets(Sets { sets, ..Sets::default() }), ..land() }
        }),
        ("scatter.0", Recipe { scatter: vec![Rule { object: String::new(), ..rule() }], ..land() }),
        ("scatter.0", Recipe { scatter: vec![Rule { density: 5000.0, ..rule() }], ..land() }),
        ("water.sea_level", {
            let mut recipe = land();
            recipe.water.sea_level = f32::NAN;
            recipe
        }),
        ("sun.elevation", {
            let mut recipe = land();
            recipe.sun.elevation = 91.0;
            recipe
        }),
        ("weather.clouds", {
            let mut recipe = land();
            recipe.weather.clouds = 1.5;
            recipe
        }),
        ("weather.visibility", {
            let mut recipe = land();
            recipe.weather.visibility = f32::NAN;
            recipe
        }),
        ("cell", Recipe { cell: 0.0, ..land() }),
        ("unit", Recipe { unit: Some(f32::NAN), ..land() }),
        ("size", Recipe { size: (0, 9), ..land() }),
    ];
    for (path, recipe) in cases {
        let said = recipe.check().expect_err(path);
        let Error::Parameter { name, reason } = &said else { panic!("{said:?}") };
        let (name, _) = name.split_once(" (").unwrap_or((name, ""));
        assert!(name == path && reason.len() > 5, "{path}: {said}");
        assert_eq!(recipe.to_ron().unwrap_err().to_string(), said.to_string());
        let text = recipe.to_ron_unchecked().unwrap();
        assert!(Recipe::from_ron(&text, "land.ron").is_err(), "{path} can be read\n{text}");
    }
}

params! {
    /// A step that is not registered.
    pub struct Stranger {
        /// Nothing.
        pub nothing: f32 = 0.0;
    }
}

impl Operation for Stranger {
    fn name(&self) -> &'static str {
        "stranger"
    }
    fn title(&self) -> &'static str {
        "Stranger"
    }
    fn kind(&self) -> Kind {
        Kind::Filter
    }
    fn apply(&self, _ground: &mut Ground, _seed: u64, _work: &Work) -> Result<()> {
        Ok(())
    }
}

#[test]
fn a_step_that_nobody_has_registered_makes_land_and_is_not_written() {
    let mut recipe = Recipe::new("Land", (9, 9), 10.0);
    recipe.steps = vec![Step::new(Flat { height: 3.0 }), Step::new(Stranger::default())];
    assert_eq!(recipe.build_heightfield(&Work::new()).unwrap().at(0, 0), 3.0);
    let said = recipe.to_ron().unwrap_err().to_string();
    assert!(
        said.starts_with("steps.1: ") && said.contains("`stranger`") && said.contains("register it"),
        "{said}"
    );
}

#[test]
fn endless_land_is_read_back_with_the_part_that_is_shown() {
    let recipe = Recipe { size: (257, 129), ..Recipe::endless(5000.0) };
    let text = recipe.to_ron().unwrap();
    assert!(text.contains("size: endless") && text.contains("shown: (257, 129)"), "{text}");
    assert_eq!(Recipe::from_ron(&text, "land.ron").unwrap(), recipe);
    // Default values are not written, and a file without them has the same meaning as before.
    let usual = Recipe::endless(5000.0).to_ron().unwrap();
    assert!(!usual.contains("shown"), "{usual}");
    let read = Recipe::from_ron(&usual, "land.ron").unwrap();
    assert_eq!((read.size, read.unit), ((1025, 1025), Some(5000.0)));
    for (wrong, reason) in [
        ("size: (9, 9), shown: (9, 9)", "`shown` is for endless land"),
        ("size: endless, shown: (0, 9)", "`shown`: 0×9 is outside"),
        ("size: endless, shown: 9", "`shown`: "),
    ] {
        let text = format!("(version: 1, name: \"Land\", {wrong}, cell: 10, steps: [])");
        let said = Recipe::from_ron(&text, "land.ron").unwrap_err().to_string();
        assert!(said.contains(reason), "{said}");
    }
}

#[test]
fn a_colour_is_read_back_to_the_bit_and_written_as_people_write_it_where_it_can_be() {
    let read_back = |colour: [f32; 3]| {
        let types = vec![TerrainType::new("moss", colour)];
        let recipe = Recipe {
            texture: Skin::Custom(Texture { types, ..Texture::default() }),
            ..Recipe::new("Land", (9, 9), 10.0)
        };
        let text = recipe.to_ron().unwrap();
        assert_eq!(Recipe::from_ron(&text, "land.ron").unwrap(), recipe, "{text}");
        text
    };
    assert!(read_back([1.0, 128.0 / 255.0, 0.0]).contains("colour: \"#ff8000\""));
    assert!(read_back([0.1, 0.2, 0.1]).contains("colour: (0.1, 0.2, 0.1)"));
    let mut recipe = Recipe::new("Land", (9, 9), 10.0);
    recipe.set("texture.types.0.colour", "(0.1, 1, 0)").unwrap();
    assert_eq!(recipe.texture.texture().types[0].colour, Some([0.1, 1.0, 0.0]));
    let said = recipe.set("texture.types.0.colour", "(0.1, 2, 0)").unwrap_err().to_string();
    assert!(said.contains("2 is outside 0 to 1"), "{said}");
    for wrong in ["(0.1, 0.2)", "(0.1, 0.2, 0.3, 0.4)", "7", "red"] {
        let text = format!(
            "(version: 1, name: \"L\", size: (9, 9), cell: 1, steps: [], texture: custom(types: [(name: \"a\", colour: \
             {wrong})]))"
        );
        assert!(Recipe::from_ron(&text, "land.ron").is_err(), "{wrong}");
    }
}

#[test]
fn a_river_is_dug_in_full_whatever_a_program_says_of_its_amount_as_after_reading() {
    let land = |amount: f32| {
        let mut recipe = Recipe::new("Land", (33, 33), 10.0);
        recipe.steps = vec![Step::new(Flat { height: 50.0 }), Step::from_name("river").unwrap()];
        recipe.steps[1].mixing.amount = amount;
        recipe
    };
    let read = Recipe::from_ron(&land(0.0).to_ron().unwrap(), "land.ron").unwrap();
    assert_eq!(read, land(0.0));
    let heights = |recipe: &Recipe| recipe.build_heightfield(&Work::new()).unwrap();
    assert_eq!(heights(&land(0.0)), heights(&read));
    assert!(heights(&read).range().0 < 50.0);
}

#[test]
fn a_recipe_whose_text_is_longer_than_a_file_may_be_is_not_written() {
    let mut recipe = Recipe::new("Land", (9, 9), 10.0);
    recipe.about = "x".repeat(17 << 20);
    recipe.check().unwrap();
    let said = recipe.to_ron().unwrap_err().to_string();
    assert!(said.contains("has at most 16"), "{said}");
}

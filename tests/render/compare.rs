//! Landscapes compared in one picture. This test needs a Vulkan device, a software one will do.
use image::RgbaImage;
use upland::plugin::Quality;
use upland::render::{CompareShot, Compared, render_compared};
use upland::{Recipe, Work};

use crate::scene::TIME_LIMIT;

/// High enough for a caption of four lines in the lower half.
const PANE: (u32, u32) = (200, 170);

fn hills(seed: u64) -> Recipe {
    let text = format!(
        "(version: 1, name: \"h\", seed: {seed}, size: (65, 65), cell: 20.0,
        steps: [fbm(height: 300.0, frequency: 3.0, octaves: 5.0)])"
    );
    Recipe::from_ron(&text, "h.ron").unwrap()
}

fn compared(title: &str, recipe: Recipe) -> Compared {
    Compared::new(title, recipe)
}

fn shot(columns: u32, rows: u32, difference: bool) -> CompareShot {
    CompareShot {
        size: (columns * PANE.0 + 2 * (columns - 1), rows * PANE.1 + 2 * (rows - 1)),
        from: Some([-500.0, 500.0, 1100.0]),
        look: Some([0.0, 100.0, 0.0]),
        difference,
        quality: Quality::Low,
        time_limit: TIME_LIMIT,
        ..CompareShot::default()
    }
}

/// The pixels of a pane above its caption, and without the right half, whose letters differ.
fn pane(picture: &RgbaImage, column: u32, row: u32) -> Vec<[u8; 4]> {
    let (left, top) = (column * (PANE.0 + 2), row * (PANE.1 + 2));
    let rows = 0..PANE.1 / 2;
    rows.flat_map(|y| (0..PANE.0).map(move |x| (x, y)))
        .map(|(x, y)| picture.get_pixel(left + x, top + y).0)
        .collect()
}

#[test]
fn equal_recipes_look_alike_from_the_same_place_and_others_do_not() {
    let lands = [compared("One", hills(5)), compared("The same", hills(5)), compared("Another", hills(6))];
    let drawn = render_compared(&lands, &shot(2, 2, true), &Work::new()).unwrap();
    assert!(drawn.failures.is_empty());
    let titles: Vec<&str> = drawn.times.iter().map(|(title, _)| &**title).collect();
    assert_eq!(titles, ["One", "The same", "Another"]);
    let panes = [(0, 0), (1, 0), (0, 1)].map(|(column, row)| pane(&drawn.picture, column, row));
    assert!(panes[0] == panes[1], "the same land from the same place");
    assert!(panes[0] != panes[2]);
    // The first two don't differ: their map is white.
    let white = pane(&drawn.picture, 1, 1).iter().filter(|pixel| pixel[..3] == [247, 247, 247]).count();
    assert!(white > 4000, "{white}");
}

#[test]
fn a_land_that_fails_leaves_its_reason_and_the_others_are_drawn() {
    let mut broken = hills(1);
    broken.steps.push(upland::Step::from_name("import").unwrap());
    let lands = [compared("Whole", hills(5)), compared("Broken", broken.clone())];
    let drawn = render_compared(&lands, &shot(2, 1, true), &Work::new());
    let drawn = drawn.unwrap();
    let titles: Vec<&str> = drawn.failures.iter().map(|(title, _)| &**title).collect();
    assert_eq!(titles, ["Broken", "Difference"]);
    let alone = render_compared(&[compared("Broken", broken)], &shot(2, 1, false), &Work::new());
    assert!(alone.is_err(), "with nothing to show there is no picture");
}

#[test]
fn a_file_that_cannot_be_read_leaves_its_reason_and_the_others_are_drawn() {
    let unread = Compared::unread("gone.ron".as_ref(), "gone.ron: cannot read: no such file or folder");
    let lands = [unread, compared("Whole", hills(5))];
    let drawn = render_compared(&lands, &shot(2, 2, true), &Work::new()).unwrap();
    let titles: Vec<&str> = drawn.times.iter().map(|(title, _)| &**title).collect();
    assert_eq!(titles, ["Whole"]);
    let failed: Vec<&str> = drawn.failures.iter().map(|(title, _)| &**title).collect();
    assert_eq!(failed, ["Difference"], "there is no second land");
    assert!(pane(&drawn.picture, 0, 0) != pane(&drawn.picture, 1, 0));
}

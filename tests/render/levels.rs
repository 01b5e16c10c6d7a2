//! Levels of detail compared in a picture. This test needs a Vulkan device, a software one will do.
use image::RgbaImage;
use upland::plugin::Quality;
use upland::render::{LevelsShot, render_levels};
use upland::{Recipe, Work};

use crate::scene::TIME_LIMIT;

const SIZE: (u32, u32) = (482, 322);
const PANE: (u32, u32) = (240, 160);

fn hills() -> Recipe {
    // At dusk the sky has colours, wires have none.
    let text = "(version: 1, name: \"h\", seed: 5, size: (129, 129), cell: 20.0,
        sun: (bearing: 0.0, elevation: -10.0),
        steps: [ridged(height: 900.0, frequency: 3.0, octaves: 6.0)])";
    Recipe::from_ron(text, "h.ron").unwrap()
}

fn shot() -> LevelsShot {
    LevelsShot {
        size: SIZE,
        from: Some([-900.0, 900.0, 1700.0]),
        look: Some([0.0, 500.0, 0.0]),
        quality: Quality::Low,
        pixel_error: None,
        tin_error: None,
        time_limit: TIME_LIMIT,
    }
}

/// The first row of ground under the sky in every column of a pane.
fn skyline(picture: &RgbaImage, pane: u32) -> Vec<u32> {
    let (left, top) = (pane % 2 * (PANE.0 + 2), pane / 2 * (PANE.1 + 2));
    let is_ground = |x: u32, y: u32| {
        let colour = &picture.get_pixel(left + x, top + y).0[..3];
        colour.iter().max().unwrap() - colour.iter().min().unwrap() < 24
    };
    // The caption begins farther down.
    (0..PANE.0).map(|x| (0..PANE.1 / 2).rev().find(|&y| !is_ground(x, y)).map_or(0, |y| y + 1)).collect()
}

fn mean_difference(a: &[u32], b: &[u32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(a.abs_diff(*b))).sum::<f64>() / a.len() as f64
}

#[test]
fn four_ways_draw_the_same_land_at_the_same_place_and_a_coarse_one_differs() {
    let picture = render_levels(&hills(), &shot(), &Work::new()).unwrap();
    assert_eq!(picture.dimensions(), SIZE);
    let lines = [0, 1, 2, 3].map(|pane| skyline(&picture, pane));
    let (low, high) = (lines[3].iter().min().unwrap(), lines[3].iter().max().unwrap());
    assert!(high - low > 10 && *low > 5, "there is a skyline: {low} to {high}");
    for (pane, line) in lines.iter().enumerate() {
        let off = mean_difference(line, &lines[3]);
        assert!(off < 1.5, "pane {pane} is off by {off} pixels");
    }
    let coarse = LevelsShot { pixel_error: Some(40.0), tin_error: Some(300.0), ..shot() };
    let coarse = render_levels(&hills(), &coarse, &Work::new()).unwrap();
    let off = [0, 1, 2, 3].map(|pane| mean_difference(&skyline(&coarse, pane), &lines[pane as usize]));
    assert!(off[1] > 1.5 && off[2] > 1.5, "ROAM and the TIN are coarser now: {off:?}");
    assert!(off[3] < 0.1, "all samples stay what they are: {off:?}");
}

#[test]
fn what_cannot_be_compared_is_told() {
    let refused = |shot: LevelsShot| render_levels(&hills(), &shot, &Work::new()).unwrap_err().to_string();
    for error in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let told = refused(LevelsShot { pixel_error: Some(error), ..shot() });
        assert!(told.contains("--pixel-error") && told.contains("more than 0"), "{told}");
        let told = refused(LevelsShot { tin_error: Some(error), ..shot() });
        assert!(told.contains("--tin-error"), "{told}");
    }
    let told = refused(LevelsShot { size: (40, 40), ..shot() });
    assert!(told.contains("too few for four panes"), "{told}");
}

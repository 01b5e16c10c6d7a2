//! Cuestas: tilted beds of hard and soft rock become ridges, steep where the beds end and gentle along them.

use upland_core::{Recipe, Work};

/// Tilted beds under hills, worn down by rivers. The soft beds don't stay on a slope of that tilt.
fn land(dip: f32, bearing: f32) -> Recipe {
    let text = format!(
        r#"(version: 1, name: "Cuestas", seed: 11, size: (161, 161), cell: 60, steps: [
            fbm(height: 2000, frequency: 1, octaves: 6),
            scale(bias: 900),
            strata(thickness: 450, share: 0.3, hardness: 0.9, cliff: 74, slope: {}, uneven: 0.25,
                dip: {dip}, bearing: {bearing}, fold: 0),
            erode(strength: 5, age: 2, variety: 0.2, base_level: -200, outlets: slopes),
        ])"#,
        0.7 * dip,
    );
    Recipe::from_ron(&text, "cuestas.ron").unwrap()
}

/// The share of steep ground, 25° and more, that faces away from the bearing that beds fall to; and the share
/// of gentle ground, 2 to 20°, that faces towards it.
fn shares(recipe: &Recipe, bearing: f32) -> [f32; 2] {
    let land = recipe.build_heightfield(&Work::new()).unwrap();
    let (east, north) = bearing.to_radians().sin_cos();
    let (mut steep, mut gentle) = ([0.0_f32; 2], [0.0_f32; 2]);
    // Beds end at the border, too.
    for row in 8..153 {
        for column in 8..153 {
            let across = (land.at(column + 1, row) - land.at(column - 1, row)) / 120.0;
            let down = (land.at(column, row + 1) - land.at(column, row - 1)) / 120.0;
            let slope = across.hypot(down).atan().to_degrees();
            // Ground faces the way that it falls; rows run to the south.
            let faces_dip = down * north - across * east > 0.0;
            let counted = match slope {
                25.0.. => &mut steep,
                2.0..20.0 => &mut gentle,
                _ => continue,
            };
            counted[usize::from(faces_dip)] += 1.0;
        }
    }
    let share = |of: [f32; 2], faces_dip: usize| of[faces_dip] / (of[0] + of[1]);
    [share(steep, 0), share(gentle, 1)]
}

/// Measured at 6, 11 and 15°, each with four bearings: 90 to 100 % of the steep ground. Rivers cut valleys into
/// the gentle side, so only 50 to 70 % of the gentle ground faces down the beds.
#[test]
fn cliffs_face_against_the_dip_of_beds_and_gentle_slopes_with_it() {
    for dip in [6.0, 15.0] {
        // Opposite ones, because the hills themselves have more slopes to one side.
        let all = [125.0, 305.0].map(|bearing| shares(&land(dip, bearing), bearing));
        for [steep, _] in all {
            assert!(steep > 0.85, "{dip}°: {all:?}");
        }
        let gentle = all.iter().map(|[_, gentle]| gentle / 2.0).sum::<f32>();
        assert!(gentle > 0.55, "{dip}°: {all:?}");
    }
}

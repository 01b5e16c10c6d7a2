//! The colours of debug views, for legends. Twins of the functions in `shaders/debug_view.wgsl`.

use bevy::prelude::*;

/// The colour map viridis, by S. van der Walt and N. Smith (2015), at every eighth of the way, sRGB.
const VIRIDIS: [[u8; 3]; 9] = [
    [68, 1, 84],
    [71, 45, 123],
    [59, 82, 139],
    [44, 114, 142],
    [33, 145, 140],
    [40, 174, 128],
    [94, 201, 98],
    [173, 220, 48],
    [253, 231, 37],
];

/// The colour map cividis, by J. Nuñez, C. Anderton and R. Renslow (2018), at every eighth of the way, sRGB:
/// made to look nearly the same to people who cannot tell red from green.
const CIVIDIS: [[u8; 3]; 9] = [
    [0, 34, 78],
    [26, 56, 111],
    [67, 78, 108],
    [97, 101, 111],
    [125, 124, 120],
    [154, 147, 118],
    [187, 173, 109],
    [221, 200, 88],
    [254, 232, 56],
];

/// Slope from which on colours stay as they are, degrees.
const STEEP: f32 = 60.0;

/// The colour with which [`DebugView::Layer`](super::DebugView::Layer) shows a share of its scale, from 0 to
/// 1.
pub fn viridis(share: f32) -> Srgba {
    of_table(&VIRIDIS, share)
}

/// The colour of a slope in degrees: lighter all the way up to 60.
pub fn slope_colour(degrees: f32) -> LinearRgba {
    of_table(&CIVIDIS, degrees / STEEP).into()
}

fn of_table(colours: &[[u8; 3]; 9], share: f32) -> Srgba {
    let place = share.clamp(0.0, 1.0) * 8.0;
    let index = (place as usize).min(7);
    let [a, b] = [colours[index], colours[index + 1]].map(|colour| Vec3::from(colour.map(f32::from)));
    let colour = a.lerp(b, place - index as f32) / 255.0;
    Srgba::rgb(colour.x, colour.y, colour.z)
}

/// The colour of slopes that face a compass bearing, degrees clockwise from north: blue north, dark east,
/// orange south, light west. People who cannot tell red from green, or blue from yellow, still have lightness
/// and the other pair.
pub fn aspect_colour(bearing: f32) -> LinearRgba {
    let (east, north) = bearing.to_radians().sin_cos();
    Oklaba::lab(0.66 - 0.17 * east, -0.07 * north, -0.1 * north).into()
}

/// The colour of chunks of a level of detail, of which 0 is the finest. Neighbouring levels have hues far
/// apart, and in turn are light and dark.
pub fn level_colour(level: u32) -> LinearRgba {
    // 2.4 rad is about the golden angle: no two of a few levels in a row have hues near each other.
    let hue = 2.4 * level as f32 + 1.0;
    let lightness = if level.is_multiple_of(2) { 0.8 } else { 0.52 };
    Oklaba::lab(lightness, 0.1 * hue.cos(), 0.1 * hue.sin()).into()
}

/// The colour of tiles that are a number of levels coarser than pixels need: blue, sky blue, orange and
/// yellow of the palette of M. Okabe and K. Ito (2008).
pub fn residency_colour(coarser: u32) -> LinearRgba {
    linear(match coarser {
        0 => Vec3::new(0.0, 0.168, 0.445),
        1 => Vec3::new(0.093, 0.456, 0.815),
        2 => Vec3::new(0.791, 0.347, 0.0),
        _ => Vec3::new(0.871, 0.775, 0.054),
    })
}

/// The colour of ground of which no tile is in memory: reddish purple of the same palette.
pub fn absent_colour() -> LinearRgba {
    linear(Vec3::new(0.604, 0.191, 0.386))
}

/// The colour of a pixel that is shaded a number of times.
pub fn overdraw_colour(times: u32) -> LinearRgba {
    // Red is full at 9 times, green at 25, blue at 83: so the colour goes from red over yellow to white.
    linear((Vec3::new(0.11, 0.04, 0.012) * times as f32).min(Vec3::ONE))
}

/// The colour of ground that `count` of all towers see.
pub fn seen_colour(count: u32, towers: u32) -> Srgba {
    let others = towers.max(1) - 1;
    viridis(if others == 0 { 0.8 } else { 0.45 + 0.55 * count.saturating_sub(1) as f32 / others as f32 })
}

fn linear(colour: Vec3) -> LinearRgba {
    LinearRgba::rgb(colour.x, colour.y, colour.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::vision::{CATEGORIES, STOPS, all_apart, neighbours_apart};

    #[test]
    fn the_shader_has_the_same_colours() {
        let shader = include_str!("../../../shaders/debug_view.wgsl");
        for colours in [VIRIDIS, CIVIDIS] {
            let table: Vec<String> = colours.map(|[r, g, b]| format!("    vec3({r}, {g}, {b}),\n")).into();
            assert!(shader.contains(&table.concat()));
        }
        for number in [
            "degrees / 60.0",
            "0.66 - 0.17 * share * sin(bearing)",
            "-0.07 * north, -0.1 * north",
            "select(0.52, 0.8, level % 2u == 0u)",
            "0.1 * cos(hue), 0.1 * sin(hue)",
            "2.4 * f32(level) + 1.0",
            "(0.11, 0.04, 0.012)",
            "0.45 + 0.55",
        ] {
            assert!(shader.contains(number), "{number}");
        }
        let of_residency = [0, 1, 2, 3].map(residency_colour);
        for colour in of_residency.into_iter().chain([absent_colour()]) {
            let [red, green, blue] = colour.to_vec3().to_array().map(|part| format!("{part:?}"));
            assert!(shader.contains(&format!("vec3({red}, {green}, {blue})")), "{colour:?}");
        }
    }

    #[test]
    fn a_scale_gets_lighter_all_the_way() {
        let of_layer = |step: u16| LinearRgba::from(viridis(f32::from(step) / 100.0)).luminance();
        let of_slope = |step: u16| slope_colour(0.6 * f32::from(step)).luminance();
        assert!((1..=100).all(|step| of_layer(step) > of_layer(step - 1)));
        assert!((1..=100).all(|step| of_slope(step) > of_slope(step - 1)));
        assert_eq!((viridis(-1.0), viridis(9.0)), (viridis(0.0), viridis(1.0)));
        assert_eq!((slope_colour(-1.0), slope_colour(90.0)), (slope_colour(0.0), slope_colour(60.0)));
    }

    #[test]
    fn everybody_can_tell_the_stops_of_scales_apart() {
        let layer: Vec<Vec3> =
            (0..=8).map(|stop| LinearRgba::from(viridis(stop as f32 / 8.0)).to_vec3()).collect();
        let slope: Vec<Vec3> = (0..=8).map(|stop| slope_colour(7.5 * stop as f32).to_vec3()).collect();
        let times: Vec<Vec3> = [1, 2, 3, 4, 6, 8].map(|times| overdraw_colour(times).to_vec3()).into();
        let seen: Vec<Vec3> =
            (1..=5).map(|count| LinearRgba::from(seen_colour(count, 5)).to_vec3()).collect();
        for scale in [layer, slope, times, seen] {
            assert_eq!(neighbours_apart(&scale, STOPS), Ok(()), "{scale:?}");
            // Colours that are far apart on a scale are never alike.
            let ends = [scale[0], scale[scale.len() / 2], scale[scale.len() - 1]];
            assert_eq!(all_apart(&ends, CATEGORIES), Ok(()), "{scale:?}");
        }
    }

    #[test]
    fn everybody_can_tell_levels_tiles_and_bearings_apart() {
        let of_residency = [0, 1, 2, 3].map(residency_colour).into_iter().chain([absent_colour()]);
        assert_eq!(all_apart(&vectors(of_residency), CATEGORIES), Ok(()));
        assert_eq!(neighbours_apart(&vectors((0..24).map(level_colour)), CATEGORIES), Ok(()));
        let bearings = vectors([0.0, 90.0, 180.0, 270.0].map(aspect_colour));
        assert_eq!(all_apart(&bearings, CATEGORIES), Ok(()));
        let all_round = vectors((0..=8).map(|eighth| aspect_colour(45.0 * eighth as f32)));
        assert_eq!(neighbours_apart(&all_round, STOPS), Ok(()));
    }

    fn vectors(colours: impl IntoIterator<Item = LinearRgba>) -> Vec<Vec3> {
        let shown = |colour: LinearRgba| colour.to_vec3().clamp(Vec3::ZERO, Vec3::ONE);
        colours.into_iter().map(shown).collect()
    }
}

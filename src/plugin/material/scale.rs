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

/// The colour with which [`DebugView::Layer`](super::DebugView::Layer) shows a share of its scale, from 0 to 1.
pub fn viridis(share: f32) -> Srgba {
    let place = share.clamp(0.0, 1.0) * 8.0;
    let index = (place as usize).min(7);
    let [a, b] = [VIRIDIS[index], VIRIDIS[index + 1]].map(|colour| Vec3::from(colour.map(f32::from)));
    let colour = a.lerp(b, place - index as f32) / 255.0;
    Srgba::rgb(colour.x, colour.y, colour.z)
}

/// The colour of a slope of so many degrees.
pub fn slope_colour(degrees: f32) -> LinearRgba {
    let [level, middle, steep] =
        [Vec3::new(0.03, 0.25, 0.05), Vec3::new(0.8, 0.6, 0.05), Vec3::new(0.6, 0.02, 0.02)];
    let gentle = level.lerp(middle, (degrees / 30.0).clamp(0.0, 1.0));
    linear(gentle.lerp(steep, ((degrees - 30.0) / 30.0).clamp(0.0, 1.0)))
}

/// The colour of slopes that face a compass bearing, degrees clockwise from north.
pub fn aspect_colour(bearing: f32) -> LinearRgba {
    let hue = (264.0 - bearing).to_radians();
    Oklaba::lab(0.72, 0.125 * hue.cos(), 0.125 * hue.sin()).into()
}

/// The colour of tiles that are so many levels coarser than pixels would like.
pub fn residency_colour(coarser: u32) -> LinearRgba {
    linear(match coarser {
        0 => Vec3::new(0.06, 0.36, 0.12),
        1 => Vec3::new(0.7, 0.6, 0.05),
        2 => Vec3::new(0.8, 0.25, 0.02),
        _ => Vec3::new(0.6, 0.02, 0.02),
    })
}

/// The colour of a pixel that is shaded so many times.
pub fn overdraw_colour(times: u32) -> LinearRgba {
    linear((Vec3::new(0.11, 0.04, 0.012) * times as f32).min(Vec3::ONE))
}

/// The colour of ground that `count` of so many towers see.
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

    #[test]
    fn the_shader_has_the_same_colours() {
        let shader = include_str!("../../../shaders/debug_view.wgsl");
        let table: Vec<String> = VIRIDIS.map(|[r, g, b]| format!("    vec3({r}, {g}, {b}),\n")).into();
        assert!(shader.contains(&table.concat()));
        for number in ["264.0", "0.125", "vec3(0.72,", "(0.11, 0.04, 0.012)", "0.45 + 0.55"] {
            assert!(shader.contains(number), "{number}");
        }
        for colour in [slope_colour(0.0), slope_colour(30.0), slope_colour(90.0), residency_colour(1)] {
            let LinearRgba { red, green, blue, .. } = colour;
            assert!(shader.contains(&format!("vec3({red}, {green}, {blue})")), "{colour:?}");
        }
    }

    #[test]
    fn a_scale_gets_lighter_all_the_way() {
        let luminance = |step: u16| LinearRgba::from(viridis(f32::from(step) / 100.0)).luminance();
        assert!((1..=100).all(|step| luminance(step) > luminance(step - 1)));
        assert_eq!((viridis(-1.0), viridis(9.0)), (viridis(0.0), viridis(1.0)));
    }
}

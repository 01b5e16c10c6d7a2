//! How low clouds drift, and which cameras see them.

use bevy::camera::visibility::RenderLayers;
use bevy::math::DVec2;
use bevy::prelude::*;

use super::backdrop::BackdropMaterial;
use super::components::{CloudDrift, Sky, SkyCamera};
use super::skies::BuiltSky;
use crate::plugin::floating_origin::WorldOrigin;
use crate::plugin::material::{CloudsUniform, Wind, split_whole_fraction};

/// Metres between lattice points of the coarsest octave of the clouds' pattern. Twin of `SIZE` in
/// `shaders/clouds.wgsl`.
const SIZE: f64 = 2600.0;
/// Lattice points after which places are counted from the start again, because the shader's turns of later
/// octaves must not overflow. It would take a storm two years to get there.
const ROUND: f64 = 4_194_304.0;

/// The low clouds of a sky in this wind, metres per second east and south; `origin` is where the world's
/// origin lies, metres from where it was at first.
fn follow(
    CloudDrift([east, south]): &mut CloudDrift,
    sky: &Sky,
    wind: Vec2,
    origin: DVec2,
    time: Option<&Time>,
) -> CloudsUniform {
    let cover = if sky.low_clouds.is_nan() { 0.0 } else { sky.low_clouds.clamp(0.0, 1.0) };
    // The wind is followed also where there are no clouds, so that they begin where they would be.
    let wind = wind.as_dvec2();
    let moved = DVec2::new(east.follow(wind.x, time), south.follow(wind.y, time));
    if cover <= 0.0 || !sky.cloud_base.is_finite() {
        return CloudsUniform::default();
    }
    let at = (origin - moved) / SIZE;
    let at = at - (at / ROUND).round() * ROUND;
    let [(x, x_rest), (y, y_rest)] = at.to_array().map(split_whole_fraction);
    CloudsUniform {
        whole: IVec2::new(x, y),
        rest: Vec2::new(x_rest, y_rest),
        drift: (wind / SIZE).as_vec2(),
        cover,
        base: sky.cloud_base,
    }
}

/// Moves each sky's low clouds on: where the wind, the origin or the clouds have changed, or the shaders'
/// clock has begun again. In between the shaders move them.
pub(super) fn drift_clouds(
    mut skies: Query<(&Sky, &mut CloudDrift, &mut BuiltSky)>,
    wind: Option<Res<Wind>>,
    (origin, time): (Option<Res<WorldOrigin>>, Option<Res<Time>>),
    mut backdrops: Query<&mut MeshMaterial3d<BackdropMaterial>>,
    mut materials: ResMut<Assets<BackdropMaterial>>,
) {
    let wind = wind.map_or(Vec2::ZERO, |wind| wind.velocity());
    let origin = origin.map_or(DVec2::ZERO, |origin| DVec2::new(origin.0.x, origin.0.z));
    for (sky, mut drift, mut built) in &mut skies {
        let clouds = follow(&mut drift, sky, wind, origin, time.as_deref());
        if built.uniform.low == clouds {
            continue;
        }
        // Cameras need not be dressed again, which would take away a game's own changes of their exposure.
        let built = built.bypass_change_detection();
        built.uniform.low = clouds;
        if let Ok(mut backdrop) = backdrops.get_mut(built.backdrop) {
            let material = BackdropMaterial { sky: built.uniform, table: built.table.clone() };
            *backdrop = MeshMaterial3d(materials.add(material));
        }
    }
}

/// Gives each camera the low clouds of the sky that it sees, in whose shade it sees the land.
pub(super) fn shade_cameras(
    skies: Query<(&BuiltSky, &RenderLayers), Without<SkyCamera>>,
    mut cameras: Query<(Option<&RenderLayers>, &mut CloudsUniform), With<SkyCamera>>,
) {
    for (layers, mut clouds) in &mut cameras {
        let layers = layers.unwrap_or_default();
        let seen = skies.iter().find(|(_, sky)| sky.intersects(layers));
        clouds.set_if_neq(seen.map_or_else(CloudsUniform::default, |(built, _)| built.uniform.low));
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const CLOUDY: Sky = Sky {
        sun: crate::Sun { bearing: 130.0, elevation: 32.0 },
        visibility: 160_000.0,
        clouds: 0.3,
        low_clouds: 0.5,
        cloud_base: 2000.0,
        shadow_distance: 20_000.0,
        shadow_cascades: 4,
    };

    /// Where the world's origin lies in the pattern at present, as the shader counts it.
    fn place(clouds: &CloudsUniform, time: &Time) -> DVec2 {
        let drifted = clouds.drift.as_dvec2() * f64::from(time.elapsed_secs_wrapped());
        clouds.whole.as_dvec2() + clouds.rest.as_dvec2() - drifted
    }

    /// The finest octaves that shadows have, and the constants of the pattern, as in the shader.
    const OCTAVES: i32 = 7;
    const GAIN: f32 = 0.6;
    const TOTAL: f32 = 2.43;
    const FINEST_SHADOW: f32 = 90.0;
    const LEAST_LIGHT: f32 = 0.16;
    const DARKENING: f32 = 26.0;

    /// Twin of `threshold` in `shaders/clouds.wgsl`.
    fn threshold(cover: f32) -> f32 {
        let x = cover - 0.5;
        0.5 - x * (0.335 + 22.0 * x.powi(6))
    }

    /// As `hash` in `shaders/noise.wgsl`.
    fn hash([x, y]: [i32; 2]) -> f32 {
        let mix = |v: u32| v.wrapping_mul(1_664_525);
        let [mut x, mut y] = [x, y].map(|v| mix(v as u32).wrapping_add(1_013_904_223));
        x = x.wrapping_add(mix(y));
        y = y.wrapping_add(mix(x));
        (x, y) = (x ^ (x >> 16), y ^ (y >> 16));
        x = x.wrapping_add(mix(y));
        ((x ^ (x >> 16)) >> 8) as f32 / 16_777_216.0
    }

    /// As `value_in` in `shaders/noise.wgsl`, without its gradient.
    fn value(p: DVec2) -> f32 {
        let cell = p.floor().as_ivec2();
        let f = p.fract_gl().as_vec2();
        let u = f * f * f * (f * (f * 6.0 - 15.0) + 10.0);
        let at = |x, y| hash([cell.x + x, cell.y + y]);
        at(0, 0).lerp(at(1, 0), u.x).lerp(at(0, 1).lerp(at(1, 1), u.x), u.y)
    }

    /// As `amount_at` in `shaders/clouds.wgsl` at the clouds' base, the way shadows have it.
    fn amount(cover: f32, place: DVec2) -> f32 {
        let (mut place, mut size, mut strength) = (place, SIZE as f32, 1.0 / TOTAL);
        let mut amount = 0.5 - threshold(cover);
        for _ in 0..OCTAVES {
            let t = ((FINEST_SHADOW / size - 0.5) / 0.8).clamp(0.0, 1.0);
            amount += strength * (1.0 - t * t * (3.0 - 2.0 * t)) * (value(place) - 0.5);
            (strength, size) = (strength * GAIN, 0.5 * size);
            let turned = DVec2::new(1.6 * place.x - 1.2 * place.y, 1.2 * place.x + 1.6 * place.y);
            place = turned + DVec2::new(17.3, 41.7);
        }
        amount
    }

    #[test]
    fn clouds_cover_the_share_of_the_sky_that_they_should_and_the_more_the_less_sun() {
        let shader = include_str!("../../../shaders/clouds.wgsl");
        for line in [
            format!("const SIZE: f32 = {SIZE:?};"),
            format!("const OCTAVES: i32 = {OCTAVES:?};"),
            format!("const GAIN: f32 = {GAIN:?};"),
            format!("const TOTAL: f32 = {TOTAL:?};"),
            format!("const FINEST_SHADOW: f32 = {FINEST_SHADOW:?};"),
            format!("const LEAST_LIGHT: f32 = {LEAST_LIGHT:?};"),
            format!("const DARKENING: f32 = {DARKENING:?};"),
            "return 0.5 - x * (0.335 + 22.0 * x * x * x * x * x * x);".to_owned(),
        ] {
            assert!(shader.contains(&line), "{line}");
        }
        assert!(((0..OCTAVES).map(|octave| GAIN.powi(octave)).sum::<f32>() - TOTAL).abs() < 1e-2);
        let places: Vec<DVec2> = (0..4000)
            .map(|place| DVec2::new(f64::from(place) * 0.618 % 61.0, f64::from(place) * 0.271) - 300.0)
            .collect();
        let mut before = 1.0;
        for cover in [0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0] {
            let amounts = places.iter().map(|place| amount(cover, *place));
            let light = |amount: f32| LEAST_LIGHT.lerp(1.0, (-DARKENING * amount.max(0.0)).exp());
            let (covered, sum) = amounts.fold((0, 0.0), |(covered, sum), amount| {
                (covered + usize::from(amount > 0.0), sum + light(amount))
            });
            let [covered, mean] = [covered as f32, sum].map(|sum| sum / places.len() as f32);
            assert!((covered - cover).abs() < 0.06, "{covered} is covered, not {cover}");
            assert!(mean < before, "{cover}: {mean} after {before}");
            before = mean;
        }
        assert!(before < 0.25, "{before} of the sun under an overcast");
    }

    #[test]
    fn clouds_go_on_where_the_clock_begins_again_and_where_the_world_is_moved() {
        for round in [7.3, 3600.0] {
            let mut time = Time::<()>::default();
            time.set_wrap_period(Duration::from_secs_f64(round));
            time.advance_by(Duration::from_secs(400_000));
            let mut drift = CloudDrift::default();
            let wind = Vec2::new(9.0, -4.0);
            let mut before = place(&follow(&mut drift, &CLOUDY, wind, DVec2::ZERO, Some(&time)), &time);
            for _ in 0..2000 {
                time.advance_by(Duration::from_millis(2500));
                let now = place(&follow(&mut drift, &CLOUDY, wind, DVec2::ZERO, Some(&time)), &time);
                let step = (before - now) * SIZE;
                assert!(step.distance(wind.as_dvec2() * 2.5) < 0.1, "{step} m at {round} s");
                before = now;
            }
            // What was at `p` is at `p - by` now.
            let by = DVec2::new(4096.0, -8192.0);
            let moved = place(&follow(&mut drift, &CLOUDY, wind, by, Some(&time)), &time);
            assert!((moved - before - by / SIZE).length() < 1e-5);
        }
    }

    #[test]
    fn clouds_and_winds_of_any_number_are_defined() {
        let time = Time::<()>::default();
        let of = |sky: &Sky, wind| follow(&mut CloudDrift::default(), sky, wind, DVec2::ZERO, Some(&time));
        for low_clouds in [f32::NAN, -1.0, 0.0] {
            assert_eq!(of(&Sky { low_clouds, ..CLOUDY }, Vec2::ONE), CloudsUniform::default());
        }
        for cloud_base in [f32::NAN, f32::INFINITY] {
            assert!(!of(&Sky { cloud_base, ..CLOUDY }, Vec2::ONE).exist());
        }
        assert_eq!(of(&Sky { low_clouds: 7.0, ..CLOUDY }, Vec2::ONE).cover, 1.0);
        let storm = Wind { speed: 200.0, ..Wind::default() }.velocity();
        let of_storm = of(&CLOUDY, storm);
        assert!((of_storm.drift.length() - 200.0 / SIZE as f32).abs() < 1e-6);
        let nowhere = Wind { speed: f32::NAN, ..Wind::default() }.velocity();
        assert_eq!(of(&CLOUDY, nowhere).drift, Vec2::ZERO);
    }
}

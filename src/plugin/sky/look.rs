//! How a camera sees the day: exposure, ambient light and aerial haze.

use bevy::camera::Exposure;
use bevy::color::LinearRgba;
use bevy::light::AmbientLight;
use bevy::pbr::{DistanceFog, FogFalloff};
use bevy::prelude::*;
use bevy::render::view::ColorGrading;

use crate::Daylight;
use crate::math::luminance::luminance;
use crate::plugin::material::{AmbientShape, Submersion};

/// Exposure of a day with full sun, EV at ISO 100.
const DAY_EV: f32 = 13.9;
/// Illuminance of a sunlit slope for that exposure, lux.
const DAY_ILLUMINANCE: f32 = 70_000.0;
/// How far exposure adapts to the light: at 1 dusk would look as bright as noon.
const ADAPTATION: f32 = 0.68;
/// The part of the daylight that the ground reflects into shadows.
const BOUNCE: f32 = 0.12;
/// Elevations between which the haze takes its colour from the sky, radians. At the horizon itself the
/// model's air is brown and dull as in a desert, especially with a low sun.
const HAZE_ELEVATIONS: [f32; 2] = [0.02, 0.13];

/// Cover of low clouds from which on the sky counts as overcast.
const OVERCAST_FROM: f32 = 0.8;
/// Share of the sun's direct light that an overcast sky leaves. What stands under a cloud is shaded by that
/// cloud as well.
const LEFT_OF_SUN: f32 = 0.15;
/// Share of all daylight on level ground that an overcast sky sends down.
const OVERCAST_LIGHT: f32 = 0.3;

/// How overcast a sky is with this cover of low clouds, 0 to 1.
pub(super) fn overcast(low_clouds: f32) -> f32 {
    let share = ((low_clouds - OVERCAST_FROM) / (1.0 - OVERCAST_FROM)).clamp(0.0, 1.0);
    if share.is_nan() { 0.0 } else { share }
}

/// The daylight under clouds that make the sky overcast by this share: less from the sun, and grey from the
/// sky.
pub(super) fn under_clouds(daylight: &Daylight, overcast: f32) -> Daylight {
    let mut under = daylight.clone();
    if overcast > 0.0 {
        let level_sun = daylight.sun_illuminance * daylight.sun.direction().y.max(0.0);
        let all = luminance(level_sun + daylight.sky_illuminance);
        // Thick cloud scatters all colours alike, and is a little bluish.
        let grey = OVERCAST_LIGHT * all * Vec3::new(0.97, 1.0, 1.04);
        under.sun_illuminance *= 1.0 - (1.0 - LEFT_OF_SUN) * overcast;
        under.sky_illuminance = daylight.sky_illuminance.lerp(grey, overcast);
    }
    under
}

/// The exposure at which a landscape under `daylight` looks natural.
pub(super) fn exposure(daylight: &Daylight) -> Exposure {
    // A hill has slopes in all directions: half the sunlight represents them at any hour.
    let light = luminance(0.5 * daylight.sun_illuminance + daylight.sky_illuminance);
    // A stop is a factor of 2. The bound keeps a black night from an exposure without end.
    Exposure { ev100: DAY_EV + ADAPTATION * (light / DAY_ILLUMINANCE).max(1e-9).log2() }
}

/// Ambient light from sky and ground.
pub(super) fn ambient(daylight: &Daylight) -> AmbientLight {
    let level_sun = daylight.sun_illuminance * daylight.sun.direction().y.max(0.0);
    let bounced = BOUNCE * (level_sun + daylight.sky_illuminance);
    // A surface under a uniform sky of radiance L gets π · L, so the radiance is the illuminance divided by
    // π.
    let radiance = (daylight.sky_illuminance + bounced) / std::f32::consts::PI;
    let brightness = luminance(radiance).max(1e-6);
    AmbientLight { color: colour(radiance / brightness), brightness, ..default() }
}

/// How that light differs with the direction that a surface faces.
pub(super) fn ambient_shape(daylight: &Daylight, overcast: f32) -> AmbientShape {
    let light = daylight.skylight(BOUNCE);
    // At night there is nothing to divide by.
    let level = light.on(Vec3::Y).max(Vec3::splat(1e-6));
    // Clouds are about as bright on all sides.
    let level = if overcast > 0.0 { level / (1.0 - 0.8 * overcast) } else { level };
    AmbientShape {
        east: light.east / level,
        up: light.up / level,
        bow: light.bow / level,
        south: light.south / level,
    }
}

/// Bevy's fog for a sky: `visibility` is in metres, `light` is the illuminance of the sun's
/// [`DirectionalLight`] in lux, and `overcast` by how much the sky is.
pub(super) fn fog(
    daylight: &Daylight,
    light: Vec3,
    (visibility, overcast): (f32, f32),
    exposure: f32,
) -> DistanceFog {
    let haze = Haze::new(daylight, overcast);
    // At the visibility a black hill differs from the sky by 2 %. Blue is scattered most, so distant hills
    // turn blue before they fade.
    // Koschmieder: 3.912 = -ln 0.02.
    let density = 3.912 / visibility * Vec3::new(0.72, 0.95, 1.33);
    DistanceFog {
        color: colour(haze.base * exposure),
        // Bevy multiplies it by the light's illuminance.
        directional_light_color: colour(haze.glow / light),
        directional_light_exponent: haze.exponent,
        falloff: FogFalloff::Atmospheric { extinction: density, inscattering: density },
    }
}

/// The colour that a camera is cleared to: that of the `haze` of its fog, which the land and the sky above
/// the horizon have from afar. Without HDR what is drawn has its tones mapped by its shaders, and this has
/// them mapped here, roughly.
pub(super) fn clear_colour(haze: Color, has_hdr: bool) -> Color {
    let linear = haze.to_linear().to_vec3();
    colour(if has_hdr { linear } else { 1.0 - (-linear).exp() })
}

/// Daylight of each colour that clear, deep water sends back. Twin of `DEEP_ALBEDO` in `shaders/water.wgsl`.
const DEEP_ALBEDO: Vec3 = Vec3::new(0.006, 0.032, 0.058);
/// How much brighter water is for an eye in it that looks ahead, compared to one above that looks down.
const WITHIN: f32 = 1.6;
/// How much brighter it is towards the sun.
const GLOW: f32 = 2.2;
/// Stops by which an eye just below the surface opens.
const OPENED: f32 = 0.7;

/// Stops by which an eye opens in the dim light under water.
pub(super) fn adapted(submersion: Submersion) -> f32 {
    if submersion.is_under_water() {
        OPENED - ADAPTATION * luminance(submersion.daylight()).max(1e-4).log2()
    } else {
        0.0
    }
}

/// Bevy's fog for an eye under water; `light` as in [`fog`].
pub(super) fn water(daylight: &Daylight, light: Vec3, submersion: Submersion, exposure: f32) -> DistanceFog {
    let incoming = daylight.sun_illuminance * daylight.sun.direction().y.max(0.0) + daylight.sky_illuminance;
    let radiance = WITHIN * DEEP_ALBEDO * incoming / std::f32::consts::PI * submersion.daylight();
    let extinction = submersion.extinction();
    DistanceFog {
        color: colour(radiance * exposure),
        directional_light_color: colour(GLOW * radiance / light),
        directional_light_exponent: 1.6,
        falloff: FogFalloff::Atmospheric { extinction, inscattering: extinction },
    }
}

/// The colour of deep haze: `base + glow · max(0, cos γ)^exponent`, γ the angle to the sun, fitted to the
/// sky near the horizon. The form is that of Bevy's fog.
#[derive(Debug)]
struct Haze {
    base: Vec3,
    glow: Vec3,
    exponent: f32,
}

impl Haze {
    fn new(daylight: &Daylight, overcast: f32) -> Self {
        let mut haze = Self::fitted(daylight);
        // The lower the sun, the more of its light is lost in the haze, which then is lit mainly by the
        // sky. After sunset only the air far above still glows: without this, dusk would be too bright near
        // the sun.
        let low = ((16.0 - daylight.sun.elevation) / 20.0).clamp(0.0, 1.0);
        let down = ((2.0 - daylight.sun.elevation) / 6.0).clamp(0.0, 1.0);
        haze.base = haze.base.lerp(daylight.sky_illuminance / std::f32::consts::PI, 0.6 * low);
        haze.glow *= 1.0 - 0.65 * down;
        if overcast > 0.0 {
            // Under an overcast the air is lit by the clouds alone.
            let grey = daylight.sky_illuminance / std::f32::consts::PI;
            haze.base = haze.base.lerp(grey, overcast);
            haze.glow *= 1.0 - overcast;
        }
        haze
    }

    fn fitted(daylight: &Daylight) -> Self {
        let to_sun = daylight.sun.direction();
        let bearing = daylight.sun.bearing.to_radians();
        let at = |away: f32| {
            let (sin, cos) = (bearing + away.to_radians()).sin_cos();
            let [low, high] = HAZE_ELEVATIONS.map(|elevation| {
                let level = elevation.cos();
                daylight.radiance(Vec3::new(level * sin, elevation.sin(), -level * cos))
            });
            (low.lerp(high, 0.45), Vec3::new(sin, 0.0, -cos).dot(to_sun).max(1e-3))
        };
        let base = (at(90.0).0 + at(135.0).0 + at(180.0).0) / 3.0;
        let ((sunward, sunward_cosine), (beside, beside_cosine)) = (at(0.0), at(40.0));
        let (most, some) = (luminance(sunward - base), luminance(beside - base).max(0.0));
        // No glow to fit: the sun is below the horizon, or so high that all bearings look alike.
        if most <= 0.02 * luminance(base) || sunward_cosine <= beside_cosine {
            return Self { base, glow: Vec3::ZERO, exponent: 8.0 };
        }
        // From two points of (cos γ)^n: n = ln(L1 / L2) / ln(cos γ1 / cos γ2).
        let falloff = (most / some.max(0.01 * most)).ln() / (sunward_cosine / beside_cosine).ln();
        let exponent = falloff.clamp(4.0, 16.0);
        // The bound keeps the glow finite for a high sun, whose bearing is far from it.
        let at_sun = sunward_cosine.powf(exponent).max(0.25);
        Self { base, glow: (sunward - base).max(Vec3::ZERO) / at_sun, exponent }
    }
}

/// Slightly raised saturation, to compensate for the neutral tone mapping.
pub(super) fn grading() -> ColorGrading {
    let mut grading = ColorGrading::default();
    grading.global.post_saturation = 1.12;
    grading
}

pub(super) fn colour(linear: Vec3) -> Color {
    LinearRgba::rgb(linear.x, linear.y, linear.z).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sun;

    #[test]
    fn a_lower_sun_opens_the_camera_but_dusk_stays_darker_than_noon() {
        let seen = |elevation: f32| {
            let daylight = Daylight::new(Sun { bearing: 0.0, elevation });
            let light = luminance(0.5 * daylight.sun_illuminance + daylight.sky_illuminance);
            (exposure(&daylight).ev100, light * exposure(&daylight).exposure())
        };
        let (noon, dusk) = (seen(60.0), seen(-3.0));
        assert!(noon.0 > dusk.0 + 5.0);
        assert!(noon.1 > 1.5 * dusk.1);
    }

    #[test]
    fn ambient_light_comes_from_sky_and_ground_and_is_as_ever_on_level_ground() {
        for elevation in [60.0, 12.0, -3.0] {
            let daylight = Daylight::new(Sun { bearing: 70.0, elevation });
            let (shape, light) = (ambient_shape(&daylight, 0.0), daylight.skylight(BOUNCE));
            // As in the shader.
            let on = |n: Vec3| {
                let AmbientShape { east, up, bow, south } = shape;
                Vec3::ONE + east * n.x + up * (n.y - 1.0) + bow * (n.y * n.y - 1.0) + south * n.z
            };
            assert_eq!(on(Vec3::Y), Vec3::ONE);
            for n in [Vec3::X, Vec3::NEG_Y, Vec3::Z, Vec3::new(0.6, 0.48, -0.64)] {
                let off = (on(n).max(Vec3::ZERO) - light.on(n) / light.on(Vec3::Y)).abs().max_element();
                assert!(off < 1e-4, "{elevation}°, {n}: {off}");
            }
        }
        let shader = include_str!("../../../shaders/ambient.wgsl");
        for part in ["ambient_up * (normal.y - 1.0)", "ambient_bow * (normal.y * normal.y - 1.0)"] {
            assert!(shader.contains(part), "{part}");
        }
    }

    #[test]
    fn an_overcast_day_is_darker_and_greyer_than_a_clear_one() {
        let clear = Daylight::new(Sun::default());
        let all = |day: &Daylight| {
            luminance(day.sun_illuminance * day.sun.direction().y.max(0.0) + day.sky_illuminance)
        };
        let hue = |light: Vec3| light.max_element() / light.min_element();
        for cover in [0.0, 0.5, 0.8, f32::NAN] {
            let under = under_clouds(&clear, overcast(cover));
            assert_eq!(under.sun_illuminance, clear.sun_illuminance, "{cover}");
            assert_eq!(under.sky_illuminance, clear.sky_illuminance, "{cover}");
        }
        let mut before = all(&clear);
        for cover in [0.85, 0.9, 0.95, 1.0] {
            let under = under_clouds(&clear, overcast(cover));
            let now = all(&under);
            assert!(now < before, "{cover}: {now} after {before}");
            assert!(exposure(&under).ev100 < exposure(&clear).ev100);
            before = now;
        }
        let covered = under_clouds(&clear, 1.0);
        assert!(hue(covered.sky_illuminance) < 1.1 && hue(clear.sky_illuminance) > 1.3);
    }

    #[test]
    fn water_is_as_deep_from_within_as_from_above() {
        let shader = include_str!("../../../shaders/water.wgsl");
        let Vec3 { x, y, z } = DEEP_ALBEDO;
        assert!(shader.contains(&format!("const DEEP_ALBEDO: vec3<f32> = vec3({x:?}, {y:?}, {z:?});")));
    }

    #[test]
    fn haze_has_the_skys_colour_round_the_whole_horizon() {
        for elevation in [60.0, 25.0, 12.0] {
            let sun = Sun { bearing: 70.0, elevation };
            let daylight = Daylight::new(sun);
            let haze = Haze::new(&daylight, 0.0);
            for bearing in (0..360).step_by(30) {
                let direction = Sun { bearing: bearing as f32, elevation: 2.9 }.direction();
                let glow = direction.dot(sun.direction()).max(0.0).powf(haze.exponent);
                let (haze, sky) = (haze.base + haze.glow * glow, daylight.radiance(direction));
                let ratio = luminance(haze) / luminance(sky);
                assert!((0.6..1.7).contains(&ratio), "{elevation}° {bearing}°: {ratio}");
            }
        }
    }
}

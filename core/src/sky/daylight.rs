//! Daylight: illuminance and radiance of the sun and a clear sky for a position of the sun. Twin of
//! `shaders/sky.wgsl`.

use std::f32::consts::{FRAC_PI_2, PI};

use glam::{Vec2, Vec3, vec3};

use crate::sky::atmosphere::{GROUND, scattered, sunlight};
use crate::sky::sun::Sun;

/// Sunlight above the atmosphere in lux, slightly warm as seen by a white-balanced camera.
const SOLAR_ILLUMINANCE: Vec3 = vec3(133_000.0, 128_000.0, 121_000.0);
/// Compensates for light that the model loses: with it the sky of a clear noon gives 14 klux, as measured.
const SKY_GAIN: f32 = 1.6;
/// The observer's height above ground, kilometres.
const OBSERVER: f32 = 0.5;

/// Sunlight and the radiance of a clear sky.
///
/// The sky is symmetric about the sun's bearing and is stored as a small table: [`Daylight::COLUMNS`] from
/// the sun's bearing to the opposite one, [`Daylight::ROWS`] from the horizon to the zenith, dense near the
/// horizon. Light scattered by haze is stored separately, because its glow around the sun is too sharp for
/// the table.
///
/// Colours are linear sRGB in photometric units: white is (1, 1, 1) times the value.
#[derive(Clone, Debug)]
pub struct Daylight {
    /// The sun's position.
    pub sun: Sun,
    /// Illuminance by the sun on a surface that faces it, lux.
    pub sun_illuminance: Vec3,
    /// Illuminance by the sun on clouds 9 km up, where it shines for longer, lux.
    pub sun_illuminance_on_clouds: Vec3,
    /// Illuminance of level ground by the whole sky, without the sun itself, lux.
    pub sky_illuminance: Vec3,
    air: Vec<Vec3>,
    haze: Vec<Vec3>,
}

/// How much light from sky and ground a surface gets, by the direction that it faces: `mean` + `east` · x +
/// `up` · y + `bow` · y² + `south` · z for a unit normal, lux. It is exact for level ground, for what faces
/// down, and for upright walls that face east, south, west or north on average.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Skylight {
    /// The mean over upright walls.
    pub mean: Vec3,
    /// How much more a surface gets that faces east.
    pub east: Vec3,
    /// How much more a surface gets that faces up.
    pub up: Vec3,
    /// How much more a surface gets that faces up or down.
    pub bow: Vec3,
    /// How much more a surface gets that faces south.
    pub south: Vec3,
}

impl Skylight {
    /// The illuminance of a surface with a unit normal, lux; never below 0.
    pub fn on(&self, normal: Vec3) -> Vec3 {
        let Self { mean, east, up, bow, south } = *self;
        let light = mean + east * normal.x + up * normal.y + bow * (normal.y * normal.y) + south * normal.z;
        light.max(Vec3::ZERO)
    }
}

impl Daylight {
    /// Columns of the table, from the sun's bearing to the opposite one.
    pub const COLUMNS: usize = 32;
    /// Rows of the table, from the horizon to the zenith.
    pub const ROWS: usize = 64;
    /// Forward scattering of haze: g in the Henyey-Greenstein phase function.
    pub const HAZE_ANISOTROPY: f32 = 0.8;

    /// Computes the light for a sun. It takes about 10 ms on one thread, plus a tenth of a second at the
    /// first call in a process. It doesn't use rayon, so it doesn't wait for busy threads.
    pub fn new(sun: Sun) -> Self {
        let radius = GROUND + OBSERVER;
        // The sky turns with the sun, so the table has the bearing from the sun alone.
        let to_sun = Sun { bearing: 0.0, ..sun }.direction();
        let (air, haze) = (0..Self::COLUMNS * Self::ROWS)
            .map(|index| {
                let away = (index % Self::COLUMNS) as f32 / (Self::COLUMNS - 1) as f32 * PI;
                let height = (index / Self::COLUMNS) as f32 / (Self::ROWS - 1) as f32;
                // Rows are denser near the horizon, where colours change fast.
                let elevation = height * height * FRAC_PI_2;
                let level = libm::cosf(elevation);
                let direction =
                    vec3(level * libm::sinf(away), libm::sinf(elevation), -level * libm::cosf(away));
                let light = scattered(radius, direction, to_sun);
                let sunlight = SOLAR_ILLUMINANCE * SKY_GAIN;
                (light.air * sunlight, light.haze * sunlight)
            })
            .unzip();
        let mut daylight = Self {
            sun,
            sun_illuminance: SOLAR_ILLUMINANCE * sunlight(radius, to_sun.y),
            // At 9 km the sun reddens later and sets later than on the ground.
            sun_illuminance_on_clouds: SOLAR_ILLUMINANCE * sunlight(GROUND + 9.0, to_sun.y),
            sky_illuminance: Vec3::ZERO,
            air,
            haze,
        };
        daylight.sky_illuminance = daylight.illuminance_of_sky();
        daylight
    }

    /// Radiance of the sky in a direction (a unit vector), cd/m², without the sun's disc. Below the horizon
    /// it is that of the horizon.
    pub fn radiance(&self, direction: Vec3) -> Vec3 {
        let to_sun = self.sun.direction();
        let elevation = libm::asinf(direction.y.clamp(0.0, 1.0));
        // Straight up there is no bearing: 0 has the dot product 0, a right angle, and all columns agree
        // there.
        let flat = |v: Vec3| Vec2::new(v.x, v.z).normalize_or_zero();
        let away = libm::acosf(flat(direction).dot(flat(to_sun)).clamp(-1.0, 1.0));
        let place = Vec2::new(
            away / PI * (Self::COLUMNS - 1) as f32,
            (elevation / FRAC_PI_2).sqrt() * (Self::ROWS - 1) as f32,
        );
        let cosine = direction.dot(to_sun);
        bilinear(&self.air, place) + bilinear(&self.haze, place) * phase_of_haze(cosine)
    }

    /// The table, cd/m²: first the light of the air, then that of the haze without its phase function, each
    /// row by row from the horizon up.
    pub fn table(&self) -> impl Iterator<Item = Vec3> {
        self.air.iter().chain(&self.haze).copied()
    }

    /// What surfaces of all directions get from the sky, and from the ground that reflects a share `albedo` of
    /// the daylight.
    pub fn skylight(&self, albedo: f32) -> Skylight {
        let (rings, spokes) = (24, 48);
        // On walls that face east, west, south and north.
        let mut walls = [Vec3::ZERO; 4];
        for ring in 0..rings {
            // Rings of equal solid angle.
            let y = (ring as f32 + 0.5) / rings as f32;
            let level = (1.0 - y * y).sqrt();
            for spoke in 0..spokes {
                let turn = (spoke as f32 + 0.5) / spokes as f32 * 2.0 * PI;
                let (east, south) = (level * libm::cosf(turn), level * libm::sinf(turn));
                let radiance = self.radiance(vec3(east, y, south));
                for (wall, cosine) in walls.iter_mut().zip([east, -east, south, -south]) {
                    *wall += radiance * cosine.max(0.0);
                }
            }
        }
        let level_sun = self.sun_illuminance * self.sun.direction().y.max(0.0);
        // A surface that sees nothing but ground gets this much, and a wall half of it.
        let ground = albedo * (level_sun + self.sky_illuminance);
        let [east, west, south, north] = walls.map(|wall| wall * (2.0 * PI / (rings * spokes) as f32));
        let mean = 0.25 * (east + west + south + north) + 0.5 * ground;
        Skylight {
            mean,
            east: 0.5 * (east - west),
            up: 0.5 * (self.sky_illuminance - ground),
            bow: 0.5 * (self.sky_illuminance + ground) - mean,
            south: 0.5 * (south - north),
        }
    }

    fn illuminance_of_sky(&self) -> Vec3 {
        let (rings, spokes) = (24, 48);
        let mut sum = Vec3::ZERO;
        for ring in 0..rings {
            // Rings of equal weight in the cosine-weighted hemisphere.
            let y = ((ring as f32 + 0.5) / rings as f32).sqrt();
            let level = (1.0 - y * y).sqrt();
            for spoke in 0..spokes {
                let turn = (spoke as f32 + 0.5) / spokes as f32 * 2.0 * PI;
                sum += self.radiance(vec3(level * libm::cosf(turn), y, level * libm::sinf(turn)));
            }
        }
        // ∫ cos θ dω over the hemisphere is π.
        sum * (PI / (rings * spokes) as f32)
    }
}

/// The Henyey-Greenstein phase function.
fn phase_of_haze(cosine: f32) -> f32 {
    // Henyey and Greenstein's phase function.
    let g = Daylight::HAZE_ANISOTROPY;
    let base = 1.0 + g * g - 2.0 * g * cosine;
    (1.0 - g * g) / (4.0 * PI * base * base.sqrt())
}

fn bilinear(table: &[Vec3], place: Vec2) -> Vec3 {
    // The last cell also serves its far end.
    let first = place.floor().min(Vec2::new((Daylight::COLUMNS - 2) as f32, (Daylight::ROWS - 2) as f32));
    let t = place - first;
    let index = first.y as usize * Daylight::COLUMNS + first.x as usize;
    let row = |index: usize| table[index].lerp(table[index + 1], t.x);
    row(index).lerp(row(index + Daylight::COLUMNS), t.y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::luminance::luminance;

    fn at(elevation: f32) -> Daylight {
        Daylight::new(Sun { bearing: 90.0, elevation })
    }

    #[test]
    fn a_day_has_the_brightness_of_a_day() {
        let noon = at(60.0);
        let (sun, sky) = (luminance(noon.sun_illuminance), luminance(noon.sky_illuminance));
        assert!((80_000.0..125_000.0).contains(&sun), "{sun}");
        assert!((8_000.0..30_000.0).contains(&sky), "{sky}");
        let dusk = luminance(at(-3.0).sky_illuminance);
        assert!((20.0..500.0).contains(&dusk), "{dusk}");
    }

    #[test]
    fn at_noon_the_zenith_is_bluer_and_darker_than_the_horizon() {
        let noon = at(60.0);
        let (zenith, horizon) = (noon.radiance(Vec3::Y), noon.radiance(Vec3::NEG_Z));
        assert!(luminance(zenith) < 0.7 * luminance(horizon));
        assert!(zenith.z / zenith.x > 1.5 * horizon.z / horizon.x);
    }

    #[test]
    fn the_sky_towards_a_low_sun_is_brighter_and_warmer_than_opposite() {
        let evening = at(3.0);
        let (near, far) = (evening.radiance(Vec3::X), evening.radiance(Vec3::NEG_X));
        assert!(luminance(near) > 2.0 * luminance(far));
        assert!(near.x / near.z > 1.3 * far.x / far.z);
    }

    #[test]
    fn a_sinking_sun_gives_ever_less_light() {
        let total = |elevation: f32| {
            let light = at(elevation);
            let level = elevation.to_radians().sin().max(0.0);
            luminance(light.sun_illuminance * level + light.sky_illuminance)
        };
        let days: Vec<f32> = [90.0, 60.0, 30.0, 10.0, 3.0, 0.0, -3.0, -6.0, -10.0].map(total).into();
        assert!(days.windows(2).all(|pair| pair[0] > pair[1] && pair[1] > 0.0), "{days:?}");
        assert_eq!(at(-3.0).sun_illuminance, Vec3::ZERO);
    }

    #[test]
    fn light_from_sky_and_ground_is_what_adds_up_over_all_directions() {
        const ALBEDO: f32 = 0.12;
        for elevation in [60.0, 20.0, 3.0] {
            let light = at(elevation);
            let level_sun = light.sun_illuminance * light.sun.direction().y;
            let ground = ALBEDO * (level_sun + light.sky_illuminance) / PI;
            let skylight = light.skylight(ALBEDO);
            let mut all: Vec<Vec3> = Vec::new();
            for x in -1..=1 {
                for y in -1..=1 {
                    all.extend((-1..=1).map(|z| vec3(x as f32, y as f32, z as f32).normalize_or_zero()));
                }
            }
            for normal in all.into_iter().filter(|normal| *normal != Vec3::ZERO) {
                let (rings, spokes) = (64, 96);
                let mut sum = Vec3::ZERO;
                for (ring, spoke) in (0..rings).flat_map(|ring| (0..spokes).map(move |spoke| (ring, spoke))) {
                    let y = (ring as f32 + 0.5) / rings as f32 * 2.0 - 1.0;
                    let turn = (spoke as f32 + 0.5) / spokes as f32 * 2.0 * PI;
                    let level = (1.0 - y * y).sqrt();
                    let towards = vec3(level * turn.cos(), y, level * turn.sin());
                    let radiance = if y > 0.0 { light.radiance(towards) } else { ground };
                    sum += radiance * normal.dot(towards).max(0.0);
                }
                let exact = sum * (4.0 * PI / (rings * spokes) as f32);
                let found = skylight.on(normal);
                let off = luminance((found - exact).abs()) / luminance(skylight.mean);
                assert!(off < 0.25, "{elevation}°, {normal}: {found} for {exact}");
            }
            // Level ground sees none of the ground, and what faces down sees nothing else.
            let ends = [(Vec3::Y, light.sky_illuminance), (Vec3::NEG_Y, PI * ground)];
            for (normal, exact) in ends {
                let off = (skylight.on(normal) / exact - 1.0).abs().max_element();
                assert!(off < 1e-4, "{elevation}°, {normal}: {off}");
            }
        }
    }

    #[test]
    fn no_sky_is_negative_or_without_end() {
        for elevation in [-10.0, -1.0, 0.0, 45.0, 90.0] {
            let light = at(elevation);
            assert!(light.table().all(|radiance| radiance.is_finite() && radiance.min_element() >= 0.0));
            assert_eq!(light.table().count(), 2 * Daylight::COLUMNS * Daylight::ROWS);
        }
    }
}

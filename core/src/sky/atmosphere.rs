//! Scattering and absorption of sunlight in the atmosphere.
//!
//! After S. Hillaire, "A Scalable and Production Ready Sky and Atmosphere Rendering Technique" (2020):
//! tables of transmittance and of multiple scattering that hold for every position of the sun. Lengths are
//! kilometres from the planet's centre, colours linear sRGB.

use std::sync::LazyLock;

use glam::{Vec2, Vec3, vec3};

/// Radius of the ground, km.
pub(crate) const GROUND: f32 = 6360.0;
/// Radius of the top of the atmosphere, km.
const TOP: f32 = 6460.0;

// Coefficients per kilometre. The usual values are for light of 680, 550 and 440 nm. The red of a screen is
// nearer to 630 nm, where ozone absorbs more: with the usual values dusk turns purple.
const RAYLEIGH: Vec3 = vec3(6.2e-3, 13.558e-3, 32.0e-3);
const RAYLEIGH_SCALE_HEIGHT: f32 = 8.0;
const MIE_SCATTERING: f32 = 3.996e-3;
const MIE_EXTINCTION: f32 = 4.44e-3;
const MIE_SCALE_HEIGHT: f32 = 1.2;
const OZONE: Vec3 = vec3(1.1e-3, 1.881e-3, 0.085e-3);
const OZONE_HEIGHT: f32 = 25.0;
const OZONE_HALF_WIDTH: f32 = 15.0;
/// Albedo of the ground.
const GROUND_ALBEDO: f32 = 0.3;

/// Scattering and absorption at one height, per kilometre.
struct Air {
    rayleigh: Vec3,
    mie: f32,
    extinction: Vec3,
}

fn air_at(radius: f32) -> Air {
    let height = (radius - GROUND).max(0.0);
    let rayleigh = RAYLEIGH * libm::expf(-height / RAYLEIGH_SCALE_HEIGHT);
    let mie_density = libm::expf(-height / MIE_SCALE_HEIGHT);
    let ozone = OZONE * (1.0 - (height - OZONE_HEIGHT).abs() / OZONE_HALF_WIDTH).max(0.0);
    Air {
        rayleigh,
        mie: MIE_SCATTERING * mie_density,
        extinction: rayleigh + Vec3::splat(MIE_EXTINCTION * mie_density) + ozone,
    }
}

/// Distance along a ray from `radius`, with `mu` the cosine of its zenith angle, to a sphere of radius
/// `sphere` around the start.
fn to_sphere_around(radius: f32, mu: f32, sphere: f32) -> f32 {
    // Law of cosines for the far intersection; rounding near a tangent may make the root negative.
    -radius * mu + (radius * radius * (mu * mu - 1.0) + sphere * sphere).max(0.0).sqrt()
}

/// Distance along a ray to the ground; `None` if it misses.
fn to_ground(radius: f32, mu: f32) -> Option<f32> {
    let discriminant = radius * radius * (mu * mu - 1.0) + GROUND * GROUND;
    // Upwards there is no ground, though the line backwards would hit it.
    (mu < 0.0 && discriminant >= 0.0).then(|| (-radius * mu - discriminant.sqrt()).max(0.0))
}

fn phase_rayleigh(cosine: f32) -> f32 {
    // Rayleigh's phase function, whose integral over the sphere is 1.
    3.0 / (16.0 * std::f32::consts::PI) * (1.0 + cosine * cosine)
}

/// A table over height and the cosine of the zenith angle, interpolated bilinearly.
struct Table {
    size: [usize; 2],
    texels: Vec<Vec3>,
}

impl Table {
    // On one thread: while a lazy static is being filled, a thread that waits for one of rayon's may be
    // waiting for one that waits for the static.
    fn new(size: [usize; 2], at: impl Fn(Vec2) -> Vec3) -> Self {
        let last = Vec2::new((size[0] - 1) as f32, (size[1] - 1) as f32);
        let texels = (0..size[0] * size[1])
            .map(|index| at(Vec2::new((index % size[0]) as f32, (index / size[0]) as f32) / last))
            .collect();
        Self { size, texels }
    }

    fn sample(&self, unit: Vec2) -> Vec3 {
        let last = Vec2::new((self.size[0] - 1) as f32, (self.size[1] - 1) as f32);
        let place = unit.clamp(Vec2::ZERO, Vec2::ONE) * last;
        // At the far end the last cell, so that it and its neighbour are in bounds.
        let first = place.floor().min(last - 1.0);
        let t = place - first;
        let index = first.y as usize * self.size[0] + first.x as usize;
        let row = |index: usize| self.texels[index].lerp(self.texels[index + 1], t.x);
        row(index).lerp(row(index + self.size[0]), t.y)
    }
}

/// Transmittance from the sun to a point in the atmosphere.
static TRANSMITTANCE: LazyLock<Table> = LazyLock::new(|| {
    Table::new([128, 48], |unit| {
        let (radius, mu) = (radius_from_unit(unit.y), mu_from_unit(unit.x));
        let steps = 40;
        let step = to_sphere_around(radius, mu, TOP) / steps as f32;
        // The middle of each step: the midpoint rule, since density changes exponentially.
        let depth: Vec3 = (0..steps)
            .map(|i| {
                let t = (i as f32 + 0.5) * step;
                air_at(radius_after(radius, mu, t)).extinction * step
            })
            .sum();
        exp(-depth)
    })
});

/// Multiple scattering (second and higher orders), per unit of scattering and of sunlight.
static SCATTERED_AGAIN: LazyLock<Table> = LazyLock::new(|| Table::new([32, 24], scattered_again));

// Both tables are denser near the ground and near the horizon, where the light changes fast.

fn radius_from_unit(unit: f32) -> f32 {
    // Never quite on either sphere, where rounding would decide between hit and miss.
    GROUND + 0.001 + (TOP - GROUND - 0.002) * unit * unit
}

fn unit_from_radius(radius: f32) -> f32 {
    ((radius - GROUND) / (TOP - GROUND)).max(0.0).sqrt()
}

fn mu_from_unit(unit: f32) -> f32 {
    let signed = 2.0 * unit - 1.0;
    signed * signed.abs()
}

fn unit_from_mu(mu: f32) -> f32 {
    (mu.signum() * mu.abs().sqrt() + 1.0) / 2.0
}

fn radius_after(radius: f32, mu: f32, distance: f32) -> f32 {
    (radius * radius + distance * distance + 2.0 * radius * mu * distance).max(0.0).sqrt()
}

fn exp(v: Vec3) -> Vec3 {
    Vec3::new(libm::expf(v.x), libm::expf(v.y), libm::expf(v.z))
}

/// The part of the sunlight that reaches `radius` when `mu` is the cosine of the sun's zenith angle; 0
/// where the ground is in the way, with a transition as wide as the sun's disc.
pub(crate) fn sunlight(radius: f32, mu: f32) -> Vec3 {
    let ratio = GROUND / radius.max(GROUND);
    let mu_horizon = -(1.0 - ratio * ratio).max(0.0).sqrt();
    // 0.27°, in radians: half of the disc's 0.53°.
    let sun_radius = 0.0047;
    let visible = ((mu - mu_horizon) / (2.0 * sun_radius) + 0.5).clamp(0.0, 1.0);
    // Below the horizon the table holds ways through the ground; those of the horizon stand in for them while
    // a part of the disc is visible.
    TRANSMITTANCE.sample(Vec2::new(unit_from_mu(mu.max(mu_horizon)), unit_from_radius(radius))) * visible
}

fn scattered_again(unit: Vec2) -> Vec3 {
    let (radius, mu_sun) = (radius_from_unit(unit.y), mu_from_unit(unit.x));
    let sun = vec3((1.0 - mu_sun * mu_sun).max(0.0).sqrt(), mu_sun, 0.0);
    let directions = 64;
    let (mut second, mut returned) = (Vec3::ZERO, Vec3::ZERO);
    for i in 0..directions {
        // A Fibonacci spiral covers the sphere evenly.
        let y = 1.0 - 2.0 * (i as f32 + 0.5) / directions as f32;
        // The golden angle, π (3 − √5).
        let turn = i as f32 * 2.399_963_2;
        let level = (1.0 - y * y).sqrt();
        let direction = vec3(level * libm::cosf(turn), y, level * libm::sinf(turn));
        let ground = to_ground(radius, y);
        let end = ground.unwrap_or_else(|| to_sphere_around(radius, y, TOP));
        let steps = 20;
        let step = end / steps as f32;
        let mut through = Vec3::ONE;
        for s in 0..steps {
            let place = vec3(0.0, radius, 0.0) + direction * ((s as f32 + 0.5) * step);
            let r = place.length();
            let air = air_at(r);
            let scattering = air.rayleigh + Vec3::splat(air.mie);
            let kept = exp(-air.extinction * step);
            // The exact integral over a step of even air: (1 − e^(−σ t)) / σ.
            let weight = through * (Vec3::ONE - kept) / air.extinction;
            let isotropic = 1.0 / (4.0 * std::f32::consts::PI);
            second += weight * scattering * sunlight(r, place.dot(sun) / r) * isotropic;
            returned += weight * scattering;
            through *= kept;
        }
        if ground.is_some() {
            let place = vec3(0.0, radius, 0.0) + direction * end;
            let cosine = place.normalize().dot(sun).max(0.0);
            let bounced = GROUND_ALBEDO / std::f32::consts::PI * cosine;
            // Lambert's ground: albedo / π.
            second += through * sunlight(GROUND, place.normalize().dot(sun)) * bounced;
        }
    }
    second /= directions as f32;
    returned /= directions as f32;
    // Hillaire's sum of all further bounces as a geometric series, 1 + r + r² … = 1 / (1 − r).
    second / (Vec3::ONE - returned).max(Vec3::splat(0.05))
}

/// Light scattered towards an observer along a ray, for sunlight of 1.
pub(crate) struct Scattered {
    /// By the air itself, and all multiple scattering.
    pub(crate) air: Vec3,
    /// By haze, single scattering, not yet multiplied by the haze's phase function.
    pub(crate) haze: Vec3,
}

/// The light that an observer at `radius` sees in `direction` with the sun in direction `sun` (unit vectors,
/// Y up).
pub(crate) fn scattered(radius: f32, direction: Vec3, sun: Vec3) -> Scattered {
    let end = to_ground(radius, direction.y).unwrap_or_else(|| to_sphere_around(radius, direction.y, TOP));
    let steps = 32;
    // Haze gets its phase later: it peaks too sharply at the sun for a table.
    let phase = phase_rayleigh(direction.dot(sun));
    let (mut air_light, mut haze_light, mut through) = (Vec3::ZERO, Vec3::ZERO, Vec3::ONE);
    let mut from = 0.0;
    for i in 1..=steps {
        // Steps grow with distance: near air is densest.
        let share = i as f32 / steps as f32;
        let to = end * share * share;
        let (middle, step) = ((from + to) / 2.0, to - from);
        from = to;
        let place = vec3(0.0, radius, 0.0) + direction * middle;
        let r = place.length();
        let mu_sun = place.dot(sun) / r;
        let air = air_at(r);
        let kept = exp(-air.extinction * step);
        let weight = through * (Vec3::ONE - kept) / air.extinction;
        let sunlit = sunlight(r, mu_sun);
        let again = SCATTERED_AGAIN.sample(Vec2::new(unit_from_mu(mu_sun), unit_from_radius(r)));
        let scattering = air.rayleigh + Vec3::splat(air.mie);
        air_light += weight * (air.rayleigh * sunlit * phase + scattering * again);
        haze_light += weight * sunlit * air.mie;
        through *= kept;
    }
    Scattered { air: air_light, haze: haze_light }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_low_sun_is_dimmer_and_redder_than_a_high_one() {
        let (low, high) = (sunlight(GROUND + 0.1, 0.05), sunlight(GROUND + 0.1, 1.0));
        assert!(low.cmplt(high).all() && high.max_element() < 1.0);
        assert!(low.x / low.z > 3.0 * high.x / high.z);
        assert_eq!(sunlight(GROUND + 0.1, -0.2), Vec3::ZERO);
    }

    #[test]
    fn straight_up_the_air_lets_through_what_its_optical_depth_says() {
        let depth = RAYLEIGH * RAYLEIGH_SCALE_HEIGHT
            + Vec3::splat(MIE_EXTINCTION * MIE_SCALE_HEIGHT)
            + OZONE * OZONE_HALF_WIDTH;
        let difference = (sunlight(GROUND, 1.0) - exp(-depth)).abs();
        assert!(difference.max_element() < 0.01, "{difference}");
    }

    #[test]
    fn coordinates_of_the_tables_go_there_and_back() {
        for unit in [0.0, 0.1, 0.5, 0.9, 1.0] {
            assert!((unit_from_radius(radius_from_unit(unit)) - unit).abs() < 0.01);
            assert!((unit_from_mu(mu_from_unit(unit)) - unit).abs() < 1e-5);
        }
    }
}

//! How much of each terrain type lies on a piece of ground: a type made ready for many texels.
//!
//! A limit's influence is 1 inside and falls to 0 over the release outside; a type's weight is its
//! elevation's influence times its slope's. Skew shifts both elevation limits by how much the ground
//! faces a bearing. After "Generating Terrain Textures".

use glam::{Vec2, Vec3};

use super::method::{Blend, Blocks, Paint};
use crate::texture::bake::sampler::{Sampler, SamplerRow, Wear};
use crate::texture::bake::surface::{Ground, TILE};
use crate::texture::colour::srgb::linear_from_srgb;
use crate::texture::types::{Limits, TerrainType};

/// Below this squared share of the normal that lies flat, ground faces nowhere.
const FACES_NOWHERE: f32 = 1e-5;

/// Warm and cold patches of a mottled colour, as a share of its light and dark ones.
const WARMTH: f32 = 0.25;

/// One over the release of a hard edge: any excess is all of it.
const HARD: f32 = 1e30;

/// What a tile's colours are multiplied by where no mean is asked for.
const UNKNOWN: [f32; 3] = [0.5; 3];

/// How metres follow from the unit that a texture's heights are given in.
#[derive(Clone, Copy)]
pub(crate) struct Scale {
    /// The height that is 0, in metres.
    pub(crate) base: f32,
    /// Metres per unit.
    pub(crate) span: f32,
}

impl Scale {
    /// Heights given in metres.
    pub(crate) const METRES: Self = Self { base: 0.0, span: 1.0 };
}

/// One piece of ground.
pub(crate) struct Point {
    height: f32,
    /// Degrees.
    slope: f32,
    /// Unit vector towards east (x) and south (y), or 0 on flat ground.
    downhill: Vec2,
    /// Noise in [−1, 1] that moves the elevation limits, and that which moves the slope limits.
    border: f32,
    grain: f32,
}

impl Point {
    /// Ground of a unit normal, without noise. A normal that points down counts as a wall.
    pub(crate) fn new(height: f32, normal: Vec3) -> Self {
        let flat = Vec2::new(normal.x, normal.z);
        let gradient = flat.length() / normal.y.max(1e-6);
        let downhill = if flat.length_squared() < FACES_NOWHERE { Vec2::ZERO } else { flat / flat.length() };
        Self { height, slope: degrees_from_gradient(gradient), downhill, border: 0.0, grain: 0.0 }
    }

    /// One texel of a run.
    #[inline(always)]
    pub(crate) fn of(ground: &Ground, index: usize) -> Self {
        Self {
            height: ground.height[index],
            slope: ground.slope[index],
            downhill: Vec2::new(ground.downhill_x[index], ground.downhill_z[index]),
            border: ground.border[index],
            grain: ground.grain[index],
        }
    }
}

/// The direction of steepest descent for a gradient (rise per metre east and south): a unit vector,
/// or 0 where the ground faces nowhere.
#[inline(always)]
pub(crate) fn downhill_from_gradient(x: f32, z: f32) -> (f32, f32) {
    let squared = x * x + z * z;
    // The flat share of the normal, squared, is g² / (1 + g²).
    let faces = if squared < FACES_NOWHERE * (1.0 + squared) { 0.0 } else { -1.0 };
    let scale = faces / larger(squared, 1e-12).sqrt();
    (x * scale, z * scale)
}

/// Slope in degrees of ground that rises by `gradient` (0 or more) per metre: the arc tangent, to
/// 2e-6 degrees. Polynomial 4.4.49 of Abramowitz and Stegun, so that it runs on several texels at once.
#[inline(always)]
pub(crate) fn degrees_from_gradient(gradient: f32) -> f32 {
    arc_tangent(gradient) * (180.0 / std::f32::consts::PI)
}

/// The arc tangent of a number that is 0 or more, in radians.
#[inline(always)]
pub(crate) fn arc_tangent(x: f32) -> f32 {
    let steep = x > 1.0;
    let y = if steep { 1.0 / x } else { x };
    let t = y * y;
    let mut sum = 0.002_866_225_7;
    sum = sum * t - 0.016_165_737;
    sum = sum * t + 0.042_909_614;
    sum = sum * t - 0.075_289_64;
    sum = sum * t + 0.106_562_64;
    sum = sum * t - 0.142_089;
    sum = sum * t + 0.199_935_51;
    sum = sum * t - 0.333_331_45;
    let angle = sum * t * y + y;
    if steep { std::f32::consts::FRAC_PI_2 - angle } else { angle }
}

/// Limits made ready.
#[derive(Clone, Copy)]
struct Span {
    low: f32,
    high: f32,
    release: f32,
    /// 1 / release; for a hard edge so large that any excess counts as all of it.
    per_release: f32,
}

impl Span {
    fn new(low: f32, high: f32, release: f32) -> Self {
        // Of a release so small that its reciprocal is infinite, no excess at all would be NaN of it.
        let per_release = if release > 0.0 { smaller(1.0 / release, HARD) } else { HARD };
        Self { low, high, release, per_release }
    }

    /// How far `value` lies outside.
    #[inline(always)]
    fn excess(&self, value: f32) -> f32 {
        larger(larger(self.low - value, value - self.high), 0.0)
    }

    #[inline(always)]
    fn influence(&self, value: f32) -> f32 {
        larger(1.0 - self.excess(value) * self.per_release, 0.0)
    }

    /// Excess over release, or in units where there is none.
    fn distance(&self, value: f32) -> f32 {
        smaller(self.excess(value) / if self.release > 0.0 { self.release } else { 1.0 }, HARD)
    }

    /// Whether everything from `low` to `high` has no influence at all, beyond rounding errors.
    fn excludes(&self, (low, high): (f32, f32)) -> bool {
        let margin = 1e-3 + 1e-5 * larger(low.abs(), high.abs());
        larger(self.low - high, low - self.high) > self.release + margin
    }
}

/// A terrain type made ready: everything in metres and degrees, colour as it is blended.
pub(crate) struct Rule {
    elevation: Span,
    slope: Span,
    skew: Vec2,
    skew_length: f32,
    roughen: f32,
    slope_roughen: f32,
    colour: [f32; 3],
    variation: f32,
    blend: Blend,
    /// What its weight counts in the sum that weights are divided by.
    counts: f32,
    id: Option<u8>,
    /// What it wears instead of its colour.
    picture: Option<Sampler>,
    /// Limits on the ground's layers.
    factors: Vec<(usize, Span)>,
}

impl Rule {
    /// Makes `kind` ready for blending in linear light.
    pub(crate) fn new(kind: &TerrainType, scale: Scale) -> Self {
        let metres = |height: f32| scale.base + height * scale.span;
        let (any_height, any_slope) = (Limits::ANY_ELEVATION, Limits::ANY_SLOPE);
        let bearing = kind.skew_bearing.to_radians();
        let skew = kind.skew * scale.span;
        Self {
            // Ends that mean no limit are none, however far noise and skew move the ground.
            elevation: Span::new(
                if kind.elevation.min > any_height.min {
                    metres(kind.elevation.min)
                } else {
                    f32::NEG_INFINITY
                },
                if kind.elevation.max < any_height.max { metres(kind.elevation.max) } else { f32::INFINITY },
                kind.elevation.release * scale.span,
            ),
            slope: Span::new(
                if kind.slope.min > any_slope.min { kind.slope.min } else { f32::NEG_INFINITY },
                if kind.slope.max < any_slope.max { kind.slope.max } else { f32::INFINITY },
                kind.slope.release,
            ),
            skew: Vec2::new(libm::sinf(bearing), -libm::cosf(bearing)) * skew,
            skew_length: skew.abs(),
            roughen: kind.roughen * scale.span,
            slope_roughen: kind.slope_roughen,
            colour: kind.colour.unwrap_or(UNKNOWN).map(linear_from_srgb),
            variation: kind.variation,
            blend: kind.blend,
            counts: 1.0,
            id: kind.id,
            picture: None,
            factors: Vec::new(),
        }
    }

    /// The same, blending the sRGB values as they are.
    pub(crate) fn encoded(self, kind: &TerrainType) -> Self {
        Self { colour: kind.colour.unwrap_or(UNKNOWN), ..self }
    }

    /// The same, mixed whatever its method.
    pub(crate) fn mixed(self) -> Self {
        Self { blend: Blend::Mix, ..self }
    }

    /// The same, whose weight adds colour but nothing to the sum that weights are divided by.
    pub(crate) fn undivided(self) -> Self {
        Self { counts: 0.0, ..self }
    }

    /// Whether it is laid over the types before it and takes no share of the ground.
    pub(crate) fn is_layer(&self) -> bool {
        self.blend != Blend::Mix
    }

    /// Puts on what it wears instead of its colour.
    pub(crate) fn wear(&mut self, wear: Wear) {
        match wear {
            Wear::Even(colour) => self.colour = colour,
            Wear::Picture(picture) => self.picture = Some(picture),
        }
    }

    /// Whether it matters to it where downhill is.
    pub(crate) fn wants_downhill(&self) -> bool {
        self.skew_length > 0.0
    }

    /// Adds limits on one of the ground's layers.
    pub(crate) fn limit(&mut self, layer: usize, Limits { min, max, release }: Limits) {
        self.factors.push((layer, Span::new(min, max, release)));
    }

    /// Whether noise matters to it.
    pub(crate) fn wants_noise(&self) -> bool {
        self.variation > 0.0 || self.roughen > 0.0 || self.slope_roughen > 0.0
    }

    #[inline(always)]
    fn skewed(&self, point: &Point) -> f32 {
        point.height - self.skew.dot(point.downhill) + self.roughen * point.border
    }

    #[inline(always)]
    fn roughened(&self, point: &Point) -> f32 {
        point.slope + self.slope_roughen * point.grain
    }

    /// The weight, not yet divided by the sum over all types.
    #[inline(always)]
    pub(crate) fn weight(&self, point: &Point) -> f32 {
        self.elevation.influence(self.skewed(point)) * self.slope.influence(self.roughened(point))
    }

    /// How far the ground is from qualifying.
    pub(crate) fn distance(&self, point: &Point) -> f32 {
        self.elevation.distance(self.skewed(point)) + self.slope.distance(self.roughened(point))
    }

    /// How far a texel is from qualifying by every limit.
    pub(crate) fn distance_at(&self, ground: &Ground, index: usize) -> f32 {
        let factors = self.factors.iter().map(|(layer, span)| span.distance(ground.layers[*layer][index]));
        factors.fold(self.distance(&Point::of(ground, index)), |sum, distance| sum + distance)
    }

    /// Whether no texel of `ground` can have any weight.
    pub(crate) fn excludes(&self, ground: &Ground) -> bool {
        let reach = self.skew_length + self.roughen;
        let (low, high) = ground.height_range;
        let (flattest, steepest) = ground.slope_range;
        self.elevation.excludes((low - reach, high + reach))
            || self.slope.excludes((flattest - self.slope_roughen, steepest + self.slope_roughen))
    }

    /// The weights of a run of texels.
    #[inline(always)]
    pub(crate) fn weigh(&self, ground: &Ground, weights: &mut [f32; TILE]) {
        for (index, weight) in weights.iter_mut().enumerate() {
            *weight = self.weight(&Point::of(ground, index));
        }
        for (layer, span) in &self.factors {
            for (weight, &value) in weights.iter_mut().zip(&ground.layers[*layer]) {
                *weight *= span.influence(value);
            }
        }
    }

    /// Lays the type over a run of texels of a row by their weights.
    #[inline(always)]
    pub(crate) fn paint(
        &self,
        place: (usize, usize),
        ground: &Ground,
        weights: &[f32; TILE],
        line: &mut SamplerRow,
        colours: &mut [[f32; 4]; TILE],
        paint: &mut Paint,
    ) {
        let blocks = Blocks::of(weights);
        if blocks.are_empty() {
            return;
        }
        match &self.picture {
            None => {
                let [red, green, blue] = self.colour;
                let colour = [red, green, blue, self.counts];
                self.lay(ground, weights, &blocks, |_| colour, paint);
            }
            Some(picture) => {
                picture.read(place, &blocks, line, colours);
                self.lay(ground, weights, &blocks, |index| colours[index], paint);
            }
        }
    }

    #[inline(always)]
    fn lay(
        &self,
        ground: &Ground,
        weights: &[f32; TILE],
        blocks: &Blocks,
        colour: impl Fn(usize) -> [f32; 4],
        paint: &mut Paint,
    ) {
        if self.variation == 0.0 {
            return paint.lay_run(weights, blocks, colour, self.blend);
        }
        let mottled = |index: usize| {
            let light = 1.0 + self.variation * ground.grain[index];
            let warm = self.variation * WARMTH * ground.border[index];
            let [red, green, blue, counts] = colour(index);
            [light * red * (1.0 + warm), light * green, light * blue * (1.0 - 0.5 * warm), counts]
        };
        paint.lay_run(weights, blocks, mottled, self.blend);
    }

    /// The id that it has on a painted map.
    pub(crate) fn id(&self) -> Option<u8> {
        self.id
    }
}

/// The larger of two numbers neither of which is NaN: one instruction where `f32::max` takes several.
#[inline(always)]
pub(crate) fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// The smaller of two numbers neither of which is NaN.
#[inline(always)]
pub(crate) fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arc_tangent_agrees_with_libm() {
        for step in 0..200_000 {
            let x = step as f32 * 1e-3;
            assert!((arc_tangent(x) - libm::atanf(x)).abs() < 3e-7, "at {x}");
        }
        assert_eq!(arc_tangent(0.0), 0.0);
        assert_eq!(degrees_from_gradient(f32::INFINITY), 90.0);
        assert_eq!(degrees_from_gradient(1.0), 45.0);
    }

    #[test]
    fn flat_ground_faces_nowhere_and_slopes_face_down() {
        assert_eq!(downhill_from_gradient(0.0, 0.0), (0.0, 0.0));
        assert_eq!(downhill_from_gradient(0.001, 0.003), (0.0, 0.0));
        let (x, z) = downhill_from_gradient(3.0, -4.0);
        assert!((x + 0.6).abs() < 1e-6 && (z - 0.8).abs() < 1e-6);
    }
}

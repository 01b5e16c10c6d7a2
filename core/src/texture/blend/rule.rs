//! A terrain type prepared for many texels: its splat weight, and how it is painted.
//!
//! The influence of limits is 1 between them and falls to 0 over the release outside. A type's weight is the
//! product of the influences of its elevation, its slope and its other limits. Skew moves the elevation
//! limits by how much the ground faces a bearing. After "Generating Terrain Textures".

use glam::{Vec2, Vec3};

use crate::analysis::slope::{FACES_NOWHERE, degrees_from_gradient};
use crate::math::simd::{larger, smaller};
use crate::texture::colour::srgb::linear_from_srgb;
use crate::texture::texels::{GroundRun, RUN};
use crate::texture::types::{BlendMode, ElevationScale, Limits, TerrainType};

use super::blocks::Blocks;
use super::explain::LimitThere;
use super::paint::Paint;
use super::sampler::{Sampler, SamplerRow, TypeMaterial};

/// How strongly noise makes a mottled colour warmer and colder, as a share of how much it makes it lighter
/// and darker.
const WARMTH: f32 = 0.25;

/// One over the release of a hard edge: any excess leaves no influence.
const HARD: f32 = 1e30;

/// The colour of a type without one; its tile is drawn instead.
const UNKNOWN: [f32; 3] = [0.5; 3];

impl TerrainType {
    /// The type's weight, in [0, 1], on ground of `height` (in the limits' unit) and unit `normal`: the
    /// influence of its elevation times that of its slope, without noise and not divided by the sum over all
    /// types.
    pub fn weight(&self, height: f32, normal: Vec3) -> f32 {
        Rule::new(self, ElevationScale::METRES).weight(&GroundPoint::new(height, normal))
    }

    /// How far ground is from qualifying for the type: the distances of its height and its slope from their
    /// limits, each divided by its release, added up. 0 inside both.
    pub fn distance(&self, height: f32, normal: Vec3) -> f32 {
        Rule::new(self, ElevationScale::METRES).distance(&GroundPoint::new(height, normal))
    }
}

/// A piece of ground.
struct GroundPoint {
    /// Metres.
    height: f32,
    /// Degrees.
    slope: f32,
    /// Unit vector downhill towards east (x) and south (y), or 0 on level ground.
    downhill: Vec2,
    /// Noise in [−1, 1] that moves the elevation limits, and noise that moves the slope limits.
    border: f32,
    grain: f32,
}

impl GroundPoint {
    /// Ground of a unit normal, without noise. Where the normal points down it counts as a wall.
    fn new(height: f32, normal: Vec3) -> Self {
        let flat = Vec2::new(normal.x, normal.z);
        // Clamped, because a wall's or an overhang's normal points sideways or down.
        let gradient = flat.length() / normal.y.max(1e-6);
        let downhill = if flat.length_squared() < FACES_NOWHERE { Vec2::ZERO } else { flat / flat.length() };
        Self { height, slope: degrees_from_gradient(gradient), downhill, border: 0.0, grain: 0.0 }
    }

    /// The ground under a texel of a run.
    #[inline(always)]
    fn of(ground: &GroundRun, index: usize) -> Self {
        Self {
            height: ground.height[index],
            slope: ground.slope[index],
            downhill: Vec2::new(ground.downhill_x[index], ground.downhill_z[index]),
            border: ground.border[index],
            grain: ground.grain[index],
        }
    }
}

/// Prepared limits.
#[derive(Clone, Copy)]
struct Span {
    low: f32,
    high: f32,
    release: f32,
    /// 1 / release; for a hard edge so large that any excess exceeds it.
    per_release: f32,
}

impl Span {
    fn new(low: f32, high: f32, release: f32) -> Self {
        // The reciprocal of the smallest releases is infinite, and times an excess of 0 it would be NaN.
        let per_release = if release > 0.0 { smaller(1.0 / release, HARD) } else { HARD };
        Self { low, high, release, per_release }
    }

    /// The distance of `value` from the limits.
    #[inline(always)]
    fn excess(&self, value: f32) -> f32 {
        // At most one of the differences is positive. Written as `larger` so that it compiles to two
        // instructions without branches.
        larger(larger(self.low - value, value - self.high), 0.0)
    }

    #[inline(always)]
    fn influence(&self, value: f32) -> f32 {
        larger(1.0 - self.excess(value) * self.per_release, 0.0)
    }

    /// The excess divided by the release, if there is one.
    fn distance(&self, value: f32) -> f32 {
        smaller(self.excess(value) / if self.release > 0.0 { self.release } else { 1.0 }, HARD)
    }

    /// Whether nothing from `low` to `high` has any influence, whatever the rounding errors.
    fn excludes(&self, (low, high): (f32, f32)) -> bool {
        // Interpolation and noise round differently from the range, by parts of the last digits; excluding
        // too little only costs time.
        let margin = 1e-3 + 1e-5 * larger(low.abs(), high.abs());
        larger(self.low - high, low - self.high) > self.release + margin
    }
}

/// A prepared terrain type: everything in metres and degrees, the colour as it is blended.
pub(crate) struct Rule {
    elevation: Span,
    slope: Span,
    /// Towards the skew's bearing, its length the metres by which the limits move.
    skew: Vec2,
    skew_length: f32,
    roughen: f32,
    slope_roughen: f32,
    colour: [f32; 3],
    variation: f32,
    blend: BlendMode,
    /// The factor of its weight in the sum by which weights are divided.
    counts: f32,
    id: Option<u16>,
    /// Its picture instead of its colour.
    picture: Option<Sampler>,
    /// Limits of layers over the ground, each with the layer's number.
    factors: Vec<(usize, Span)>,
}

impl Rule {
    /// Prepares `kind` for blending in linear light.
    pub(crate) fn new(kind: &TerrainType, scale: ElevationScale) -> Self {
        let metres = |height: f32| scale.base + height * scale.span;
        let (any_height, any_slope) = (Limits::ANY_ELEVATION, Limits::ANY_SLOPE);
        let bearing = kind.skew_bearing.to_radians();
        let skew = kind.skew * scale.span;
        Self {
            // Limits that mean "any" are infinite, so that noise and skew cannot move ground beyond them.
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
            // Bearings count from the north clockwise, and +z is south.
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

    /// The same for blending sRGB values directly.
    pub(crate) fn encoded(self, kind: &TerrainType) -> Self {
        Self { colour: kind.colour.unwrap_or(UNKNOWN), ..self }
    }

    /// The same, mixed whatever its blend mode.
    pub(crate) fn mixed(self) -> Self {
        Self { blend: BlendMode::Mix, ..self }
    }

    /// The same, with a weight that adds colour but nothing to the sum by which weights are divided.
    pub(crate) fn undivided(self) -> Self {
        Self { counts: 0.0, ..self }
    }

    /// Whether it is laid over the types before it and takes no share of the ground ([`BlendMode`]).
    pub(crate) fn is_layer(&self) -> bool {
        !self.blend.takes_ground()
    }

    /// Whether it takes its share from the types before it.
    pub(crate) fn covers(&self) -> bool {
        self.blend == BlendMode::Cover
    }

    /// Whether it takes a share of the ground that counts like those of others: neither a layer nor
    /// undivided.
    pub(crate) fn is_whole(&self) -> bool {
        !self.is_layer() && self.counts > 0.0
    }

    /// Sets its material instead of its colour.
    pub(crate) fn set_material(&mut self, material: TypeMaterial) {
        match material {
            TypeMaterial::Even(colour) => self.colour = colour,
            TypeMaterial::Picture(picture) => self.picture = Some(picture),
        }
    }

    /// Whether it needs the direction that the ground faces.
    pub(crate) fn wants_downhill(&self) -> bool {
        self.skew_length > 0.0
    }

    /// Adds limits of a layer over the ground, by the layer's number.
    pub(crate) fn limit(&mut self, layer: usize, Limits { min, max, release }: Limits) {
        self.factors.push((layer, Span::new(min, max, release)));
    }

    /// Whether it needs noise.
    pub(crate) fn wants_noise(&self) -> bool {
        self.variation > 0.0 || self.roughen > 0.0 || self.slope_roughen > 0.0
    }

    /// The height that is compared with the elevation limits.
    #[inline(always)]
    fn skewed(&self, point: &GroundPoint) -> f32 {
        point.height - self.skew.dot(point.downhill) + self.roughen * point.border
    }

    /// The slope that is compared with the slope limits.
    #[inline(always)]
    fn roughened(&self, point: &GroundPoint) -> f32 {
        point.slope + self.slope_roughen * point.grain
    }

    /// The weight by elevation and slope, not divided by the sum over all types.
    #[inline(always)]
    fn weight(&self, point: &GroundPoint) -> f32 {
        self.elevation.influence(self.skewed(point)) * self.slope.influence(self.roughened(point))
    }

    /// How far the ground is from qualifying by elevation and slope.
    fn distance(&self, point: &GroundPoint) -> f32 {
        self.elevation.distance(self.skewed(point)) + self.slope.distance(self.roughened(point))
    }

    /// How far a texel is from qualifying by every limit.
    pub(crate) fn distance_at(&self, ground: &GroundRun, index: usize) -> f32 {
        let factors = self.factors.iter().map(|(layer, span)| span.distance(ground.layers[*layer][index]));
        factors.fold(self.distance(&GroundPoint::of(ground, index)), |sum, distance| sum + distance)
    }

    /// How each limit rates a texel: elevation, slope, then the factors, which have these names.
    pub(crate) fn limits_at(&self, ground: &GroundRun, index: usize, names: &[String]) -> Vec<LimitThere> {
        let point = GroundPoint::of(ground, index);
        let limit = |name: &str, span: &Span, value: f32| LimitThere {
            name: name.to_owned(),
            value,
            influence: span.influence(value),
            low: span.low,
            high: span.high,
            release: span.release,
        };
        let mut limits = vec![
            limit("elevation", &self.elevation, self.skewed(&point)),
            limit("slope", &self.slope, self.roughened(&point)),
        ];
        let factors = self.factors.iter().zip(names);
        limits.extend(factors.map(|((layer, span), name)| {
            let value = ground.layers[*layer][index];
            // A layer's limits were already converted to its influence.
            let is_influence = [span.low, span.high, span.release] == [1.0; 3];
            if is_influence { LimitThere::given(name, value) } else { limit(name, span, value) }
        }));
        limits
    }

    /// Whether no texel of a run can have any weight.
    pub(crate) fn excludes(&self, ground: &GroundRun) -> bool {
        let reach = self.skew_length + self.roughen;
        let (low, high) = ground.height_range;
        let (flattest, steepest) = ground.slope_range;
        self.elevation.excludes((low - reach, high + reach))
            || self.slope.excludes((flattest - self.slope_roughen, steepest + self.slope_roughen))
    }

    /// The weights on a run of texels, not divided by the sum over all types.
    #[inline(always)]
    pub(crate) fn weigh(&self, ground: &GroundRun, weights: &mut [f32; RUN]) {
        for (index, weight) in weights.iter_mut().enumerate() {
            *weight = self.weight(&GroundPoint::of(ground, index));
        }
        // One multiplication at a time over the whole run: layers are few, and each is a row of its own.
        for (layer, span) in &self.factors {
            for (weight, &value) in weights.iter_mut().zip(&ground.layers[*layer]) {
                *weight *= span.influence(value);
            }
        }
    }

    /// Lays the type over a run of texels by their weights. `place` is the run's row and first column.
    #[inline(always)]
    pub(crate) fn paint(
        &self,
        place: (usize, usize),
        ground: &GroundRun,
        weights: &[f32; RUN],
        line: &mut SamplerRow,
        colours: &mut [[f32; 4]; RUN],
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
        ground: &GroundRun,
        weights: &[f32; RUN],
        blocks: &Blocks,
        colour: impl Fn(usize) -> [f32; 4],
        paint: &mut Paint,
    ) {
        // The common case has a loop of its own, without reading noise.
        if self.variation == 0.0 {
            return paint.lay_run(weights, blocks, colour, self.blend);
        }
        let mottled = |index: usize| {
            let light = 1.0 + self.variation * ground.grain[index];
            let warm = self.variation * WARMTH * ground.border[index];
            let [red, green, blue, counts] = colour(index);
            // Warmer means more red and half as much less blue; green stays, so that brightness hardly
            // changes.
            [light * red * (1.0 + warm), light * green, light * blue * (1.0 - 0.5 * warm), counts]
        };
        paint.lay_run(weights, blocks, mottled, self.blend);
    }

    /// The id that it has on a painted map.
    pub(crate) fn id(&self) -> Option<u16> {
        self.id
    }
}

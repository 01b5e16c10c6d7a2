//! The baker: a field and a texture prepared so that any part of the map can be painted.
//!
//! Every texel's ground is weighed for every terrain type, and the types' colours are blended.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use crate::analysis::{ShareMap, TerrainAnalysis};
use crate::compute::wide::{Loop, in_wide_registers};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::memory;
use crate::grid::{Grid, Heightfield};
use crate::math::simd::byte_from_share;
use crate::sculpt::{PaintedRow, PaintedTypes};
use crate::texture::blend::{
    LimitThere, Paint, Rule, SamplerRow, TypeMaterial, TypeThere, WHOLE, add_up, names_of_factors,
};
use crate::texture::colour::ColourMap;
use crate::texture::colour::srgb::Encoder;
use crate::texture::texels::{
    GroundRun, Mottle, MottleRow, PaintedRun, PreparedMap, RUN, Surface, SurfaceRow, range,
};
use crate::texture::types::{BlendSpace, ElevationScale, Light, TerrainType, Texture};

use super::baked::{BakeOptions, Baked, WeightMap};
use super::materials::Materials;
use super::part::Part;
use super::window::MapWindow;

/// The longest side of one picture, in texels: hardly any program opens larger ones.
const MAX_SIDE: usize = 16_384;

/// Ground whose weights sum up to no more than this counts as unclaimed by all types, so that one over the
/// sum is finite.
const LEAST_TOTAL: f32 = 1e-30;

/// Paints any part of a map, any number of times.
///
/// A texel is the same bit for bit in every window that contains it, and on any number of threads.
///
/// ```
/// # use upland_core as upland;
/// use upland::texture::{BakeOptions, Baker, TerrainAnalysis, Texture, MapWindow};
/// # use upland::{Grid, Heightfield, Work};
/// # let grid = Grid::new(33, 33, 10.0)?;
/// # let field = Heightfield::from_fn(grid, |column, row| (column * row) as f32);
/// # let (texture, work) = (Texture { resolution: 64, ..Texture::temperate() }, Work::new());
/// let mut analysis = TerrainAnalysis::new(&field);
/// analysis.prepare(&field, &texture, &work)?;
/// let baker = Baker::new(&field, &analysis, &texture, BakeOptions::default(), 1, &work)?;
/// let whole = baker.paint(baker.whole(), &work)?.colour;
/// let part = baker.paint(MapWindow { column: 20, row: 7, width: 30, depth: 9 }, &work)?.colour;
/// assert_eq!(part.texels[0], whole.texels[7 * 64 + 20]);
/// # Ok::<(), upland::Error>(())
/// ```
pub struct Baker<'a> {
    surface: Surface<'a>,
    /// The surface's layers with the sky-view factor, and with the visible share of the sun.
    sky: Option<usize>,
    sun: Option<usize>,
    mottle: Option<Mottle>,
    painted: Option<PreparedMap>,
    strokes: Option<OverStrokes>,
    /// The number of the first texel, counted over the whole land, and a texel's sides in metres.
    origin: [i64; 2],
    texel: [f64; 2],
    rules: Vec<Rule>,
    /// The type for ground where none qualifies, instead of the nearest.
    fallback: Option<usize>,
    /// The sum of weights before the first type is laid: 0, or 1 for the black under bands whose weights are
    /// not divided.
    bare: f32,
    encoder: Encoder,
    occlusion: f32,
    light: Option<Light>,
    weights: bool,
    size: (usize, usize),
}

/// Types that strokes paint over all others.
struct OverStrokes {
    types: Arc<PaintedTypes>,
    /// For each of their names, the rule of that type.
    rules: Vec<Option<usize>>,
}

/// The working memory of a thread.
struct Scratch {
    surface: SurfaceRow,
    mottle: MottleRow,
    ground: GroundRun,
    painted: PaintedRun,
    paint: Paint,
    weights: Vec<[f32; RUN]>,
    /// For each type.
    pictures: Vec<SamplerRow>,
    /// A picture's colours along a run.
    colours: [[f32; 4]; RUN],
    strokes: PaintedRow<RUN>,
}

impl Default for Scratch {
    fn default() -> Self {
        Self {
            surface: SurfaceRow::default(),
            mottle: MottleRow::default(),
            ground: GroundRun::default(),
            painted: PaintedRun::EMPTY,
            paint: Paint::EMPTY,
            weights: Vec::new(),
            pictures: Vec::new(),
            colours: [[0.0; 4]; RUN],
            strokes: PaintedRow::default(),
        }
    }
}

impl<'a> Baker<'a> {
    /// Prepares a texture for a field, with the field's analysis. The seed places the noise that mottles
    /// colours and roughens borders.
    ///
    /// # Errors
    /// [`Error::Parameter`] when a value is out of range, when `analysis` belongs to another field or lacks
    /// data that the texture needs, or when an id of the texture's map has no type; when a picture cannot be
    /// read; [`Error::Cancelled`].
    pub fn new(
        field: &'a Heightfield,
        analysis: &'a TerrainAnalysis,
        texture: &Texture,
        options: BakeOptions,
        seed: u64,
        work: &Work,
    ) -> Result<Self> {
        Self::of_part(field, analysis, texture, options, seed, None, work)
    }

    /// As [`new`](Self::new), over a field that is a part of a land. The number of texels then follows from
    /// the part and not from the texture's resolution, and the materials are those for its texels.
    pub(crate) fn of_part(
        field: &'a Heightfield,
        analysis: &'a TerrainAnalysis,
        texture: &Texture,
        options: BakeOptions,
        seed: u64,
        part: Option<(Part, &Materials)>,
        work: &Work,
    ) -> Result<Self> {
        texture.check()?;
        analysis.check(field)?;
        let grid = field.grid();
        let (part, materials) = part.unzip();
        let (width, depth) = match part {
            Some(part) => (part.along(grid.width), part.along(grid.depth)),
            None => map_size(grid, texture.resolution),
        };
        // A part's texels are counted from the land's origin, so that neighbouring tiles have the same noise.
        let origin = part.map_or([0; 2], |part| part.origin);
        let (texel, longer) = texel_sides(grid, part, (width, depth));
        let whole = part.map_or(([width as f32, depth as f32], grid.extent()), |part| part.whole);
        let Materials { of_types, map } = match materials {
            Some(materials) => materials.clone(),
            None => Materials::new(texture, texel, work)?,
        };
        let painted = texture.map.as_ref().zip(map);
        let painted = painted.map(|(source, map)| PreparedMap::new(source, map, whole, origin));
        // Types often share a factor: each map is read once for all of them.
        let mut layers = Layers { known: analysis, used: Vec::new() };
        let sky = match analysis.sky() {
            Some(sky) if texture.occlusion > 0.0 => Some(layers.add(sky)),
            None if texture.occlusion > 0.0 => return Err(unprepared("the view of the sky")),
            _ => None,
        };
        let sun = match texture.light.filter(Light::casts_shadows) {
            Some(light) => {
                Some(layers.add(analysis.sun(&light.sun()).ok_or_else(|| unprepared("the sun's shadows"))?))
            }
            None => None,
        };
        let scale = texture.elevation_scale(analysis.range(), options.sea_level);
        let rules = rules(texture, scale, of_types, origin, &mut layers)?;
        let frayed = texture.map.as_ref().is_some_and(|map| map.roughen > 0.0);
        let noisy = frayed || rules.iter().any(Rule::wants_noise);
        let direction = texture.light.as_ref().map(Light::direction);
        let downhill = rules.iter().any(Rule::wants_downhill);
        let surface = Surface::new(field, layers.used, width, depth).with(direction, downhill);
        Ok(Self {
            surface,
            sky,
            sun,
            // Without a reader the noise is not computed at all: it takes about a quarter of the time of
            // baking.
            mottle: noisy.then(|| Mottle::new(seed, f64::from(texture.patch), longer, width, origin)),
            painted,
            strokes: None,
            origin,
            texel,
            rules,
            fallback: texture.fallback_type()?,
            bare: if texture.bands.are_undivided() { 1.0 } else { 0.0 },
            encoder: Encoder::new(texture.blend_space == BlendSpace::Linear),
            occlusion: texture.occlusion,
            light: texture.light.map(|light| Light { strength: light.direct(), ..light }),
            weights: options.weights,
            size: (width, depth),
        })
    }

    /// The same, with types that strokes paint over all of its `kinds`.
    pub(crate) fn with_painted(self, types: Option<Arc<PaintedTypes>>, kinds: &[TerrainType]) -> Self {
        let rule = |name: &String| {
            // Paint takes the place of other ground, so only a type that shares the ground can be painted.
            let mixed =
                kinds.iter().zip(&self.rules).map(|(kind, rule)| kind.name == *name && rule.is_whole());
            mixed.into_iter().position(|is_it| is_it)
        };
        let strokes =
            types.map(|types| OverStrokes { rules: types.names().iter().map(rule).collect(), types });
        Self { strokes, ..self }
    }

    /// Texels of the whole map along +X and +Z.
    pub fn size(&self) -> (usize, usize) {
        self.size
    }

    /// Which of the types, bands first, are layers ([`WeightMap::layers`]).
    pub(crate) fn layers(&self) -> Vec<usize> {
        (0..self.rules.len()).filter(|&index| self.rules[index].is_layer()).collect()
    }

    /// The window that is the whole map.
    pub fn whole(&self) -> MapWindow {
        MapWindow { column: 0, row: 0, width: self.size.0, depth: self.size.1 }
    }

    /// Paints a part of the map on all cores.
    ///
    /// # Errors
    /// [`Error::Parameter`] when the window is empty, reaches beyond the map or has more than 16384
    /// texels a side; [`Error::Cancelled`].
    pub fn paint(&self, window: MapWindow, work: &Work) -> Result<Baked> {
        work.stage("texture", window.depth);
        self.paint_window(window, work)
    }

    /// As [`paint`](Self::paint), reusing the memory of an earlier result, whatever it was. This saves a
    /// tenth of the time, which the system would take to clear fresh memory.
    ///
    /// # Errors
    /// As [`paint`](Self::paint).
    pub fn paint_again(&self, window: MapWindow, before: Baked, work: &Work) -> Result<Baked> {
        work.stage("texture", window.depth);
        let shares = before.weights.map(|weights| weights.shares).unwrap_or_default();
        self.paint_in(window, before.colour.texels, shares, work)
    }

    /// As [`paint`](Self::paint), as part of a stage that has begun.
    pub(crate) fn paint_window(&self, window: MapWindow, work: &Work) -> Result<Baked> {
        self.paint_in(window, Vec::new(), Vec::new(), work)
    }

    fn paint_in(
        &self,
        window: MapWindow,
        mut texels: Vec<[u8; 4]>,
        mut shares: Vec<u8>,
        work: &Work,
    ) -> Result<Baked> {
        self.check(window)?;
        let MapWindow { width, depth, .. } = window;
        let types = self.rules.len();
        let bytes_a_texel = 4 + if self.weights { types } else { 0 };
        // Memory that is reused is already taken.
        let had = 4 * texels.capacity() + shares.capacity();
        memory::require_for_picture(
            (width, depth),
            (width * depth * bytes_a_texel).saturating_sub(had) as u64,
        )?;
        resize(&mut texels, width * depth, [0; 4]);
        resize(&mut shares, if self.weights { width * depth * types } else { 0 }, 0);
        // Relaxed: only the sum counts, and it is read after all threads are done.
        let unclaimed = AtomicUsize::new(0);

        // Without weights every row gets an empty slice, so that both cases are one loop.
        let row_shares: Vec<&mut [u8]> = if self.weights {
            shares.chunks_mut(width * types).collect()
        } else {
            (0..depth).map(|_| Default::default()).collect()
        };
        let rows = texels.par_chunks_mut(width).zip(row_shares).enumerate();
        // A thread takes several neighbouring rows, which lie between the same lattice points of the noise.
        rows.with_min_len(8).try_for_each_init(
            // Boxed: the scratch holds whole runs of floats and is too large to move around.
            || Box::new(Scratch::default()),
            |scratch, (row, (texels, shares))| {
                work.check()?;
                let (row, column) = (window.row + row, window.column);
                let count = in_wide_registers(PaintRow { baker: self, row, column, scratch, texels, shares });
                unclaimed.fetch_add(count, Ordering::Relaxed);
                work.advance(1);
                Ok::<_, Error>(())
            },
        )?;

        let unclaimed_share = unclaimed.into_inner() as f32 / texels.len() as f32;
        let layers = self.layers();
        let weights = self.weights.then_some(WeightMap { width, depth, types, layers, shares });
        Ok(Baked { colour: ColourMap { width, depth, texels }, weights, unclaimed_share, notes: Vec::new() })
    }

    /// How each limit of `kinds`, the types of the baker's texture, rates the ground under a texel. Shares
    /// are left at 0.
    pub(crate) fn explain(&self, kinds: &[TerrainType], column: usize, row: usize) -> Vec<TypeThere> {
        let mut scratch = Box::new(Scratch::default());
        // In the same runs as painting: these are the very bits that were painted.
        let (start, index) = (column / RUN * RUN, column % RUN);
        self.read_ground(row, start..start + RUN, &mut scratch);
        self.read_run(row, start, &mut scratch);
        let Scratch { ground, painted, .. } = &*scratch;
        let explain = |(rule, kind): (&Rule, &TerrainType)| {
            let mut limits = rule.limits_at(ground, index, &names_of_factors(kind));
            if rule.id().is_some() {
                let influence = painted.share(rule.id(), index);
                limits.push(LimitThere::given("map", influence));
            }
            let weight = limits.iter().map(|limit| limit.influence).product();
            TypeThere { name: kind.name.clone(), share: 0.0, is_layer: rule.is_layer(), weight, limits }
        };
        self.rules.iter().zip(kinds).map(explain).collect()
    }

    fn check(&self, MapWindow { column, row, width, depth }: MapWindow) -> Result<()> {
        let wrong = |name: &str, reason: String| Err(Error::parameter(name, reason));
        if width > MAX_SIDE || depth > MAX_SIDE {
            return wrong(
                "texture.resolution",
                format!(
                    "one picture of {width}×{depth} texels is too large; bake it in patches of at most \
                     {MAX_SIDE} a side, or a smaller window of the land"
                ),
            );
        }
        let inside = |first: usize, count: usize, all: usize| {
            count > 0 && first.checked_add(count).is_some_and(|end| end <= all)
        };
        if inside(column, width, self.size.0) && inside(row, depth, self.size.1) {
            return Ok(());
        }
        let (all_columns, all_rows) = self.size;
        wrong(
            "window",
            format!(
                "{width}×{depth} texels from column {column}, row {row} are not a part of the map's \
                 {all_columns}×{all_rows}"
            ),
        )
    }

    /// Paints the texels of a row from a column on, and returns how many of them no type claims.
    #[inline(always)]
    fn paint_row(
        &self,
        row: usize,
        column: usize,
        scratch: &mut Scratch,
        texels: &mut [[u8; 4]],
        shares: &mut [u8],
    ) -> usize {
        // From the start of a run, whose bits must not depend on where the window begins.
        let (first, end) = (column / RUN * RUN, column + texels.len());
        // Whole runs, although the window may end before.
        let last = end.next_multiple_of(RUN);
        self.read_ground(row, first..last, scratch);
        let mut unclaimed = 0;
        for start in (first..end).step_by(RUN) {
            self.read_run(row, start, scratch);
            // The texels of the run that are in the window.
            let inside = column.max(start)..end.min(start + RUN);
            let inside_run = inside.start - start..inside.end - start;
            unclaimed += self.paint_run((row, start), inside_run.clone(), scratch);
            if let Some(strokes) = &self.strokes {
                self.paint_strokes(strokes, (row, start), scratch);
            }
            let inside = inside.start - column..inside.end - column;
            if self.weights {
                let types = self.rules.len();
                self.share_out(
                    scratch,
                    inside_run.start,
                    &mut shares[inside.start * types..inside.end * types],
                );
            }
            self.encode(scratch, inside_run.start, &mut texels[inside]);
        }
        unclaimed
    }

    /// Reads the ground under the texels of a row, in whole runs.
    #[inline(always)]
    fn read_ground(&self, row: usize, columns: Range<usize>, scratch: &mut Scratch) {
        self.surface.read_row(row, columns.clone(), &mut scratch.surface);
        if let Some(mottle) = &self.mottle {
            mottle.read_row(row, columns.start..columns.end.min(self.size.0), &mut scratch.mottle);
        }
    }

    /// Computes the run of a row that has been read, from texel `start` on.
    #[inline(always)]
    fn read_run(&self, row: usize, start: usize, scratch: &mut Scratch) {
        let Scratch { ground, painted, .. } = scratch;
        self.surface.read_run(&scratch.surface, start, ground);
        if let Some(mottle) = &self.mottle {
            mottle.read_run(&scratch.mottle, start, &mut ground.border, &mut ground.grain);
        }
        if let Some(map) = &self.painted {
            map.read_run(row, start, (&ground.border, &ground.grain), painted);
        }
    }

    /// Lays every type over a run of texels, and returns how many of `inside` no type claims.
    #[inline(always)]
    fn paint_run(&self, place: (usize, usize), inside: Range<usize>, scratch: &mut Scratch) -> usize {
        let Scratch { ground, painted, paint, weights, pictures, colours, .. } = scratch;
        // Undivided bands leave black ground uncovered, with a weight of its own.
        *paint = Paint::black(self.bare);
        // The weights of all types are kept only on request.
        let kept = if self.weights { self.rules.len() } else { 1 };
        weights.resize(kept, [0.0; RUN]);
        pictures.resize_with(self.rules.len(), SamplerRow::default);
        for (index, (rule, picture)) in self.rules.iter().zip(pictures).enumerate() {
            // With one buffer `index % 1` is always 0, so every type writes to the same memory; with all
            // kept, those before are in `before`.
            let (before, weights) = weights.split_at_mut(index % kept);
            let weights = &mut weights[0];
            // Most types lie at other heights or slopes than a whole run: the ranges settle that without
            // weighing texels.
            if rule.excludes(ground) {
                weights.fill(0.0);
            } else {
                rule.weigh(ground, weights);
                painted.limit(rule.id(), weights);
                if rule.covers() {
                    make_room(weights, before, paint);
                }
                rule.paint(place, ground, weights, picture, colours, paint);
            }
        }
        // Runs without unclaimed texels, nearly all, leave by a single comparison.
        let least = range(&paint.total).0;
        if least > LEAST_TOTAL { 0 } else { self.paint_unclaimed(place, inside, scratch) }
    }

    /// Lays types over a run of texels as strokes have painted them, over whatever is there.
    #[inline(never)]
    fn paint_strokes(&self, strokes: &OverStrokes, (row, start): (usize, usize), scratch: &mut Scratch) {
        let place =
            |axis: usize, index: usize| ((self.origin[axis] + index as i64) as f64 + 0.5) * self.texel[axis];
        let x: [f64; RUN] = std::array::from_fn(|index| place(0, start + index));
        if !strokes.types.read(x, place(1, row), &mut scratch.strokes) {
            return;
        }
        let Scratch { ground, paint, weights, pictures, colours, strokes: painted, .. } = scratch;
        // The paint of those types that the texture has.
        let mut known = [0.0; RUN];
        for (shares, _) in painted.shares.iter().zip(&strokes.rules).filter(|(_, rule)| rule.is_some()) {
            known.iter_mut().zip(shares).for_each(|(sum, share)| *sum += share);
        }
        // The rest is left to the types below; from here on weights sum up to 1 wherever anything is painted.
        // All texels in the window have been claimed by now, so the total is above 0; those outside are never
        // written.
        for index in (0..RUN).filter(|&index| known[index] > 0.0) {
            let left = (1.0 - known[index]).max(0.0);
            let scale = left / paint.total[index];
            for sum in [&mut paint.red, &mut paint.green, &mut paint.blue] {
                sum[index] *= scale;
            }
            paint.total[index] = left;
            if self.weights {
                for (weights, rule) in weights.iter_mut().zip(&self.rules) {
                    weights[index] *= if rule.is_layer() { left } else { scale };
                }
            }
        }
        for (shares, rule) in painted.shares.iter().zip(&strokes.rules) {
            let Some(number) = *rule else { continue };
            self.rules[number].paint((row, start), ground, shares, &mut pictures[number], colours, paint);
            if self.weights {
                weights[number].iter_mut().zip(shares).for_each(|(weight, share)| *weight += share);
            }
        }
    }

    /// On texels that no mixed type claims, lays the fallback, or the type that is nearest to qualifying,
    /// then the layers over it; returns how many of those texels are in `inside`.
    #[inline(never)]
    fn paint_unclaimed(&self, place: (usize, usize), inside: Range<usize>, scratch: &mut Scratch) -> usize {
        let Scratch { ground, painted, paint, weights, pictures, colours, .. } = scratch;
        let none = self.rules.len();
        let mut nearest = [none; RUN];
        for index in inside.clone() {
            if paint.total[index] <= LEAST_TOTAL {
                nearest[index] = self.fallback.unwrap_or_else(|| self.nearest(ground, painted, index));
            }
        }
        for (number, rule) in self.rules.iter().enumerate() {
            let mut own = [0.0; RUN];
            if rule.is_layer() {
                // When it was first laid, there was nothing under it.
                rule.weigh(ground, &mut own);
                painted.limit(rule.id(), &mut own);
                own.iter_mut()
                    .zip(nearest)
                    // A layer lies only on types before it.
                    .filter(|(_, nearest)| *nearest > number)
                    .for_each(|(own, _)| *own = 0.0);
            } else if nearest.contains(&number) {
                own = nearest.map(|nearest| if nearest == number { 1.0 } else { 0.0 });
                if self.weights {
                    weights[number].iter_mut().zip(own).for_each(|(weight, own)| *weight += own);
                }
            }
            rule.paint(place, ground, &own, &mut pictures[number], colours, paint);
        }
        inside.filter(|&index| nearest[index] < none).count()
    }

    /// The mixed type that is nearest to qualifying; the first of several equally near.
    fn nearest(&self, ground: &GroundRun, painted: &PaintedRun, index: usize) -> usize {
        let mixed = self.rules.iter().enumerate().filter(|(_, rule)| !rule.is_layer());
        let distances = mixed.map(|(number, rule)| {
            (number, rule.distance_at(ground, index) + painted.distance(rule.id(), index))
        });
        // The first of equally near types, as `min_by` takes the first.
        distances.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(number, _)| number)
    }

    /// Converts the weights of texels from `first` on to shares: those of mixed types are divided by their
    /// sum, so that they add up to 255, those of layers stay as they are.
    #[inline(always)]
    fn share_out(&self, scratch: &Scratch, first: usize, shares: &mut [u8]) {
        let types = self.rules.len();
        // 256 types of 255 each fit in 16 bits.
        let mut sums = [0u16; RUN];
        for (index, weights) in scratch.weights.iter().enumerate() {
            let is_layer = self.rules[index].is_layer();
            let totals = if is_layer { &[1.0; RUN] } else { &scratch.paint.total };
            let mut bytes = [0; RUN];
            for ((byte, weight), total) in bytes.iter_mut().zip(weights).zip(totals) {
                // Bytes are rounded one by one, and may miss 255 by a few units in all.
                *byte = byte_from_share(weight / total);
            }
            if !is_layer {
                sums.iter_mut().zip(&bytes).for_each(|(sum, byte)| *sum += u16::from(*byte));
            }
            let shares = shares.chunks_mut(types).zip(&bytes[first..]);
            shares.for_each(|(shares, byte)| shares[index] = *byte);
        }
        if !self.is_divided() {
            return;
        }
        for (index, shares) in (first..).zip(shares.chunks_mut(types)) {
            // Most texels have one type or two, whose bytes already sum up to 255.
            if sums[index] != WHOLE {
                let total = scratch.paint.total[index];
                add_up(shares, |number| {
                    let is_ground = !self.rules[number].is_layer();
                    is_ground.then(|| 255.0 * (scratch.weights[number][index] / total))
                });
            }
        }
    }

    /// Whether the weights of the types that share the ground are divided by their sum.
    pub(crate) fn is_divided(&self) -> bool {
        self.bare == 0.0
    }

    /// Converts sums of weighted colours to texels, from number `first` of the run on.
    // Inlined into `PaintRow`, so that it is compiled for the wide registers as well.
    #[inline(always)]
    fn encode(&self, scratch: &Scratch, first: usize, texels: &mut [[u8; 4]]) {
        let Scratch { ground, paint, .. } = scratch;
        // First the arithmetic, in wide registers, then the look-ups.
        let layer = |layer: Option<usize>| layer.map_or(&[1.0; RUN], |layer| &ground.layers[layer]);
        let (sky, sun) = (layer(self.sky), layer(self.sun));
        let (mut shares, mut alpha) = ([0.0; RUN], [0; RUN]);
        for index in 0..RUN {
            let visible = 1.0 - self.occlusion * (1.0 - sky[index]);
            alpha[index] = byte_from_share(visible);
            // A multiplication by the reciprocal for three channels, instead of three divisions.
            shares[index] = 1.0 / paint.total[index];
            if let Some(light) = &self.light {
                let bright = ground.lit[index] * sun[index] * light.strength + visible * light.ambient;
                shares[index] *= bright;
            }
        }
        let steps = [&paint.red, &paint.green, &paint.blue].map(|sums| {
            let mut steps = [0; RUN];
            for ((step, sum), share) in steps.iter_mut().zip(sums).zip(&shares) {
                *step = Encoder::step(sum * share);
            }
            steps
        });
        let [red, green, blue] = &steps;
        let colours = red.iter().zip(green).zip(blue).zip(&alpha).skip(first);
        for (texel, (((&red, &green), &blue), &alpha)) in texels.iter_mut().zip(colours) {
            let [red, green, blue] = [red, green, blue].map(|step| self.encoder.level(step));
            *texel = [red, green, blue, alpha];
        }
    }
}

/// Width and depth of a texel in metres, and the side for which noise is made.
fn texel_sides(grid: Grid, part: Option<Part>, (width, depth): (usize, usize)) -> ([f64; 2], f64) {
    if let Some(part) = part {
        let texel = f64::from(grid.cell) / f64::from(part.texels);
        return ([texel; 2], texel);
    }
    let metres = |samples: usize, texels: usize| f64::from(grid.cell) * (samples - 1) as f64 / texels as f64;
    ([metres(grid.width, width), metres(grid.depth, depth)], metres(grid.longer().max(2), width.max(depth)))
}

/// The rules of a texture's types, with the materials of each, for texels from `origin` on.
fn rules(
    texture: &Texture,
    scale: ElevationScale,
    materials: Vec<Option<TypeMaterial>>,
    origin: [i64; 2],
    layers: &mut Layers,
) -> Result<Vec<Rule>> {
    let mut rules = Vec::new();
    let undivided = texture.bands.are_undivided();
    for (index, (kind, material)) in texture.all_types().iter().zip(materials).enumerate() {
        let mut rule = Rule::new(kind, scale);
        if index == 0 {
            // Nothing lies under the first type.
            rule = rule.mixed();
        }
        if undivided && index < texture.bands.list.len() {
            rule = rule.undivided();
        }
        if texture.blend_space != BlendSpace::Linear {
            rule = rule.encoded(kind);
        }
        if let Some(material) = material {
            rule.set_material(material.beginning_at(origin));
        }
        for (name, limits) in kind.factors.limits(texture.shade_day()) {
            rule.limit(layers.find(&name)?, limits);
        }
        rules.push(rule);
    }
    Ok(rules)
}

/// Takes from the paint so far the share that a type will cover, and scales these shares to weights like the
/// others: the sum stays the same. Where there is no paint yet, they are used as weights directly.
fn make_room(shares: &mut [f32; RUN], before: &mut [[f32; RUN]], paint: &mut Paint) {
    for (index, share) in shares.iter_mut().enumerate() {
        let total = paint.total[index];
        if *share == 0.0 || total <= LEAST_TOTAL {
            continue;
        }
        let left = 1.0 - *share;
        for sum in [&mut paint.red, &mut paint.green, &mut paint.blue, &mut paint.total] {
            sum[index] *= left;
        }
        // The cover takes its share from all below it, which keep their proportions.
        before.iter_mut().for_each(|weights| weights[index] *= left);
        *share *= total;
    }
}

/// Resizes memory; its content doesn't matter.
fn resize<T: Copy>(memory: &mut Vec<T>, count: usize, value: T) {
    if memory.capacity() < count {
        // The system clears fresh memory page by page when it is first written, which is faster than clearing
        // it here.
        *memory = vec![value; count];
    } else {
        memory.resize(count, value);
    }
}

/// [`Baker::paint_row`] in wide registers.
struct PaintRow<'a> {
    baker: &'a Baker<'a>,
    row: usize,
    column: usize,
    scratch: &'a mut Scratch,
    texels: &'a mut [[u8; 4]],
    shares: &'a mut [u8],
}

impl Loop for PaintRow<'_> {
    type Done = usize;

    #[inline(always)]
    fn run(self) -> usize {
        self.baker.paint_row(self.row, self.column, self.scratch, self.texels, self.shares)
    }
}

/// The share maps of an analysis that a texture uses.
struct Layers<'a> {
    known: &'a TerrainAnalysis,
    used: Vec<&'a ShareMap>,
}

impl<'a> Layers<'a> {
    /// The number of a layer among the used ones.
    fn add(&mut self, layer: &'a ShareMap) -> usize {
        // By address: the maps themselves are large, and each is there once.
        let known = self.used.iter().position(|used| std::ptr::eq(*used, layer));
        known.unwrap_or_else(|| {
            self.used.push(layer);
            self.used.len() - 1
        })
    }

    fn find(&mut self, name: &str) -> Result<usize> {
        let layer = self.known.layer(name).ok_or_else(|| unprepared(name))?;
        Ok(self.add(layer))
    }
}

fn unprepared(what: &str) -> Error {
    Error::parameter("analysis", format!("it lacks {what}; prepare it for this texture"))
}

/// Texels along the longer side: as many as given, or for 0 two per sample, at most 8192.
pub(crate) fn longer_side(grid: Grid, resolution: u32) -> u32 {
    if resolution == 0 { (2 * grid.longer()).min(8192) as u32 } else { resolution }
}

/// Texels along X and Z.
pub(crate) fn map_size(grid: Grid, resolution: u32) -> (usize, usize) {
    let longer = longer_side(grid, resolution) as usize;
    let cells = (grid.longer() - 1).max(1) as f64;
    // In proportion to the gaps between samples, so that texels are square.
    let along = |samples: usize| ((samples - 1) as f64 / cells * longer as f64).round().max(1.0) as usize;
    if grid.longer() == 1 { (1, 1) } else { (along(grid.width), along(grid.depth)) }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use crate::compute::work::Work;
    use crate::grid::{Grid, Heightfield};
    use crate::texture::{BakeOptions, Baker, TerrainAnalysis, Texture};

    #[test]
    fn the_weights_are_products_of_the_influences() {
        let grid = Grid::new(33, 33, 20.0).unwrap();
        let field = Heightfield::from_fn(grid, |column, row| (column * column + 3 * row) as f32);
        let work = Work::new();
        for patch in [20.0, 90.0] {
            let texture = Texture { resolution: 64, patch, ..Texture::temperate() };
            let mut analysis = TerrainAnalysis::new(&field);
            analysis.prepare(&field, &texture, &work).unwrap();
            let options = BakeOptions { weights: true, ..BakeOptions::default() };
            let baker = Baker::new(&field, &analysis, &texture, options, 3, &work).unwrap();
            let weights = baker.paint(baker.whole(), &work).unwrap().weights.unwrap();
            let kinds = texture.all_types();
            for (column, row) in [(0, 0), (17, 40), (63, 63), (30, 5)] {
                let there = baker.explain(&kinds, column, row);
                assert_eq!(there.len(), kinds.len());
                let total: f32 = there.iter().map(|kind| kind.weight).sum();
                for (index, kind) in there.iter().enumerate() {
                    let product: f32 = kind.limits.iter().map(|limit| limit.influence).product();
                    assert!((kind.weight - product).abs() < 1e-6, "{kind:?}");
                    assert!(kind.limits.iter().all(|limit| (0.0..=1.0).contains(&limit.influence)));
                    for limit in kind.limits.iter().filter(|limit| limit.release > 0.0) {
                        let excess = (limit.low - limit.value).max(limit.value - limit.high).max(0.0);
                        let influence = (1.0 - excess / limit.release).max(0.0);
                        assert!((limit.influence - influence).abs() < 1e-4, "{limit:?}");
                    }
                    let share = f32::from(weights.shares[(row * 64 + column) * kinds.len() + index]) / 255.0;
                    if total > 1e-3 && weights.layers.is_empty() {
                        assert!((share - kind.weight / total).abs() < 0.01, "{kind:?}: {share}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_type_without_noise_has_the_weight_of_its_height_and_slope() {
        let grid = Grid::new(9, 9, 10.0).unwrap();
        let field = Heightfield::from_fn(grid, |column, _| 40.0 + 2.0 * column as f32);
        let mut kind = crate::texture::TerrainType::new("grass", [0.2; 3]);
        kind.elevation = crate::texture::Limits::new(52.0, 900.0, 20.0);
        let texture = Texture { types: vec![kind.clone()], resolution: 8, ..Texture::default() };
        let work = Work::new();
        let mut analysis = TerrainAnalysis::new(&field);
        analysis.prepare(&field, &texture, &work).unwrap();
        let baker = Baker::new(&field, &analysis, &texture, BakeOptions::default(), 0, &work).unwrap();
        let there = &baker.explain(&texture.all_types(), 4, 4)[0];
        let height = there.limits[0].value;
        assert!((48.0..50.0).contains(&height), "{there:?}");
        let normal = Vec3::new(-0.2, 1.0, 0.0).normalize();
        assert!((there.weight - kind.weight(height, normal)).abs() < 1e-5, "{there:?}");
        assert_eq!(there.equation(), format!("{:.2} elevation = {:.2}", there.weight, there.weight));
    }
}

//! The baker: a field and a texture made ready, from which any part of the map can be painted.
//!
//! Every texel's ground is weighed for every terrain type, and the types' colours blended.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::heightfield::{Grid, Heightfield};
use crate::work::Work;

use super::bake::{BakeOptions, Baked, WeightMap};
use super::blend::Paint;
use super::colour_map::ColourMap;
use super::mottle::{Mottle, MottleRow};
use super::painted::{Cover, CoverRun};
use super::set::{BlendSpace, Texture};
use super::srgb::Encoder;
use super::surface::{Ground, Surface, SurfaceRow, TILE};
use super::surroundings::{Layer, Surroundings};
use super::weights::{Point, Rule};

/// The longest side of one picture, in texels: larger ones hardly any program opens.
const MAX_SIDE: usize = 16_384;

/// A rectangle of texels of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Its westernmost texels.
    pub column: usize,
    /// Its northernmost texels.
    pub row: usize,
    /// Texels along +X, at least 1.
    pub width: usize,
    /// Texels along +Z, at least 1.
    pub depth: usize,
}

/// Paints any part of a map, again and again.
///
/// A texel is the same bit for bit whatever the window it is painted in, and on any number of threads.
///
/// ```
/// use upland::texture::{BakeOptions, Baker, Surroundings, Texture, Window};
/// # use upland::{Grid, Heightfield, Work};
/// # let grid = Grid::new(33, 33, 10.0)?;
/// # let field = Heightfield::from_fn(grid, |column, row| (column * row) as f32);
/// # let (texture, work) = (Texture { resolution: 64, ..Texture::temperate() }, Work::new());
/// let mut surroundings = Surroundings::new(&field);
/// surroundings.prepare(&field, &texture, &work)?;
/// let baker = Baker::new(&field, &surroundings, &texture, BakeOptions::default(), 1, &work)?;
/// let whole = baker.paint(baker.whole(), &work)?.colour;
/// let part = baker.paint(Window { column: 20, row: 7, width: 30, depth: 9 }, &work)?.colour;
/// assert_eq!(part.texels[0], whole.texels[7 * 64 + 20]);
/// # Ok::<(), upland::Error>(())
/// ```
pub struct Baker<'a> {
    surface: Surface<'a>,
    /// Which of the surface's layers is the view of the sky.
    sky: Option<usize>,
    mottle: Option<Mottle>,
    cover: Option<Cover>,
    rules: Vec<Rule>,
    encoder: Encoder,
    occlusion: f32,
    weights: bool,
    size: (usize, usize),
}

/// What a thread works in.
struct Scratch {
    surface: SurfaceRow,
    mottle: MottleRow,
    ground: Ground,
    cover: CoverRun,
    paint: Paint,
    weights: [f32; TILE],
}

impl Default for Scratch {
    fn default() -> Self {
        Self {
            surface: SurfaceRow::default(),
            mottle: MottleRow::default(),
            ground: Ground::default(),
            cover: CoverRun::EMPTY,
            paint: Paint::EMPTY,
            weights: [0.0; TILE],
        }
    }
}

impl<'a> Baker<'a> {
    /// Makes a texture ready for a field and its surroundings. The seed changes where the noise lies
    /// that mottles colours and roughens borders.
    ///
    /// # Errors
    /// [`Error::Parameter`] when a value is out of range, when `surroundings` are those of another
    /// field or lack what the texture needs, or an id of the texture's map has no type; when a picture
    /// cannot be read; [`Error::Cancelled`].
    pub fn new(
        field: &'a Heightfield,
        surroundings: &'a Surroundings,
        texture: &Texture,
        options: BakeOptions,
        seed: u64,
        work: &Work,
    ) -> Result<Self> {
        texture.check()?;
        surroundings.check(field)?;
        let grid = field.grid();
        let (width, depth) = size(grid, texture.resolution);
        let cover = match &texture.map {
            Some(map) => Some(Cover::new(map, &texture.types, grid, (width, depth), work)?),
            None => None,
        };
        let mut layers = Layers { known: surroundings, used: Vec::new() };
        let sky = match surroundings.sky() {
            Some(sky) if texture.occlusion > 0.0 => Some(layers.add(sky)),
            None if texture.occlusion > 0.0 => return Err(unprepared("the view of the sky")),
            _ => None,
        };
        let scale = texture.scale(surroundings.range(), options.sea_level);
        let mut rules = Vec::new();
        for kind in &texture.all_types() {
            let rule = Rule::new(kind, scale);
            let mut rule = match texture.blend_space {
                BlendSpace::Linear => rule,
                BlendSpace::Srgb => rule.encoded(kind),
            };
            for (name, limits) in kind.factors.limits() {
                rule.limit(layers.find(&name)?, limits);
            }
            rules.push(rule);
        }
        let texel = f64::from(grid.cell) * (grid.longer() - 1).max(1) as f64 / width.max(depth) as f64;
        let frayed = texture.map.as_ref().is_some_and(|map| map.roughen > 0.0);
        let noisy = frayed || rules.iter().any(Rule::wants_noise);
        Ok(Self {
            surface: Surface::new(field, layers.used, width, depth),
            sky,
            mottle: noisy.then(|| Mottle::new(seed, f64::from(texture.patch), texel, width)),
            cover,
            rules,
            encoder: Encoder::new(texture.blend_space == BlendSpace::Linear),
            occlusion: texture.occlusion,
            weights: options.weights,
            size: (width, depth),
        })
    }

    /// Texels of the whole map along +X and +Z.
    pub fn size(&self) -> (usize, usize) {
        self.size
    }

    /// The window that is the whole map.
    pub fn whole(&self) -> Window {
        Window { column: 0, row: 0, width: self.size.0, depth: self.size.1 }
    }

    /// Paints a part of the map on all cores.
    ///
    /// # Errors
    /// [`Error::Parameter`] when the window is empty, reaches beyond the map or has more than 16384
    /// texels a side; [`Error::Cancelled`].
    pub fn paint(&self, window: Window, work: &Work) -> Result<Baked> {
        work.stage("texture", window.depth);
        self.paint_window(window, work)
    }

    /// As [`paint`](Self::paint), as part of a stage that has begun.
    pub(super) fn paint_window(&self, window: Window, work: &Work) -> Result<Baked> {
        self.check(window)?;
        let Window { width, depth, .. } = window;
        let types = self.rules.len();
        let mut texels = vec![[0; 4]; width * depth];
        let mut shares = vec![0; if self.weights { texels.len() * types } else { 0 }];
        let unclaimed = AtomicUsize::new(0);

        let row_shares: Vec<&mut [u8]> = if self.weights {
            shares.chunks_mut(width * types).collect()
        } else {
            (0..depth).map(|_| Default::default()).collect()
        };
        let rows = texels.par_chunks_mut(width).zip(row_shares).enumerate();
        // Neighbouring rows share lattice rows of the noise, so a thread takes several.
        rows.with_min_len(8).try_for_each_init(
            || Box::new(Scratch::default()),
            |scratch, (row, (texels, shares))| {
                work.check()?;
                let count = self.paint_row(window.row + row, window.column, scratch, texels, shares);
                unclaimed.fetch_add(count, Ordering::Relaxed);
                work.advance(1);
                Ok::<_, Error>(())
            },
        )?;

        let unclaimed_share = unclaimed.into_inner() as f32 / texels.len() as f32;
        let weights = self.weights.then_some(WeightMap { width, depth, types, shares });
        Ok(Baked { colour: ColourMap { width, depth, texels }, weights, unclaimed_share, notes: Vec::new() })
    }

    fn check(&self, Window { column, row, width, depth }: Window) -> Result<()> {
        let wrong = |name: &str, reason: String| Err(Error::parameter(name, reason));
        if width > MAX_SIDE || depth > MAX_SIDE {
            return wrong(
                "texture.resolution",
                format!(
                    "one picture of {width}×{depth} texels is too large; bake it in patches of at most \
                     {MAX_SIDE} a side"
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

    /// Paints the texels of a row from a column on and says how many of them no type claims.
    fn paint_row(
        &self,
        row: usize,
        column: usize,
        scratch: &mut Scratch,
        texels: &mut [[u8; 4]],
        shares: &mut [u8],
    ) -> usize {
        self.surface.read_row(row, &mut scratch.surface);
        if let Some(mottle) = &self.mottle {
            mottle.read_row(row, &mut scratch.mottle);
        }
        let mut unclaimed = 0;
        let mut shares = shares.chunks_mut(TILE * self.rules.len());
        for (run, texels) in texels.chunks_mut(TILE).enumerate() {
            let ground = &mut scratch.ground;
            let start = column + run * TILE;
            self.surface.read_run(&scratch.surface, start, ground);
            if let Some(mottle) = &self.mottle {
                mottle.read_run(&scratch.mottle, start, &mut ground.border, &mut ground.grain);
            }
            if let Some(cover) = &self.cover {
                let noise = (&ground.border, &ground.grain);
                cover.read_run(row, start, noise, &mut scratch.cover);
            }
            let shares = shares.next().unwrap_or_default();
            unclaimed += self.paint_run(scratch, texels.len(), shares);
            self.encode(&scratch.paint, &scratch.ground, texels);
        }
        unclaimed
    }

    /// Lays every type over a run of texels.
    fn paint_run(&self, scratch: &mut Scratch, count: usize, shares: &mut [u8]) -> usize {
        let Scratch { ground, cover, paint, weights, .. } = scratch;
        *paint = Paint::EMPTY;
        for rule in &self.rules {
            if !rule.excludes(ground) {
                rule.weigh(ground, weights);
                cover.limit(rule.id(), weights);
                rule.paint(ground, weights, paint);
            }
        }
        let mut unclaimed = 0;
        for index in 0..count {
            if paint.total[index] <= 0.0 {
                if let Some(rule) = self.nearest(ground, cover, index) {
                    paint.lay(index, 1.0, rule.mottled(&Point::of(ground, index)), rule.blend());
                }
                unclaimed += 1;
            }
        }
        if !shares.is_empty() {
            self.share_out(ground, cover, paint, shares);
        }
        unclaimed
    }

    /// The type that is nearest to qualifying; the first of equals.
    fn nearest(&self, ground: &Ground, cover: &CoverRun, index: usize) -> Option<&Rule> {
        let distance = |rule: &Rule| rule.distance_at(ground, index) + cover.distance(rule.id(), index);
        let nearer = |a: &&Rule, b: &&Rule| distance(a).total_cmp(&distance(b));
        self.rules.iter().min_by(nearer)
    }

    /// Divides the weights by their sum.
    fn share_out(&self, ground: &Ground, cover: &CoverRun, paint: &Paint, shares: &mut [u8]) {
        for (index, shares) in shares.chunks_mut(self.rules.len()).enumerate() {
            let weight = |rule: &Rule| rule.weight_at(ground, index) * cover.share(rule.id(), index);
            let claimed = self.rules.iter().any(|rule| weight(rule) > 0.0);
            let nearest = if claimed { None } else { self.nearest(ground, cover, index) };
            for (rule, share) in self.rules.iter().zip(shares) {
                let chosen = nearest.is_some_and(|nearest| std::ptr::eq(nearest, rule));
                let weight = if chosen { 1.0 } else { weight(rule) };
                *share = (weight / paint.total[index] * 255.0 + 0.5) as u8;
            }
        }
    }

    /// Turns sums of weighted colours into texels.
    fn encode(&self, paint: &Paint, ground: &Ground, texels: &mut [[u8; 4]]) {
        // First what several texels can do at once, then the look-ups.
        let mut shares = [0.0; TILE];
        for (share, total) in shares.iter_mut().zip(&paint.total) {
            *share = 1.0 / total;
        }
        let steps = [&paint.red, &paint.green, &paint.blue].map(|sums| {
            let mut steps = [0; TILE];
            for ((step, sum), share) in steps.iter_mut().zip(sums).zip(&shares) {
                *step = Encoder::step(sum * share);
            }
            steps
        });
        let sky = self.sky.map_or(&[1.0; TILE], |layer| &ground.layers[layer]);
        let [red, green, blue] = &steps;
        let colours = red.iter().zip(green).zip(blue);
        for (texel, (((&red, &green), &blue), sky)) in texels.iter_mut().zip(colours.zip(sky)) {
            let visible = 1.0 - self.occlusion * (1.0 - sky);
            let [red, green, blue] = [red, green, blue].map(|step| self.encoder.level(step));
            *texel = [red, green, blue, (visible * 255.0 + 0.5) as u8];
        }
    }
}

/// The layers that a texture uses.
struct Layers<'a> {
    known: &'a Surroundings,
    used: Vec<&'a Layer>,
}

impl<'a> Layers<'a> {
    /// The place of a layer among the used ones.
    fn add(&mut self, layer: &'a Layer) -> usize {
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
    Error::parameter("surroundings", format!("they lack {what}; prepare them for this texture"))
}

/// Texels along X and Z.
fn size(grid: Grid, resolution: u32) -> (usize, usize) {
    let longer = match resolution {
        0 => (2 * grid.longer()).min(8192),
        given => given as usize,
    };
    let cells = (grid.longer() - 1).max(1) as f64;
    let along = |samples: usize| ((samples - 1) as f64 / cells * longer as f64).round().max(1.0) as usize;
    if grid.longer() == 1 { (1, 1) } else { (along(grid.width), along(grid.depth)) }
}

//! Baking: every texel's ground is weighed for every terrain type, and the types' colours blended.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use crate::error::Result;
use crate::heightfield::{Grid, Heightfield};
use crate::work::Work;

use super::blend::Paint;
use super::colour_map::ColourMap;
use super::light::sky_view;
use super::mottle::{Mottle, MottleRow};
use super::painted::{Cover, CoverRun};
use super::set::{BlendSpace, Texture};
use super::srgb::Encoder;
use super::surface::{Ground, Surface, SurfaceRow, TILE};
use super::weights::{Point, Rule};

/// What [`bake_with`] may be told besides the ground and the texture.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BakeOptions {
    /// The height of the water in metres, from which elevations given as shares are counted;
    /// `None` (default) for a dry land, where they are counted from its lowest point.
    pub sea_level: Option<f32>,
    /// Whether to hand back the weights as well. Default: no.
    pub weights: bool,
}

/// What was baked.
#[derive(Clone, Debug, PartialEq)]
pub struct Baked {
    /// The colours, and in alpha the ambient visibility.
    pub colour: ColourMap,
    /// Each type's share of each texel, if asked for.
    pub weights: Option<WeightMap>,
    /// Share of the texels, in [0, 1], that no type claims; each got the type nearest to
    /// qualifying. More than a little means that the types' limits leave gaps.
    pub unclaimed_share: f32,
}

/// How much of each terrain type lies on each texel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WeightMap {
    /// Texels along +X.
    pub width: usize,
    /// Texels along +Z.
    pub depth: usize,
    /// How many types: the texture's bands, then its types.
    pub types: usize,
    /// Row by row, and for each texel type by type: 0 (none) to 255 (alone). A texel's shares add up
    /// to 255 but for rounding.
    pub shares: Vec<u8>,
}

/// Bakes a texture for a dry land: colours, and how open each texel is to the sky.
///
/// The same field, texture and seed give the same texels bit for bit, on any number of threads. The
/// seed changes where the noise lies that mottles colours and roughens borders.
///
/// ```
/// use upland::texture::{TerrainType, Texture, bake};
/// let field = upland::Heightfield::flat(upland::Grid::new(9, 9, 10.0)?, 100.0);
/// let sand = Texture { types: vec![TerrainType::new("sand", [0.8, 0.6, 0.4])], ..Texture::default() };
/// let baked = bake(&field, &sand, 1, &upland::Work::new())?;
/// assert!(baked.colour.texels.iter().all(|&texel| texel == [204, 153, 102, 255]));
/// assert_eq!(baked.unclaimed_share, 0.0);
/// # Ok::<(), upland::Error>(())
/// ```
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) when the texture has no types or one of its values
/// is out of range, or an id of its map has no type; when the map cannot be read;
/// [`Error::Cancelled`](crate::Error::Cancelled) when `work` is cancelled.
pub fn bake(field: &Heightfield, texture: &Texture, seed: u64, work: &Work) -> Result<Baked> {
    bake_with(field, texture, BakeOptions::default(), seed, work)
}

/// As [`bake`], for a land whose sea level is known, or with the weights as well.
///
/// # Errors
/// As [`bake`].
pub fn bake_with(
    field: &Heightfield,
    texture: &Texture,
    options: BakeOptions,
    seed: u64,
    work: &Work,
) -> Result<Baked> {
    texture.check()?;
    let grid = field.grid();
    let (width, depth) = size(grid, texture.resolution);
    let sky = if texture.occlusion > 0.0 { Some(sky_view(field, work)?) } else { None };
    let cover = match &texture.map {
        Some(map) => Some(Cover::new(map, &texture.types, grid, (width, depth), work)?),
        None => None,
    };
    let size = (width, depth);
    let painter = Painter::new(field, sky.as_deref(), cover, texture, options.sea_level, seed, size);
    let types = painter.rules.len();
    let mut texels = vec![[0; 4]; width * depth];
    let mut shares = vec![0; if options.weights { texels.len() * types } else { 0 }];
    let unclaimed = AtomicUsize::new(0);

    work.stage("texture", depth);
    let row_shares: Vec<&mut [u8]> = if options.weights {
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
            let count = painter.paint_row(row, scratch, texels, shares);
            unclaimed.fetch_add(count, Ordering::Relaxed);
            work.advance(1);
            Ok::<_, crate::Error>(())
        },
    )?;

    let unclaimed_share = unclaimed.into_inner() as f32 / texels.len() as f32;
    let weights = options.weights.then_some(WeightMap { width, depth, types, shares });
    Ok(Baked { colour: ColourMap { width, depth, texels }, weights, unclaimed_share })
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

/// All that is the same for every texel.
struct Painter<'a> {
    surface: Surface<'a>,
    mottle: Option<Mottle>,
    cover: Option<Cover>,
    rules: Vec<Rule>,
    encoder: Encoder,
    occlusion: f32,
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
            ground: Ground::LEVEL,
            cover: CoverRun::EMPTY,
            paint: Paint::EMPTY,
            weights: [0.0; TILE],
        }
    }
}

impl<'a> Painter<'a> {
    fn new(
        field: &'a Heightfield,
        sky: Option<&'a [f32]>,
        cover: Option<Cover>,
        texture: &Texture,
        sea_level: Option<f32>,
        seed: u64,
        (width, depth): (usize, usize),
    ) -> Self {
        let scale = texture.scale(field.range(), sea_level);
        let kinds = texture.all_types();
        let rule = |kind| match texture.blend_space {
            BlendSpace::Linear => Rule::new(kind, scale),
            BlendSpace::Srgb => Rule::new(kind, scale).encoded(kind),
        };
        let rules: Vec<Rule> = kinds.iter().map(rule).collect();
        let grid = field.grid();
        let texel = f64::from(grid.cell) * (grid.longer() - 1).max(1) as f64 / width.max(depth) as f64;
        let frayed = texture.map.as_ref().is_some_and(|map| map.roughen > 0.0);
        let noisy = frayed || rules.iter().any(Rule::wants_noise);
        Self {
            surface: Surface::new(field, sky, width, depth),
            mottle: noisy.then(|| Mottle::new(seed, f64::from(texture.patch), texel, width)),
            cover,
            rules,
            encoder: Encoder::new(texture.blend_space == BlendSpace::Linear),
            occlusion: texture.occlusion,
        }
    }

    /// Paints a row of texels and says how many of them no type claims.
    fn paint_row(
        &self,
        row: usize,
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
            self.surface.read_run(&scratch.surface, run * TILE, ground);
            if let Some(mottle) = &self.mottle {
                mottle.read_run(&scratch.mottle, run * TILE, &mut ground.border, &mut ground.grain);
            }
            if let Some(cover) = &self.cover {
                let noise = (&ground.border, &ground.grain);
                cover.read_run(row, run * TILE, noise, &mut scratch.cover);
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
                let point = Point::of(ground, index);
                if let Some(rule) = self.nearest(&point, cover, index) {
                    paint.lay(index, 1.0, rule.mottled(&point), rule.blend());
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
    fn nearest(&self, point: &Point, cover: &CoverRun, index: usize) -> Option<&Rule> {
        let distance = |rule: &Rule| rule.distance(point) + cover.distance(rule.id(), index);
        let nearer = |a: &&Rule, b: &&Rule| distance(a).total_cmp(&distance(b));
        self.rules.iter().min_by(nearer)
    }

    /// Divides the weights by their sum.
    fn share_out(&self, ground: &Ground, cover: &CoverRun, paint: &Paint, shares: &mut [u8]) {
        for (index, shares) in shares.chunks_mut(self.rules.len()).enumerate() {
            let point = Point::of(ground, index);
            let weight = |rule: &Rule| rule.weight(&point) * cover.share(rule.id(), index);
            let claimed = self.rules.iter().any(|rule| weight(rule) > 0.0);
            let nearest = if claimed { None } else { self.nearest(&point, cover, index) };
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
        let [red, green, blue] = &steps;
        let colours = red.iter().zip(green).zip(blue);
        for (texel, (((&red, &green), &blue), sky)) in texels.iter_mut().zip(colours.zip(&ground.sky)) {
            let visible = 1.0 - self.occlusion * (1.0 - sky);
            let [red, green, blue] = [red, green, blue].map(|step| self.encoder.level(step));
            *texel = [red, green, blue, (visible * 255.0 + 0.5) as u8];
        }
    }
}

//! Paints textures that fade into each other.

use std::sync::Arc;

use rayon::prelude::*;

use crate::analysis::{Land, ShareMap};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Grid;
use crate::sculpt::PaintedTypes;
use crate::texture::bake::{
    BakeOptions, Baked, Baker, MapWindow, Materials, PaintWindow, Part, WeightMap, longer_side, map_size,
};
use crate::texture::blend::{TypeThere, add_up};
use crate::texture::colour::ColourMap;
use crate::texture::colour::srgb::{Encoder, LINEAR};
use crate::texture::types::{BlendSpace, TerrainType, Texture};

use super::textures::{Fade, Prepared, share_at};

/// Rows of every texture that are painted before they are mixed.
const STRIP: usize = 256;

/// Paints any part of a map of textures that fade into each other, as a [`Baker`] does for a single texture.
pub struct FadeBaker<'a> {
    bakers: Vec<Baker<'a>>,
    types: Vec<Vec<TerrainType>>,
    size: (usize, usize),
    at: f32,
    /// The number of textures, including those without a share.
    count: usize,
    shares: Vec<f32>,
    mask: Option<&'a ShareMap>,
    /// The values of 8-bit levels that are mixed: linear light, or the levels themselves.
    light: [f32; 256],
    encoder: Encoder,
}

impl Fade {
    /// Prepares its textures to be painted on a land.
    ///
    /// # Errors
    /// As [`Baker::new`].
    pub fn baker<'a>(
        &self,
        land: Land<'a>,
        prepared: &'a Prepared,
        weights: bool,
        seed: u64,
        work: &Work,
    ) -> Result<FadeBaker<'a>> {
        self.baker_of_part(land, prepared, weights, seed, None, work)
    }

    /// As [`baker`](Self::baker), over a field that is a part of a land, with its
    /// [`materials`](Self::materials) for that.
    pub(crate) fn baker_of_part<'a>(
        &self,
        land: Land<'a>,
        prepared: &'a Prepared,
        weights: bool,
        seed: u64,
        part: Option<(Part, &[Materials])>,
        work: &Work,
    ) -> Result<FadeBaker<'a>> {
        let options = BakeOptions { sea_level: land.sea_level, weights };
        let grid = land.field.grid();
        // All at the finest resolution, so that texels can be mixed one by one.
        let resolution = self.resolution(grid);
        let (mut bakers, mut types) = (Vec::new(), Vec::new());
        let used = self.used();
        for (number, &(index, _)) in used.iter().enumerate() {
            let texture = Texture { resolution, ..self.textures[index].clone() };
            let analysis = &prepared.analysis;
            let part = part.and_then(|(part, materials)| Some((part, materials.get(number)?)));
            let baker = Baker::of_part(land.field, analysis, &texture, options, seed, part, work)?;
            bakers.push(baker.with_painted(prepared.painted.clone(), &texture.all_types()));
            types.push(texture.all_types());
        }
        let shares = used.iter().map(|(_, share)| *share).collect();
        Ok(FadeBaker::new(self, bakers, types, shares, prepared.mask.as_ref()))
    }

    /// Texels along the longer side of a map over all of a land: as many as its finest texture has.
    fn resolution(&self, grid: Grid) -> u32 {
        let all = self.textures.iter().map(|texture| longer_side(grid, texture.resolution));
        all.max().unwrap_or_default()
    }

    /// Texels along +X and +Z of a map over all of a land.
    pub(crate) fn map_size(&self, grid: Grid) -> (usize, usize) {
        map_size(grid, self.resolution(grid))
    }

    /// Bakes the whole map at once.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare) and [`Baker::paint`].
    pub fn bake(&self, land: Land, weights: bool, seed: u64, work: &Work) -> Result<Baked> {
        let prepared = self.prepare(land, None, work)?;
        let baker = self.baker(land, &prepared, weights, seed, work)?;
        let baked = baker.paint(baker.whole(), work)?;
        Ok(Baked { notes: prepared.notes, ..baked })
    }
}

impl<'a> FadeBaker<'a> {
    /// The bakers of those textures of `fade` that have a share anywhere, each with its types and its share
    /// without a mask.
    fn new(
        fade: &Fade,
        bakers: Vec<Baker<'a>>,
        types: Vec<Vec<TerrainType>>,
        shares: Vec<f32>,
        mask: Option<&'a ShareMap>,
    ) -> Self {
        // Mixed in linear light if any texture is.
        let linear = fade.textures.iter().any(|texture| texture.blend_space == BlendSpace::Linear);
        let level = |level: usize| level as f32 / 255.0;
        Self {
            size: bakers.first().map_or((0, 0), Baker::size),
            bakers,
            types,
            at: fade.at,
            count: fade.textures.len(),
            shares,
            mask,
            light: if linear { *LINEAR } else { std::array::from_fn(level) },
            encoder: Encoder::new(linear),
        }
    }

    /// The same, with these types painted by strokes, and no others.
    pub(crate) fn with_painted(self, painted: Option<&Arc<PaintedTypes>>) -> Self {
        let bakers = self.bakers.into_iter().zip(&self.types);
        let bakers = bakers.map(|(baker, kinds)| baker.with_painted(painted.cloned(), kinds)).collect();
        Self { bakers, ..self }
    }

    /// Texels of the whole map along +X and +Z.
    pub fn size(&self) -> (usize, usize) {
        self.size
    }

    /// The window that is the whole map.
    pub fn whole(&self) -> MapWindow {
        MapWindow { column: 0, row: 0, width: self.size.0, depth: self.size.1 }
    }

    /// The terrain types in the order of the weights: texture by texture, of all that have a share.
    pub fn types(&self) -> impl Iterator<Item = &TerrainType> {
        self.types.iter().flatten()
    }

    /// Which of [`types`](Self::types) are layers ([`WeightMap::layers`]), in ascending order.
    pub fn layers(&self) -> Vec<usize> {
        let mut first = 0;
        let mut layers = Vec::new();
        for (baker, types) in self.bakers.iter().zip(&self.types) {
            layers.extend(baker.layers().into_iter().map(|layer| first + layer));
            first += types.len();
        }
        layers
    }

    /// Paints a part of the map on all cores.
    ///
    /// # Errors
    /// As [`Baker::paint`].
    pub fn paint(&self, window: MapWindow, work: &Work) -> Result<Baked> {
        work.stage("texture", window.depth * self.bakers.len());
        self.paint_window(window, work)
    }

    /// The terrain types at a texel, in the order of [`types`](Self::types): the share of the ground that
    /// each covers, and how its limits rate the ground. Shares are known only to bakers with weights.
    ///
    /// # Errors
    /// As [`paint`](Self::paint).
    pub fn explain(&self, column: usize, row: usize, work: &Work) -> Result<Vec<TypeThere>> {
        let texel = MapWindow { column, row, width: 1, depth: 1 };
        let shares = self.paint_window(texel, work)?.weights.map(|map| map.shares).unwrap_or_default();
        let bakers = self.bakers.iter().zip(&self.types);
        let mut all: Vec<_> = bakers.flat_map(|(baker, kinds)| baker.explain(kinds, column, row)).collect();
        for (kind, share) in all.iter_mut().zip(shares) {
            kind.share = f32::from(share) / 255.0;
        }
        Ok(all)
    }

    /// Paints strip after strip of every texture, and mixes them.
    fn mix(&self, window: MapWindow, work: &Work) -> Result<Baked> {
        let MapWindow { width, depth, .. } = window;
        let types: usize = self.types.iter().map(Vec::len).sum();
        let mut mixed = Baked {
            colour: ColourMap { width, depth, texels: Vec::with_capacity(width * depth) },
            weights: None,
            unclaimed_share: 0.0,
            notes: Vec::new(),
        };
        let mut unclaimed = 0.0;
        let mut all_shares: Vec<u8> = Vec::new();
        let layers = self.layers();
        let is_divided = self.bakers.iter().all(Baker::is_divided);
        // Strips bound the memory: every texture needs one of its own before they are mixed.
        for first in (0..depth).step_by(STRIP) {
            let rows = STRIP.min(depth - first);
            let strip = MapWindow { row: window.row + first, depth: rows, ..window };
            let painted: Result<Vec<Baked>> =
                self.bakers.iter().map(|baker| baker.paint_window(strip, work)).collect();
            let painted = painted?;
            let shares = self.shares_over(strip);
            mixed.colour.texels.par_extend((0..rows * width).into_par_iter().map(|index| {
                let texels = painted.iter().map(|baked| baked.colour.texels[index]);
                self.mix_texel(texels, shares.of(index))
            }));
            // Weighted by how much of the strip each texture has.
            for (number, baked) in painted.iter().enumerate() {
                let share = shares.mean(number, rows * width);
                unclaimed += f64::from(baked.unclaimed_share) * share * (rows * width) as f64;
            }
            let maps: Vec<&WeightMap> = painted.iter().filter_map(|baked| baked.weights.as_ref()).collect();
            if !maps.is_empty() {
                let first = all_shares.len();
                all_shares.par_extend((0..rows * width).into_par_iter().flat_map_iter(|index| {
                    let shares = shares.of(index);
                    maps.iter().zip(shares).flat_map(move |(map, &share)| {
                        let own = &map.shares[index * map.types..][..map.types];
                        own.iter().map(move |&own| (f32::from(own) * share + 0.5) as u8)
                    })
                }));
                if is_divided {
                    let texels = all_shares[first..].par_chunks_mut(types.max(1)).enumerate();
                    texels
                        .for_each(|(index, all)| add_up_mixed(all, &layers, &maps, index, shares.of(index)));
                }
            }
        }
        mixed.unclaimed_share = (unclaimed / (width * depth) as f64) as f32;
        mixed.weights =
            (!all_shares.is_empty()).then_some(WeightMap { width, depth, types, layers, shares: all_shares });
        Ok(mixed)
    }

    /// Each texture's share of each texel.
    fn shares_over(&self, strip: MapWindow) -> Shares {
        let count = self.bakers.len();
        let Some(mask) = &self.mask else { return Shares { count, shares: self.shares.clone() } };
        let mut shares = vec![0.0; strip.width * strip.depth * count];
        shares.par_chunks_mut(strip.width * count).enumerate().for_each_init(
            || vec![0.0; strip.width],
            |white, (row, shares)| {
                mask.read_texels(self.size, strip.row + row, strip.column, white);
                for (texel, &white) in shares.chunks_mut(count).zip(white.iter()) {
                    for (index, share) in texel.iter_mut().enumerate() {
                        *share = share_at(self.at * white, index, self.count);
                    }
                }
            },
        );
        Shares { count, shares }
    }

    fn mix_texel(&self, texels: impl Iterator<Item = [u8; 4]>, shares: &[f32]) -> [u8; 4] {
        let mut light = [0.0; 3];
        let mut sky = 0.0;
        for (texel, &share) in texels.zip(shares) {
            // A texture alone keeps its texels to the bit; decoding and encoding might change a level.
            if share == 1.0 {
                return texel;
            }
            let [red, green, blue, alpha] = texel;
            for (sum, level) in light.iter_mut().zip([red, green, blue]) {
                *sum += share * self.light[usize::from(level)];
            }
            sky += share * f32::from(alpha);
        }
        let [red, green, blue] = light.map(|light| self.encoder.level(Encoder::step(light)));
        [red, green, blue, (sky + 0.5) as u8]
    }
}

impl PaintWindow for FadeBaker<'_> {
    fn size(&self) -> (usize, usize) {
        self.size
    }

    fn paint_window(&self, window: MapWindow, work: &Work) -> Result<Baked> {
        // A single texture needs no strips and no second encoding.
        match self.bakers.as_slice() {
            [one] => one.paint_window(window, work),
            _ => self.mix(window, work),
        }
    }
}

/// Corrects the shares of the ground of a texel after those of several textures were mixed and rounded, so
/// that they add up.
fn add_up_mixed(all: &mut [u8], layers: &[usize], maps: &[&WeightMap], texel: usize, shares: &[f32]) {
    // A texture that has the whole texel.
    if shares.contains(&1.0) {
        return;
    }
    let mixed: Vec<f32> = maps
        .iter()
        .zip(shares)
        .flat_map(|(map, &share)| {
            let own = &map.shares[texel * map.types..][..map.types];
            own.iter().map(move |&own| f32::from(own) * share)
        })
        .collect();
    // Layers lie over the ground and don't count in its sum.
    add_up(all, |number| mixed.get(number).copied().filter(|_| layers.binary_search(&number).is_err()));
}

/// The share of every texture in each of some texels, or one set of shares if they are the same for all
/// texels.
struct Shares {
    count: usize,
    shares: Vec<f32>,
}

impl Shares {
    fn of(&self, texel: usize) -> &[f32] {
        if self.shares.len() == self.count {
            &self.shares
        } else {
            &self.shares[texel * self.count..][..self.count]
        }
    }

    /// The mean share of texture `number` over this many texels.
    fn mean(&self, number: usize, texels: usize) -> f64 {
        (0..texels).map(|texel| f64::from(self.of(texel)[number])).sum::<f64>() / texels.max(1) as f64
    }
}

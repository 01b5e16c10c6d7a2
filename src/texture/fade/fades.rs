//! Textures that fade into each other, by a position or by a picture: climates over a large land.

use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::Region;

use crate::texture::analysis::surroundings::{Layer, Surroundings};
use crate::texture::bake::baker::{Baker, Window, longer_side};
use crate::texture::bake::part::Part;
use crate::texture::bake::sampler;
use crate::texture::bake::{BakeOptions, Baked, WeightMap};
use crate::texture::colour::colour_map::ColourMap;
use crate::texture::colour::srgb::{Encoder, linear_from_srgb};
use crate::texture::factors::{Land, Picture};
use crate::texture::patches::PaintWindow;
use crate::texture::set::{BlendSpace, Texture};
use crate::texture::tile::{Tile, Tiling};
use crate::texture::types::TerrainType;

/// Rows that are painted of every texture before they are mixed.
const STRIP: usize = 256;

/// The most textures that can fade: with a mask all of them are painted.
pub(crate) const MAX_SETS: usize = 64;

/// Textures in order, and where between the first and the last of them a land is.
///
/// Every texture is baked by itself, and the colours are mixed in linear light (where all blend sRGB
/// values, so). Where only one has a share, the texels are its own, bit for bit.
///
/// ```
/// use upland::texture::{Fade, Land, TerrainType, Texture};
/// # use upland::{Grid, Heightfield, Work};
/// # let (field, work) = (Heightfield::flat(Grid::new(9, 9, 10.0)?, 100.0), Work::new());
/// let of = |colour| Texture { types: vec![TerrainType::new("all", colour)], ..Texture::default() };
/// let fade = Fade { textures: vec![of([0.0; 3]), of([1.0; 3])], at: 0.5, mask: None };
/// let baked = fade.bake(Land::dry(&field), false, 1, &work)?;
/// assert_eq!(baked.colour.texels[0][..3], [188; 3]); // half of white's light
/// # Ok::<(), upland::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Fade {
    /// From 1 to 64; each is baked at the highest resolution among them.
    pub textures: Vec<Texture>,
    /// From 0, the first, to 1, the last, the others evenly between.
    pub at: f32,
    /// Where: `at` times the picture's brightness is the position. `None` for everywhere.
    pub mask: Option<Picture>,
}

impl From<Texture> for Fade {
    fn from(texture: Texture) -> Self {
        Self { textures: vec![texture], at: 0.0, mask: None }
    }
}

/// What the bakers of the textures need, made ready for a land.
#[derive(Clone, Debug)]
pub struct Prepared {
    surroundings: Surroundings,
    mask: Option<Layer>,
    /// What there is to say, such as that a mask was resampled.
    pub notes: Vec<String>,
}

impl Prepared {
    /// What was found out about a region in some other way than by [`Fade::prepare`].
    ///
    /// # Errors
    /// When the mask's picture cannot be read, and [`Error::Cancelled`].
    pub(crate) fn of(
        mut surroundings: Surroundings,
        fade: &Fade,
        region: &Region,
        notes: Vec<String>,
        work: &Work,
    ) -> Result<Self> {
        let picture = fade.mask.as_ref().filter(|_| fade.textures.len() > 1);
        let mask = picture.map(|picture| picture.over_region(region, work)).transpose()?;
        // A picture lies over the land, not over each block of it.
        for kind in fade.used().into_iter().flat_map(|(index, _)| &fade.textures[index].types) {
            if let Some(limits) = &kind.factors.mask {
                surroundings.insert(limits.picture.layer(), limits.picture.over_region(region, work)?)?;
            }
        }
        Ok(Self { surroundings, mask, notes })
    }

    /// The same in the samples of another region.
    ///
    /// # Errors
    /// When the mask's picture cannot be read, and [`Error::Cancelled`].
    pub(crate) fn in_region(&self, fade: &Fade, from: &Region, to: &Region, work: &Work) -> Result<Self> {
        let mask = match fade.mask.as_ref().filter(|_| self.mask.is_some()) {
            Some(picture) => Some(picture.over_region(to, work)?),
            None => None,
        };
        let surroundings = self.surroundings.in_region(from, to);
        Ok(Self { surroundings, mask, notes: self.notes.clone() })
    }

    /// What is known of the land.
    pub fn surroundings(&self) -> &Surroundings {
        &self.surroundings
    }
}

impl Fade {
    /// The names of the land's layers that terrain types ask for.
    pub fn layers(&self) -> Vec<&str> {
        let types = self.textures.iter().flat_map(|texture| &texture.types);
        let limits = types.filter_map(|kind| kind.factors.layer.as_ref());
        let mut names: Vec<_> = limits.map(|limits| limits.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Works out what all its textures need. What `known` knows already is not worked out again.
    ///
    /// # Errors
    /// When a texture or the position is out of range, a picture cannot be read, and
    /// [`Error::Cancelled`].
    pub fn prepare(&self, land: Land, known: Option<Surroundings>, work: &Work) -> Result<Prepared> {
        self.check()?;
        let mut surroundings = known.unwrap_or_else(|| Surroundings::new(land.field));
        for (index, _) in self.used() {
            surroundings.prepare_on(land, &self.textures[index], work)?;
        }
        let mut notes: Vec<String> = surroundings.notes().map(str::to_owned).collect();
        for (index, _) in self.used() {
            for tiling in self.textures[index].types.iter().filter_map(|kind| kind.tile.as_ref()) {
                work.check()?;
                for doubt in doubts(tiling)? {
                    if !notes.contains(&doubt) {
                        notes.push(doubt);
                    }
                }
            }
        }
        let mask = match &self.mask {
            Some(picture) if self.textures.len() > 1 => {
                let (layer, note) = picture.over(land.field.grid(), work)?;
                notes.extend(note);
                Some(layer)
            }
            _ => None,
        };
        Ok(Prepared { surroundings, mask, notes })
    }

    /// Makes its textures ready to paint a land that was prepared.
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

    /// As [`baker`](Self::baker), over a field that is a part of a land.
    pub(crate) fn baker_of_part<'a>(
        &self,
        land: Land<'a>,
        prepared: &'a Prepared,
        weights: bool,
        seed: u64,
        part: Option<Part>,
        work: &Work,
    ) -> Result<FadeBaker<'a>> {
        let options = BakeOptions { sea_level: land.sea_level, weights };
        let grid = land.field.grid();
        let finest = self.textures.iter().map(|texture| longer_side(grid, texture.resolution)).max();
        let resolution = finest.unwrap_or_default();
        let (mut bakers, mut types) = (Vec::new(), Vec::new());
        let used = self.used();
        for &(index, _) in &used {
            let texture = Texture { resolution, ..self.textures[index].clone() };
            let surroundings = &prepared.surroundings;
            bakers.push(Baker::of_part(land.field, surroundings, &texture, options, seed, part, work)?);
            types.push(texture.all_types());
        }
        let size = bakers.first().map_or((0, 0), Baker::size);
        let linear = self.textures.iter().any(|texture| texture.blend_space == BlendSpace::Linear);
        let level = |level: u8| f32::from(level) / 255.0;
        Ok(FadeBaker {
            bakers,
            types,
            size,
            at: self.at,
            count: self.textures.len(),
            shares: used.iter().map(|(_, share)| *share).collect(),
            mask: prepared.mask.as_ref(),
            light: std::array::from_fn(|index| {
                let encoded = level(index as u8);
                if linear { linear_from_srgb(encoded) } else { encoded }
            }),
            encoder: Encoder::new(linear),
        })
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

    /// The textures that have a share anywhere, and what it is without a mask.
    fn used(&self) -> Vec<(usize, f32)> {
        let count = self.textures.len();
        let everywhere = (0..count).map(|index| (index, share_at(self.at, index, count)));
        match &self.mask {
            None => everywhere.filter(|(_, share)| *share > 0.0).collect(),
            // Under black the first has all, and from there on up to the position each has some.
            Some(_) => {
                let reach = self.at * count.saturating_sub(1) as f32;
                everywhere.filter(|(index, _)| *index == 0 || (*index as f32) < reach + 1.0).collect()
            }
        }
    }

    /// The terrain types in the order of the weights, as [`FadeBaker::types`] has them.
    #[cfg(feature = "cli")]
    pub(crate) fn types(&self) -> Vec<TerrainType> {
        self.used().into_iter().flat_map(|(index, _)| self.textures[index].all_types()).collect()
    }

    /// Whether there is anything to lay, every value in its range.
    ///
    /// # Errors
    /// [`Error::Parameter`] naming the first that isn't.
    pub fn check(&self) -> Result<()> {
        if self.textures.is_empty() {
            return Err(Error::parameter("texture.sets", "there are none; give at least one"));
        }
        let count = self.textures.len();
        if count > MAX_SETS {
            let reason = format!("there are {count}; give at most {MAX_SETS}");
            return Err(Error::parameter("texture.sets", reason));
        }
        if !(0.0..=1.0).contains(&self.at) {
            let reason = format!("{} is outside 0 (the first set) to 1 (the last)", self.at);
            return Err(Error::parameter("texture.at", reason));
        }
        self.textures.iter().try_for_each(Texture::check)
    }
}

/// What is doubtful about a user's picture as a tile.
fn doubts(tiling: &Tiling) -> Result<Vec<String>> {
    let name = tiling.image.text();
    if Tile::built_in().contains(&name) {
        return Ok(Vec::new());
    }
    let warnings = sampler::read(tiling)?.warnings(tiling.mirror);
    Ok(warnings.into_iter().map(|warning| format!("{name} {warning}")).collect())
}

/// The share of texture `index` of `count` at a position from 0 to 1; neighbours share what lies
/// between them.
fn share_at(at: f32, index: usize, count: usize) -> f32 {
    let place = at * count.saturating_sub(1) as f32;
    (1.0 - (place - index as f32).abs()).max(0.0)
}

/// Paints any part of a map of textures that fade, as a [`Baker`] does that of one.
pub struct FadeBaker<'a> {
    bakers: Vec<Baker<'a>>,
    types: Vec<Vec<TerrainType>>,
    size: (usize, usize),
    at: f32,
    /// How many textures there are, with those that have no share.
    count: usize,
    shares: Vec<f32>,
    mask: Option<&'a Layer>,
    light: [f32; 256],
    encoder: Encoder,
}

impl FadeBaker<'_> {
    /// Texels of the whole map along +X and +Z.
    pub fn size(&self) -> (usize, usize) {
        self.size
    }

    /// The window that is the whole map.
    pub fn whole(&self) -> Window {
        Window { column: 0, row: 0, width: self.size.0, depth: self.size.1 }
    }

    /// The terrain types in the order of the weights: those of all textures that have a share, texture
    /// by texture.
    pub fn types(&self) -> impl Iterator<Item = &TerrainType> {
        self.types.iter().flatten()
    }

    /// Which of [`types`](Self::types) are layers ([`WeightMap::layers`]), in rising order.
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
    pub fn paint(&self, window: Window, work: &Work) -> Result<Baked> {
        work.stage("texture", window.depth * self.bakers.len());
        self.paint_window(window, work)
    }

    /// Paints every texture's strip, one strip after the other, and mixes them.
    fn mix(&self, window: Window, work: &Work) -> Result<Baked> {
        let Window { width, depth, .. } = window;
        let types = self.types.iter().map(Vec::len).sum();
        let mut mixed = Baked {
            colour: ColourMap { width, depth, texels: Vec::with_capacity(width * depth) },
            weights: None,
            unclaimed_share: 0.0,
            notes: Vec::new(),
        };
        let mut unclaimed = 0.0;
        let mut all_shares = Vec::new();
        for first in (0..depth).step_by(STRIP) {
            let rows = STRIP.min(depth - first);
            let strip = Window { row: window.row + first, depth: rows, ..window };
            let painted: Result<Vec<Baked>> =
                self.bakers.iter().map(|baker| baker.paint_window(strip, work)).collect();
            let painted = painted?;
            let shares = self.shares_over(strip);
            mixed.colour.texels.par_extend((0..rows * width).into_par_iter().map(|index| {
                let texels = painted.iter().map(|baked| baked.colour.texels[index]);
                self.mix_texel(texels, shares.of(index))
            }));
            for (number, baked) in painted.iter().enumerate() {
                let share = shares.mean(number, rows * width);
                unclaimed += f64::from(baked.unclaimed_share) * share * (rows * width) as f64;
            }
            let maps: Vec<&WeightMap> = painted.iter().filter_map(|baked| baked.weights.as_ref()).collect();
            if !maps.is_empty() {
                all_shares.par_extend((0..rows * width).into_par_iter().flat_map_iter(|index| {
                    let shares = shares.of(index);
                    maps.iter().zip(shares).flat_map(move |(map, &share)| {
                        let own = &map.shares[index * map.types..][..map.types];
                        own.iter().map(move |&own| (f32::from(own) * share + 0.5) as u8)
                    })
                }));
            }
        }
        mixed.unclaimed_share = (unclaimed / (width * depth) as f64) as f32;
        let layers = self.layers();
        mixed.weights =
            (!all_shares.is_empty()).then_some(WeightMap { width, depth, types, layers, shares: all_shares });
        Ok(mixed)
    }

    /// Each texture's share of each texel.
    fn shares_over(&self, strip: Window) -> Shares {
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

    fn paint_window(&self, window: Window, work: &Work) -> Result<Baked> {
        match self.bakers.as_slice() {
            [one] => one.paint_window(window, work),
            _ => self.mix(window, work),
        }
    }
}

/// Shares of some texels, texture by texture for each; or the same for all.
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

    fn mean(&self, number: usize, texels: usize) -> f64 {
        (0..texels).map(|texel| f64::from(self.of(texel)[number])).sum::<f64>() / texels.max(1) as f64
    }
}

//! Textures that fade into each other, by a position or by a picture: climates over a large land.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::analysis::{Factor, Land, Picture, ShareMap, TerrainAnalysis};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::{Heightfield, Region};
use crate::sculpt::PaintedTypes;
use crate::texture::bake::Materials;
use crate::texture::tile::{Tile, Tiling};
use crate::texture::types::TerrainType;
use crate::texture::types::{LayerLimits, Light, Texture};

/// The most textures that can fade: with a mask all of them are painted.
pub(crate) const MAX_SETS: usize = 64;

/// Textures in order, and the position of a land between the first and the last of them.
///
/// Every texture is baked separately, and the colours are mixed: in linear light, or as sRGB values if all of
/// the textures blend so. Where only one has a share, the texels are its own, bit for bit.
///
/// ```
/// # use upland_core as upland;
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
    /// The position: 0 is the first texture, 1 the last, and the others lie evenly between.
    pub at: f32,
    /// A picture whose brightness times `at` is the position at each place; `None`: it is `at` everywhere.
    pub mask: Option<Picture>,
}

impl From<Texture> for Fade {
    fn from(texture: Texture) -> Self {
        Self { textures: vec![texture], at: 0.0, mask: None }
    }
}

/// The data that the textures of a [`Fade`] need of a land.
#[derive(Clone, Debug)]
pub struct Prepared {
    pub(super) analysis: TerrainAnalysis,
    pub(super) mask: Option<ShareMap>,
    /// Types that strokes paint over all others.
    pub(super) painted: Option<Arc<PaintedTypes>>,
    /// Notes, such as that a mask was resampled.
    pub notes: Vec<String>,
}

impl Prepared {
    /// From the `analysis` of a region that was made in another way than by [`Fade::prepare`].
    ///
    /// # Errors
    /// When the mask's picture cannot be read, and [`Error::Cancelled`].
    pub(crate) fn of(
        mut analysis: TerrainAnalysis,
        fade: &Fade,
        region: &Region,
        notes: Vec<String>,
        work: &Work,
    ) -> Result<Self> {
        // With one texture there is nothing to fade to.
        let picture = fade.mask.as_ref().filter(|_| fade.textures.len() > 1);
        let mask = picture.map(|picture| picture.over_region(region, work)).transpose()?;
        // A picture covers the whole land, and not each block of it.
        for kind in fade.used().into_iter().flat_map(|(index, _)| &fade.textures[index].types) {
            if let Some(limits) = &kind.factors.mask {
                analysis.insert(limits.picture.layer(), limits.picture.over_region(region, work)?)?;
            }
        }
        Ok(Self { analysis, mask, painted: None, notes })
    }

    /// The same over the samples of another region.
    ///
    /// # Errors
    /// When the mask's picture cannot be read, and [`Error::Cancelled`].
    pub(crate) fn in_region(&self, fade: &Fade, from: &Region, to: &Region, work: &Work) -> Result<Self> {
        let mask = match fade.mask.as_ref().filter(|_| self.mask.is_some()) {
            Some(picture) => Some(picture.over_region(to, work)?),
            None => None,
        };
        let analysis = self.analysis.in_region(from, to);
        Ok(Self { analysis, mask, painted: self.painted.clone(), notes: self.notes.clone() })
    }

    /// The same, with types that strokes paint over all others.
    #[doc(hidden)]
    pub fn with_painted(self, painted: Option<Arc<PaintedTypes>>) -> Self {
        Self { painted, ..self }
    }

    /// The types that strokes paint.
    pub(crate) fn painted(&self) -> Option<&Arc<PaintedTypes>> {
        self.painted.as_ref()
    }

    /// The same, but the effect of a layer that steps have written on terrain types comes from these values,
    /// which lie on its own samples, and not from values interpolated between coarser ones.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(crate) fn with_layer(
        mut self,
        fade: &Fade,
        name: &str,
        values: &Heightfield,
        work: &Work,
    ) -> Result<Self> {
        let types = fade.textures.iter().flat_map(|texture| &texture.types);
        for limits in types.filter_map(|kind| kind.factors.layer.as_ref()) {
            if limits.name.as_str() == name && self.analysis.layer(&limits.key()).is_some() {
                self.analysis.insert(limits.key(), limits.influence(values, &work.unobserved())?)?;
            }
        }
        Ok(self)
    }

    /// Memory in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.analysis.bytes() + self.mask.as_ref().map_or(0, ShareMap::bytes)
    }

    /// The measurements of the land.
    pub fn analysis(&self) -> &TerrainAnalysis {
        &self.analysis
    }
}

impl Fade {
    /// The names of the land's layers that limit terrain types.
    pub fn layers(&self) -> Vec<&str> {
        let types = self.textures.iter().flat_map(|texture| &texture.types);
        let limits = types.filter_map(|kind| kind.factors.layer.as_ref());
        let mut names: Vec<_> = limits.map(|limits| limits.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Computes what all its textures need, except for data that is `known` already.
    ///
    /// # Errors
    /// When a texture or the position is out of range, a picture cannot be read, and
    /// [`Error::Cancelled`].
    pub fn prepare(&self, land: Land, known: Option<TerrainAnalysis>, work: &Work) -> Result<Prepared> {
        self.check()?;
        let mut analysis = known.unwrap_or_else(|| TerrainAnalysis::new(land.field));
        for (index, _) in self.used() {
            analysis.prepare_on(land, &self.textures[index], work)?;
        }
        let mut notes: Vec<String> = analysis.notes().map(str::to_owned).collect();
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
        Ok(Prepared { analysis, mask, painted: None, notes })
    }

    /// The names of the terrain types that strokes can paint, texture by texture: those that take a share of
    /// the ground. Layers over the ground are not among them.
    pub fn paintable_types(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for (index, _) in self.used() {
            for (place, kind) in self.textures[index].all_types().into_iter().enumerate() {
                // The first type is ground, whatever its blend mode.
                if (place == 0 || kind.blend.takes_ground()) && !names.contains(&kind.name) {
                    names.push(kind.name);
                }
            }
        }
        names
    }

    /// A note on painted types that the texture doesn't have, if there are any.
    pub(crate) fn note_on_painted(&self, painted: &PaintedTypes) -> Option<String> {
        let there = self.paintable_types();
        let missing: Vec<&str> =
            painted.names().iter().filter(|name| !there.contains(name)).map(String::as_str).collect();
        (!missing.is_empty()).then(|| {
            format!(
                "strokes paint {}, and the texture has no such type to paint with; it has {}",
                missing.join(", "),
                there.join(", ")
            )
        })
    }

    /// The pictures of those of its textures that have a share anywhere, ready for texels of this side, in
    /// metres.
    ///
    /// # Errors
    /// As [`Materials::new`].
    pub(crate) fn materials(&self, texel: f64, work: &Work) -> Result<Vec<Materials>> {
        let used = self.used().into_iter().map(|(index, _)| &self.textures[index]);
        used.map(|texture| Materials::new(texture, [texel; 2], work)).collect()
    }

    /// What its textures need of a land, apart from pictures: equal for two fades that can use the data
    /// prepared for each other.
    pub(crate) fn needs(&self) -> BTreeSet<String> {
        let mut needs = BTreeSet::new();
        for (index, _) in self.used() {
            let texture = &self.textures[index];
            for factors in texture.types.iter().map(|kind| &kind.factors) {
                needs.extend(factors.used().map(|(factor, _)| factor.layer(texture.shade_day())));
                needs.extend(factors.layer.as_ref().map(LayerLimits::key));
            }
            if texture.occlusion > 0.0 {
                needs.insert("sky".into());
            }
            if let Some(light) = texture.light.filter(Light::casts_shadows) {
                needs.insert(format!("sun {:?}", light.sun()));
            }
        }
        needs
    }

    /// The factors that its textures have limits of.
    pub(crate) fn factors(&self) -> Vec<&'static Factor> {
        let used = self.used().into_iter().map(|(index, _)| &self.textures[index]);
        let types = used.flat_map(|texture| &texture.types);
        types.flat_map(|kind| kind.factors.used().map(|(factor, _)| factor)).collect()
    }

    /// Indices of textures with a share anywhere, and that share without a mask.
    pub(super) fn used(&self) -> Vec<(usize, f32)> {
        let count = self.textures.len();
        let everywhere = (0..count).map(|index| (index, share_at(self.at, index, count)));
        match &self.mask {
            None => everywhere.filter(|(_, share)| *share > 0.0).collect(),
            // Where the mask is black the first has everything; where it is brighter those up to the position
            // have a share.
            Some(_) => {
                let reach = self.at * count.saturating_sub(1) as f32;
                everywhere.filter(|(index, _)| *index == 0 || (*index as f32) < reach + 1.0).collect()
            }
        }
    }

    /// The terrain types in the order of the weights, as in [`FadeBaker::types`](super::FadeBaker::types).
    #[doc(hidden)]
    pub fn types(&self) -> Vec<TerrainType> {
        self.used().into_iter().flat_map(|(index, _)| self.textures[index].all_types()).collect()
    }

    /// Checks that there are textures, and that every value is in its range.
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

/// Doubts about a tile that isn't built in.
fn doubts(tiling: &Tiling) -> Result<Vec<String>> {
    let name = tiling.image.text();
    if Tile::built_in().contains(&name) {
        return Ok(Vec::new());
    }
    let warnings = tiling.read_kept()?.tile.warnings(tiling.mirror);
    Ok(warnings.into_iter().map(|warning| format!("{name} {warning}")).collect())
}

/// The share of texture `index` of `count` at a position from 0 to 1: it falls from 1 at the texture to 0 at
/// its neighbours.
pub(super) fn share_at(at: f32, index: usize, count: usize) -> f32 {
    let place = at * count.saturating_sub(1) as f32;
    // A tent around each texture: neighbours always sum up to 1.
    (1.0 - (place - index as f32).abs()).max(0.0)
}

//! The pictures of a texture, made ready for texels of one size.
//!
//! They take longer to make than a small part of a land takes to paint, and are the same for every part.

use std::sync::Arc;

use crate::compute::work::Work;
use crate::error::Result;
use crate::texture::blend::Wear;
use crate::texture::colour::srgb::linear_from_srgb;
use crate::texture::painted::TypeMap;
use crate::texture::texels::Painted;
use crate::texture::types::{BlendSpace, Texture};

/// What a texture's types wear on a map, and the map that is painted over the land.
#[derive(Clone)]
pub(crate) struct Materials {
    /// For each type, bands first.
    pub(super) wears: Vec<Option<Wear>>,
    pub(super) map: Option<Arc<TypeMap>>,
}

impl Materials {
    /// Those of a map whose texels are so many metres wide and deep.
    ///
    /// # Errors
    /// When a picture cannot be read or enlarged, an id of the painted map has no type, there is too little
    /// memory, and [`Error::Cancelled`](crate::Error::Cancelled).
    pub(crate) fn new(texture: &Texture, texel: [f64; 2], work: &Work) -> Result<Self> {
        let map = match &texture.map {
            Some(map) => Some(Arc::new(Painted::read(map, &texture.types, work)?)),
            None => None,
        };
        let linear = texture.blend_space == BlendSpace::Linear;
        let mut wears = Vec::new();
        for kind in texture.all_types() {
            let colour = kind.colour.map(|colour| colour.map(linear_from_srgb));
            let wear = kind.tile.as_ref().map(|tiling| Wear::new(tiling, texel, colour, linear, work));
            wears.push(wear.transpose()?);
        }
        Ok(Self { wears, map })
    }

    /// Memory that they take, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        let wears = self.wears.iter().flatten().map(Wear::bytes).sum::<u64>();
        wears + self.map.as_ref().map_or(0, |map| map.ids().len() as u64)
    }
}

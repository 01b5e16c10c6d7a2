//! The pictures of a texture, prepared for texels of one size.
//!
//! They take longer to make than a small part of a land takes to paint, and are the same for every part.

use std::sync::Arc;

use crate::compute::work::Work;
use crate::error::Result;
use crate::texture::blend::TypeMaterial;
use crate::texture::colour::srgb::linear_from_srgb;
use crate::texture::painted::TypeMap;
use crate::texture::texels::PreparedMap;
use crate::texture::types::{BlendSpace, Texture};

/// The materials of a texture's types on a map, and the map that is painted over the land.
#[derive(Clone)]
pub(crate) struct Materials {
    /// For each type, bands first.
    pub(super) of_types: Vec<Option<TypeMaterial>>,
    pub(super) map: Option<Arc<TypeMap>>,
}

impl Materials {
    /// The materials for a map whose texels have this width and depth in metres.
    ///
    /// # Errors
    /// When a picture cannot be read or enlarged, an id of the painted map has no type, there is too little
    /// memory, and [`Error::Cancelled`](crate::Error::Cancelled).
    pub(crate) fn new(texture: &Texture, texel: [f64; 2], work: &Work) -> Result<Self> {
        let map = match &texture.map {
            Some(map) => Some(Arc::new(PreparedMap::read(map, &texture.types, work)?)),
            None => None,
        };
        let linear = texture.blend_space == BlendSpace::Linear;
        let mut of_types = Vec::new();
        for kind in texture.all_types() {
            let colour = kind.colour.map(|colour| colour.map(linear_from_srgb));
            let material =
                kind.tile.as_ref().map(|tiling| TypeMaterial::new(tiling, texel, colour, linear, work));
            of_types.push(material.transpose()?);
        }
        Ok(Self { of_types, map })
    }

    /// Memory in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        let of_types = self.of_types.iter().flatten().map(TypeMaterial::bytes).sum::<u64>();
        of_types + self.map.as_ref().map_or(0, |map| map.ids().len() as u64)
    }
}

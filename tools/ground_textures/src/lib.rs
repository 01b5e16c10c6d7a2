//! The maker of the ground textures that are built into upland: noise and scattered shapes that wrap at
//! the tile's edges.
//!
//! Each texture is a file of its own that paints a [`canvas`] four metres wide: heights, colours and
//! roughness of the bare ground from [`noise`], then the objects on it, shape by shape, where higher ones
//! hide lower ones. Normals follow from the heights, and so does a little darkness in hollows; the colours
//! contain no sunlight.

mod blades;
mod canvas;
mod colour;
mod cracks;
mod hash;
mod leaves;
mod noise;
mod palette;
mod stones;

mod cliff;
mod dry_grass;
mod forest_floor;
mod grass;
mod gravel;
mod ice;
mod meadow;
mod mud;
mod rock;
mod sand;
mod scree;
mod snow;

use upland_core::texture::Tile;

/// Metres along a side of a tile.
const SIZE: f32 = 4.0;

/// A ground texture that can be made.
#[derive(Clone, Copy)]
pub struct GroundTexture {
    /// Its name: that of the built-in tile, [`Tile::built_in`].
    pub name: &'static str,
    /// What it shows, in a line.
    pub about: &'static str,
    make: fn() -> Tile,
}

static ALL: &[GroundTexture] = &[
    GroundTexture { name: "grass", about: "grazed grass", make: grass::make },
    GroundTexture {
        name: "meadow",
        about: "an old meadow: long grass, clover, herbs and flowers",
        make: meadow::make,
    },
    GroundTexture { name: "dry_grass", about: "straw in tussocks, soil between", make: dry_grass::make },
    GroundTexture {
        name: "forest_floor",
        about: "brown leaves, twigs and some moss",
        make: forest_floor::make,
    },
    GroundTexture { name: "rock", about: "bare weathered rock with lichen", make: rock::make },
    GroundTexture {
        name: "cliff",
        about: "layered rock from the front, strata from east to west",
        make: cliff::make,
    },
    GroundTexture { name: "scree", about: "broken stones of all sizes", make: scree::make },
    GroundTexture { name: "gravel", about: "river pebbles", make: gravel::make },
    GroundTexture { name: "sand", about: "wind-rippled sand", make: sand::make },
    GroundTexture { name: "mud", about: "mud, cracked where dry and shining where wet", make: mud::make },
    GroundTexture { name: "snow", about: "wind-packed snow", make: snow::make },
    GroundTexture { name: "ice", about: "lake ice with fractures and bubbles", make: ice::make },
];

impl GroundTexture {
    /// All of them.
    pub fn all() -> &'static [Self] {
        ALL
    }

    /// The one called `name`.
    pub fn find(name: &str) -> Option<&'static Self> {
        ALL.iter().find(|texture| texture.name == name)
    }

    /// Paints it: 512 × 512 texels for four metres of ground, the same bits on every machine.
    pub fn make(&self) -> Tile {
        (self.make)()
    }
}

impl std::fmt::Debug for GroundTexture {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        formatter.debug_struct("GroundTexture").field("name", &self.name).finish_non_exhaustive()
    }
}

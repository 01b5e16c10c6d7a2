//! The pool of slots in which resident tiles lie on the device.

use bevy::prelude::*;
use bevy::render::render_resource::TextureFormat;
use half::f16;
use half::slice::HalfFloatSliceExt;

use crate::plugin::device::{DeviceLimits, TexelPatch, TexelPatches, empty_array, empty_plane, land_sampler};
use crate::stream::{
    CHUNKS_OF_ROOT, Resculpted, SlotGround, TABLE_WIDTH, TILE_TEXELS, Table, TileSource, TileTexels,
};

/// Tiles along a side of a layer. Twin of `SLOTS_ASIDE` in `shaders/land.wgsl`.
const SLOTS_ASIDE: usize = 8;
// Tiles share layers, because devices have only 256 layers or a few thousand, and there are more tiles than
// that.
const SLOTS_IN_LAYER: usize = SLOTS_ASIDE * SLOTS_ASIDE;

/// Slots in a row of the texture of errors.
const SLOTS_IN_ROW: usize = 12;
/// Errors in a row. Twin of `ERRORS_WIDTH` in `shaders/land.wgsl`.
const ERRORS_WIDTH: usize = SLOTS_IN_ROW * CHUNKS_OF_ROOT;

/// The data that the tiles of a land have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TileKind {
    /// Layers of weights.
    pub(crate) weight_layers: usize,
    /// Whether ground may be shifted sideways from its samples.
    pub(crate) is_shifted: bool,
    /// Whether ground may have holes.
    pub(crate) has_holes: bool,
}

impl TileKind {
    /// That of a source's tiles.
    pub(crate) fn of(source: &dyn TileSource) -> Self {
        Self {
            weight_layers: source.weight_layers(),
            is_shifted: source.is_shifted(),
            has_holes: source.has_holes(),
        }
    }

    /// Bytes of a texel: height and gradient, or place and normal; the hole next to the height, or in the
    /// place's fourth number; colour; and four for each layer of weights.
    fn texel_bytes(self) -> usize {
        let ground = match (self.is_shifted, self.has_holes) {
            (true, _) => 16 + 8,
            (false, true) => 8 + 4,
            (false, false) => 4 + 4,
        };
        ground + 4 + 4 * self.weight_layers
    }

    /// Heights as they lie on the device, interleaved with shifts and holes.
    fn ground_bytes(self, heights: &[f32], shifts: &[[f16; 2]], holes: &[f16]) -> Vec<u8> {
        // Tiles without strokes have no holes in the list, where the land may have them.
        let hole = |index: usize| holes.get(index).map_or(0.0, |share| share.to_f32());
        let numbered = heights.iter().enumerate();
        match (self.is_shifted, self.has_holes) {
            (true, _) => {
                let shift = |index: usize| shifts.get(index).map_or([0.0; 2], |shift| shift.map(f16::to_f32));
                let place = |(index, height): (usize, &f32)| {
                    let [east, south] = shift(index);
                    [*height, east, south, hole(index)]
                };
                bytemuck::cast_slice(&numbered.map(place).collect::<Vec<[f32; 4]>>()).to_vec()
            }
            (false, true) => {
                let place = |(index, height): (usize, &f32)| [*height, hole(index)];
                bytemuck::cast_slice(&numbered.map(place).collect::<Vec<[f32; 2]>>()).to_vec()
            }
            (false, false) => bytemuck::cast_slice(heights).to_vec(),
        }
    }
}

/// Where a slot lies: its first texel, and its layer.
fn place_of(slot: u32) -> ([u32; 2], u32) {
    let in_layer = slot as usize % SLOTS_IN_LAYER;
    let corner = [in_layer % SLOTS_ASIDE, in_layer / SLOTS_ASIDE].map(|place| (place * TILE_TEXELS) as u32);
    (corner, slot / SLOTS_IN_LAYER as u32)
}

/// The textures of a pool.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PoolTextures {
    /// Which tile lies in which slot.
    pub(crate) table: Handle<Image>,
    /// The errors of the chunks of each slot.
    pub(crate) errors: Handle<Image>,
    /// Heights, and of shifted land how far east and south the ground stands from its sample; last the layer
    /// of holes.
    pub(crate) heights: Handle<Image>,
    /// Gradients, or of shifted land normals.
    pub(crate) gradients: Handle<Image>,
    pub(crate) is_shifted: bool,
    pub(crate) has_holes: bool,
    pub(crate) colours: Handle<Image>,
    /// Absent where no type has a tiling picture.
    pub(crate) weights: Option<Handle<Image>>,
}

/// A pool of slots.
pub(crate) struct TilePool {
    pub(crate) textures: PoolTextures,
    /// Width, height and layers of the textures of heights.
    layout: [usize; 3],
    slots: usize,
    kind: TileKind,
}

impl TilePool {
    /// How many slots fit into `bytes` bytes, and onto a device.
    pub(crate) fn slots(bytes: usize, kind: TileKind, limits: DeviceLimits) -> usize {
        let of_slot = TILE_TEXELS * TILE_TEXELS * kind.texel_bytes();
        // A tile's weights take several layers of their texture.
        let layers = limits.array_layers as usize / kind.weight_layers.max(1);
        (bytes / of_slot).min(layers.max(1) * SLOTS_IN_LAYER)
    }

    /// A pool of `slots` slots for tiles of a kind.
    pub(crate) fn new(
        slots: usize,
        kind: TileKind,
        limits: DeviceLimits,
        images: &mut Assets<Image>,
    ) -> Self {
        let layers = slots.div_ceil(SLOTS_IN_LAYER);
        // A pool of few tiles is no larger than it has to be.
        let side =
            if slots < SLOTS_IN_LAYER { slots.div_ceil(SLOTS_ASIDE) } else { SLOTS_ASIDE } * TILE_TEXELS;
        let wide = SLOTS_ASIDE * TILE_TEXELS;
        let mut texels = |layers: usize, format: TextureFormat, is_filtered: bool| {
            let mut image = empty_array(wide, side, layers, format);
            if is_filtered {
                image.sampler = land_sampler(limits);
            }
            images.add(image)
        };
        let TileKind { weight_layers, is_shifted, has_holes } = kind;
        // Heights in 32 bits, for 16 would make steps of a metre on high mountains; slopes in 16, which every
        // device filters.
        let (height, gradient) = match (is_shifted, has_holes) {
            (false, false) => (TextureFormat::R32Float, TextureFormat::Rg16Float),
            (false, true) => (TextureFormat::Rg32Float, TextureFormat::Rg16Float),
            (true, _) => (TextureFormat::Rgba32Float, TextureFormat::Rgba16Float),
        };
        let heights = texels(layers, height, false);
        let gradients = texels(layers, gradient, true);
        // sRGB, so that the 8 bits are spent where the eye sees differences; the sampler decodes them.
        let colours = texels(layers, TextureFormat::Rgba8UnormSrgb, true);
        let weights =
            (weight_layers > 0).then(|| texels(layers * weight_layers, TextureFormat::Rgba8Unorm, true));
        let rows = Table::new(slots).entries().len() / TABLE_WIDTH;
        let table = images.add(empty_plane(TABLE_WIDTH, rows, TextureFormat::Rgba32Uint));
        let errors =
            images.add(empty_plane(ERRORS_WIDTH, slots.div_ceil(SLOTS_IN_ROW), TextureFormat::R32Float));
        let textures =
            PoolTextures { table, errors, heights, gradients, is_shifted, has_holes, colours, weights };
        Self { textures, layout: [wide, side, layers], slots, kind }
    }

    /// Bytes on the device.
    pub(crate) fn bytes(&self) -> usize {
        TILE_TEXELS * TILE_TEXELS * self.kind.texel_bytes() * self.slots
    }

    /// Whether tiles of a kind can lie in it. Those without holes can where there could be some.
    pub(crate) fn takes(&self, kind: TileKind) -> bool {
        kind == TileKind { has_holes: kind.has_holes && self.kind.has_holes, ..self.kind }
    }

    /// Makes it one whose tiles may have holes. True if the heights of all tiles must be uploaded again; with
    /// their holes they take a half more.
    pub(crate) fn gain_holes(&mut self, images: &mut Assets<Image>) -> bool {
        if self.kind.has_holes {
            return false;
        }
        self.kind.has_holes = true;
        self.textures.has_holes = true;
        if self.kind.is_shifted {
            // A place's fourth number is free.
            return false;
        }
        // A texture cannot get another format, so the land gets a new one. The old one is freed once no
        // material has its handle.
        let [width, height, layers] = self.layout;
        let heights = empty_array(width, height, layers, TextureFormat::Rg32Float);
        self.textures.heights = images.add(heights);
        true
    }

    /// Uploads a tile to a slot; the bytes of it.
    pub(crate) fn upload(
        &self,
        slot: u32,
        heights: &[f32],
        texels: TileTexels,
        patches: &mut TexelPatches,
    ) -> usize {
        let (corner, layer) = place_of(slot);
        let mut patch = |image: &Handle<Image>, layer: u32, bytes: Vec<u8>| {
            patches.push(TexelPatch {
                image: image.id(),
                corner: UVec3::new(corner[0], corner[1], layer),
                size: UVec2::splat(TILE_TEXELS as u32),
                bytes,
            });
        };
        let TileTexels { shifts, holes, gradients, normals, colours, weights } = texels;
        patch(&self.textures.heights, layer, self.kind.ground_bytes(heights, &shifts, &holes));
        // Halves as their bits, which `bytemuck` can view as bytes.
        let slopes = if self.kind.is_shifted { normals.as_flattened() } else { gradients.as_flattened() };
        patch(&self.textures.gradients, layer, bytemuck::cast_slice(slopes.reinterpret_cast()).to_vec());
        patch(&self.textures.colours, layer, colours.into_flattened());
        if let Some(image) = &self.textures.weights {
            let planes = weights.chunks_exact(TILE_TEXELS * TILE_TEXELS);
            for (plane, number) in planes.zip(0..self.kind.weight_layers as u32) {
                patch(image, layer * self.kind.weight_layers as u32 + number, plane.as_flattened().to_vec());
            }
        }
        self.bytes() / self.slots
    }

    /// Uploads where the ground of a tile is, and its holes.
    pub(crate) fn upload_ground(&self, ground: SlotGround, patches: &mut TexelPatches) {
        let (corner, layer) = place_of(ground.slot);
        patches.push(TexelPatch {
            image: self.textures.heights.id(),
            corner: UVec3::new(corner[0], corner[1], layer),
            size: UVec2::splat(TILE_TEXELS as u32),
            bytes: self.kind.ground_bytes(ground.heights, ground.shifts, ground.holes),
        });
    }

    /// Uploads what strokes have changed of a tile.
    pub(crate) fn upload_part(&self, part: Resculpted, patches: &mut TexelPatches) {
        let Resculpted { slot, first, size, heights, shifts, holes, gradients, normals } = part;
        let (corner, layer) = place_of(slot);
        let [column, row] = [0, 1].map(|axis| corner[axis] + first[axis] as u32);
        let mut patch = |image: &Handle<Image>, bytes: Vec<u8>| {
            patches.push(TexelPatch {
                image: image.id(),
                corner: UVec3::new(column, row, layer),
                size: UVec2::new(size[0] as u32, size[1] as u32),
                bytes,
            });
        };
        patch(&self.textures.heights, self.kind.ground_bytes(&heights, &shifts, &holes));
        let slopes = if self.kind.is_shifted { normals.as_flattened() } else { gradients.as_flattened() };
        patch(&self.textures.gradients, bytemuck::cast_slice(slopes.reinterpret_cast()).to_vec());
    }

    /// Uploads what has changed in the table.
    pub(crate) fn upload_table(&self, table: &mut Table, patches: &mut TexelPatches) {
        let (rows, slots) = table.take_changes();
        // Whole rows, so that one upload covers all changes between the first and the last.
        if !rows.is_empty() {
            let entries = &table.entries()[rows.start * TABLE_WIDTH..rows.end * TABLE_WIDTH];
            patches.push(TexelPatch {
                image: self.textures.table.id(),
                corner: UVec3::new(0, rows.start as u32, 0),
                size: UVec2::new(TABLE_WIDTH as u32, rows.len() as u32),
                bytes: bytemuck::cast_slice(entries).to_vec(),
            });
        }
        if !slots.is_empty() {
            let rows = slots.start / SLOTS_IN_ROW..slots.end.div_ceil(SLOTS_IN_ROW);
            let all = table.errors();
            // The last row of the texture may be wider than the slots that there are.
            let mut errors = all[rows.start * ERRORS_WIDTH..all.len().min(rows.end * ERRORS_WIDTH)].to_vec();
            errors.resize(rows.len() * ERRORS_WIDTH, 0.0);
            patches.push(TexelPatch {
                image: self.textures.errors.id(),
                corner: UVec3::new(0, rows.start as u32, 0),
                size: UVec2::new(ERRORS_WIDTH as u32, rows.len() as u32),
                bytes: bytemuck::cast_slice(&errors).to_vec(),
            });
        }
    }
}

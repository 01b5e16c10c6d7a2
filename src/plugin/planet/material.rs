//! The material of a planet's ground and sea: Bevy's standard one, on meshes that become their parents with
//! the distance, and near the eye with the ground textures of the terrain types.

use bevy::image::ImageSampler;
use bevy::math::{DVec3, Vec3A};
use bevy::mesh::{MeshVertexAttribute, VertexAttributeDescriptor, VertexFormat};
use bevy::pbr::ExtendedMaterial;
use bevy::prelude::*;
use bevy::render::render_resource::{AsBindGroup, TextureFormat};
use bevy::shader::ShaderDefVal;

use crate::planet::{Node, NodeMesh, PlanetLand, QUADS};
use crate::plugin::device::array_image;
use crate::plugin::material::{CoverUniform, DrawnCover, TerrainUniform, TerrainView, split_whole_fraction};
use crate::plugin::shaders::{Extension, PLANET_SHADER, extend_standard_material, in_order, set_definitions};
use crate::stream::summed;
use crate::texture::WeightMap;

/// The material of nodes.
pub(crate) type PlanetMaterial = ExtendedMaterial<StandardMaterial, PlanetExtension>;

/// Distance between lattice points of the coarsest grain of the ground, metres, and of the sea's waves.
const GRAIN_SIZE: f64 = 1.25;
const WAVE_SIZE: f64 = 14.0;

/// Steps of a tag's distance from one power of two to the next. Twin of `DISTANCE_STEPS` in
/// `shaders/planet.wgsl`.
const DISTANCE_STEPS: f64 = 2048.0;

/// A vertex's attributes in addition to its position; twin of `Vertex` in `shaders/planet.wgsl`.
pub(super) const NORMAL: MeshVertexAttribute =
    MeshVertexAttribute::new("PlanetNormal", 0x7570_0001, VertexFormat::Float32x3);
pub(super) const COARSE_POSITION: MeshVertexAttribute =
    MeshVertexAttribute::new("PlanetCoarsePosition", 0x7570_0002, VertexFormat::Float32x3);
pub(super) const COARSE_NORMAL: MeshVertexAttribute =
    MeshVertexAttribute::new("PlanetCoarseNormal", 0x7570_0003, VertexFormat::Float32x3);
pub(super) const COLOUR: MeshVertexAttribute =
    MeshVertexAttribute::new("PlanetColour", 0x7570_0004, VertexFormat::Unorm8x4);
pub(super) const COARSE_COLOUR: MeshVertexAttribute =
    MeshVertexAttribute::new("PlanetCoarseColour", 0x7570_0005, VertexFormat::Unorm8x4);
pub(super) const PLACE: MeshVertexAttribute =
    MeshVertexAttribute::new("PlanetPlace", 0x7570_0006, VertexFormat::Float32x3);

/// The attributes in the order of their locations.
pub(crate) fn locations() -> [MeshVertexAttribute; 7] {
    [Mesh::ATTRIBUTE_POSITION, NORMAL, COARSE_POSITION, COARSE_NORMAL, COLOUR, COARSE_COLOUR, PLACE]
}

/// The extension of the standard material. Nodes near the eye have one each, because ground textures and
/// waves are laid from their first sample; all others share one without, and so do seas far away. Bindings
/// are the terrain's.
#[derive(Asset, AsBindGroup, TypePath, Clone, Debug, PartialEq)]
#[bind_group_data(PlanetKey)]
pub(crate) struct PlanetExtension {
    #[uniform(100)]
    uniform: TerrainUniform,
    #[texture(107, dimension = "2d_array")]
    #[sampler(105)]
    weights: Option<Handle<Image>>,
    #[uniform(108)]
    cover: CoverUniform,
    #[texture(109, dimension = "2d_array")]
    #[sampler(110)]
    tile_ratios: Option<Handle<Image>>,
    #[texture(111, dimension = "2d_array")]
    tile_reliefs: Option<Handle<Image>>,
    is_sea: bool,
}

impl PlanetExtension {
    /// For ground that is never near the eye.
    pub(super) fn far() -> Self {
        Self {
            uniform: default(),
            weights: None,
            cover: default(),
            tile_ratios: None,
            tile_reliefs: None,
            is_sea: false,
        }
    }

    /// For sea that is never near the eye.
    pub(super) fn far_sea() -> Self {
        Self { is_sea: true, ..Self::far() }
    }

    /// For the sea of a node, with waves.
    pub(super) fn near_sea(land: &PlanetLand, node: Node) -> Self {
        Self { uniform: uniform(land, node, WAVE_SIZE), ..Self::far_sea() }
    }

    /// For a node that may be near the eye: with grain, and with ground textures by the weights of its types,
    /// if it has any.
    pub(super) fn near(
        land: &PlanetLand,
        node: Node,
        textures: Option<(&DrawnCover, Handle<Image>)>,
    ) -> Self {
        let near = Self { uniform: uniform(land, node, GRAIN_SIZE), ..Self::far() };
        let Some((cover, weights)) = textures else { return near };
        Self {
            weights: Some(weights),
            cover: cover.uniform.anchored(land.place_of(node)),
            tile_ratios: Some(cover.tiles.ratios.clone()),
            tile_reliefs: Some(cover.tiles.reliefs.clone()),
            ..near
        }
    }
}

/// The uniform of a node, whose grain has lattice points `grain` metres apart.
fn uniform(land: &PlanetLand, node: Node, grain: f64) -> TerrainUniform {
    // In f64, and then as whole numbers and rests: a face is thousands of kilometres wide, where f32 has no
    // digits left for grain of 1.25 m.
    let [(x, x_rest), (y, y_rest)] = (land.place_of(node) / grain).to_array().map(split_whole_fraction);
    TerrainUniform {
        world_from_anchor: frame(node),
        cell: land.cell_at(node.depth) as f32,
        detail: 1.0,
        detail_range: TerrainView::DEFAULT.detail_range,
        grain_size: grain as f32,
        grain_whole: IVec2::new(x, y),
        grain_rest: Vec2::new(x_rest, y_rest),
        ..default()
    }
}

/// The axes of ground textures at the middle of a node, of length 1 and at right angles: along the face's
/// columns, up, and along its rows. Elsewhere on the node they are a little askew, and no light shows it.
fn frame(node: Node) -> Mat4 {
    let half = i64::from(QUADS / 2);
    let direction = |column: i64, row: i64| node.point(half + column, half + row).direction();
    let up = direction(0, 0);
    // Gram and Schmidt: what lies along `up`, and then along the columns, is taken away.
    let along = |towards: DVec3| (towards - up * up.dot(towards)).normalize_or_zero();
    let columns = along(direction(1, 0) - direction(-1, 0));
    let rows = direction(0, 1) - direction(0, -1);
    let rows = along(rows - columns * columns.dot(rows));
    let column = |axis: DVec3| Vec3A::from(axis.as_vec3()).extend(0.0);
    Mat4::from_cols(column(columns), column(up), column(rows), Vec4::W)
}

/// The splat weights of a node as layers of a texture, four channels each.
pub(super) fn weights_image(map: &WeightMap, channels: &[Vec<usize>], sampler: &ImageSampler) -> Image {
    let layers = channels.chunks(4);
    let count = layers.len();
    let texels = |layer: &[Vec<usize>]| {
        map.shares.chunks(map.types.max(1)).flat_map(|shares| summed(shares, layer)).collect::<Vec<u8>>()
    };
    let bytes = layers.flat_map(texels).collect();
    let mut image = array_image(map.width, map.depth, count, TextureFormat::Rgba8Unorm, 1, bytes);
    image.sampler = sampler.clone();
    image
}

/// A node's tag, all that the vertex stage needs of it: the distance at which its parent takes its place,
/// metres; the share of that at which it begins to look like it; and how much of the parent is drawn at
/// least, 0 to 1. Twin of `coarseness` in `shaders/planet.wgsl`.
pub(super) fn tag(distance: f64, begins: f64, least: f32) -> u32 {
    // By the logarithm, 16 bits reach from 1 m to 2³² m in steps of 0.03 %. All of it fits into a `MeshTag`,
    // so nodes at different distances share a material.
    let steps = (distance.max(1.0).log2() * DISTANCE_STEPS).clamp(0.0, 65_535.0) as u32;
    let byte = |share: f64| (share.clamp(0.0, 1.0) * 255.0).round() as u32;
    // Below 1, since the shader divides by 1 - `begins`.
    steps | byte(begins.min(0.99)) << 16 | byte(least.into()) << 24
}

/// The properties that need separate pipelines.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PlanetKey {
    pub(crate) is_sea: bool,
    pub(crate) has_detail: bool,
}

impl From<&PlanetExtension> for PlanetKey {
    fn from(extension: &PlanetExtension) -> Self {
        Self { is_sea: extension.is_sea, has_detail: extension.uniform.detail > 0.0 }
    }
}

impl PlanetKey {
    /// The shader definitions of both stages.
    pub(crate) fn definitions(self) -> Vec<ShaderDefVal> {
        set_definitions([(self.is_sea, "PLANET_SEA"), (self.has_detail, "TERRAIN_DETAIL")])
    }
}

impl Extension for PlanetExtension {
    const SHADER: Handle<Shader> = PLANET_SHADER;

    fn definitions(key: &PlanetKey) -> Vec<ShaderDefVal> {
        key.definitions()
    }

    fn attributes(_of_pass: &[ShaderDefVal]) -> Option<Vec<VertexAttributeDescriptor>> {
        // The same locations in every pass; Bevy's own differ in the prepass.
        Some(in_order(locations()))
    }
}

extend_standard_material!(PlanetExtension);

/// The standard material of the sea.
pub(crate) fn sea_base() -> StandardMaterial {
    StandardMaterial {
        perceptual_roughness: 0.22,
        reflectance: 0.35,
        alpha_mode: AlphaMode::Blend,
        ..default()
    }
}

// Twin of `WEIGHTS_BORDER` in `shaders/planet.wgsl`.
const _: () = assert!(NodeMesh::BORDER == 3);

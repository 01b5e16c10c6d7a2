//! The material: Bevy's standard one, displaced by a height map.

use bevy::asset::RenderAssetUsages;
use bevy::mesh::VertexAttributeDescriptor;
use bevy::pbr::ExtendedMaterial;
use bevy::prelude::*;
use bevy::render::render_asset::RenderAssets;
use bevy::render::render_resource::{
    AsBindGroup, AsBindGroupShaderType, Extent3d, ShaderType, TextureDimension, TextureFormat,
};
use bevy::render::texture::GpuImage;
use bevy::shader::ShaderDefVal;

use crate::Heightfield;
use crate::plugin::shaders::{DISPLACEMENT_SHADER, Extension, extend_standard_material};

/// Bevy's standard material on a mesh that is displaced by a height map.
///
/// ```
/// use bevy::prelude::*;
/// use upland::plugin::{DisplacedMaterial, Displacement};
/// # fn spawn(mut images: ResMut<Assets<Image>>, mut materials: ResMut<Assets<DisplacedMaterial>>,
/// #     mut meshes: ResMut<Assets<Mesh>>, mut commands: Commands, field: upland::Heightfield) {
/// let extension = Displacement::of_heightfield(&field, &mut images);
/// let material = DisplacedMaterial { base: Color::srgb(0.5, 0.4, 0.3).into(), extension };
/// let plane = Plane3d::default().mesh().size(1000.0, 1000.0).subdivisions(255);
/// commands.spawn((Mesh3d(meshes.add(plane)), MeshMaterial3d(materials.add(material))));
/// # }
/// ```
pub type DisplacedMaterial = ExtendedMaterial<StandardMaterial, Displacement>;

/// Displaces a mesh along its own normals: by the red channel of a map at its texture coordinates, times
/// `scale`, plus `bias`. Normals are those of the displaced surface, and shadows and prepasses see it as
/// well.
///
/// The mesh needs normals and texture coordinates. Heights are lengths of the mesh's own space; its entity
/// should be scaled alike along all axes. Skinned and morphed meshes are displaced in their pose at rest.
#[derive(Asset, AsBindGroup, Reflect, Clone, Debug, PartialEq)]
#[type_path = "upland::plugin"]
#[reflect(Clone, Debug, PartialEq)]
#[uniform(100, DisplacementUniform)]
pub struct Displacement {
    /// Its red channel is the height. Any format of floats or shares; not filtered by the device, so
    /// `R32Float` will do: [`height_map`] makes one.
    #[texture(101, sample_type = "float", filterable = false)]
    pub height_map: Handle<Image>,
    /// Factor of the map's values.
    pub scale: f32,
    /// Added to the scaled values, in units of the mesh.
    pub bias: f32,
    /// Where the map's texels lie in texture coordinates.
    pub layout: HeightMapLayout,
    /// The lowest and the highest value in the map. They extend the bounds that decide whether a camera sees
    /// the mesh. 0 to 1 by default, as in a map of shares.
    pub range: (f32, f32),
}

/// Where the texels of a height map lie in texture coordinates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[type_path = "upland::plugin"]
pub enum HeightMapLayout {
    /// As in textures: 0 and 1 are the outer borders of the first and the last texel. Beyond them the border
    /// goes on.
    #[default]
    Texels,
    /// As in heightfields: 0 and 1 are the centres of the first and the last texel.
    Lattice,
    /// As [`Texels`](Self::Texels), repeated along u and v.
    Tiled,
    /// As [`Texels`](Self::Texels), repeated along u: a map of all longitudes and latitudes.
    Globe,
}

impl HeightMapLayout {
    /// Bits as the shader reads them.
    fn bits(self) -> u32 {
        match self {
            Self::Texels => 0,
            Self::Globe => 1,
            Self::Tiled => 1 | 2,
            Self::Lattice => 4,
        }
    }
}

impl Displacement {
    /// By a map of shares, from 0 to 1, that are heights from 0 to `scale` in units of the mesh.
    pub fn new(height_map: Handle<Image>, scale: f32) -> Self {
        Self { height_map, scale, bias: 0.0, layout: HeightMapLayout::default(), range: (0.0, 1.0) }
    }

    /// By the heights of a field in metres, whose corners lie at texture coordinates (0, 0) and (1, 1).
    pub fn of_heightfield(field: &Heightfield, images: &mut Assets<Image>) -> Self {
        Self {
            height_map: images.add(height_map(field)),
            scale: 1.0,
            bias: 0.0,
            layout: HeightMapLayout::Lattice,
            range: field.range(),
        }
    }

    /// How far it moves a vertex at most.
    pub(super) fn reach(&self) -> f32 {
        // Linear in the value, so the extremes are at the ends of the range.
        let height = |value: f32| (value * self.scale + self.bias).abs();
        height(self.range.0).max(height(self.range.1))
    }
}

/// The heights of a field in metres, as an `R32Float` image: a texel a sample, [`HeightMapLayout::Lattice`].
pub fn height_map(field: &Heightfield) -> Image {
    let grid = field.grid();
    let size = Extent3d { width: grid.width as u32, height: grid.depth as u32, depth_or_array_layers: 1 };
    let bytes = field.heights().iter().flat_map(|height| height.to_le_bytes()).collect();
    // The shader reads single texels, so a format will do that not every device can filter.
    Image::new(size, TextureDimension::D2, bytes, TextureFormat::R32Float, RenderAssetUsages::RENDER_WORLD)
}

/// Twin of `Displacement` in `shaders/displacement.wgsl`.
#[derive(ShaderType, Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(test, derive(Reflect))]
pub(crate) struct DisplacementUniform {
    scale: f32,
    bias: f32,
    flags: u32,
}

impl AsBindGroupShaderType<DisplacementUniform> for Displacement {
    fn as_bind_group_shader_type(&self, _: &RenderAssets<GpuImage>) -> DisplacementUniform {
        DisplacementUniform { scale: self.scale, bias: self.bias, flags: self.layout.bits() }
    }
}

impl Extension for Displacement {
    const SHADER: Handle<Shader> = DISPLACEMENT_SHADER;

    fn attributes(of_pass: &[ShaderDefVal]) -> Option<Vec<VertexAttributeDescriptor>> {
        let has = |name: &str| of_pass.contains(&name.into());
        // The locations are Bevy's, which differ between the passes.
        let [normal, uv, colour] = if has("PREPASS_PIPELINE") { [3, 1, 7] } else { [1, 2, 5] };
        let mut attributes = vec![
            Mesh::ATTRIBUTE_POSITION.at_shader_location(0),
            Mesh::ATTRIBUTE_NORMAL.at_shader_location(normal),
            Mesh::ATTRIBUTE_UV_0.at_shader_location(uv),
        ];
        // Bevy sets these where the mesh has the attribute.
        if has("VERTEX_COLORS") {
            attributes.push(Mesh::ATTRIBUTE_COLOR.at_shader_location(colour));
        }
        if has("VERTEX_TANGENTS") {
            attributes.push(Mesh::ATTRIBUTE_TANGENT.at_shader_location(4));
        }
        Some(attributes)
    }
}

extend_standard_material!(Displacement);

//! The sky behind everything: a triangle that fills the view, and the table that its shader reads.

use bevy::asset::RenderAssetUsages;
use bevy::mesh::PrimitiveTopology;
use bevy::pbr::Material;
use bevy::prelude::*;
use bevy::render::render_resource::{AsBindGroup, Extent3d, ShaderType, TextureDimension, TextureFormat};
use bevy::shader::ShaderRef;

use super::components::Sky;
use crate::Daylight;
use crate::plugin::material::CloudsUniform;
use crate::plugin::shaders::BACKDROP_SHADER;

/// The shaders' data about a sky. Twin of `Sky` in `shaders/sky.wgsl`.
#[derive(Clone, Copy, Debug, Default, PartialEq, ShaderType)]
#[cfg_attr(test, derive(Reflect))]
pub(crate) struct SkyUniform {
    sun_direction: Vec3,
    pub(super) clouds: f32,
    sun_disc: Vec3,
    sunlight_on_clouds: Vec3,
    sunlight: Vec3,
    skylight: Vec3,
    pub(super) low: CloudsUniform,
}

impl SkyUniform {
    pub(super) fn new(sky: &Sky, daylight: &Daylight, low: CloudsUniform) -> Self {
        Self {
            sun_direction: daylight.sun.direction(),
            clouds: sky.clouds.clamp(0.0, 1.0),
            // The real disc is a thousand times brighter than a screen; only its hue matters.
            sun_disc: 60.0 * daylight.sun_illuminance / 110_000.0,
            sunlight_on_clouds: daylight.sun_illuminance_on_clouds,
            sunlight: daylight.sun_illuminance,
            skylight: daylight.sky_illuminance,
            low,
        }
    }

    pub(crate) fn has_low_clouds(&self) -> bool {
        self.low.exist()
    }
}

/// The material of a triangle that fills the view with the sky.
#[derive(Asset, AsBindGroup, TypePath, Clone)]
pub(crate) struct BackdropMaterial {
    #[uniform(0)]
    pub(super) sky: SkyUniform,
    #[texture(1, sample_type = "float", filterable = false)]
    pub(super) table: Handle<Image>,
}

impl Material for BackdropMaterial {
    fn vertex_shader() -> ShaderRef {
        BACKDROP_SHADER.into()
    }

    fn fragment_shader() -> ShaderRef {
        Self::vertex_shader()
    }

    fn alpha_mode(&self) -> AlphaMode {
        // Alpha-masked although nothing is masked: masked meshes are drawn after opaque ones, so pixels
        // covered by land are not shaded twice.
        AlphaMode::Mask(0.0)
    }

    // It lies at the end of depth, where a prepass has nothing to gain.
    fn enable_prepass() -> bool {
        false
    }

    fn enable_shadows() -> bool {
        false
    }
}

/// The table of a sky as an image that shaders read by texel.
pub(super) fn table_image(daylight: &Daylight) -> Image {
    let size = Extent3d {
        width: Daylight::COLUMNS as u32,
        height: 2 * Daylight::ROWS as u32,
        depth_or_array_layers: 1,
    };
    let texels = daylight.table().flat_map(|radiance| radiance.extend(1.0).to_array());
    let bytes = texels.flat_map(f32::to_le_bytes).collect();
    // The table is computed in floats of 32 bits, and its light spans many powers of ten.
    let format = TextureFormat::Rgba32Float;
    Image::new(size, TextureDimension::D2, bytes, format, RenderAssetUsages::RENDER_WORLD)
}

pub(crate) fn view_filling_triangle() -> Mesh {
    // One triangle and not two: along the diagonal of a square pixels would be shaded twice.
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD).with_inserted_attribute(
        Mesh::ATTRIBUTE_POSITION,
        vec![[-1.0, -1.0, 0.0], [3.0, -1.0, 0.0], [-1.0, 3.0, 0.0]],
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sun;

    #[test]
    fn the_shader_reads_the_table_that_is_made() {
        let shader = include_str!("../../../shaders/sky.wgsl");
        for line in [
            format!("const COLUMNS: i32 = {};", Daylight::COLUMNS),
            format!("const ROWS: i32 = {};", Daylight::ROWS),
            format!("const HAZE_ANISOTROPY: f32 = {};", Daylight::HAZE_ANISOTROPY),
        ] {
            assert!(shader.contains(&line), "{line}");
        }
        let bytes = table_image(&Daylight::new(Sun::default())).data.map(|data| data.len());
        assert_eq!(bytes, Some(2 * Daylight::COLUMNS * Daylight::ROWS * 16));
    }
}

//! The material of all water, standing and flowing.

#![allow(clippy::type_complexity, reason = "a system's queries are best read in its signature")]

use bevy::camera::visibility::RenderLayers;
use bevy::math::DVec2;
use bevy::mesh::MeshVertexBufferLayoutRef;
use bevy::pbr::{Material, MaterialPipeline, MaterialPipelineKey};
use bevy::prelude::*;
use bevy::render::render_resource::{
    AsBindGroup, RenderPipelineDescriptor, ShaderType, SpecializedMeshPipelineError, TextureFormat,
};
use bevy::shader::{ShaderDefVal, ShaderRef};

use super::sheet::sheet;
use super::waves::{Counted, FOAM, WAVES};
use crate::plugin::chunks::ChunkSets;
use crate::plugin::device::{empty_array, empty_plane};
use crate::plugin::material::{Drift, TerrainMaterial, TerrainUniform};
use crate::plugin::shaders::{WATER_SHADER, set_definitions};
use crate::plugin::sky::{BuiltSky, SkyUniform};
use crate::plugin::stream::{PoolTextures, Stream};
use crate::plugin::terrain::TerrainGround;
use crate::stream::TABLE_WIDTH;

/// Twin of `Water` in `shaders/water.wgsl`.
#[derive(Clone, Copy, Debug, Default, PartialEq, ShaderType)]
#[cfg_attr(test, derive(Reflect))]
pub(crate) struct WaterUniform {
    pub(crate) above: SkyUniform,
    pub(crate) anchor: Vec2,
    pub(crate) level: f32,
    pub(crate) clarity: f32,
    pub(crate) wind: f32,
    pub(crate) wave_speed: f32,
    pub(crate) sheet_cell: f32,
    pub(crate) past_patterns: f32,
    pub(crate) waves: [Counted; WAVES],
    pub(crate) foam: [Counted; FOAM],
}

#[derive(Asset, AsBindGroup, TypePath, Clone, Debug, PartialEq)]
#[bind_group_data(WaterKey)]
pub(crate) struct WaterMaterial {
    #[uniform(0)]
    pub(crate) water: WaterUniform,
    #[texture(1, sample_type = "float", filterable = false)]
    pub(crate) sky: Handle<Image>,
    // The ground's tiles, with the bindings of `TerrainExtension`: both read them with the same shader code.
    #[uniform(100)]
    pub(crate) ground: TerrainUniform,
    #[texture(101, sample_type = "u_int")]
    pub(crate) table: Handle<Image>,
    #[texture(103, dimension = "2d_array", sample_type = "float", filterable = false)]
    pub(crate) heights: Handle<Image>,
    pub(crate) kind: WaterKind,
}

/// The kind of water that a material is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum WaterKind {
    Standing,
    Flowing,
}

/// The properties that need separate pipelines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct WaterKey {
    pub(crate) kind: WaterKind,
    pub(crate) has_far_shadows: bool,
    pub(crate) has_clouds: bool,
}

impl From<&WaterMaterial> for WaterKey {
    fn from(material: &WaterMaterial) -> Self {
        Self {
            kind: material.kind,
            has_far_shadows: material.ground.far_steps > 0,
            has_clouds: material.water.above.has_low_clouds(),
        }
    }
}

impl WaterKey {
    /// The shader definitions of both stages.
    pub(crate) fn definitions(self) -> Vec<ShaderDefVal> {
        set_definitions([
            (self.kind == WaterKind::Flowing, "RIVER"),
            (self.has_far_shadows, "TERRAIN_FAR_SHADOWS"),
            (self.has_clouds, "TERRAIN_CLOUDS"),
        ])
    }
}

impl Material for WaterMaterial {
    fn vertex_shader() -> ShaderRef {
        WATER_SHADER.into()
    }

    fn fragment_shader() -> ShaderRef {
        Self::vertex_shader()
    }

    fn alpha_mode(&self) -> AlphaMode {
        AlphaMode::Premultiplied
    }

    fn enable_prepass() -> bool {
        false
    }

    fn enable_shadows() -> bool {
        false
    }

    fn specialize(
        _pipeline: &MaterialPipeline,
        descriptor: &mut RenderPipelineDescriptor,
        _layout: &MeshVertexBufferLayoutRef,
        key: MaterialPipelineKey<Self>,
    ) -> Result<(), SpecializedMeshPipelineError> {
        let definitions = key.bind_group_data.definitions();
        if let Some(fragment) = &mut descriptor.fragment {
            fragment.shader_defs.extend(definitions.clone());
        }
        descriptor.vertex.shader_defs.extend(definitions);
        // Visible from below too, for a camera under water.
        descriptor.primitive.cull_mode = None;
        Ok(())
    }
}

/// A water component that is drawn.
pub(super) trait DrawnWater: Component {
    /// Its mesh; `None` for the sheet that all seas share.
    fn mesh(&self) -> Option<Mesh>;

    /// How fast its patterns move, in what they count as speed. Any number.
    fn speed(&self) -> f32;

    /// Its own members of the uniform; the sky and the speed are added to them. The patterns have `moved` so
    /// far, speed times seconds.
    fn uniform(&self, bed: &Bed, moved: f64) -> WaterUniform;

    const KIND: WaterKind;
}

/// The ground under a water.
pub(super) struct Bed {
    /// Where it is drawn, and its tiles; as the terrain's own shader sees them.
    pub(super) ground: TerrainUniform,
    /// Where the anchor lies from the land's sample (0, 0), metres.
    pub(super) anchor_on_land: DVec2,
    /// Where it lies from the entity, metres.
    pub(super) anchor: DVec2,
    table: Handle<Image>,
    heights: Handle<Image>,
}

impl Bed {
    /// The ground of a terrain, once it is drawn.
    fn of(parts: (&TerrainGround, &Stream, &ChunkSets), materials: &Assets<TerrainMaterial>) -> Option<Self> {
        let (ground, stream, sets) = parts;
        // One material serves all cameras, so the ground is that of the first; what follows a camera's
        // movements is left out.
        let uniform = sets.first_seen(materials)?.without_camera();
        let anchor_on_land = uniform.anchor.as_dvec2() * f64::from(uniform.cell);
        let PoolTextures { table, heights, .. } = stream.textures().clone();
        Some(Self { anchor: ground.origin + anchor_on_land, anchor_on_land, ground: uniform, table, heights })
    }

    /// No ground at all, as under water that is no terrain's.
    fn none(placement: &GlobalTransform, bare: &BareBed) -> Self {
        let ground = TerrainUniform {
            world_from_anchor: placement.to_matrix(),
            // No border, so that `on_land` leaves every place as it is.
            last: IVec2::MAX,
            cell: 1.0,
            world_scale: 1.0,
            scale: 1.0,
            texel_reach: 1.0,
            ..default()
        };
        let BareBed { table, heights } = bare.clone();
        Self { ground, anchor_on_land: DVec2::ZERO, anchor: DVec2::ZERO, table, heights }
    }
}

/// The textures of no tiles.
#[derive(Resource, Clone)]
pub(super) struct BareBed {
    table: Handle<Image>,
    heights: Handle<Image>,
}

impl FromWorld for BareBed {
    fn from_world(world: &mut World) -> Self {
        let mut images = world.resource_mut::<Assets<Image>>();
        Self {
            // One row of empty entries: every tile is missing, and the shader treats the bed as unknown.
            table: images.add(empty_plane(TABLE_WIDTH, 1, TextureFormat::Rgba32Uint)),
            heights: images.add(empty_array(1, 1, 1, TextureFormat::R32Float)),
        }
    }
}

/// The mesh of all seas.
#[derive(Resource)]
pub(super) struct SeaMesh(Handle<Mesh>);

impl FromWorld for SeaMesh {
    fn from_world(world: &mut World) -> Self {
        Self(world.resource_mut::<Assets<Mesh>>().add(sheet()))
    }
}

/// Gives every water its mesh, and keeps its material that of its sky and of its ground.
pub(super) fn fill_waters<W: DrawnWater>(
    mut commands: Commands,
    mut waters: Query<(
        Entity,
        Ref<W>,
        &mut Drift,
        Option<&RenderLayers>,
        Has<Mesh3d>,
        Option<&MeshMaterial3d<WaterMaterial>>,
        &GlobalTransform,
        Option<&ChildOf>,
    )>,
    terrains: Query<(&TerrainGround, &Stream, &ChunkSets)>,
    skies: Query<(&BuiltSky, &RenderLayers)>,
    // A world may have water and no land.
    ground_materials: Option<Res<Assets<TerrainMaterial>>>,
    (sea_mesh, bare, time): (Res<SeaMesh>, Res<BareBed>, Option<Res<Time>>),
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<WaterMaterial>>,
) {
    for (entity, water, mut drift, layers, has_mesh, material, placement, parent) in &mut waters {
        let layers = layers.unwrap_or_default();
        let Some((sky, _)) = skies.iter().find(|(_, sky)| sky.intersects(layers)) else { continue };
        let bed = match parent.and_then(|parent| terrains.get(parent.parent()).ok()) {
            Some(terrain) => {
                match ground_materials.as_ref().and_then(|materials| Bed::of(terrain, materials)) {
                    Some(bed) => bed,
                    // No camera sees it, or it is where land cannot be: its water is drawn again when it is.
                    None => {
                        if has_mesh || material.is_some() {
                            commands.entity(entity).try_remove::<(Mesh3d, MeshMaterial3d<WaterMaterial>)>();
                        }
                        continue;
                    }
                }
            }
            None => Bed::none(placement, &bare),
        };
        if water.is_changed() || !has_mesh {
            let mesh = water.mesh().map_or_else(|| sea_mesh.0.clone(), |mesh| meshes.add(mesh));
            commands.entity(entity).try_insert(Mesh3d(mesh));
        }
        let speed = if water.speed().is_finite() { water.speed() } else { 0.0 };
        let moved = drift.follow(f64::from(speed), time.as_deref());
        let uniform = WaterUniform { above: sky.uniform, wave_speed: speed, ..water.uniform(&bed, moved) };
        let fresh = WaterMaterial {
            water: uniform,
            sky: sky.table.clone(),
            ground: bed.ground,
            table: bed.table,
            heights: bed.heights,
            kind: W::KIND,
        };
        // Changed only where it differs: `get_mut` marks the asset as changed, and Bevy binds its textures
        // again.
        match material.and_then(|material| materials.get(material)) {
            Some(before) if *before == fresh => {}
            Some(_) => {
                if let Some(mut material) = material.and_then(|material| materials.get_mut(material)) {
                    *material = fresh;
                }
            }
            None => {
                commands.entity(entity).try_insert(MeshMaterial3d(materials.add(fresh)));
            }
        }
    }
}

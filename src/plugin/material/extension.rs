//! The ground's material: Bevy's standard one, displaced by the heights of the land's tiles.

use bevy::material::OpaqueRendererMethod;
use bevy::math::{DAffine3, DMat4, DVec2, DVec3};
use bevy::pbr::ExtendedMaterial;
use bevy::prelude::*;
use bevy::render::render_resource::{
    AsBindGroup, BlendComponent, BlendFactor, BlendOperation, BlendState, ColorTargetState,
    RenderPipelineDescriptor, ShaderType, TextureFormat,
};
use bevy::shader::ShaderDefVal;

use super::ambient::AmbientShape;
use super::canopy::{CanopyFields, TerrainCanopy};
use super::clouds::CloudsUniform;
use super::cover::{CoverUniform, DrawnCover};
use super::earlier_time::EarlierTime;
use super::ground::LandPlacement;
use super::place::split_whole_fraction;
use super::submersion::Submersion;
use super::view::{DebugView, Shading, TerrainView, contour_step};
use super::viewshed::TerrainViewshed;
use crate::plugin::shaders::{Extension, TERRAIN_SHADER, extend_standard_material, set_definitions};
use crate::plugin::stream::PoolTextures;
use crate::stream::{Eye, Residency};

/// The material of chunks.
pub(crate) type TerrainMaterial = ExtendedMaterial<StandardMaterial, TerrainExtension>;

/// The terrain's extension of the standard material. Each pair of a camera and a terrain has its own,
/// sharing textures.
#[derive(Asset, AsBindGroup, TypePath, Clone, Debug, PartialEq)]
#[bind_group_data(TerrainKey)]
pub(crate) struct TerrainExtension {
    // From 100 on, because an extension shares its bind group with `StandardMaterial`, whose bindings lie
    // below. There is no `#[bindless]`: an extension without it switches bindless off for its material, which
    // software devices need.
    #[uniform(100)]
    pub(crate) uniform: TerrainUniform,
    // Integers and floats of 32 bits are read texel by texel: not every device can filter them.
    #[texture(101, sample_type = "u_int")]
    pub(crate) table: Handle<Image>,
    #[texture(102, sample_type = "float", filterable = false)]
    pub(crate) errors: Handle<Image>,
    #[texture(103, dimension = "2d_array", sample_type = "float", filterable = false)]
    pub(crate) heights: Handle<Image>,
    #[texture(104, dimension = "2d_array")]
    #[sampler(105)]
    pub(crate) gradients: Handle<Image>,
    #[texture(106, dimension = "2d_array")]
    pub(crate) colours: Handle<Image>,
    #[texture(107, dimension = "2d_array")]
    // Where it is `None`, Bevy binds its fallback image, so that one pipeline layout serves all lands.
    pub(crate) weights: Option<Handle<Image>>,
    #[uniform(108)]
    pub(crate) cover: CoverUniform,
    #[texture(109, dimension = "2d_array")]
    #[sampler(110)]
    pub(crate) tile_ratios: Option<Handle<Image>>,
    #[texture(111, dimension = "2d_array")]
    pub(crate) tile_reliefs: Option<Handle<Image>>,
    #[texture(112)]
    // One binding for two maps, of which at most one is drawn: weak devices have few.
    pub(crate) overlay: Option<Handle<Image>>,
    pub(crate) shading: Shading,
    /// Whether ground may be shifted sideways from its samples.
    pub(crate) is_shifted: bool,
    /// Whether ground may have holes.
    pub(crate) has_holes: bool,
    /// Whether woods are painted on distant ground.
    pub(crate) has_canopy: bool,
    /// Whether it draws the walls under the border, not the ground.
    pub(crate) is_wall: bool,
    /// Whether each fragment adds to what is there, see [`DebugView::Overdraw`].
    pub(crate) adds: bool,
}

/// How far the eye may move before shadow passes are updated, as a share of the least distance at which
/// anything changes with it.
const SHADOW_EYE_LAG: f64 = 0.01;

/// Distance of the eye from the anchor at which another sample becomes the anchor, metres: so f32 positions
/// relative to it are precise to some hundredths of a millimetre.
const ANCHOR_LAG: f64 = 256.0;

/// Spacing of the coarsest grain's lattice points, in cells of the finest level and at most in metres.
const GRAIN_CELLS: f32 = 2.5;
const MAX_GRAIN: f32 = 40.0;

/// Spacing of the lattice points of caustics' pattern, metres. Twin of `CAUSTICS_SIZE` in
/// `shaders/under_water.wgsl`.
pub(super) const CAUSTICS_SIZE: f64 = 2.0;

/// Spacing of the lattice points that crowns and ribs are counted by, metres. Twin of `LATTICE` in
/// `shaders/field.wgsl`.
const LATTICE: f64 = 6.0;

/// Texels are enlarged by steps of this power of two, so that the material seldom changes.
const PRESSURE_STEPS: f64 = 8.0;

/// The highest ground is rounded up to this many metres, so that the material seldom changes.
const HEIGHT_STEPS: f64 = 50.0;

/// The most heights that are looked at towards a sun.
const MAX_FAR_STEPS: u32 = 128;

/// A land as a camera sees it.
pub(crate) struct SeenLand<'a> {
    pub(crate) residency: &'a Residency,
    pub(crate) textures: &'a PoolTextures,
    pub(crate) cover: Option<&'a DrawnCover>,
    pub(crate) placement: &'a LandPlacement,
    /// The lowest and highest height, metres.
    pub(crate) height_range: (f32, f32),
    pub(crate) eye: &'a Eye,
    pub(crate) eye_in_world: Vec3,
    pub(crate) view: &'a TerrainView,
    pub(crate) submersion: &'a Submersion,
    pub(crate) ambient: AmbientShape,
    pub(crate) clouds: CloudsUniform,
    pub(crate) earlier: EarlierTime,
    pub(crate) walls: Option<WallLook>,
    pub(crate) viewshed: Option<&'a TerrainViewshed>,
    pub(crate) canopy: Option<&'a TerrainCanopy>,
}

/// The look of the walls under a land's border.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct WallLook {
    /// Linear.
    pub(crate) colour: Vec3,
    /// The height of their foot as drawn, metres.
    pub(crate) foot: f32,
}

impl TerrainExtension {
    /// How a camera sees a land. Small movements leave the values of `before` unchanged, so that the material
    /// is not rebound.
    pub(crate) fn new(land: &SeenLand, before: Option<&Self>) -> Self {
        let SeenLand { textures, view, .. } = land;
        // Nothing is kept of another land.
        // Tables are not shared among lands, so another table is another land.
        let before = before.filter(|before| before.table == textures.table).map(|before| &before.uniform);
        let anchor = land.anchor(before);
        let anchor_in_metres = anchor.as_dvec2() * f64::from(land.cell());
        // Textures that aren't drawn are not bound.
        let cover = land.cover.filter(|_| land.detail() > 0.0 && view.detail_range > 0.0);
        let cover = cover.filter(|_| textures.weights.is_some());
        Self {
            uniform: land.uniform(anchor, before),
            table: textures.table.clone(),
            errors: textures.errors.clone(),
            heights: textures.heights.clone(),
            gradients: textures.gradients.clone(),
            colours: textures.colours.clone(),
            weights: cover.and(textures.weights.clone()),
            cover: cover.map(|cover| cover.uniform.anchored(anchor_in_metres)).unwrap_or_default(),
            tile_ratios: cover.map(|cover| cover.tiles.ratios.clone()),
            tile_reliefs: cover.map(|cover| cover.tiles.reliefs.clone()),
            overlay: land.overlay(),
            has_canopy: land.shown_canopy().is_some(),
            shading: view.shading,
            is_shifted: textures.is_shifted,
            has_holes: textures.has_holes,
            is_wall: false,
            adds: view.debug == DebugView::Overdraw,
        }
    }

    /// The same for the walls under the land's border.
    pub(crate) fn of_walls(&self) -> Self {
        Self { is_wall: true, has_canopy: false, ..self.clone() }
    }
}

impl SeenLand<'_> {
    /// Metres between samples of the finest level.
    fn cell(&self) -> f32 {
        let shape = self.residency.shape();
        shape.cell_at(shape.finest)
    }

    /// The eye's place on the land, metres from sample (0, 0).
    fn place(&self) -> DVec2 {
        DVec2::new(self.eye.position.x, self.eye.position.z)
    }

    /// The last sample of the finest level; none on endless land.
    fn last(&self) -> Option<[i32; 2]> {
        let shape = self.residency.shape();
        shape.last().map(|last| last.map(|last| (last << -shape.finest.min(0)) as i32))
    }

    /// The sample that positions are relative to.
    fn anchor(&self, before: Option<&TerrainUniform>) -> IVec2 {
        anchor(self.place(), self.cell(), self.last(), before.map(|before| before.anchor))
    }

    /// How much of the detail of ground textures is drawn: 0 for none.
    fn detail(&self) -> f32 {
        let detail = self.view.detail;
        if detail.is_finite() && !self.view.debug.is_baked() { detail } else { 0.0 }
    }

    /// How strong ribs are that are drawn on steep ground.
    fn ribs(&self) -> f32 {
        let ribs = self.view.ribs;
        if ribs.is_finite() && self.view.debug == DebugView::None { ribs.max(0.0) } else { 0.0 }
    }

    fn shown_viewshed(&self) -> Option<&TerrainViewshed> {
        self.viewshed.filter(|_| self.view.debug == DebugView::Viewshed)
    }

    /// Debug views show the ground alone, as they do without what is scattered.
    fn shown_canopy(&self) -> Option<&TerrainCanopy> {
        self.canopy.filter(|_| self.view.debug == DebugView::None)
    }

    fn overlay(&self) -> Option<Handle<Image>> {
        let viewshed = self.shown_viewshed().map(TerrainViewshed::image);
        viewshed.or(self.shown_canopy().map(TerrainCanopy::image)).cloned()
    }

    /// The eye in the world, for shadow passes: still that of before where it has hardly moved.
    fn shadow_eye(&self, before: Option<&TerrainUniform>) -> Vec4 {
        let shape = self.residency.shape();
        // A material is one for the main view and the shadow passes. Its shadow eye would change in every
        // frame in which the camera moves, and with it the whole material; it may lag by a share of the
        // nearest distance at which a level ends, which is too little to be seen.
        let place = self.place();
        let finest_here =
            self.residency.finest_at(place.x, place.y).map_or(shape.coarsest, |tile| tile.level);
        let least =
            f64::from(self.eye.ranges.least * shape.cell_at(finest_here)) * self.placement.world_scale;
        let is_near = |shadow_eye: &Vec4| {
            f64::from(shadow_eye.xyz().distance(self.eye_in_world)) < SHADOW_EYE_LAG * least
        };
        let before = before.map(|before| before.shadow_eye).filter(is_near);
        before.unwrap_or(self.eye_in_world.extend(0.0))
    }

    /// The shaders' uniform of the land, relative to an anchor.
    fn uniform(&self, anchor: IVec2, before: Option<&TerrainUniform>) -> TerrainUniform {
        let Self { residency, placement, height_range, eye, view, .. } = *self;
        let shape = residency.shape();
        let cell = self.cell();
        // In double precision up to here; what is left after subtracting the anchor fits into floats.
        let anchor_in_metres = anchor.as_dvec2() * f64::from(cell);
        let from_land = DVec3::new(anchor_in_metres.x, 0.0, anchor_in_metres.y);
        let world_from_anchor = placement.world_from_land * DAffine3::from_translation(from_land);

        // Under pressure texels become larger in many small steps, each of which would change the material.
        let pressure = (residency.pressure().log2() * PRESSURE_STEPS).ceil() / PRESSURE_STEPS;
        let texel_reach = f64::from(cell) * eye.pixels / (eye.texel_pixels * pressure.exp2());
        // Grain begins where the finest texels end; above the maximum it would look like a pattern of the
        // land.
        let grain_size = (cell * GRAIN_CELLS).min(MAX_GRAIN);
        let [(x, x_rest), (y, y_rest)] =
            (anchor_in_metres / f64::from(grain_size)).to_array().map(split_whole_fraction);
        let viewshed = self.shown_viewshed();
        let (viewshed_corner, viewshed_cell) =
            viewshed.map_or_else(default, |viewshed| viewshed.relative_to(anchor_in_metres));
        let walls = self.walls.unwrap_or_default();
        let [(column, column_rest), (row, row_rest)] =
            (anchor_in_metres / LATTICE).to_array().map(split_whole_fraction);
        let canopy =
            self.shown_canopy().map_or_else(CanopyFields::default, |map| map.fields(anchor_in_metres));
        TerrainUniform {
            world_from_anchor: DMat4::from(world_from_anchor).as_mat4(),
            anchor,
            // Endless land has no border: nothing reaches a clamp to `i32::MAX`.
            last: self.last().map_or(IVec2::MAX, IVec2::from),
            cell,
            world_scale: placement.world_scale as f32,
            scale: placement.mapping.scale,
            bias: placement.mapping.bias,
            // Shaders count levels from the finest, so that shifts are never negative.
            finest: shape.finest,
            coarsest: shape.coarsest - shape.finest,
            flat_level: if eye.is_orthographic { residency.flat_level(eye) - shape.finest } else { -1 },
            debug_view: view.debug as u32,
            per_error: eye.ranges.per_error,
            least: eye.ranges.least,
            most: eye.ranges.most,
            texel_reach: texel_reach as f32,
            shadow_eye: self.shadow_eye(before),
            contour_step: contour_step(height_range),
            detail: self.detail(),
            detail_range: view.detail_range,
            grain_size,
            grain_whole: IVec2::new(x, y),
            grain_rest: Vec2::new(x_rest, y_rest),
            highest: highest(residency, placement, height_range),
            // Bounds the loop in the shader, whatever a game has set.
            far_steps: view.far_shadows.min(MAX_FAR_STEPS),
            wall_colour: walls.colour,
            wall_foot: walls.foot,
            viewshed_corner,
            viewshed_cell,
            towers: viewshed.map_or(0, TerrainViewshed::towers),
            hazy_from: eye.ranges.hazy_from,
            ambient_east: self.ambient.east,
            ambient_up: self.ambient.up,
            ambient_bow: self.ambient.bow,
            ambient_south: self.ambient.south,
            canopy_from: canopy.from,
            canopy_until: canopy.until,
            ribs: self.ribs(),
            canopy_corner: canopy.corner,
            canopy_per_metre: canopy.per_metre,
            lattice_whole: IVec2::new(column, row),
            lattice_rest: Vec2::new(column_rest, row_rest),
            clouds: self.clouds,
            ..lit_through(self.submersion, anchor_in_metres, self.earlier)
        }
    }
}

/// The members for light through water, if the eye is under it: for an anchor at this place, metres from
/// sample (0, 0).
fn lit_through(submersion: &Submersion, anchor: DVec2, earlier: EarlierTime) -> TerrainUniform {
    if !submersion.is_under_water() {
        return TerrainUniform::default();
    }
    let [(x, x_rest), (y, y_rest)] = (anchor / CAUSTICS_SIZE).to_array().map(split_whole_fraction);
    let (past_loops, past_seconds) = earlier.in_loops();
    TerrainUniform {
        past_loops,
        past_seconds,
        dimming: submersion.dimming(),
        water_level: submersion.level,
        caustics_whole: IVec2::new(x, y),
        caustics_rest: Vec2::new(x_rest, y_rest),
        ..default()
    }
}

/// A height as drawn, metres, that no ground stands above which is known.
fn highest(residency: &Residency, placement: &LandPlacement, (low, high): (f32, f32)) -> f32 {
    let (low, high) =
        residency.height_range().map_or((low, high), |known| (low.min(known.0), high.max(known.1)));
    let (_, highest) = placement.drawn().range(low, high);
    ((highest / HEIGHT_STEPS).ceil() * HEIGHT_STEPS) as f32
}

/// The sample of the finest level that positions near `place`, metres from sample (0, 0), are relative to:
/// the one there, or still that of `before`.
fn anchor(place: DVec2, cell: f32, last: Option<[i32; 2]>, before: Option<IVec2>) -> IVec2 {
    // Beyond this no land is drawn.
    let farthest = f64::from(1 << 30);
    let place = if place.is_nan() { DVec2::ZERO } else { place };
    let here = (place / f64::from(cell)).round().clamp(DVec2::splat(-farthest), DVec2::splat(farthest));
    let mut here = here.as_ivec2();
    if let Some(last) = last {
        here = here.clamp(IVec2::ZERO, last.into());
    }
    // Hysteresis: the anchor stays until the eye is far from it, since each new anchor changes all uniforms.
    let lag = (ANCHOR_LAG / f64::from(cell)).max(1.0);
    before.filter(|before| before.as_dvec2().distance(here.as_dvec2()) < lag).unwrap_or(here)
}

/// Twin of `Field` in `shaders/field.wgsl`, where the fields are explained.
#[derive(ShaderType, Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(test, derive(Reflect))]
pub(crate) struct TerrainUniform {
    pub(crate) world_from_anchor: Mat4,
    pub(crate) anchor: IVec2,
    pub(crate) last: IVec2,
    pub(crate) cell: f32,
    pub(crate) world_scale: f32,
    pub(crate) scale: f32,
    pub(crate) bias: f32,
    pub(crate) finest: i32,
    pub(crate) coarsest: i32,
    pub(crate) flat_level: i32,
    pub(crate) debug_view: u32,
    pub(crate) per_error: f32,
    pub(crate) least: f32,
    pub(crate) most: f32,
    pub(crate) texel_reach: f32,
    pub(crate) shadow_eye: Vec4,
    pub(crate) contour_step: f32,
    pub(crate) detail: f32,
    pub(crate) detail_range: f32,
    pub(crate) grain_size: f32,
    pub(crate) grain_whole: IVec2,
    pub(crate) grain_rest: Vec2,
    pub(crate) dimming: Vec3,
    pub(crate) water_level: f32,
    pub(crate) caustics_whole: IVec2,
    pub(crate) caustics_rest: Vec2,
    pub(crate) highest: f32,
    pub(crate) far_steps: u32,
    pub(crate) canopy_from: f32,
    pub(crate) canopy_until: f32,
    pub(crate) wall_colour: Vec3,
    pub(crate) wall_foot: f32,
    pub(crate) viewshed_corner: Vec2,
    pub(crate) viewshed_cell: f32,
    pub(crate) towers: u32,
    pub(crate) ambient_east: Vec3,
    pub(crate) hazy_from: f32,
    pub(crate) ambient_up: Vec3,
    pub(crate) past_loops: i32,
    pub(crate) ambient_bow: Vec3,
    pub(crate) past_seconds: f32,
    pub(crate) ambient_south: Vec3,
    pub(crate) ribs: f32,
    pub(crate) canopy_corner: Vec2,
    pub(crate) canopy_per_metre: Vec2,
    pub(crate) lattice_whole: IVec2,
    pub(crate) lattice_rest: Vec2,
    pub(crate) clouds: CloudsUniform,
}

// The size that WGSL's layout rules give `Field`; a field added on one side only is found when this is
// compiled.
const _: () = assert!(size_of::<TerrainUniform>() == 384);

impl TerrainUniform {
    /// The uniform without the members that belong to a single camera and change as that moves.
    pub(crate) fn without_camera(&self) -> Self {
        // All cameras share the material of a water, which must not change with each step of one of them.
        Self {
            shadow_eye: Vec4::ZERO,
            contour_step: 0.0,
            dimming: Vec3::ZERO,
            water_level: 0.0,
            past_loops: 0,
            past_seconds: 0.0,
            viewshed_corner: Vec2::ZERO,
            viewshed_cell: 0.0,
            towers: 0,
            ambient_east: Vec3::ZERO,
            ambient_up: Vec3::ZERO,
            ambient_bow: Vec3::ZERO,
            ambient_south: Vec3::ZERO,
            canopy_from: 0.0,
            canopy_until: 0.0,
            ribs: 0.0,
            canopy_corner: Vec2::ZERO,
            canopy_per_metre: Vec2::ZERO,
            lattice_whole: IVec2::ZERO,
            lattice_rest: Vec2::ZERO,
            clouds: CloudsUniform::default(),
            ..*self
        }
    }
}

/// The properties that need separate pipelines.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct TerrainKey {
    pub(crate) is_wall: bool,
    pub(crate) is_shifted: bool,
    pub(crate) has_holes: bool,
    pub(crate) is_simple: bool,
    pub(crate) has_far_shadows: bool,
    pub(crate) has_clouds: bool,
    pub(crate) has_detail: bool,
    pub(crate) has_canopy: bool,
    pub(crate) has_ribs: bool,
    pub(crate) adds: bool,
}

impl From<&TerrainExtension> for TerrainKey {
    fn from(extension: &TerrainExtension) -> Self {
        Self {
            is_wall: extension.is_wall,
            is_shifted: extension.is_shifted,
            has_holes: extension.has_holes,
            is_simple: extension.shading == Shading::Simple,
            // A definition and not a uniform: software devices run through loops that no pixel needs.
            has_far_shadows: extension.uniform.far_steps > 0,
            has_clouds: extension.uniform.clouds.exist(),
            has_detail: extension.uniform.detail > 0.0,
            has_canopy: extension.has_canopy,
            // They depend on the types that lie somewhere.
            has_ribs: extension.uniform.ribs > 0.0 && extension.weights.is_some(),
            adds: extension.adds,
        }
    }
}

impl TerrainKey {
    /// The shader definitions of both stages.
    pub(crate) fn definitions(self) -> Vec<ShaderDefVal> {
        set_definitions([
            (self.is_wall, "TERRAIN_WALL"),
            (self.is_shifted, "TERRAIN_SHIFTED"),
            (self.has_holes, "TERRAIN_HOLES"),
            (self.is_simple, "TERRAIN_SIMPLE"),
            (self.has_far_shadows, "TERRAIN_FAR_SHADOWS"),
            (self.has_clouds, "TERRAIN_CLOUDS"),
            (self.has_detail, "TERRAIN_DETAIL"),
            (self.has_canopy, "TERRAIN_CANOPY"),
            (self.has_ribs, "TERRAIN_RIBS"),
        ])
    }
}

impl Extension for TerrainExtension {
    const SHADER: Handle<Shader> = TERRAIN_SHADER;

    fn definitions(key: &TerrainKey) -> Vec<ShaderDefVal> {
        key.definitions()
    }

    fn adjust(key: &TerrainKey, descriptor: &mut RenderPipelineDescriptor) {
        if key.adds
            && let Some(fragment) = &mut descriptor.fragment
        {
            // Depth is tested and written as ever, so that what is counted is what is shaded.
            for target in fragment.targets.iter_mut().flatten().filter(|target| is_colour(target)) {
                target.blend = Some(ADDING);
            }
        }
        if key.is_wall {
            // Walls are seen from inside as well, from under the ground.
            descriptor.primitive.cull_mode = None;
        }
    }
}

extend_standard_material!(TerrainExtension);

/// Adds colours to what is there.
const ADDING: BlendState = BlendState {
    color: BlendComponent {
        src_factor: BlendFactor::One,
        dst_factor: BlendFactor::One,
        operation: BlendOperation::Add,
    },
    alpha: BlendComponent::REPLACE,
};

/// Whether a target is a picture, and none of a prepass's: those may not be blendable.
fn is_colour(target: &ColorTargetState) -> bool {
    let format = target.format;
    format.is_srgb() || format == TextureFormat::Rgba16Float || format == TextureFormat::Rgba32Float
}

/// The standard material of the terrain: dry, rough ground, always forward rendered, because there is no
/// deferred pass with displacement. Fragments of ground with holes may be discarded, in shadows too.
pub(crate) fn ground_material(has_holes: bool) -> StandardMaterial {
    StandardMaterial {
        alpha_mode: if has_holes { AlphaMode::Mask(0.5) } else { AlphaMode::Opaque },
        perceptual_roughness: 0.95,
        reflectance: 0.2,
        opaque_render_method: OpaqueRendererMethod::Forward,
        ..default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::floating_origin::PrecisePlace;
    use crate::plugin::material::HeightMapping;
    use crate::stream::{Budget, LandShape, Ranges};

    /// The uniform of endless land whose samples lie 25 m apart, and down to 0.2 m, for an eye at `place`.
    fn uniform(place: DVec3, before: Option<&TerrainExtension>) -> (TerrainExtension, LandPlacement, Vec3) {
        // As the floating origin leaves it: the eye near the world's origin, the land far away.
        let origin = (place * DVec3::new(1.0, 0.0, 1.0) / 4096.0).round() * 4096.0;
        let entity = GlobalTransform::from_translation(-origin.as_vec3());
        let eye_in_world = (place - origin).as_vec3();
        let (extension, placement) = seen(PrecisePlace::default().or(&entity), eye_in_world, before);
        (extension, placement, eye_in_world)
    }

    /// The uniform of that land at a place in the world.
    fn seen(
        world_from_entity: DAffine3,
        eye_in_world: Vec3,
        before: Option<&TerrainExtension>,
    ) -> (TerrainExtension, LandPlacement) {
        let placement = LandPlacement::new(world_from_entity, DVec2::ZERO, HeightMapping::default()).unwrap();
        let eye = Eye {
            position: placement.land_from_world.transform_point3(eye_in_world.as_dvec3()),
            velocity: DVec3::ZERO,
            pixels: 1000.0,
            is_orthographic: false,
            sides: Vec::new(),
            far: 1e5,
            texel_pixels: 3.0,
            ranges: Ranges::new(1000.0, 1.5, 7.5, 60.0),
        };
        let budget = Budget { slots: 64, jobs: 1, fade: 0.25 };
        let residency = Residency::new(LandShape::endless(25.0, -7, 50_000.0), budget);
        let land = SeenLand {
            residency: &residency,
            textures: &PoolTextures::default(),
            cover: None,
            placement: &placement,
            height_range: (0.0, 1000.0),
            eye: &eye,
            eye_in_world,
            view: &TerrainView::DEFAULT,
            submersion: &Submersion::default(),
            ambient: AmbientShape::default(),
            clouds: CloudsUniform::default(),
            earlier: EarlierTime::default(),
            walls: None,
            viewshed: None,
            canopy: None,
        };
        (TerrainExtension::new(&land, before), placement)
    }

    #[test]
    fn a_thousand_kilometres_away_nothing_near_the_eye_is_a_millimetre_off() {
        let mut before = None;
        for step in 0..400 {
            // Past the anchor's lag and the origin's steps.
            let place = DVec3::new(1e6 + f64::from(step) * 37.123, 812.345, -7.7e5 - f64::from(step) * 11.7);
            let (extension, placement, eye_in_world) = uniform(place, before.as_ref());
            let TerrainUniform { world_from_anchor, anchor, cell, .. } = extension.uniform;
            let near = (place.xz() / f64::from(cell)).round().as_ivec2();
            for away in [IVec2::ZERO, IVec2::new(40, -9), IVec2::new(-512, 300)] {
                let sample = near + away;
                // As the shader has it: whole samples from the anchor, then metres in f32.
                let p = (sample - anchor).as_vec2() * cell;
                let drawn = world_from_anchor.transform_point3(Vec3::new(p.x, 800.0, p.y)) - eye_in_world;
                let true_place = sample.as_dvec2() * f64::from(cell);
                let from_eye = DVec3::new(true_place.x, 800.0, true_place.y)
                    - placement.land_from_world.transform_point3(eye_in_world.as_dvec3());
                let off = (drawn.as_dvec3() - from_eye).length();
                assert!(off < 1e-3, "step {step}: {off} m off at {away}");
            }
            before = Some(extension);
        }
    }

    #[cfg(feature = "big_space")]
    #[test]
    fn in_a_grid_of_big_space_nothing_near_the_eye_is_a_millimetre_off_either() {
        use big_space::plugin::BigSpaceMinimalPlugins;
        use big_space::prelude::*;

        use crate::plugin::floating_origin::follow_big_space;

        let mut app = App::new();
        app.add_plugins((bevy::app::TaskPoolPlugin::default(), BigSpaceMinimalPlugins));
        follow_big_space(&mut app);
        let (mut land, mut eye) = (Entity::PLACEHOLDER, Entity::PLACEHOLDER);
        app.world_mut().commands().spawn_big_space(Grid::new(3000.0, 100.0), |grid| {
            // Land that lies on no corner of a cell, in a grid that doesn't divide its samples.
            let land_at = Transform::from_xyz(1234.567, -20.25, 77.7);
            land = grid.spawn_spatial((land_at, CellCoord::new(-2, 0, 5), PrecisePlace::default())).id();
            let (cell, translation) = grid.grid().translation_to_grid(DVec3::new(1e6, 812.345, -7.7e5));
            let eye_at = (Transform::from_translation(translation), cell);
            eye = grid.spawn_spatial((eye_at, big_space::prelude::FloatingOrigin)).id();
        });
        app.update();
        let mut before = None;
        let mut worst_in_f32 = 0.0f64;
        for step in 0..200 {
            app.world_mut().get_mut::<Transform>(eye).unwrap().translation += Vec3::new(37.123, 0.0, -11.7);
            app.update();
            let at = |entity: Entity| {
                let entity = app.world().entity(entity);
                let grid = app.world().get::<Grid>(entity.get::<ChildOf>().unwrap().parent()).unwrap();
                grid.grid_position_double(entity.get().unwrap(), entity.get().unwrap())
            };
            let eye_from_land = at(eye) - at(land);
            let transform = |entity| *app.world().get::<GlobalTransform>(entity).unwrap();
            let eye_in_world = transform(eye).translation();
            let place = app.world().get::<PrecisePlace>(land).unwrap().or(&transform(land));
            let (extension, placement) = seen(place, eye_in_world, before.as_ref());
            let TerrainUniform { world_from_anchor, anchor, cell, .. } = extension.uniform;
            let near = (eye_from_land.xz() / f64::from(cell)).round().as_ivec2();
            for away in [IVec2::ZERO, IVec2::new(40, -9), IVec2::new(-512, 300)] {
                let sample = near + away;
                let p = (sample - anchor).as_vec2() * cell;
                let drawn = world_from_anchor.transform_point3(Vec3::new(p.x, 800.0, p.y)) - eye_in_world;
                let true_place = sample.as_dvec2() * f64::from(cell);
                let from_eye = DVec3::new(true_place.x, 800.0, true_place.y) - eye_from_land;
                let off = (drawn.as_dvec3() - from_eye).length();
                assert!(off < 1e-3, "step {step}: {off} m off at {away}");
            }
            let rounded = transform(land).translation().as_dvec3() - placement.world_from_land.translation;
            worst_in_f32 = worst_in_f32.max(rounded.length());
            before = Some(extension);
        }
        assert!(worst_in_f32 > 0.01, "in 32 bits it would be off by centimetres: {worst_in_f32}");

        // Out of the grid its transform counts again.
        app.world_mut().entity_mut(land).remove::<CellCoord>();
        app.update();
        assert_eq!(app.world().get::<PrecisePlace>(land), Some(&PrecisePlace(None)));
    }

    #[test]
    fn crowns_and_ribs_stay_in_their_places_when_the_anchor_moves() {
        let on_lattice = |uniform: &TerrainUniform, place: DVec2| {
            let anchor = uniform.anchor.as_dvec2() * f64::from(uniform.cell);
            // As in the shader.
            let rest = uniform.lattice_rest + (place - anchor).as_vec2() / LATTICE as f32;
            (uniform.lattice_whole + rest.floor().as_ivec2(), rest - rest.floor())
        };
        let eye = DVec3::new(1e6 + 777.3, 500.0, -123_456.7);
        let [one, other] =
            [DVec3::ZERO, DVec3::new(901.5, 0.0, -600.25)].map(|by| uniform(eye + by, None).0.uniform);
        assert_ne!(one.anchor, other.anchor);
        let place = eye.xz() + DVec2::new(40.0, 7.0);
        let ((cell, rest), (same, same_rest)) = (on_lattice(&one, place), on_lattice(&other, place));
        assert!(cell == same && rest.distance(same_rest) < 1e-3, "{cell} {rest} {same} {same_rest}");
        let shader = include_str!("../../../shaders/field.wgsl");
        assert!(shader.contains(&format!("const LATTICE: f32 = {LATTICE:?};")));
    }

    #[test]
    fn the_anchor_follows_the_eye_and_stays_on_the_land() {
        let place = DVec2::new(100.3, 250.0);
        assert_eq!(anchor(place, 0.25, None, None), IVec2::new(401, 1000));
        assert_eq!(anchor(place, 0.25, None, Some(IVec2::new(400, 900))), IVec2::new(400, 900), "it lags");
        assert_eq!(anchor(place, 0.25, None, Some(IVec2::new(5000, 900))), IVec2::new(401, 1000));
        assert_eq!(anchor(place, 0.25, Some([300, 2000]), None), IVec2::new(300, 1000));
        assert_eq!(anchor(DVec2::splat(f64::NAN), 0.25, None, None), IVec2::ZERO);
        assert_eq!(anchor(DVec2::splat(-1e30), 0.25, None, None), IVec2::splat(-(1 << 30)));
    }
}

//! The comparison of levels of detail in the window: four live panes of the same land.

use std::time::Instant;

use bevy::asset::AssetEventSystems;
use bevy::camera::primitives::Frustum;
use bevy::camera::visibility::{NoFrustumCulling, VisibilitySystems};
use bevy::math::{DVec2, DVec3};
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use bevy_egui::input::EguiWantsInput;

use super::quality::QualitySetting;
use crate::mesh::RoamEye;
use crate::plugin::{
    DebugView, RiverSurface, TerrainCache, TerrainStatistics, TerrainStatus, TerrainView, WaterSurface,
    WorldOrigin, load_wire_shader, origin_of,
};
use crate::render::legend::Legend;
use crate::render::levels::{
    ChunkParts, Compared, Numbers, Way, WireMaterial, caption, eye_of, layer, layer_number, middle_of,
    of_brute_force, of_chunks, of_roam, of_tin, of_triangles,
};
use crate::render::scene;
use crate::stream::DrawnChunk;
use crate::viewer::camera::pilot::{FollowsPilot, Pilot};
use crate::viewer::document::Document;
use crate::viewer::document::revision::GroundRevision;
use crate::viewer::session::derived::Derived;
use crate::viewer::session::status_message::Message;
use crate::viewer::session::{Layers, OwnSky, Place, ViewOf};

/// Adds the comparison to the window's app.
pub(crate) fn add(app: &mut App) {
    load_wire_shader(app);
    app.add_plugins(MaterialPlugin::<WireMaterial>::default())
        .init_resource::<Comparison>()
        .add_systems(Update, (key, open_panes, make, show_made, dry).chain())
        .add_systems(
            PostUpdate,
            (
                // ROAM's mesh is made for this frame's frustum, and uploaded in this frame.
                update_roam.after(VisibilitySystems::UpdateFrusta).before(AssetEventSystems),
                measure.after(update_roam).after(VisibilitySystems::CheckVisibility),
            ),
        );
}

/// The comparison of levels of detail.
#[derive(Resource, Default)]
pub(crate) struct Comparison {
    /// The document whose land is compared; `None` if there is no comparison.
    pub document: Option<Entity>,
    /// How far the TIN may deviate from the land, metres; `None` for a value that suits the land.
    pub tin_error: Option<f32>,
    /// How far CDLOD and ROAM may deviate visibly from the land, pixels; `None` for the value of the quality.
    pub pixel_error: Option<f32>,
    compared: Derived<ComparisonRequest, Compared>,
    made: Option<LevelMeshes>,
    numbers: [Option<Numbers>; 4],
    /// Why the last requested meshes could not be made.
    failed: Option<String>,
}

/// What meshes are made of.
#[derive(Clone, PartialEq)]
struct ComparisonRequest {
    ground: GroundRevision,
    place: DVec2,
    tin_error: Option<f32>,
}

impl ComparisonRequest {
    /// Whether its meshes serve another request. On endless land they only reach so far around the eye.
    fn covers(&self, other: &Self, is_endless: bool) -> bool {
        let far = f64::from(crate::render::overview_window::FAR) / 2.0;
        let is_near = !is_endless || self.place.distance(other.place) < far;
        is_near && self.tin_error == other.tin_error && self.ground == other.ground
    }
}

/// The meshes that are drawn.
struct LevelMeshes {
    land: Compared,
    wires: [Entity; 3],
    /// Errors of the chunks that have been drawn so far, metres.
    chunks: HashMap<DrawnChunk, f64>,
    /// The eye that ROAM's mesh was made for.
    eye: Option<RoamEye>,
}

/// On the camera of a pane: the pane's index.
#[derive(Component)]
#[require(Place)]
pub(crate) struct Pane(pub usize);

/// On a mesh in a pane.
#[derive(Component)]
struct InPane;

impl Comparison {
    /// Whether the land of this document is compared.
    pub fn is_of(&self, document: Entity) -> bool {
        self.document == Some(document)
    }

    /// The progress of making the meshes, from 0 to 1; `None` if they are not being made.
    pub fn progress(&self) -> Option<f32> {
        self.compared.progress()
    }

    /// The error of the TIN, metres.
    pub fn made_tin_error(&self) -> Option<f32> {
        self.made.as_ref().map(|made| made.land.tin_error)
    }

    /// A description of the samples that are compared.
    pub fn about_samples(&self) -> Option<String> {
        let land = &self.made.as_ref()?.land;
        let grid = land.roam.field().grid();
        let part = if land.is_part { "; endless land is compared around the eye only" } else { "" };
        Some(format!("{} × {} samples, one every {} m{part}", grid.width, grid.depth, grid.cell))
    }

    /// The caption of a pane.
    pub fn caption(&self, pane: usize) -> Option<Legend> {
        let way = *Way::ALL.get(pane)?;
        Some(caption(way, self.numbers[pane], self.failed.as_deref()))
    }
}

/// Esc ends a comparison.
fn key(keys: Res<ButtonInput<KeyCode>>, egui: Res<EguiWantsInput>, mut comparison: ResMut<Comparison>) {
    let is_free = !egui.wants_any_keyboard_input();
    if is_free && keys.just_pressed(KeyCode::Escape) && comparison.document.is_some() {
        comparison.document = None;
    }
}

/// Opens panes when a comparison starts, and closes them when it ends.
fn open_panes(
    mut commands: Commands,
    mut comparison: ResMut<Comparison>,
    mut shown: Local<Option<Entity>>,
    panes: Query<Entity, Or<(With<Pane>, With<InPane>)>>,
    skies: Query<&OwnSky>,
    lands_layers: Layers,
    mut cameras: Query<(&ViewOf, &mut TerrainView)>,
    chosen: Res<QualitySetting>,
) {
    let quality = chosen.quality();
    // CDLOD and ROAM are compared at the same error.
    for (of, mut view) in &mut cameras {
        let error = comparison.pixel_error.filter(|_| comparison.is_of(of.0));
        let error = error.unwrap_or(quality.view().pixel_error);
        if view.pixel_error != error {
            view.pixel_error = error;
        }
    }
    if *shown == comparison.document {
        return;
    }
    let share_sky = |commands: &mut Commands, document: Entity, with_panes: bool| {
        let own = lands_layers.of(document);
        let layers =
            (1..Way::ALL.len()).filter(|_| with_panes).map(layer).fold(own, |all, one| all.union(&one));
        if let Ok(of_land) = skies.get(document) {
            commands.entity(of_land.sky()).try_insert(layers);
        }
    };
    if let Some(before) = shown.take() {
        panes.iter().for_each(|entity| commands.entity(entity).try_despawn());
        share_sky(&mut commands, before, false);
        let settings = (comparison.document, comparison.tin_error, comparison.pixel_error);
        *comparison = Comparison::default();
        (comparison.document, comparison.tin_error, comparison.pixel_error) = settings;
    }
    if let Some(document) = comparison.document {
        share_sky(&mut commands, document, true);
        for pane in 1..Way::ALL.len() {
            let camera = commands.spawn((
                scene::camera(layer_number(pane), quality),
                Camera { order: 50 + pane as isize, ..default() },
                FollowsPilot,
                Pane(pane),
            ));
            scene::dress(camera, quality, DebugView::Wireframe);
        }
        *shown = Some(document);
    }
}

/// Hides the water of a land that is compared, because the meshes show the ground only.
fn dry(
    comparison: Res<Comparison>,
    mut waters: Query<(&ChildOf, &mut Visibility), Or<(With<WaterSurface>, With<RiverSurface>)>>,
) {
    for (of, mut visibility) in &mut waters {
        visibility.set_if_neq(if comparison.is_of(of.0) {
            Visibility::Hidden
        } else {
            Visibility::Inherited
        });
    }
}

/// Makes the meshes at the start, again when the land or the TIN's error has changed, and, on endless land,
/// when the eye has moved far enough.
fn make(
    mut comparison: ResMut<Comparison>,
    documents: Query<(&Document, &TerrainStatus)>,
    cache: Res<TerrainCache>,
    pilot: Res<Pilot>,
) {
    let Some(document) = comparison.document else { return };
    let Ok((document, status)) = documents.get(document) else {
        comparison.document = None;
        return;
    };
    let revision = document.revision();
    let (recipe, cache) = (revision.recipe.clone(), cache.0.clone());
    let place = pilot.place.xz() - origin_of(&recipe);
    let request = ComparisonRequest { ground: revision.ground, place, tin_error: comparison.tin_error };
    let is_endless = recipe.unit.is_some();
    let requested = comparison.compared.requested();
    if requested.is_some_and(|requested| requested.covers(&request, is_endless)) {
        return;
    }
    // Heights that are still being built would be built twice.
    comparison.compared.follow(request, status.is_settled(), move |request, work| {
        Compared::new(&recipe, &cache, request.place, request.tin_error, work)
    });
}

/// Shows meshes that have just been made.
fn show_made(
    mut commands: Commands,
    mut comparison: ResMut<Comparison>,
    before: Query<Entity, With<InPane>>,
    documents: Query<&Document>,
    origin: Res<WorldOrigin>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<WireMaterial>>,
    mut message: ResMut<Message>,
) {
    let Some(outcome) = comparison.compared.take() else { return };
    comparison.failed = outcome.as_ref().err().map(ToString::to_string);
    let mut land = match outcome {
        Ok(land) => land,
        Err(error) => return message.error(format!("Levels of detail cannot be compared: {error}")),
    };
    let compared = comparison.document.and_then(|document| documents.get(document).ok());
    let Some(document) = compared else { return };
    before.iter().for_each(|entity| commands.entity(entity).try_despawn());
    let middle = DVec3::new(land.corner.x, 0.0, land.corner.y) + middle_of(land.roam.field());
    let in_world = middle.xz() + origin_of(&document.recipe) - origin.0.xz();
    let place = Transform::from_xyz(in_world.x as f32, -origin.0.y as f32, in_world.y as f32);
    let material = materials.add(WireMaterial::default());
    let wires = [
        of_triangles(land.roam.field(), &[]),
        std::mem::take(&mut land.tin_wires),
        std::mem::take(&mut land.grid_wires),
    ];
    let mut pane = 0;
    let wires = wires.map(|wires| {
        pane += 1;
        let drawn = (Mesh3d(meshes.add(wires.into_mesh())), MeshMaterial3d(material.clone()));
        commands.spawn((drawn, place, layer(pane), NoFrustumCulling, InPane)).id()
    });
    comparison.numbers = [None, None, Some(of_tin(&land, None)), Some(of_brute_force(&land))];
    comparison.made = Some(LevelMeshes { land, wires, chunks: HashMap::default(), eye: None });
}

/// Updates ROAM's mesh for the present eye.
fn update_roam(
    mut comparison: ResMut<Comparison>,
    cameras: Query<(&Camera, &Frustum, &GlobalTransform, &Pane)>,
    wires: Query<(&Transform, &Mesh3d)>,
    chosen: Res<QualitySetting>,
    mut meshes: ResMut<Assets<Mesh>>,
) {
    let pixel_error = comparison.pixel_error.unwrap_or(chosen.quality().view().pixel_error);
    let Comparison { made: Some(made), numbers, .. } = comparison.bypass_change_detection() else { return };
    let found = cameras.iter().find(|(.., pane)| pane.0 == Way::Roam.index());
    let (Some((camera, frustum, transform, _)), Ok((place, mesh))) = (found, wires.get(made.wires[0])) else {
        return;
    };
    let middle = middle_of(made.land.roam.field());
    let corner = place.translation.as_dvec3().xz() - middle.xz();
    let corner = DVec3::new(corner.x, place.translation.y.into(), corner.y);
    let Some(eye) = eye_of(camera, frustum, transform, pixel_error, corner) else { return };
    if made.eye.as_ref() == Some(&eye) {
        return;
    }
    let begun = Instant::now();
    let roam = made.land.roam.mesh(&eye);
    let wires = of_triangles(made.land.roam.field(), &roam.triangles).into_mesh();
    let update_ms = begun.elapsed().as_secs_f32() * 1e3;
    if let Some(mut mesh) = meshes.get_mut(&mesh.0) {
        *mesh = wires;
    }
    numbers[Way::Roam.index()] = Some(of_roam(&roam, &made.land, update_ms));
    numbers[Way::Tin.index()] = Some(of_tin(&made.land, Some(&eye)));
    made.eye = Some(eye);
}

/// Measures the chunks that are drawn.
fn measure(
    mut comparison: ResMut<Comparison>,
    chunks: Query<ChunkParts>,
    wires: Query<&Transform, With<InPane>>,
    statistics: Res<TerrainStatistics>,
) {
    let Comparison { document: Some(document), made: Some(made), numbers, .. } =
        comparison.bypass_change_detection()
    else {
        return;
    };
    let (Some(eye), Ok(place)) = (&made.eye, wires.get(made.wires[0])) else { return };
    let field = made.land.roam.field();
    let corner = place.translation.as_dvec3() - middle_of(field);
    let of_land = chunks.iter().filter(|(chunk, ..)| chunk.terrain == *document);
    let update_ms = statistics.systems_ms;
    numbers[Way::Cdlod.index()] =
        Some(of_chunks(of_land, &made.land, &mut made.chunks, corner, eye, update_ms));
}

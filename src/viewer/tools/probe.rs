//! A probe: a click on the land shows what each step did to that sample.

use bevy::math::{DVec2, DVec3};
use bevy::prelude::*;
use bevy_egui::input::EguiWantsInput;

use crate::plugin::{TerrainCache, TerrainQuery, TerrainStatus, WorldOrigin, origin_of};
use crate::viewer::camera::cursor::Sight;
use crate::viewer::document::Document;
use crate::viewer::document::revision::{GroundRevision, LookRevision};
use crate::viewer::session::derived::Derived;
use crate::viewer::session::{Eyes, Layers, Selection, ToolInput};
use crate::{Probe, Recipe};

/// Colour of the pin, and its size as a share of its distance from the eye.
const PIN: Color = Color::srgb(1.0, 0.72, 0.2);
const SIZE: f32 = 0.02;

/// The probe, and the sample that it is at.
#[derive(Resource, Default)]
pub(crate) struct Probing {
    /// Whether the panel is shown, and clicks on the land select a sample.
    pub open: bool,
    /// Metres east and south of the middle of the land.
    place: Option<DVec2>,
    made: Derived<ProbeRequest, Probe>,
}

/// A request to probe a sample.
#[derive(Clone, PartialEq)]
struct ProbeRequest {
    ground: GroundRevision,
    look: LookRevision,
    sample: [i64; 2],
}

impl Probing {
    /// The result, or why there is none.
    pub fn found(&self) -> Option<&Result<Probe, String>> {
        self.made.latest()
    }

    /// Metres east and south of the middle of the land.
    pub fn place(&self) -> Option<DVec2> {
        self.place
    }

    /// Whether the result is that of the selected sample on the land as it is now edited.
    pub fn is_current(&self) -> bool {
        self.made.is_current()
    }

    /// Whether a result is being computed.
    pub fn is_busy(&self) -> bool {
        self.made.is_busy()
    }
}

/// The group of gizmos for the pin.
#[derive(Default, Reflect, GizmoConfigGroup)]
struct OfProbe;

/// Adds the probe.
pub(crate) fn add(app: &mut App) {
    app.init_resource::<Probing>()
        .init_gizmo_group::<OfProbe>()
        .add_systems(Update, (put.in_set(ToolInput), ask, set_pen, mark).chain());
}

/// A click on the land selects a sample, Esc closes the probe.
fn put(
    mut probing: ResMut<Probing>,
    sight: Sight,
    selection: Res<Selection>,
    origin: Res<WorldOrigin>,
    (buttons, keys): (Res<ButtonInput<MouseButton>>, Res<ButtonInput<KeyCode>>),
    egui: Res<EguiWantsInput>,
) {
    if !probing.open {
        if probing.place.is_some() || probing.made.latest().is_some() {
            *probing = Probing::default();
        }
        return;
    }
    if !egui.wants_any_keyboard_input() && keys.just_pressed(KeyCode::Escape) {
        *probing = Probing::default();
        return;
    }
    if buttons.just_pressed(MouseButton::Left)
        && let Some(point) = selection.edited().and_then(|edited| sight.under_cursor(edited))
    {
        probing.place = Some((point.position.as_dvec3() + origin.0).xz());
    }
}

/// Starts probing the sample, and again after the land has changed.
fn ask(
    mut probing: ResMut<Probing>,
    documents: Query<(&Document, &TerrainStatus)>,
    selection: Res<Selection>,
    cache: Res<TerrainCache>,
) {
    probing.made.receive();
    let Some(place) = probing.place else { return };
    let edited = selection.edited().and_then(|edited| documents.get(edited).ok());
    let Some((document, status)) = edited else { return };
    let revision = document.revision();
    let (ground, look, sample) = (revision.ground, revision.look, sample_at(&revision.recipe, place));
    let (recipe, cache) = (revision.recipe.clone(), cache.0.clone());
    // While the land is still being built, the same heights would be built twice.
    probing.made.follow(ProbeRequest { ground, look, sample }, status.is_settled(), move |request, work| {
        recipe.probe(request.sample, &cache, work)
    });
}

/// The sample nearest to a position in metres from the middle of the land.
fn sample_at(recipe: &Recipe, place: DVec2) -> [i64; 2] {
    let sample = ((place - origin_of(recipe)) / f64::from(recipe.cell)).round();
    let (width, depth) = recipe.size;
    let on_land = |sample: f64, side: u32| match recipe.unit {
        None => (sample as i64).clamp(0, i64::from(side.max(1)) - 1),
        Some(_) => sample as i64,
    };
    [on_land(sample.x, width), on_land(sample.y, depth)]
}

fn on_ground(place: DVec2, origin: &WorldOrigin) -> Vec3 {
    (DVec3::new(place.x, 0.0, place.y) - origin.0.with_y(0.0)).as_vec3()
}

/// Draws the pin on the render layer of the edited landscape, in front of everything.
fn set_pen(selection: Res<Selection>, layers: Layers, mut configs: ResMut<GizmoConfigStore>) {
    let (config, _) = configs.config_mut::<OfProbe>();
    layers.draw_on(config, selection.edited());
}

/// Draws the pin on the ground of the edited landscape.
fn mark(
    probing: Res<Probing>,
    selection: Res<Selection>,
    terrains: TerrainQuery,
    eyes: Eyes,
    origin: Res<WorldOrigin>,
    mut gizmos: Gizmos<OfProbe>,
) {
    let Some(place) = probing.place.filter(|_| probing.open) else { return };
    let Some(land) = selection.edited() else { return };
    let Some(eye) = eyes.of(land) else { return };
    let Some(ground) = terrains.ground_of(land, on_ground(place, &origin)) else { return };
    let height = SIZE * ground.position.distance(eye);
    let top = ground.position + Vec3::Y * 2.0 * height;
    gizmos.line(ground.position, top, PIN);
    gizmos.sphere(Isometry3d::from_translation(top), 0.3 * height, PIN);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_sample_on_the_land_is_probed() {
        let mut recipe = Recipe::new("Land", (11, 5), 10.0);
        assert_eq!(sample_at(&recipe, DVec2::ZERO), [5, 2]);
        assert_eq!(sample_at(&recipe, DVec2::new(-44.0, 16.0)), [1, 4]);
        assert_eq!(sample_at(&recipe, DVec2::new(900.0, -900.0)), [10, 0]);
        recipe.unit = Some(100.0);
        let [west, _] = sample_at(&recipe, DVec2::new(-1e6, 0.0));
        assert!(west < -90_000, "{west}");
    }
}

//! Drawing the line of a profile on the land, by two clicks.

use bevy::math::DVec3;
use bevy::prelude::*;
use bevy_egui::input::EguiWantsInput;

use super::inside::Inside;
use crate::analysis::plots::PlotKind;
use crate::plugin::{TerrainQuery, WorldOrigin};
use crate::viewer::camera::cursor::Sight;
use crate::viewer::session::{Layers, Selection, ToolInput};

/// The line is drawn in this many pieces, so that it follows the ground.
const PIECES: usize = 96;
/// Its height above the ground, metres, in addition to a share of its length.
const ABOVE: f32 = 0.5;

/// The group of gizmos for the line.
#[derive(Default, Reflect, GizmoConfigGroup)]
struct OfLine;

pub(super) fn add(app: &mut App) {
    app.init_gizmo_group::<OfLine>().add_systems(Update, (draw.in_set(ToolInput), set_pen, mark).chain());
}

fn draw(
    mut inside: ResMut<Inside>,
    sight: Sight,
    selection: Res<Selection>,
    origin: Res<WorldOrigin>,
    (buttons, keys): (Res<ButtonInput<MouseButton>>, Res<ButtonInput<KeyCode>>),
    egui: Res<EguiWantsInput>,
) {
    if !(inside.open && inside.line.is_drawn) {
        return;
    }
    if !egui.wants_any_keyboard_input() && keys.just_pressed(KeyCode::Escape) {
        inside.line.clear();
        return;
    }
    if !buttons.just_pressed(MouseButton::Left) {
        return;
    }
    if let Some(point) = selection.edited().and_then(|edited| sight.under_cursor(edited)) {
        let place = (point.position.as_dvec3() + origin.0).xz().as_vec2();
        inside.line.set(place);
    }
}

/// Draws the line on the render layer of the edited landscape, in front of everything.
fn set_pen(selection: Res<Selection>, layers: Layers, mut configs: ResMut<GizmoConfigStore>) {
    let (config, _) = configs.config_mut::<OfLine>();
    layers.draw_on(config, selection.edited());
}

/// Draws the line on the ground of the edited landscape.
fn mark(
    inside: Res<Inside>,
    selection: Res<Selection>,
    terrains: TerrainQuery,
    sight: Sight,
    origin: Res<WorldOrigin>,
    mut gizmos: Gizmos<OfLine>,
) {
    if !inside.open || inside.kind != PlotKind::Profile {
        return;
    }
    let (Some(land), Some(from)) = (selection.edited(), inside.line.from) else { return };
    let under = || {
        let point = sight.under_cursor(land)?;
        Some((point.position.as_dvec3() + origin.0).xz().as_vec2())
    };
    let Some(to) = inside.line.to.or_else(under) else { return };
    let above = ABOVE + 0.002 * from.distance(to);
    let on_ground = |share: f32| {
        let place = from.lerp(to, share).as_dvec2();
        let place = (DVec3::new(place.x, 0.0, place.y) - origin.0.with_y(0.0)).as_vec3();
        Some(terrains.ground_of(land, place)?.position + Vec3::Y * above)
    };
    let points = (0..=PIECES).filter_map(|piece| on_ground(piece as f32 / PIECES as f32));
    gizmos.linestrip(points, Color::srgb(1.0, 0.72, 0.2));
}

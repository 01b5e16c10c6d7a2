//! Sculpting by hand: the mouse is a brush on the land.
//!
//! While the button is held, strokes lie on the terrain itself and are drawn immediately. When it is
//! released, they go into the recipe as one change that can be undone: into the step `strokes` at its end.

use std::path::Path;

use bevy::math::DVec3;
use bevy::prelude::*;
use bevy_egui::input::EguiWantsInput;

use crate::plugin::{
    GroundPoint, Terrain, TerrainCache, TerrainFailed, TerrainQuery, TerrainReady, TerrainStrokes,
    TerrainSystems,
};
use crate::sculpt::{STROKE_RADII, Stroke, Strokes, Tool};
use crate::viewer::build::terrain_override::{RebuildSystems, is_made_at_once};
use crate::viewer::camera::cursor::Sight;
use crate::viewer::document::Document;
use crate::viewer::session::status_message::Message;
use crate::viewer::session::{Layers, Selection, ToolInput};

/// Colour of the brush's ring, and the number of straight lines that it is drawn with.
const RING: Color = Color::srgb(1.0, 0.72, 0.2);
const LINES: usize = 64;

/// A brush that is held still acts again after this many seconds; one that moves does after this share of its
/// radius.
const AGAIN: f32 = 0.1;
const APART: f64 = 0.25;

/// How far a dab raises or lowers the ground at full strength, as a share of the radius.
const DAB: f32 = 0.05;

/// What a brush does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum BrushKind {
    #[default]
    Raise,
    Lower,
    Flatten,
    Smooth,
    Ramp,
    Erode,
    Crater,
    Paint,
    Hole,
    Close,
    Clear,
}

impl BrushKind {
    /// All brushes, with their names and descriptions.
    pub const ALL: [(Self, &'static str, &'static str); 11] = [
        (Self::Raise, "Raise", "Raises the ground while the button is held"),
        (Self::Lower, "Lower", "Lowers the ground while the button is held"),
        (Self::Flatten, "Flatten", "Levels the ground at the height where you press the button"),
        (Self::Smooth, "Smooth", "Smooths the ground"),
        (Self::Ramp, "Ramp", "Drag from the start of a ramp to its end"),
        (Self::Erode, "Erode", "Erodes the ground by rain"),
        (Self::Crater, "Crater", "Click to make a crater half as wide as the brush"),
        (Self::Paint, "Paint", "Paints a terrain type"),
        (Self::Hole, "Hole", "Cuts a hole through the ground, as wide as the brush"),
        (Self::Close, "Close hole", "Closes holes"),
        (Self::Clear, "Clear objects", "Removes plants and other objects"),
    ];

    /// Whether it acts repeatedly while the button is held.
    fn goes_on(self) -> bool {
        !matches!(self, Self::Ramp | Self::Crater)
    }

    /// Whether it also does so while it is held still. Holes and cleared ground would not change any more.
    fn adds_up(self) -> bool {
        self.goes_on() && !matches!(self, Self::Hole | Self::Close | Self::Clear)
    }

    /// Whether the brush's strength affects it.
    pub fn has_strength(self) -> bool {
        !matches!(self, Self::Hole | Self::Close)
    }

    /// Whether the brush's falloff affects it.
    pub fn has_falloff(self) -> bool {
        !matches!(self, Self::Crater | Self::Hole | Self::Close)
    }
}

/// The brush.
#[derive(Resource)]
pub(crate) struct Sculpting {
    /// Whether its panel is open, and the left button sculpts.
    pub open: bool,
    /// What it does.
    pub kind: BrushKind,
    /// Metres.
    pub radius: f32,
    /// In \[0, 1\].
    pub strength: f32,
    /// In \[0, 1\].
    pub falloff: f32,
    /// The terrain type that it paints.
    pub paints: String,
    /// The ground under the cursor, and its position on the land.
    aim: Option<(GroundPoint, DVec3)>,
    drag: Option<Drag>,
}

impl Default for Sculpting {
    fn default() -> Self {
        Self {
            open: false,
            kind: BrushKind::default(),
            radius: 50.0,
            strength: 0.5,
            falloff: 1.0,
            paints: String::new(),
            aim: None,
            drag: None,
        }
    }
}

/// A stroke while the button is held.
struct Drag {
    terrain: Entity,
    /// The landscape on which it began, as [`Document::origin_number`].
    origin: usize,
    /// Where it began: east, height, south, metres.
    first: DVec3,
    /// Where the brush last acted, and how long ago.
    last: DVec3,
    since: f32,
}

/// On a terrain with strokes that are in its recipe already, until they have been built into it.
#[derive(Component)]
struct StrokesInRecipe;

/// The group of gizmos for the ring.
#[derive(Default, Reflect, GizmoConfigGroup)]
struct OfBrush;

/// Adds the brush.
pub(crate) fn add(app: &mut App) {
    app.init_resource::<Sculpting>()
        .init_gizmo_group::<OfBrush>()
        .add_systems(Update, (aim, draw, set_pen, ring).chain().in_set(ToolInput))
        // Between the change of a terrain and the start of its build, so that the strokes of the recipe
        // replace those on the terrain within one frame.
        .add_systems(PostUpdate, hand_over.after(RebuildSystems).before(TerrainSystems::Build))
        .add_observer(handed_over)
        .add_observer(give_up);
}

impl Sculpting {
    /// Makes the brush n times as wide, as far as that is possible.
    pub fn widen(&mut self, times: f32) {
        self.radius = (self.radius * times).clamp(*STROKE_RADII.start(), *STROKE_RADII.end());
    }

    /// The stroke of the brush at a place; for a ramp, from where it began.
    fn stroke(&self, first: DVec3, at: DVec3) -> Option<Stroke> {
        let place = [at.x, at.z];
        let by = DAB * self.radius * self.strength;
        let stroke = |tool, strength| {
            Stroke::at(tool, place, self.radius).with_falloff(self.falloff).with_strength(strength)
        };
        Some(match self.kind {
            BrushKind::Raise => stroke(Tool::Raise { by }, 1.0),
            BrushKind::Lower => stroke(Tool::Lower { by }, 1.0),
            BrushKind::Flatten => stroke(Tool::Flatten { to: first.y as f32 }, self.strength),
            BrushKind::Smooth => stroke(Tool::Smooth {}, self.strength),
            BrushKind::Erode => stroke(Tool::Erode { drops: 0.1 }, self.strength),
            BrushKind::Crater => {
                let (depth, rim) = (0.2 * self.radius * self.strength, 0.05 * self.radius * self.strength);
                stroke(Tool::Crater { depth, rim }, 1.0)
            }
            BrushKind::Paint if self.paints.is_empty() => return None,
            BrushKind::Paint => stroke(Tool::Paint { kind: self.paints.clone() }, self.strength),
            BrushKind::Hole => stroke(Tool::Hole {}, 1.0),
            BrushKind::Close => stroke(Tool::Close {}, 1.0),
            BrushKind::Clear => stroke(Tool::Clear {}, self.strength),
            BrushKind::Ramp => {
                let tool = Tool::Ramp { from: first.y as f32, to: at.y as f32 };
                let stroke = stroke(tool, self.strength);
                Stroke { path: vec![[first.x, first.z], place], ..stroke }
            }
        })
    }
}

/// Finds the ground under the cursor. Esc closes the brush.
fn aim(
    mut sculpting: ResMut<Sculpting>,
    sight: Sight,
    selection: Res<Selection>,
    terrains: TerrainQuery,
    keys: Res<ButtonInput<KeyCode>>,
    egui: Res<EguiWantsInput>,
) {
    let sculpting = &mut *sculpting;
    // When the panel is closed during a stroke, the stroke still needs to know where it ends.
    if !sculpting.open && sculpting.drag.is_none() {
        sculpting.aim = None;
        return;
    }
    if sculpting.open && !egui.wants_any_keyboard_input() && keys.just_pressed(KeyCode::Escape) {
        sculpting.open = false;
    }
    let point = selection.edited().and_then(|edited| sight.under_cursor(edited));
    sculpting.aim = point.and_then(|point| Some((point, terrains.on_land(point.terrain, point.position)?)));
}

/// Makes strokes while the button is held, and puts them into the recipe when it is released or the panel is
/// closed.
fn draw(
    mut commands: Commands,
    mut sculpting: ResMut<Sculpting>,
    mut lands: Query<(&mut Document, Option<&mut TerrainStrokes>, Has<StrokesInRecipe>)>,
    buttons: Res<ButtonInput<MouseButton>>,
    time: Res<Time<Real>>,
    mut message: ResMut<Message>,
) {
    let sculpting = &mut *sculpting;
    if sculpting.open
        && sculpting.drag.is_none()
        && buttons.just_pressed(MouseButton::Left)
        && let Some((point, place)) = sculpting.aim
    {
        let Ok((document, strokes, is_handed_over)) = lands.get(point.terrain) else { return };
        if let Some(reason) = document.held_by_lesson() {
            message.error(reason);
            return;
        }
        if is_handed_over {
            message.report("The previous strokes are still being built into the land");
            return;
        }
        if strokes.is_none() {
            commands.entity(point.terrain).try_insert(TerrainStrokes::default());
        }
        let (terrain, origin) = (point.terrain, document.origin_number());
        sculpting.drag = Some(Drag { terrain, origin, first: place, last: place, since: f32::INFINITY });
        if strokes.is_none() {
            // The component only exists from the next frame on.
            return;
        }
    }
    let Some(mut drag) = sculpting.drag.take() else { return };
    let Ok((mut document, Some(mut strokes), _)) = lands.get_mut(drag.terrain) else { return };
    if document.origin_number() != drag.origin {
        // Another land has been opened meanwhile, so these strokes are not for it.
        strokes.replace(Strokes::default());
        return;
    }
    let aim = sculpting.aim.filter(|(point, _)| point.terrain == drag.terrain).map(|(_, place)| place);
    let is_held = sculpting.open && buttons.pressed(MouseButton::Left);
    drag.since += time.delta_secs();
    let mut made = None;
    if sculpting.kind == BrushKind::Ramp {
        if !is_held {
            made = aim
                .filter(|at| at.distance(drag.first) > 0.0)
                .and_then(|at| sculpting.stroke(drag.first, at));
        }
    } else if is_held && let Some(at) = aim {
        let is_first = drag.since == f32::INFINITY;
        let has_moved = drag.last.distance(at) > APART * f64::from(sculpting.radius);
        let is_again = sculpting.kind.adds_up() && drag.since > AGAIN;
        if is_first || sculpting.kind.goes_on() && has_moved || is_again {
            (drag.last, drag.since) = (at, 0.0);
            made = sculpting.stroke(drag.first, at);
        }
    }
    if let Some(stroke) = made
        && let Err(error) = strokes.make(stroke)
    {
        message.error(error.to_string());
    }
    if is_held {
        sculpting.drag = Some(drag);
        return;
    }
    if strokes.strokes().is_empty() {
        return;
    }
    match put_into(&mut document, strokes.strokes()) {
        Ok(()) => {
            commands.entity(drag.terrain).try_insert(StrokesInRecipe);
        }
        Err(error) => {
            strokes.replace(Strokes::default());
            message.error(error.to_string());
        }
    }
}

/// Adds strokes to those of a document's recipe, as one change.
fn put_into(document: &mut Document, strokes: &Strokes) -> crate::Result<()> {
    let mut all = document.recipe.strokes()?;
    for stroke in strokes.iter() {
        all.push(stroke.clone())?;
    }
    // Earlier changes are a separate step of the history.
    document.settle();
    let path = document.absolute_path();
    let folder = path.as_deref().and_then(Path::parent).unwrap_or(Path::new("")).to_owned();
    let mut sculpted = document.recipe.clone();
    sculpted.set_strokes(&all, &folder);
    // They may add a step, and the number of steps is limited.
    sculpted.check_room(0)?;
    document.recipe = sculpted;
    document.settle();
    Ok(())
}

/// Takes strokes off a terrain in the frame in which a build of tiles that contain them begins.
fn hand_over(
    mut commands: Commands,
    mut lands: Query<(Entity, Ref<Terrain>, &Document, &mut TerrainStrokes), With<StrokesInRecipe>>,
    cache: Res<TerrainCache>,
) {
    for (entity, terrain, document, mut strokes) in &mut lands {
        if terrain.is_changed() && is_made_at_once(&document.recipe, &cache.0) {
            strokes.replace(Strokes::default());
            commands.entity(entity).try_remove::<StrokesInRecipe>();
        }
    }
}

/// The same for land that is only drawn once the whole of it has been built.
fn handed_over(
    ready: On<TerrainReady>,
    mut commands: Commands,
    mut lands: Query<&mut TerrainStrokes, With<StrokesInRecipe>>,
) {
    take_off(ready.entity, &mut lands, &mut commands);
}

/// If the recipe cannot be built, takes its strokes off like the rest of the change: the previous land stays,
/// and the strokes appear with the recipe once it can be built.
fn give_up(
    failed: On<TerrainFailed>,
    mut commands: Commands,
    mut lands: Query<&mut TerrainStrokes, With<StrokesInRecipe>>,
) {
    take_off(failed.entity, &mut lands, &mut commands);
}

/// Takes strokes that are in the recipe off a terrain. Otherwise they would be handed over again with the
/// next ones.
fn take_off(
    terrain: Entity,
    lands: &mut Query<&mut TerrainStrokes, With<StrokesInRecipe>>,
    commands: &mut Commands,
) {
    if let Ok(mut strokes) = lands.get_mut(terrain) {
        strokes.replace(Strokes::default());
        commands.entity(terrain).try_remove::<StrokesInRecipe>();
    }
}

/// Draws the ring on the render layer of the edited landscape, in front of everything.
fn set_pen(selection: Res<Selection>, layers: Layers, mut configs: ResMut<GizmoConfigStore>) {
    let (config, _) = configs.config_mut::<OfBrush>();
    layers.draw_on(config, selection.edited());
}

/// Draws the outline of the brush on the ground, and a fainter ring around the area of full strength.
fn ring(
    sculpting: Res<Sculpting>,
    terrains: TerrainQuery,
    lands: Query<(), With<Document>>,
    mut gizmos: Gizmos<OfBrush>,
) {
    let Some((point, _)) = sculpting.aim.filter(|(point, _)| lands.contains(point.terrain)) else { return };
    let circle = |radius: f32| {
        (0..=LINES).map(move |number| {
            let angle = number as f32 / LINES as f32 * std::f32::consts::TAU;
            point.position + Vec3::new(angle.cos(), 0.0, angle.sin()) * radius
        })
    };
    let on_ground =
        |place: Vec3| terrains.ground_of(point.terrain, place).map_or(place, |ground| ground.position);
    gizmos.linestrip(circle(sculpting.radius).map(on_ground), RING);
    let full = sculpting.radius * (1.0 - sculpting.falloff);
    if sculpting.kind.has_falloff() && full > 0.0 && full < sculpting.radius {
        gizmos.linestrip(circle(full).map(on_ground), RING.with_alpha(0.4));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::Recipe;

    #[test]
    fn a_drag_is_one_change_of_the_recipe() {
        let mut document = Document::new(Recipe::new("Land", (9, 9), 10.0), None);
        let brush = Sculpting { strength: 1.0, radius: 20.0, ..Sculpting::default() };
        let place = DVec3::new(40.0, 0.0, 40.0);
        let dabs: Vec<Stroke> = (0..3).filter_map(|_| brush.stroke(place, place)).collect();
        put_into(&mut document, &Strokes::of(dabs.clone()).unwrap()).unwrap();
        put_into(&mut document, &Strokes::of(dabs).unwrap()).unwrap();
        assert_eq!((document.recipe.steps.len(), document.recipe.strokes().unwrap().len()), (1, 6));
        assert!(document.undo());
        assert_eq!(document.recipe.strokes().unwrap().len(), 3);
        assert!(document.undo() && document.recipe.steps.is_empty() && !document.undo());
        assert!(document.redo() && document.recipe.strokes().unwrap().len() == 3);
    }

    #[test]
    fn strokes_are_refused_if_their_step_would_be_one_too_many() {
        let mut recipe = Recipe::new("Land", (9, 9), 10.0);
        recipe.steps = vec![crate::Step::from_name("invert").unwrap(); 1000];
        let mut document = Document::new(recipe.clone(), None);
        let place = DVec3::new(40.0, 0.0, 40.0);
        let dab = Sculpting { radius: 20.0, ..Sculpting::default() }.stroke(place, place).unwrap();
        let strokes = Strokes::of(vec![dab]).unwrap();
        assert!(put_into(&mut document, &strokes).unwrap_err().to_string().contains("at most 1000"));
        assert_eq!(document.recipe, recipe);
        document.recipe.steps.pop();
        put_into(&mut document, &strokes).unwrap();
    }

    #[test]
    fn every_tool_makes_strokes_that_are_accepted() {
        let (first, at) = (DVec3::new(1.0, 7.0, 2.0), DVec3::new(30.0, 9.0, -20.0));
        for (kind, name, _) in BrushKind::ALL {
            for radius in [*STROKE_RADII.start(), 50.0, *STROKE_RADII.end()] {
                let brush = Sculpting { kind, radius, paints: "rock".into(), ..Sculpting::default() };
                let stroke = brush.stroke(first, at).unwrap();
                stroke.check().unwrap();
                assert!(name.to_lowercase().starts_with(stroke.tool.name()), "{name}");
            }
        }
        let nothing = Sculpting { kind: BrushKind::Paint, ..Sculpting::default() };
        assert!(nothing.stroke(first, at).is_none());
    }
}

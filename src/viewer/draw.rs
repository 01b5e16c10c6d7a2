//! Drawing on the land: clicks set the points of a step, such as a river's.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy_egui::input::EguiWantsInput;

use super::cursor::Sight;
use super::document::Document;
use super::layout::Slot;
use super::message::Message;
use super::window::{Layers, Number};
use crate::compute::work::Work;
use crate::grid::Grid;
use crate::params::{MAX_POINTS, Params, Value};
use crate::plugin::{TerrainGround, TerrainQuery, WorldOrigin};
use crate::recipe::Step;
use crate::steps::water::{Channel, Course};

/// Size of a point's mark, as a share of its distance from the eye.
const MARK: f32 = 0.006;
/// Samples of the grid on which the curve is computed.
const FINENESS: usize = 129;
/// Colour of the line and the places.
const LINE: Color = Color::srgb(0.35, 0.85, 1.0);
/// Colour of the place under the cursor, which a click would set.
const NEXT: Color = Color::srgb(1.0, 0.75, 0.3);

/// Lets clicks draw on the land while [`Drawing`] is on.
pub(super) struct DrawPlugin;

impl Plugin for DrawPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Drawing>()
            .init_resource::<WorldOrigin>()
            .init_gizmo_group::<OnLand>()
            .add_systems(Update, (end, aim, edit, set_pen, show).chain().before(super::fly::look));
    }
}

/// Whether and for what clicks draw.
#[derive(Resource, Default)]
pub(super) struct Drawing {
    /// The step whose points are drawn; `None` when drawing is off.
    pub target: Option<Target>,
    /// The point under the cursor, as shares of the land's sides.
    aim: Option<Vec2>,
}

/// A step of an open document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// The document's number, from the left.
    pub document: usize,
    /// The step's number, from 0.
    pub step: usize,
}

impl Drawing {
    /// Whether drawing is on.
    pub fn is_on(&self) -> bool {
        self.target.is_some()
    }

    /// The step that is being drawn in the document with this number.
    pub fn step_of(&self, document: usize) -> Option<usize> {
        self.target.filter(|target| target.document == document).map(|target| target.step)
    }
}

/// The group of gizmos for marks and lines.
#[derive(Default, Reflect, GizmoConfigGroup)]
struct OnLand;

/// The documents, with their numbers.
#[derive(SystemParam)]
struct Documents<'w, 's>(Query<'w, 's, (Entity, &'static Number, &'static mut Document)>);

impl Documents<'_, '_> {
    fn get(&self, number: usize) -> Option<(Entity, &Document)> {
        let found = self.0.iter().find(|(_, other, _)| other.0 == number);
        found.map(|(entity, _, document)| (entity, document))
    }

    fn get_mut(&mut self, number: usize) -> Option<Mut<'_, Document>> {
        self.0.iter_mut().find(|(_, other, _)| other.0 == number).map(|(_, _, document)| document)
    }
}

/// Calls `change` on the points of `step`; `None` if it has none.
fn with_places<T>(step: &mut Step, change: impl FnOnce(&mut Vec<Vec2>) -> T) -> Option<T> {
    let (mut change, mut outcome) = (Some(change), None);
    step.visit(&mut |_, value| {
        if let Value::Points(points) = value
            && let Some(change) = change.take()
        {
            outcome = Some(change(points));
        }
    });
    outcome
}

/// The points of a step; `None` if it has none.
fn places(document: &Document, step: usize) -> Option<Vec<Vec2>> {
    with_places(&mut document.recipe.steps.get(step)?.clone(), |points| points.clone())
}

/// Changes the points of a step as one change that can be undone.
fn change_places(document: &mut Document, step: usize, change: impl FnOnce(&mut Vec<Vec2>)) {
    // Earlier changes are a separate step of the history.
    document.settle();
    if let Some(step) = document.recipe.steps.get_mut(step) {
        with_places(step, change);
    }
    document.settle();
}

/// Ends drawing on request, or when the step is gone.
fn end(
    mut drawing: ResMut<Drawing>,
    documents: Documents,
    keys: Res<ButtonInput<KeyCode>>,
    egui: Res<EguiWantsInput>,
) {
    let Some(Target { document, step }) = drawing.target else { return };
    let is_there = documents.get(document).is_some_and(|(_, document)| places(document, step).is_some());
    let ending = [KeyCode::Escape, KeyCode::Enter, KeyCode::NumpadEnter];
    if !is_there || (!egui.wants_any_keyboard_input() && keys.any_just_pressed(ending)) {
        *drawing = Drawing::default();
    }
}

/// Finds the point of the land under the cursor.
fn aim(
    mut drawing: ResMut<Drawing>,
    sight: Sight,
    documents: Documents,
    grounds: Query<&TerrainGround>,
    origin: Res<WorldOrigin>,
) {
    let Some(Target { document, .. }) = drawing.target else { return };
    let ground = documents.get(document).and_then(|(terrain, _)| grounds.get(terrain).ok());
    drawing.aim = sight.under_cursor(document).zip(ground).map(|(met, ground)| {
        let extent = ground.extent();
        let place = (met.position.as_dvec3() + origin.0).xz().as_vec2();
        (place / extent + 0.5).clamp(Vec2::ZERO, Vec2::ONE)
    });
}

/// A click sets a point; a right click or Backspace removes the last one.
fn edit(
    drawing: Res<Drawing>,
    mut documents: Documents,
    buttons: Res<ButtonInput<MouseButton>>,
    keys: Res<ButtonInput<KeyCode>>,
    egui: Res<EguiWantsInput>,
    mut message: ResMut<Message>,
) {
    let Some(target) = drawing.target else { return };
    let Some(mut document) = documents.get_mut(target.document) else { return };
    let back = (drawing.aim.is_some() && buttons.just_pressed(MouseButton::Right))
        || (!egui.wants_any_keyboard_input() && keys.just_pressed(KeyCode::Backspace));
    if back {
        change_places(&mut document, target.step, |points| {
            points.pop();
        });
    }
    if let Some(place) = drawing.aim.filter(|_| buttons.just_pressed(MouseButton::Left)) {
        let count = places(&document, target.step).map_or(0, |points| points.len());
        if count >= MAX_POINTS {
            message.tell(format!("There are {MAX_POINTS} places, and no more are possible"));
            return;
        }
        change_places(&mut document, target.step, |points| points.push(place));
    }
}

/// Draws lines on the layer of their landscape, in front of everything.
fn set_pen(drawing: Res<Drawing>, layers: Layers, mut configs: ResMut<GizmoConfigStore>) {
    let Some(target) = drawing.target else { return };
    let (config, _) = configs.config_mut::<OnLand>();
    layers.draw_on(config, target.document);
}

/// Draws the points and the curve through them on the land.
fn show(
    drawing: Res<Drawing>,
    documents: Documents,
    terrains: TerrainQuery,
    grounds: Query<&TerrainGround>,
    cameras: Query<(&GlobalTransform, &Slot)>,
    origin: Res<WorldOrigin>,
    mut gizmos: Gizmos<OnLand>,
) {
    let origin = origin.0.as_vec3();
    let Some(target) = drawing.target else { return };
    let Some((terrain, document)) = documents.get(target.document) else { return };
    let Some((eye, _)) = cameras.iter().find(|(_, place)| place.0 == target.document) else { return };
    let (Ok(ground), Some(points)) = (grounds.get(terrain), places(document, target.step)) else { return };
    let extent = ground.extent();
    let on_land = |share: Vec2| {
        let p = (share - 0.5) * extent;
        // Outside the border the curve continues at the height at which it left the land.
        let near = p.clamp(-0.499_99 * extent, 0.499_99 * extent);
        let near = near.extend(0.0).xzy() - origin;
        let height = terrains.ground_of(terrain, near).map_or(0.0, |met| met.position.y);
        Vec3::new(p.x, height, p.y) - origin
    };
    let mark = |place: Vec3| {
        let size = MARK * place.distance(eye.translation());
        (Isometry3d::from_translation(place), size)
    };
    for point in &points {
        let (place, size) = mark(on_land(*point));
        gizmos.sphere(place, size, LINE);
    }
    if let Some(next) = drawing.aim {
        let (place, size) = mark(on_land(next));
        gizmos.sphere(place, size, NEXT);
    }
    let all: Vec<Vec2> = points.into_iter().chain(drawing.aim).collect();
    gizmos.linestrip(line(&all, extent).into_iter().map(on_land), LINE);
}

/// The curve that a river would take through points, as shares of a land's sides.
fn line(points: &[Vec2], extent: Vec2) -> Vec<Vec2> {
    let cell = extent.max_element() / (FINENESS - 1) as f32;
    let samples = (extent / cell).round().as_usizevec2() + 1;
    let nodes: Vec<Vec2> = points.iter().map(|point| point * extent).collect();
    let channel = Channel { width: 0.0, depth: 0.0, bank: 0.0, fill: 0.0 };
    let course = Grid::new(samples.x, samples.y, cell)
        .and_then(|grid| Course::through(&nodes, channel, grid, &Work::new()));
    course.map_or(Vec::new(), |course| course.points().map(|point| point / extent).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::Recipe;

    const TARGET: Target = Target { document: 0, step: 1 };

    fn app() -> (App, Entity) {
        let mut recipe = Recipe::new("Land", (9, 9), 1.0);
        recipe.steps.extend(["fbm", "river"].map(|name| Step::from_name(name).unwrap()));
        let mut app = App::new();
        app.init_resource::<Drawing>()
            .init_resource::<WorldOrigin>()
            .init_resource::<Message>()
            .init_resource::<EguiWantsInput>()
            .init_resource::<ButtonInput<KeyCode>>()
            .init_resource::<ButtonInput<MouseButton>>()
            .add_systems(Update, (end, edit).chain());
        let document = app.world_mut().spawn((Document::new(recipe, None), Number(0))).id();
        app.world_mut().resource_mut::<Drawing>().target = Some(TARGET);
        (app, document)
    }

    fn click(app: &mut App, button: MouseButton, aim: Option<Vec2>) {
        app.world_mut().resource_mut::<Drawing>().aim = aim;
        app.world_mut().resource_mut::<ButtonInput<MouseButton>>().press(button);
        app.update();
        app.world_mut().resource_mut::<ButtonInput<MouseButton>>().reset_all();
    }

    fn press(app: &mut App, key: KeyCode) {
        app.world_mut().resource_mut::<ButtonInput<KeyCode>>().press(key);
        app.update();
        app.world_mut().resource_mut::<ButtonInput<KeyCode>>().reset_all();
    }

    fn drawn(app: &App, document: Entity) -> Vec<Vec2> {
        places(app.world().get::<Document>(document).unwrap(), TARGET.step).unwrap()
    }

    #[test]
    fn clicks_set_places_one_by_one_and_each_can_be_undone() {
        let (mut app, document) = app();
        let [a, b] = [Vec2::new(0.25, 0.5), Vec2::new(0.75, 0.5)];
        click(&mut app, MouseButton::Left, Some(a));
        click(&mut app, MouseButton::Left, None);
        click(&mut app, MouseButton::Left, Some(b));
        assert_eq!(drawn(&app, document), [a, b]);
        app.world_mut().get_mut::<Document>(document).unwrap().undo();
        assert_eq!(drawn(&app, document), [a]);
        app.world_mut().get_mut::<Document>(document).unwrap().redo();
        click(&mut app, MouseButton::Right, Some(a));
        assert_eq!(drawn(&app, document), [a]);
        press(&mut app, KeyCode::Backspace);
        press(&mut app, KeyCode::Backspace);
        assert_eq!(drawn(&app, document), []);
        app.world_mut().get_mut::<Document>(document).unwrap().undo();
        assert_eq!(drawn(&app, document), [a]);
    }

    #[test]
    fn drawing_ends_when_asked_or_when_the_step_is_gone() {
        for key in [KeyCode::Escape, KeyCode::Enter] {
            let (mut app, document) = app();
            press(&mut app, key);
            assert!(!app.world().resource::<Drawing>().is_on());
            click(&mut app, MouseButton::Left, Some(Vec2::ZERO));
            assert_eq!(drawn(&app, document), []);
        }
        let (mut app, document) = app();
        app.world_mut().get_mut::<Document>(document).unwrap().recipe.steps.swap(0, 1);
        app.update();
        assert!(!app.world().resource::<Drawing>().is_on());
    }

    #[test]
    fn the_systems_get_along_without_a_window() {
        let (mut app, document) = app();
        app.add_plugins((bevy::app::TaskPoolPlugin::default(), AssetPlugin::default()))
            .init_asset::<GizmoAsset>()
            .add_plugins(DrawPlugin);
        click(&mut app, MouseButton::Left, None);
        assert_eq!(drawn(&app, document), []);
    }

    #[test]
    fn the_line_goes_through_the_places() {
        let points = [Vec2::new(0.1, 0.2), Vec2::new(0.5, 0.9), Vec2::new(1.2, 0.4)];
        let line = line(&points, Vec2::new(3000.0, 2000.0));
        for point in points {
            let nearest = line.iter().map(|p| p.distance(point)).fold(f32::INFINITY, f32::min);
            assert!(nearest < 0.01, "{point} is {nearest} away");
        }
    }
}

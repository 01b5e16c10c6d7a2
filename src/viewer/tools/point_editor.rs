//! Drawing on the land: clicks set, move and remove the points of a step, such as a river or a road.

use bevy::prelude::*;
use bevy_egui::input::EguiWantsInput;

use crate::compute::work::Work;
use crate::grid::Grid;
use crate::params::{MAX_POINTS, Params, Reading, Value};
use crate::plugin::{TerrainGround, TerrainQuery, WorldOrigin};
use crate::recipe::{Recipe, Step};
use crate::steps::filter::{Hole, HoleShape, Platform, PlatformShape, Stamp};
use crate::steps::water::{Channel, Course};
use crate::viewer::build::step_stack::StackView;
use crate::viewer::camera::cursor::Sight;
use crate::viewer::document::Document;
use crate::viewer::session::status_message::Message;
use crate::viewer::session::{Eyes, Layers, Selection, ToolInput};

/// Size of the mark of a point, as a share of its distance from the eye.
const MARK: f32 = 0.006;
/// How near the cursor must be to a point or a line to grab it, as a share of the distance from the eye.
const GRIP: f32 = 0.015;
/// Samples of the grid on which the curve is computed.
const FINENESS: usize = 129;
/// Colour of the line and the points.
const LINE: Color = Color::srgb(0.35, 0.85, 1.0);
/// Colour of the point that a click would set, and of the point that a click would grab.
const NEXT: Color = Color::srgb(1.0, 0.75, 0.3);

/// Lets clicks draw on the land while [`Drawing`] is on.
pub(crate) struct DrawPlugin;

impl Plugin for DrawPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Drawing>()
            .init_resource::<WorldOrigin>()
            .init_gizmo_group::<OnLand>()
            .add_systems(Update, (end, aim, edit, set_pen, show, show_courses).chain().in_set(ToolInput));
    }
}

/// The step that clicks draw, if any.
#[derive(Resource, Default)]
pub(crate) struct Drawing {
    /// The step whose points are drawn; `None` if drawing is off.
    pub target: Option<Target>,
    /// The point under the cursor, in the coordinates of the step's points.
    aim: Option<Vec2>,
    /// Points nearer to it than this are under the cursor too, in the same coordinates.
    grip: Vec2,
    /// The point that is being dragged.
    held: Option<usize>,
}

/// A step of an open document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// The document.
    pub document: Entity,
    /// The step's number, from 0.
    pub step: usize,
}

impl Drawing {
    /// Whether drawing is on.
    pub fn is_on(&self) -> bool {
        self.target.is_some()
    }

    /// The step that is being drawn in this document.
    pub fn step_of(&self, document: Entity) -> Option<usize> {
        self.target.filter(|target| target.document == document).map(|target| target.step)
    }
}

/// The group of gizmos for marks and lines.
#[derive(Default, Reflect, GizmoConfigGroup)]
struct OnLand;

/// How a step connects its points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PointConnection {
    /// Not at all: each point is used by itself.
    Not,
    /// By a curve through all.
    Curve,
    /// By straight lines from each to the next.
    Straight,
    /// By straight lines, also from the last to the first.
    Ring,
}

impl PointConnection {
    pub(crate) fn by(step: &Step) -> Self {
        if let Some(hole) = step.operation_as::<Hole>() {
            return if hole.shape == HoleShape::Line { Self::Straight } else { Self::Not };
        }
        if let Some(platform) = step.operation_as::<Platform>() {
            return if platform.shape == PlatformShape::Polygon { Self::Ring } else { Self::Not };
        }
        // All others, including a game's own steps, are shown as a curve like that of a river.
        if step.operation_as::<Stamp>().is_some() { Self::Not } else { Self::Curve }
    }

    /// The line through points, as shares of a land's sides; empty if they are not connected.
    pub(crate) fn line(self, points: &[Vec2], extent: Vec2) -> Vec<Vec2> {
        match self {
            Self::Not => Vec::new(),
            Self::Curve => line(points, extent),
            Self::Straight => straight(points),
            Self::Ring => straight(&points.iter().chain(points.first()).copied().collect::<Vec<_>>()),
        }
    }
}

/// Index of the point that lies within `grip` of a position; the nearest if there are several.
fn point_at(points: &[Vec2], place: Vec2, grip: Vec2) -> Option<usize> {
    let away = |point: &Vec2| ((point - place) / grip).length_squared();
    let near = points.iter().enumerate().map(|(index, point)| (index, away(point)));
    let nearest = near.min_by(|a, b| a.1.total_cmp(&b.1));
    nearest.filter(|(_, away)| *away <= 1.0).map(|(index, _)| index)
}

/// The index in a list for a new point at a position: between two points if it lies within `grip` of the line
/// that connects them, otherwise after the last.
fn belongs(points: &[Vec2], place: Vec2, grip: Vec2, joined: PointConnection) -> usize {
    if joined == PointConnection::Not {
        return points.len();
    }
    let away = |from: Vec2, to: Vec2| {
        let (along, from_here) = ((to - from) / grip, (place - from) / grip);
        let share = if along == Vec2::ZERO {
            0.0
        } else {
            (from_here.dot(along) / along.length_squared()).clamp(0.0, 1.0)
        };
        from_here.distance_squared(along * share)
    };
    let between = points.windows(2).enumerate().map(|(index, pair)| (index + 1, away(pair[0], pair[1])));
    // A curve bulges away from its chords.
    let most = if joined == PointConnection::Curve { 3.0 } else { 1.0 };
    let nearest = between.min_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, away)| *away <= most * most);
    nearest.map_or(points.len(), |(index, _)| index)
}

/// The length in metres that corresponds to 1 in the coordinates of a step's points, along both axes: the
/// land's sides, or the unit of endless land.
pub(crate) fn sides(recipe: &Recipe) -> Option<Vec2> {
    let domain = recipe.domain().ok()?;
    let side = |samples: u32| (samples - 1) as f32 * domain.cell();
    Some(
        domain
            .size()
            .map_or(Vec2::splat(domain.unit()), |[width, depth]| Vec2::new(side(width), side(depth))),
    )
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

/// Whether a step has points that can be drawn on the land.
pub(crate) fn has_points(step: &Step) -> bool {
    let mut has_points = false;
    step.read(&mut |_, value| has_points |= matches!(value, Reading::Points(_)));
    has_points
}

/// The points of a step; `None` if it has none.
fn places(document: &Document, step: usize) -> Option<Vec<Vec2>> {
    with_places(&mut document.recipe.steps.get(step)?.clone(), |points| points.clone())
}

/// Changes the points of a step in one change that can be undone.
fn change_places(document: &mut Document, step: usize, change: impl FnOnce(&mut Vec<Vec2>)) {
    // Earlier changes are a separate step of the history.
    document.settle();
    if let Some(step) = document.recipe.steps.get_mut(step) {
        with_places(step, change);
    }
    document.settle();
}

/// Ends drawing when the user presses a key for that, or the step is gone.
fn end(
    mut drawing: ResMut<Drawing>,
    documents: Query<&Document>,
    keys: Res<ButtonInput<KeyCode>>,
    egui: Res<EguiWantsInput>,
) {
    let Some(Target { document, step }) = drawing.target else { return };
    let is_there = documents.get(document).is_ok_and(|document| places(document, step).is_some());
    let ending = [KeyCode::Escape, KeyCode::Enter, KeyCode::NumpadEnter];
    if !is_there || (!egui.wants_any_keyboard_input() && keys.any_just_pressed(ending)) {
        *drawing = Drawing::default();
    }
}

/// Finds the point of the land under the cursor.
fn aim(
    mut drawing: ResMut<Drawing>,
    sight: Sight,
    lands: Query<(&Document, &TerrainGround)>,
    eyes: Eyes,
    origin: Res<WorldOrigin>,
) {
    let Some(Target { document, .. }) = drawing.target else { return };
    drawing.aim = None;
    let Ok((of, ground)) = lands.get(document) else { return };
    let Some(sides) = sides(&of.recipe) else { return };
    let Some(met) = sight.under_cursor(document) else { return };
    let place = (met.position.as_dvec3() + origin.0).xz() - ground.origin;
    drawing.aim = Some(place.as_vec2() / sides);
    let distance = eyes.of(document).map_or(0.0, |eye| eye.distance(met.position));
    drawing.grip = GRIP * distance.max(1e-3) / sides;
}

/// A click on a point grabs it, and it follows the cursor while the button is held. A click elsewhere sets a
/// new point; on the line between two points, it goes between these. A right click on a point, or Delete,
/// removes it. A right click elsewhere, or Backspace, removes the last point.
fn edit(
    mut drawing: ResMut<Drawing>,
    mut documents: Query<&mut Document>,
    buttons: Res<ButtonInput<MouseButton>>,
    keys: Res<ButtonInput<KeyCode>>,
    egui: Res<EguiWantsInput>,
    mut message: ResMut<Message>,
) {
    let Some(target) = drawing.target else { return };
    let Ok(mut document) = documents.get_mut(target.document) else { return };
    if document.held_by_lesson().is_some() {
        // The lesson was opened while the previous land was being drawn on.
        drawing.target = None;
        return;
    }
    if let Some(held) = drawing.held {
        if !buttons.pressed(MouseButton::Left) {
            drawing.held = None;
            document.settle();
        } else if let Some(place) = drawing.aim
            && places(&document, target.step)
                .is_some_and(|points| points.get(held).is_some_and(|at| *at != place))
            && let Some(step) = document.recipe.steps.get_mut(target.step)
        {
            // Not settled, so that dragging is one change until the button is released.
            with_places(step, |points| points[held] = place);
        }
        return;
    }
    let Some(points) = places(&document, target.step) else { return };
    let near = drawing.aim.and_then(|place| point_at(&points, place, drawing.grip));
    let pressed = |key: KeyCode| !egui.wants_any_keyboard_input() && keys.just_pressed(key);
    let right = drawing.aim.is_some() && buttons.just_pressed(MouseButton::Right);
    if right || pressed(KeyCode::Backspace) || (pressed(KeyCode::Delete) && near.is_some()) {
        let gone = near.filter(|_| !pressed(KeyCode::Backspace)).or(points.len().checked_sub(1));
        change_places(&mut document, target.step, |points| {
            if let Some(gone) = gone {
                points.remove(gone);
            }
        });
        return;
    }
    let Some(place) = drawing.aim.filter(|_| buttons.just_pressed(MouseButton::Left)) else { return };
    if near.is_some() {
        // Earlier changes are a separate step of the history.
        document.settle();
        drawing.held = near;
        return;
    }
    if points.len() >= MAX_POINTS {
        message.report(format!("A step can have at most {MAX_POINTS} points"));
        return;
    }
    let joined = document.recipe.steps.get(target.step).map_or(PointConnection::Not, PointConnection::by);
    let at = belongs(&points, place, drawing.grip, joined);
    change_places(&mut document, target.step, |points| points.insert(at, place));
}

/// Draws lines on the render layer of their landscape, in front of everything.
fn set_pen(
    drawing: Res<Drawing>,
    state: Res<Selection>,
    layers: Layers,
    mut configs: ResMut<GizmoConfigStore>,
) {
    let document = drawing.target.map(|target| target.document).or(state.edited());
    let (config, _) = configs.config_mut::<OnLand>();
    layers.draw_on(config, document);
}

/// Draws the points and the curve through them on the land.
fn show(
    drawing: Res<Drawing>,
    lands: Query<(&Document, &TerrainGround)>,
    terrains: TerrainQuery,
    eyes: Eyes,
    origin: Res<WorldOrigin>,
    mut gizmos: Gizmos<OnLand>,
) {
    let Some(target) = drawing.target else { return };
    let terrain = target.document;
    let (Ok((document, ground)), Some(eye)) = (lands.get(terrain), eyes.of(terrain)) else { return };
    let Some(points) = places(document, target.step) else { return };
    let Some(extent) = sides(&document.recipe) else { return };
    let is_endless = document.recipe.unit.is_some();
    let lowest = ground.height_range().0;
    let on_land = |share: Vec2| {
        let in_world = |share: Vec2| {
            let p = (share * extent).as_dvec2() + ground.origin;
            (p.extend(0.0).xzy() - origin.0).as_vec3()
        };
        // Outside the border, the curve continues at the height at which it left the land.
        let near = if is_endless { share } else { share.clamp(Vec2::splat(1e-5), Vec2::splat(1.0 - 1e-5)) };
        // Over a hole, the curve is at the height of the lowest ground.
        let height = terrains.ground_of(terrain, in_world(near)).map_or(lowest, |met| met.position.y);
        in_world(share).with_y(height)
    };
    let mark = |place: Vec3| {
        let size = MARK * place.distance(eye);
        (Isometry3d::from_translation(place), size)
    };
    let near = drawing.held.or_else(|| point_at(&points, drawing.aim?, drawing.grip));
    for (index, point) in points.iter().enumerate() {
        let (place, size) = mark(on_land(*point));
        gizmos.sphere(place, size, if near == Some(index) { NEXT } else { LINE });
    }
    let joined = document.recipe.steps.get(target.step).map_or(PointConnection::Not, PointConnection::by);
    let mut all = points;
    if let Some(next) = drawing.aim.filter(|_| near.is_none()) {
        let (place, size) = mark(on_land(next));
        gizmos.sphere(place, size, NEXT);
        all.insert(belongs(&all, next, drawing.grip, joined), next);
    }
    gizmos.linestrip(joined.line(&all, extent).into_iter().map(on_land), LINE);
}

/// Draws the courses of rivers and roads whose steps are unfolded in the panel.
fn show_courses(
    drawing: Res<Drawing>,
    mut documents: Query<(Entity, &mut StackView)>,
    terrains: TerrainQuery,
    grounds: Query<&TerrainGround>,
    origin: Res<WorldOrigin>,
    mut gizmos: Gizmos<OnLand>,
) {
    for (terrain, mut stack) in &mut documents {
        // The panel provides them again in each frame in which it shows them.
        let courses = std::mem::take(&mut stack.bypass_change_detection().courses);
        let Ok(ground) = grounds.get(terrain) else { continue };
        let lowest = ground.height_range().0;
        let on_land = |metres: &Vec2| {
            let place = ((metres.as_dvec2() + ground.origin).extend(0.0).xzy() - origin.0).as_vec3();
            place.with_y(terrains.ground_of(terrain, place).map_or(lowest, |met| met.position.y))
        };
        // A step whose points are being drawn already has a line through them.
        for (_, course) in courses.iter().filter(|(step, _)| drawing.step_of(terrain) != Some(*step)) {
            gizmos.linestrip(course.iter().map(on_land), LINE);
        }
    }
}

/// Straight lines from point to point, in short pieces that can follow the ground.
fn straight(points: &[Vec2]) -> Vec<Vec2> {
    const PARTS: usize = 32;
    let parts = points
        .windows(2)
        .flat_map(|pair| (0..PARTS).map(|part| pair[0].lerp(pair[1], part as f32 / PARTS as f32)));
    parts.chain(points.last().copied()).collect()
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

    const STEP: usize = 1;

    fn app() -> (App, Entity) {
        app_with("river")
    }

    fn app_with(step: &str) -> (App, Entity) {
        let mut recipe = Recipe::new("Land", (9, 9), 1.0);
        recipe.steps.extend(["fbm", step].map(|name| Step::from_name(name).unwrap()));
        let mut app = App::new();
        app.init_resource::<Drawing>()
            .init_resource::<WorldOrigin>()
            .init_resource::<Message>()
            .init_resource::<Selection>()
            .init_resource::<EguiWantsInput>()
            .init_resource::<ButtonInput<KeyCode>>()
            .init_resource::<ButtonInput<MouseButton>>()
            .add_systems(Update, (end, edit).chain());
        let document = app.world_mut().spawn(Document::new(recipe, None)).id();
        app.world_mut().resource_mut::<Drawing>().target = Some(Target { document, step: STEP });
        (app, document)
    }

    fn click(app: &mut App, button: MouseButton, aim: Option<Vec2>) {
        point_to(app, aim);
        app.world_mut().resource_mut::<ButtonInput<MouseButton>>().press(button);
        app.update();
        app.world_mut().resource_mut::<ButtonInput<MouseButton>>().reset_all();
        app.update();
    }

    fn point_to(app: &mut App, aim: Option<Vec2>) {
        let mut drawing = app.world_mut().resource_mut::<Drawing>();
        (drawing.aim, drawing.grip) = (aim, Vec2::splat(0.02));
    }

    fn press(app: &mut App, key: KeyCode) {
        app.world_mut().resource_mut::<ButtonInput<KeyCode>>().press(key);
        app.update();
        app.world_mut().resource_mut::<ButtonInput<KeyCode>>().reset_all();
    }

    fn drawn(app: &App, document: Entity) -> Vec<Vec2> {
        places(app.world().get::<Document>(document).unwrap(), STEP).unwrap()
    }

    #[test]
    fn clicks_set_points_one_by_one_and_each_can_be_undone() {
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
        assert_eq!(drawn(&app, document), [b], "the point under the cursor");
        press(&mut app, KeyCode::Backspace);
        press(&mut app, KeyCode::Backspace);
        assert_eq!(drawn(&app, document), []);
        app.world_mut().get_mut::<Document>(document).unwrap().undo();
        assert_eq!(drawn(&app, document), [b]);
    }

    #[test]
    fn a_point_is_dragged_in_one_change_and_removed_under_the_cursor() {
        for step in ["river", "road", "hole", "platform", "stamp"] {
            let (mut app, document) = app_with(step);
            let points = [Vec2::new(0.2, 0.2), Vec2::new(0.5, 0.5), Vec2::new(0.8, 0.2)];
            let mut of = app.world_mut().get_mut::<Document>(document).unwrap();
            change_places(&mut of, STEP, |all| *all = points.to_vec());
            // Grabbed slightly off its middle, then moved twice.
            point_to(&mut app, Some(Vec2::new(0.51, 0.5)));
            app.world_mut().resource_mut::<ButtonInput<MouseButton>>().press(MouseButton::Left);
            app.update();
            assert_eq!(drawn(&app, document), points, "{step}: a click alone moves nothing");
            app.world_mut().resource_mut::<ButtonInput<MouseButton>>().clear();
            for place in [Vec2::new(0.6, 0.6), Vec2::new(0.6, 0.7)] {
                point_to(&mut app, Some(place));
                app.update();
                assert_eq!(drawn(&app, document), [points[0], place, points[2]]);
            }
            app.world_mut().resource_mut::<ButtonInput<MouseButton>>().reset_all();
            point_to(&mut app, Some(Vec2::new(0.9, 0.9)));
            app.update();
            assert_eq!(drawn(&app, document)[1], Vec2::new(0.6, 0.7), "{step}: it was released before");
            app.world_mut().get_mut::<Document>(document).unwrap().undo();
            assert_eq!(drawn(&app, document), points, "{step}: in one step");
            app.world_mut().get_mut::<Document>(document).unwrap().redo();

            click(&mut app, MouseButton::Right, Some(points[0]));
            assert_eq!(drawn(&app, document), [Vec2::new(0.6, 0.7), points[2]]);
            point_to(&mut app, Some(points[2]));
            press(&mut app, KeyCode::Delete);
            assert_eq!(drawn(&app, document), [Vec2::new(0.6, 0.7)]);
            point_to(&mut app, Some(Vec2::ZERO));
            press(&mut app, KeyCode::Delete);
            assert_eq!(drawn(&app, document).len(), 1, "{step}: no point is under the cursor");
        }
    }

    #[test]
    fn a_click_on_the_line_sets_a_point_between_two() {
        let points = [Vec2::new(0.2, 0.5), Vec2::new(0.8, 0.5), Vec2::new(0.8, 0.9)];
        let between = Vec2::new(0.5, 0.51);
        for (step, at) in [("road", 1), ("stamp", 3)] {
            let (mut app, document) = app_with(step);
            let mut of = app.world_mut().get_mut::<Document>(document).unwrap();
            change_places(&mut of, STEP, |all| *all = points.to_vec());
            click(&mut app, MouseButton::Left, Some(between));
            assert_eq!(drawn(&app, document)[at], between, "{step}");
            click(&mut app, MouseButton::Left, Some(Vec2::new(0.1, 0.1)));
            assert_eq!(drawn(&app, document)[4], Vec2::new(0.1, 0.1), "{step}");
        }
    }

    #[test]
    fn drawing_ends_by_a_key_or_when_the_step_is_gone() {
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
    fn the_systems_run_without_a_window() {
        let (mut app, document) = app();
        app.add_plugins((bevy::app::TaskPoolPlugin::default(), AssetPlugin::default()))
            .init_asset::<GizmoAsset>()
            .add_plugins(DrawPlugin);
        click(&mut app, MouseButton::Left, None);
        assert_eq!(drawn(&app, document), []);
    }

    #[test]
    fn the_line_goes_through_the_points() {
        let points = [Vec2::new(0.1, 0.2), Vec2::new(0.5, 0.9), Vec2::new(1.2, 0.4)];
        let line = line(&points, Vec2::new(3000.0, 2000.0));
        for point in points {
            let nearest = line.iter().map(|p| p.distance(point)).fold(f32::INFINITY, f32::min);
            assert!(nearest < 0.01, "{point} is {nearest} away");
        }
    }
}

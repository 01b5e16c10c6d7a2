//! Towers that clicks set on the land, and what they see: computed on another thread, coloured by the plugin.

use bevy::math::DVec3;
use bevy::prelude::*;
use bevy_egui::input::EguiWantsInput;

use crate::analysis::viewshed::{MAX_TOWERS, Viewshed};
use crate::plugin::{DebugView, TerrainCache, TerrainQuery, TerrainStatus, TerrainViewshed, WorldOrigin};
use crate::render::viewshed::{ViewshedSummary, ViewshedTowers, find};
use crate::viewer::camera::cursor::Sight;
use crate::viewer::document::Document;
use crate::viewer::document::revision::GroundRevision;
use crate::viewer::session::derived::Derived;
use crate::viewer::session::status_message::Message;
use crate::viewer::session::{Eyes, Landscapes, Layers, ShownDebugView, ToolInput};

/// Colours of towers, and of the place under the cursor.
const TOWER: Color = Color::srgb(1.0, 0.35, 0.25);
const NEXT: Color = Color::srgb(1.0, 0.8, 0.4);
/// Size of a tower's top, as a share of its distance from the eye.
const MARK: f32 = 0.006;

/// Sets towers on lands and computes what they see.
pub(crate) struct TowersPlugin;

impl Plugin for TowersPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<TowerTool>()
            .init_resource::<WorldOrigin>()
            .init_gizmo_group::<OfTowers>()
            .add_systems(Update, (put.in_set(ToolInput), look, set_pen, mark).chain());
    }
}

/// The towers of a document; a component next to it.
#[derive(Component, Default)]
pub(crate) struct Towers {
    pub watch: ViewshedTowers,
    /// The towers before each change that can be undone.
    before: Vec<Vec<[f32; 3]>>,
    /// A summary of what is drawn.
    pub seen: Option<ViewshedSummary>,
    found: Derived<ViewshedRequest, (Viewshed, ViewshedSummary)>,
}

/// Whose view of which land is found.
#[derive(Clone, PartialEq)]
struct ViewshedRequest {
    ground: GroundRevision,
    watch: ViewshedTowers,
}

impl Towers {
    /// Changes the towers so that it can be undone.
    pub fn change(&mut self, change: impl FnOnce(&mut Vec<[f32; 3]>)) {
        let before = self.watch.towers.clone();
        change(&mut self.watch.towers);
        if before != self.watch.towers {
            self.before.push(before);
        }
    }

    /// Undoes the last change. Returns whether there was one.
    pub fn undo(&mut self) -> bool {
        let Some(before) = self.before.pop() else { return false };
        self.watch.towers = before;
        true
    }

    /// Whether a change can be undone.
    pub fn can_undo(&self) -> bool {
        !self.before.is_empty()
    }

    /// The progress of computing what they see, from 0 to 1; `None` if it is not running.
    pub fn progress(&self) -> Option<f32> {
        self.found.progress()
    }
}

/// Whether clicks set towers, and the height of these.
#[derive(Resource, Debug)]
pub(crate) struct TowerTool {
    pub is_on: bool,
    /// Metres above the ground.
    pub height: f32,
    /// The document under the cursor, and the position on its land, metres from the middle.
    aim: Option<(Entity, Vec2)>,
}

impl Default for TowerTool {
    fn default() -> Self {
        Self { is_on: false, height: 30.0, aim: None }
    }
}

/// The group of gizmos for towers.
#[derive(Default, Reflect, GizmoConfigGroup)]
struct OfTowers;

/// A click sets a tower, a right click or Backspace removes the last one, Esc ends the tool.
fn put(
    mut tower_tool: ResMut<TowerTool>,
    sight: Sight,
    mut documents: Query<(Entity, &mut Towers)>,
    origin: Res<WorldOrigin>,
    (buttons, keys): (Res<ButtonInput<MouseButton>>, Res<ButtonInput<KeyCode>>),
    egui: Res<EguiWantsInput>,
    mut viewed: ResMut<ShownDebugView>,
    mut message: ResMut<Message>,
) {
    if !tower_tool.is_on {
        return;
    }
    if viewed.0 != DebugView::Viewshed {
        viewed.0 = DebugView::Viewshed;
    }
    if !egui.wants_any_keyboard_input() && keys.just_pressed(KeyCode::Escape) {
        *tower_tool = TowerTool { height: tower_tool.height, ..TowerTool::default() };
        return;
    }
    tower_tool.aim = documents.iter().find_map(|(land, _)| {
        let place = sight.under_cursor(land)?.position.as_dvec3() + origin.0;
        Some((land, place.xz().as_vec2()))
    });
    let aim = tower_tool.aim;
    let back = (aim.is_some() && buttons.just_pressed(MouseButton::Right))
        || (!egui.wants_any_keyboard_input() && keys.just_pressed(KeyCode::Backspace));
    let set = aim.filter(|_| buttons.just_pressed(MouseButton::Left));
    for (land, mut towers) in &mut documents {
        if back && aim.is_none_or(|(aimed, _)| aimed == land) {
            towers.change(|towers| {
                towers.pop();
            });
        }
        if let Some((_, place)) = set.filter(|(aimed, _)| *aimed == land) {
            if towers.watch.towers.len() >= MAX_TOWERS {
                message.report(format!("There can be at most {MAX_TOWERS} towers"));
                continue;
            }
            towers.change(|towers| towers.push([place.x, place.y, tower_tool.height]));
        }
    }
}

/// Computes what has changed on another thread, and shows the result.
fn look(
    mut commands: Commands,
    mut documents: Query<(Entity, &Document, &mut Towers, &TerrainStatus)>,
    cache: Res<TerrainCache>,
    images: Option<ResMut<Assets<Image>>>,
    mut message: ResMut<Message>,
) {
    let Some(mut images) = images else { return };
    for (land, document, mut towers, status) in &mut documents {
        if towers.watch.towers.is_empty() {
            if towers.seen.is_some() || towers.found.requested().is_some() {
                (towers.seen, towers.found) = (None, Derived::default());
                commands.entity(land).try_remove::<TerrainViewshed>();
            }
            continue;
        }
        let revision = document.revision();
        let request = ViewshedRequest { ground: revision.ground, watch: towers.watch.clone() };
        let (recipe, cache) = (revision.recipe.clone(), cache.0.clone());
        // While the land is still being built, the same heights would be built twice.
        towers.found.follow(request, status.is_settled(), move |request, work| {
            find(&recipe, &cache, &request.watch, work)
        });
        match towers.found.take() {
            Some(Ok((found, seen))) => {
                commands.entity(land).try_insert(TerrainViewshed::new(&found, seen.corner, &mut images));
                towers.seen = Some(seen);
            }
            Some(Err(error)) => message.error(error.to_string()),
            None => {}
        }
    }
}

/// Draws marks on the render layer of one landscape, in front of everything.
fn set_pen(
    documents: Query<&Towers>,
    landscapes: Res<Landscapes>,
    tower_tool: Res<TowerTool>,
    layers: Layers,
    mut configs: ResMut<GizmoConfigStore>,
) {
    let Some(land) = marked(&documents, &landscapes, &tower_tool) else { return };
    let (config, _) = configs.config_mut::<OfTowers>();
    layers.draw_on(config, Some(land));
}

/// The document whose towers are marked: the one under the cursor, or the first that has towers.
fn marked(documents: &Query<&Towers>, landscapes: &Landscapes, tower_tool: &TowerTool) -> Option<Entity> {
    let aimed = tower_tool.aim.filter(|_| tower_tool.is_on).map(|(land, _)| land);
    let has_towers = |land: &Entity| documents.get(*land).is_ok_and(|towers| !towers.watch.towers.is_empty());
    aimed.or_else(|| landscapes.iter().find(has_towers))
}

/// Marks the towers while their view is shown, and the place under the cursor.
fn mark(
    tower_tool: Res<TowerTool>,
    viewed: Res<ShownDebugView>,
    documents: Query<&Towers>,
    landscapes: Res<Landscapes>,
    terrains: TerrainQuery,
    eyes: Eyes,
    origin: Res<WorldOrigin>,
    mut gizmos: Gizmos<OfTowers>,
) {
    if viewed.0 != DebugView::Viewshed {
        return;
    }
    let Some(land) = marked(&documents, &landscapes, &tower_tool) else { return };
    let (Ok(towers), Some(eye)) = (documents.get(land), eyes.of(land)) else { return };
    let next = tower_tool
        .aim
        .filter(|_| tower_tool.is_on)
        .map(|(_, place)| ([place.x, place.y, tower_tool.height], NEXT));
    let standing = towers.watch.towers.iter().map(|&tower| (tower, TOWER));
    for ([x, z, height], colour) in standing.chain(next) {
        let place = (DVec3::new(x.into(), 0.0, z.into()) - origin.0.with_y(0.0)).as_vec3();
        let Some(ground) = terrains.ground_of(land, place) else { continue };
        let top = ground.position + Vec3::Y * height;
        gizmos.line(ground.position, top, colour);
        gizmos.sphere(Isometry3d::from_translation(top), MARK * top.distance(eye), colour);
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::{Recipe, Step};

    fn hills() -> Recipe {
        let mut recipe = Recipe::new("Hills", (129, 129), 20.0);
        recipe.steps.push(Step::from_name("fbm").unwrap());
        recipe
    }

    #[test]
    fn clicks_put_towers_which_are_undone_one_by_one() {
        let mut towers = Towers::default();
        towers.change(|list| list.push([1.0, 2.0, 3.0]));
        towers.change(|list| list.push([4.0, 5.0, 6.0]));
        towers.change(|list| list.retain(|_| true));
        assert!(towers.undo());
        assert_eq!(towers.watch.towers, [[1.0, 2.0, 3.0]]);
        assert!(towers.undo() && towers.watch.towers.is_empty());
        assert!(!towers.undo());
    }

    #[test]
    fn the_viewshed_is_computed_in_the_background_and_removed_with_the_towers() {
        let mut app = App::new();
        app.init_resource::<TerrainCache>()
            .init_resource::<Message>()
            .insert_resource(Assets::<Image>::default())
            .add_systems(Update, look);
        let mut towers = Towers::default();
        towers.change(|list| list.push([0.0, 0.0, 30.0]));
        let bundle = (Document::new(hills(), None), towers, TerrainStatus::Ready);
        let land = app.world_mut().spawn(bundle).id();
        let wait = |app: &mut App| {
            let begun = Instant::now();
            app.update();
            while app.world().get::<Towers>(land).unwrap().progress().is_some() {
                assert!(begun.elapsed() < Duration::from_secs(60));
                std::thread::sleep(Duration::from_millis(2));
                app.update();
            }
        };
        wait(&mut app);
        let first = app.world().get::<TerrainViewshed>(land).unwrap().clone();
        let seen = app.world().get::<Towers>(land).unwrap().seen.clone().unwrap();
        assert!(seen.together > 0.0 && seen.together < 1.0);

        app.world_mut().get_mut::<Towers>(land).unwrap().watch.options.radius = Some(100.0);
        wait(&mut app);
        assert_ne!(*app.world().get::<TerrainViewshed>(land).unwrap(), first);
        let nearer = app.world().get::<Towers>(land).unwrap().seen.clone().unwrap();
        assert!(nearer.together < seen.together);

        app.world_mut().get_mut::<Towers>(land).unwrap().undo();
        app.update();
        assert!(app.world().get::<TerrainViewshed>(land).is_none());
        assert_eq!(app.world().get::<Towers>(land).unwrap().seen, None);
    }
}

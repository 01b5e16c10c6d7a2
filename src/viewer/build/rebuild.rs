//! Keeps terrains up to date with their recipes.
//!
//! If tiles can be made without building the whole land, the full size is shown immediately, coarse tiles
//! before fine ones. Otherwise there are previews: the first small enough to follow a slider, then larger
//! ones, and the full size after a pause in editing. If only the texture changes, the land is only repainted.

use bevy::prelude::*;
use bevy::time::Stopwatch;
use bevy_egui::EguiPostUpdateSet;

use super::step_stack::{self, StackView};
use super::terrain_override::{RebuildSystems, TerrainOverride, is_made_at_once, same_objects};
use crate::plugin::{
    Sky, Terrain, TerrainCache, TerrainFailed, TerrainGround, TerrainReady, TerrainRepainted, TerrainSkin,
    TerrainStatus, TerrainSystems,
};
use crate::render::scene::{self, CloudBase};
use crate::render::texture_view::TextureView;
use crate::shown::shown;
use crate::viewer::document::history::{Unsettled, settle};
use crate::viewer::document::links::{Links, SharedLight, share_light};
use crate::viewer::document::revision::GroundRevision;
use crate::viewer::document::{Document, Reread, count_revisions};
use crate::viewer::session::status_message::Message;
use crate::viewer::session::{Landscapes, SkyOf};
use crate::{Cache, Recipe};

/// Samples along the longer side of previews.
const PREVIEWS: [u32; 4] = [33, 65, 129, 257];
/// Seconds that the heights of the first preview may take, so that it is drawn within the next two frames;
/// its colours and tiles take the rest of that time.
const PREVIEW_SECONDS: f32 = 0.005;
/// Seconds of one processor core that a preview may take by the land's estimate. If even the smallest takes
/// longer, there is no preview, and the full size is started immediately.
const PREVIEW_AT_MOST: f64 = 4.0;
/// Seconds after which a preview that is still being made is cancelled when another change comes.
const WAITED_FOR: f32 = 2.0;
/// Seconds without a change after which the full size is built.
const REST: f32 = 0.35;

/// Rebuilds terrains after edits.
pub(crate) struct RebuildPlugin;

impl Plugin for RebuildPlugin {
    fn build(&self, app: &mut App) {
        app.register_required_components::<Document, Failure>()
            .register_required_components::<Document, Unsettled>();
        app.init_resource::<SharedLight>()
            .init_resource::<Landscapes>()
            // After the panels, so that a change made in this frame is started in it, and a preview can
            // appear in the next.
            .configure_sets(
                PostUpdate,
                RebuildSystems.after(EguiPostUpdateSet::EndPass).before(TerrainSystems::Build),
            )
            // The systems before `rebuild` provide what it reads in this frame: reread recipes, the shared
            // light, the pace of previews, the step shown alone. `time_builds` comes after it, because it
            // restarts the clock of terrains that `rebuild` has just changed.
            .add_systems(
                PostUpdate,
                (
                    (reload, count_revisions, share_light, learn_pace).chain(),
                    (step_stack::follow, settle, rebuild, fit_skies, time_builds).chain(),
                )
                    .chain()
                    .in_set(RebuildSystems),
            )
            .add_observer(report_failure)
            .add_observer(report_build_notes)
            .add_observer(report_repaint_notes);
    }
}

/// The last request to a terrain, and how long ago the recipe last changed.
#[derive(Component)]
#[require(BuildTime, Pace)]
pub(crate) struct BuildRequest {
    /// With the texture as it is seen.
    recipe: Recipe,
    /// Which ground that is, and the step that is shown alone.
    ground: (GroundRevision, Option<usize>),
    rested: f32,
    full: bool,
    /// Index of the requested preview, if it is not the full size.
    preview: usize,
    /// Whether something other than a recipe was requested.
    instead: bool,
    /// Whether the user has been informed that previews are left out.
    left_out: bool,
}

/// How long previews of a terrain take, seconds per sample; `None` before the first.
#[derive(Component, Default)]
pub(crate) struct Pace(Option<f32>);

impl Pace {
    /// The largest preview that will be ready soon. The smallest if nothing is known yet, because larger ones
    /// follow it.
    fn first_preview(&self) -> usize {
        let Some(pace) = self.0 else { return 0 };
        let is_soon = |side: &u32| (side * side) as f32 * pace <= PREVIEW_SECONDS;
        PREVIEWS.iter().rposition(is_soon).unwrap_or(0)
    }

    /// Learns that a preview with this many samples along the longer side took this many seconds. Larger
    /// previews take less time per sample, so earlier values are averaged in.
    fn took(&mut self, side: u32, seconds: f32) {
        let now = seconds / (side * side) as f32;
        self.0 = Some(self.0.map_or(now, |before| 0.5 * (before + now)));
    }
}

/// Why a document's file could not be read or its land could not be built. Its view shows this until the land
/// is built or the user closes the message. Empty if nothing failed.
#[derive(Component, Default)]
pub(crate) struct Failure(pub String);

impl BuildRequest {
    /// A terrain that shows the land of `document` at full size.
    pub fn full(document: &Document) -> Self {
        let (recipe, ground) = (document.recipe.clone(), (document.revision().ground, None));
        Self { recipe, ground, rested: 0.0, full: true, preview: 0, instead: false, left_out: false }
    }

    /// Why there is no preview with this many samples along the longer side, if it would take too long.
    fn too_long(&self, side: u32) -> Option<String> {
        let estimate = self.recipe.with_longer_side(side).estimate();
        estimate.left_out("its preview", PREVIEW_AT_MOST)
    }

    /// While the user pauses, even with the slider held, a larger preview follows; small land appears in
    /// full. All of the land follows when nothing has been held for a while. Returns whether the terrain is
    /// to show something larger.
    fn grow_while_resting(&mut self, status: &TerrainStatus, is_held: bool, seconds: f32) -> bool {
        let mut has_grown = false;
        if let Some(side) = PREVIEWS.get(self.preview + 1)
            && !self.full
            && !self.instead
            && *status == TerrainStatus::Ready
            && self.too_long(*side).is_none()
        {
            self.preview += 1;
            self.full = self.recipe.size.0.max(self.recipe.size.1) <= *side;
            has_grown = true;
        }
        self.rested = if is_held { 0.0 } else { self.rested + seconds };
        if self.rested >= REST && !self.full {
            self.full = true;
            has_grown = true;
        }
        has_grown
    }

    /// Chooses how much of the land is shown first: a preview, or all of it. `is_built` if the same ground is
    /// there already. Returns the reason why previews are left out, if the user hasn't been informed of it.
    fn choose_size(&mut self, is_built: bool, pace: &Pace, cache: &Cache) -> Option<String> {
        let (width, depth) = self.recipe.size;
        self.preview = pace.first_preview();
        let side = PREVIEWS[self.preview];
        // Ground that doesn't change stays while objects of other rules are placed on it: a preview would
        // replace it.
        self.full = is_built || width.max(depth) <= side || is_made_at_once(&self.recipe, cache);
        let mut left_out = None;
        if !self.full && self.too_long(side).is_some() {
            self.preview = 0;
            left_out = self.too_long(PREVIEWS[0]);
            self.full = left_out.is_some();
        }
        let has_been_said = std::mem::replace(&mut self.left_out, left_out.is_some());
        left_out.filter(|_| !has_been_said)
    }

    /// The terrain to show.
    fn shown(&self, cache: &Cache) -> Terrain {
        let shown = if self.full { self.recipe.clone() } else { self.recipe.preview(PREVIEWS[self.preview]) };
        Terrain::from_recipe(shown, cache)
    }
}

/// How long a terrain has been building.
#[derive(Component, Default)]
pub(crate) struct BuildTime(pub Stopwatch);

/// Learns from previews that have just been made. It uses their own times, because frames take longer than
/// small previews.
fn learn_pace(mut terrains: Query<(&BuildRequest, &TerrainGround, &mut Pace, Ref<TerrainStatus>)>) {
    for (asked, ground, mut pace, status) in &mut terrains {
        if !asked.full && status.is_changed() && *status == TerrainStatus::Ready {
            let seconds = ground.landscape.stages.iter().map(|stage| stage.seconds).sum();
            pace.took(PREVIEWS[asked.preview], seconds);
        }
    }
}

fn time_builds(
    mut terrains: Query<(Ref<Terrain>, Option<Ref<TerrainSkin>>, &TerrainStatus, &mut BuildTime)>,
    time: Res<Time>,
) {
    for (terrain, skin, status, mut since) in &mut terrains {
        if terrain.is_changed() || skin.is_some_and(|skin| skin.is_changed()) {
            since.0.reset();
        } else if !status.is_settled() {
            since.0.tick(time.delta());
        }
    }
}

fn rebuild(
    mut commands: Commands,
    mut documents: Query<(
        Entity,
        &Document,
        &mut BuildRequest,
        &mut Terrain,
        &TerrainStatus,
        (Option<&TextureView>, Option<&StackView>, Option<Ref<TerrainOverride>>, &BuildTime),
        Option<&Links>,
        Has<TerrainGround>,
        Has<TerrainSkin>,
        &Pace,
    )>,
    buttons: Res<ButtonInput<MouseButton>>,
    time: Res<Time>,
    cache: Res<TerrainCache>,
    shared: Res<SharedLight>,
    mut message: ResMut<Message>,
) {
    for (entity, document, mut asked, mut terrain, status, views, links, is_drawn, is_repainted, pace) in
        &mut documents
    {
        let (view, stack, instead, since) = views;
        if let Some(instead) = instead {
            if instead.is_changed() {
                *terrain = instead.0.clone();
                asked.instead = true;
                commands.entity(entity).try_remove::<TerrainSkin>();
            }
            continue;
        }
        let revision = document.revision();
        let mut wanted = match stack {
            Some(stack) => stack.seen(&revision.recipe),
            None => std::borrow::Cow::Borrowed(&*revision.recipe),
        };
        if let Some(light) = links.and_then(|links| shared.on(entity, links)) {
            light.fall_on(wanted.to_mut());
        }
        let solo = stack.and_then(|stack| stack.solo_in(&revision.recipe));
        let ground = (revision.ground, solo);
        let same_heights = !asked.instead && ground == asked.ground;
        let same_objects = same_objects(&wanted, &asked.recipe);
        let texture = match view {
            Some(view) => view.seen(&wanted.texture),
            None => wanted.texture.clone(),
        };
        let shows_preview = !asked.full && !asked.instead;
        if same_heights && same_objects && texture == asked.recipe.texture {
            let is_held = buttons.pressed(MouseButton::Left);
            if asked.grow_while_resting(status, is_held, time.delta_secs()) {
                *terrain = asked.shown(&cache.0);
            }
            continue;
        }
        // While the user keeps moving a slider, a small preview that is being made is finished, so that
        // something is seen. The request stays as it is, so that the next frame picks up the rest of the
        // change. A preview that takes too long is abandoned.
        let is_first = asked.preview <= pace.first_preview() && since.0.elapsed_secs() < WAITED_FOR;
        if shows_preview && is_first && matches!(status, TerrainStatus::Building { .. }) {
            continue;
        }
        let fade_before = asked.recipe.fade();
        let layers = fade_before.layers();
        (asked.recipe, asked.ground) = (wanted.into_owned(), ground);
        asked.recipe.texture = texture;
        asked.instead = false;
        asked.rested = 0.0;
        // A failed repaint leaves the heights valid.
        let heights_are_right = is_drawn && (*status == TerrainStatus::Ready || is_repainted);
        // Layers that the new texture needs in addition require a new build.
        let has_layers = asked.recipe.fade().layers().iter().all(|name| layers.contains(name));
        let is_built = same_heights && asked.full && heights_are_right;
        if is_built && same_objects && has_layers {
            let Recipe { texture, seed, .. } = &asked.recipe;
            commands.entity(entity).try_insert(TerrainSkin { skin: texture.clone(), seed: *seed });
            continue;
        }
        if let Some(reason) = asked.choose_size(is_built, pace, &cache.0) {
            message.report(format!("{}: {reason}; the full size is being built", asked.recipe.name));
        }
        *terrain = asked.shown(&cache.0);
        commands.entity(entity).try_remove::<TerrainSkin>();
    }
}

/// Seconds between checks of the files on disk.
const LOOK: f32 = 0.5;

/// Rereads a recipe's file if it has changed on disk and nothing has been changed here. An error in the file
/// is reported, and the landscape stays.
fn reload(
    mut documents: Query<&mut Document>,
    mut since: Local<f32>,
    time: Res<Time>,
    mut message: ResMut<Message>,
) {
    *since += time.delta_secs();
    if *since < LOOK {
        return;
    }
    *since = 0.0;
    for mut document in &mut documents {
        let reread = document.bypass_change_detection().reread();
        let name = || document.path().map(|path| path.display().to_string()).unwrap_or_default();
        match reread {
            None => {}
            Some(Ok(Reread::Shown)) => {
                message.report(format!("{} has changed on disk and was reloaded", name()));
                document.set_changed();
            }
            Some(Ok(Reread::Kept)) => message.report(format!(
                "{} has changed on disk; your changes here stay, and saving will ask",
                name()
            )),
            Some(Err(error)) => message.error(error.to_string()),
        }
    }
}

/// Gives each sky the sun and the weather of its document, and the haze and shadows that suit the extent of
/// its present land, because the view may have been opened with another land.
fn fit_skies(
    documents: Query<(&Document, Option<&Links>)>,
    shared: Res<SharedLight>,
    mut skies: Query<(&SkyOf, &mut Sky, &mut CloudBase)>,
) {
    for (SkyOf(entity), mut sky, mut base) in &mut skies {
        let Ok((document, links)) = documents.get(*entity) else { continue };
        let light = links.and_then(|links| shared.on(*entity, links));
        let sun = light.and_then(|light| light.sun()).unwrap_or(document.recipe.sun);
        let fitted = sky.bypass_change_detection();
        let is_moved = std::mem::replace(&mut fitted.sun, sun) != sun;
        if scene::fit_sky(fitted, &mut base, &document.recipe) || is_moved {
            sky.set_changed();
        }
    }
}

fn report_build_notes(
    ready: On<TerrainReady>,
    grounds: Query<&TerrainGround>,
    mut failures: Query<&mut Failure>,
    mut message: ResMut<Message>,
) {
    forget_failure(&mut failures, ready.entity);
    if let Ok(ground) = grounds.get(ready.entity) {
        report_notes(&ground.landscape.notes, &mut message);
    }
}

fn report_repaint_notes(
    painted: On<TerrainRepainted>,
    mut failures: Query<&mut Failure>,
    mut message: ResMut<Message>,
) {
    forget_failure(&mut failures, painted.entity);
    report_notes(&painted.notes, &mut message);
}

fn forget_failure(failures: &mut Query<&mut Failure>, land: Entity) {
    if let Ok(mut failure) = failures.get_mut(land) {
        failure.0.clear();
    }
}

fn report_notes(notes: &[String], message: &mut Message) {
    if !notes.is_empty() {
        message.report(notes.join("\n"));
    }
}

/// Shows the failure in the land's own view, because others next to it continue, and may fail too.
fn report_failure(failed: On<TerrainFailed>, mut documents: Query<(&Document, &mut Failure)>) {
    if let Ok((document, mut failure)) = documents.get_mut(failed.entity) {
        failure.0 = shown(document.unread().unwrap_or(&failed.error)).into_owned();
        error!("{}: {}", document.recipe.name, failure.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::TerrainSource;
    use crate::{Grid, Heightfield, Landscape, StageTime};
    use std::time::Duration;

    fn app(recipe: &Recipe) -> (App, Entity) {
        let mut app = App::new();
        app.add_plugins(RebuildPlugin)
            .init_resource::<ButtonInput<MouseButton>>()
            .init_resource::<Message>()
            .init_resource::<TerrainCache>()
            .init_resource::<Time>();
        let document = Document::new(recipe.clone(), None);
        let asked = BuildRequest::full(&document);
        let terrain = app.world_mut().spawn((document, asked, Terrain::from(recipe.clone()))).id();
        (app, terrain)
    }

    /// The size of the land that the terrain was requested to show.
    fn asked_size(app: &App, terrain: Entity) -> usize {
        match &app.world().get::<Terrain>(terrain).unwrap().source {
            TerrainSource::Recipe { recipe, .. } => recipe.size.0.max(recipe.size.1) as usize,
            source => panic!("{source:?}"),
        }
    }

    fn pass(app: &mut App, seconds: f32) {
        app.world_mut().resource_mut::<Time>().advance_by(Duration::from_secs_f32(seconds));
        app.update();
    }

    /// Land with this many series of grains, which can only be built as a whole.
    fn piled(series: u32) -> Recipe {
        let mut recipe = Recipe::new("Piled", (600, 300), 1.0);
        recipe.steps.push(crate::Step::from_name("deposition").unwrap());
        recipe.set("steps.0.series", &series.to_string()).unwrap();
        recipe.set("steps.0.drops", "10000000").unwrap();
        recipe
    }

    #[test]
    fn a_preview_that_would_take_long_is_left_out_and_reported_once() {
        let (mut app, terrain) = app(&piled(1));
        pass(&mut app, 1.0);
        for series in [900, 901] {
            app.world_mut().get_mut::<Document>(terrain).unwrap().recipe = piled(series);
            pass(&mut app, 0.1);
            assert_eq!(asked_size(&app, terrain), 600, "no smaller one would be ready sooner");
            let said = std::mem::take(&mut app.world_mut().resource_mut::<Message>().text);
            assert_eq!(said.contains("its preview is left out"), series == 900, "{said}");
        }
    }

    #[test]
    fn a_preview_that_has_taken_long_is_not_waited_for() {
        let mut recipe = Recipe::new("Land", (600, 300), 1.0);
        recipe.steps.push(crate::Step::from_name("erode").unwrap());
        let (mut app, terrain) = app(&recipe);
        pass(&mut app, 1.0);
        let change = |app: &mut App, seed: u64, seconds: f32| {
            app.world_mut().resource_mut::<ButtonInput<MouseButton>>().press(MouseButton::Left);
            app.world_mut().get_mut::<Document>(terrain).unwrap().recipe.seed = seed;
            pass(app, seconds);
            match &app.world().get::<Terrain>(terrain).unwrap().source {
                TerrainSource::Recipe { recipe, .. } => recipe.seed,
                source => panic!("{source:?}"),
            }
        };
        assert_eq!(change(&mut app, 1, 0.1), 1);
        *app.world_mut().get_mut::<TerrainStatus>(terrain).unwrap() =
            TerrainStatus::Building { stage: String::new(), fraction: 0.0 };
        assert_eq!(change(&mut app, 2, 0.1), 1, "the preview that is being made is finished first");
        pass(&mut app, 3.0);
        assert_eq!(change(&mut app, 3, 0.1), 3, "but not for ever");
    }

    #[test]
    fn other_rules_of_plants_are_followed_without_a_preview() {
        let mut recipe = Recipe::new("Land", (600, 300), 1.0);
        recipe.steps.push(crate::Step::from_name("erode").unwrap());
        let (mut app, terrain) = app(&recipe);
        pass(&mut app, 1.0);
        let shown = |app: &App| match &app.world().get::<Terrain>(terrain).unwrap().source {
            TerrainSource::Recipe { recipe, .. } => (**recipe).clone(),
            source => panic!("{source:?}"),
        };
        // The ground is there, as after a build.
        let ground = TerrainGround::bare(Heightfield::flat(Grid::new(9, 9, 1.0).unwrap(), 0.0));
        app.world_mut().entity_mut(terrain).insert((ground, TerrainStatus::Ready));
        let rule = recipe.new_rule(Some((0.0, 100.0)));
        let edits: [&dyn Fn(&mut Recipe); 4] = [
            &|recipe| recipe.scatter.push(rule.clone()),
            &|recipe| recipe.scatter[0].density *= 2.0,
            &|recipe| recipe.bare = true,
            &|recipe| recipe.scatter.clear(),
        ];
        for edit in edits {
            edit(&mut recipe);
            edit(&mut app.world_mut().get_mut::<Document>(terrain).unwrap().recipe);
            pass(&mut app, 0.1);
            let shown = shown(&app);
            assert_eq!((&shown.scatter, shown.bare), (&recipe.scatter, recipe.bare));
            assert_eq!(shown.size, (600, 300));
            *app.world_mut().get_mut::<TerrainStatus>(terrain).unwrap() = TerrainStatus::Ready;
        }
    }

    #[test]
    fn a_change_shows_a_preview_immediately_and_the_full_size_after_a_pause() {
        let mut recipe = Recipe::new("Land", (600, 300), 1.0);
        recipe.texture = crate::Skin::Arid;
        // Erosion needs all of the land.
        recipe.steps.push(crate::Step::from_name("erode").unwrap());
        let (mut app, terrain) = app(&recipe);
        pass(&mut app, 1.0);
        assert_eq!(asked_size(&app, terrain), 600);

        app.world_mut().get_mut::<Document>(terrain).unwrap().recipe.seed = 9;
        app.world_mut().resource_mut::<ButtonInput<MouseButton>>().press(MouseButton::Left);
        pass(&mut app, 0.1);
        assert_eq!(asked_size(&app, terrain), 33);
        pass(&mut app, 5.0);
        assert_eq!(asked_size(&app, terrain), 33, "the slider is still held, and nothing is ready yet");
        for side in [65, 129, 257, 257] {
            app.world_mut().entity_mut(terrain).insert(TerrainStatus::Ready);
            pass(&mut app, 0.1);
            assert_eq!(asked_size(&app, terrain), side, "a finer preview follows");
        }

        app.world_mut().resource_mut::<ButtonInput<MouseButton>>().release(MouseButton::Left);
        pass(&mut app, REST + 0.1);
        assert_eq!(asked_size(&app, terrain), 600);
        assert!(app.world_mut().get_mut::<Document>(terrain).unwrap().undo());
    }

    /// The number of states in the history, including the one that was opened.
    fn steps_of_history(app: &App, terrain: Entity) -> usize {
        app.world().get::<Document>(terrain).unwrap().history().0.len()
    }

    #[test]
    fn a_typed_word_is_one_step_of_the_history() {
        let (mut app, terrain) = app(&Recipe::new("Land", (9, 9), 1.0));
        // The name does not affect the build.
        pass(&mut app, 9.0);
        for word in ["Low hills", "High hills"] {
            for end in 1..=word.len() {
                app.world_mut().get_mut::<Document>(terrain).unwrap().recipe.name = word[..end].into();
                pass(&mut app, 0.1);
            }
            pass(&mut app, REST + 0.1);
        }
        let document = app.world().get::<Document>(terrain).unwrap();
        assert!(document.is_settled());
        assert_eq!(steps_of_history(&app, terrain), 3, "{:?}", document.history());
        let mut document = app.world_mut().get_mut::<Document>(terrain).unwrap();
        assert!(document.undo() && document.recipe.name == "Low hills");
        assert!(document.undo() && document.recipe.name == "Land");
    }

    #[test]
    fn a_change_while_something_else_is_shown_becomes_a_step_of_the_history() {
        let (mut app, terrain) = app(&Recipe::new("Land", (9, 9), 1.0));
        let instead = TerrainOverride(Terrain::from(Recipe::new("Other", (5, 5), 1.0)));
        app.world_mut().entity_mut(terrain).insert(instead);
        pass(&mut app, 1.0);
        for (seed, steps) in [(1, 2), (2, 3)] {
            app.world_mut().get_mut::<Document>(terrain).unwrap().recipe.seed = seed;
            pass(&mut app, 0.1);
            pass(&mut app, REST + 0.1);
            assert_eq!(steps_of_history(&app, terrain), steps);
        }
        assert_eq!(asked_size(&app, terrain), 5);
    }

    #[test]
    fn small_land_is_seen_in_full_while_the_slider_is_held() {
        let mut recipe = Recipe::new("Land", (100, 60), 1.0);
        recipe.steps.push(crate::Step::from_name("erode").unwrap());
        let (mut app, terrain) = app(&recipe);
        pass(&mut app, 1.0);
        app.world_mut().get_mut::<Document>(terrain).unwrap().recipe.seed = 9;
        app.world_mut().resource_mut::<ButtonInput<MouseButton>>().press(MouseButton::Left);
        pass(&mut app, 0.1);
        for side in [33, 65, 100, 100] {
            assert_eq!(asked_size(&app, terrain), side);
            app.world_mut().entity_mut(terrain).insert(TerrainStatus::Ready);
            pass(&mut app, 0.1);
        }
    }

    #[test]
    fn a_moving_slider_shows_previews_as_large_as_are_soon_ready() {
        let mut recipe = Recipe::new("Land", (600, 600), 1.0);
        recipe.steps.push(crate::Step::from_name("erode").unwrap());
        let (mut app, terrain) = app(&recipe);
        app.world_mut().resource_mut::<ButtonInput<MouseButton>>().press(MouseButton::Left);
        let turn = |app: &mut App, seed| {
            app.world_mut().get_mut::<Document>(terrain).unwrap().recipe.seed = seed;
            pass(app, 0.01);
        };
        let seed = |app: &App| match &app.world().get::<Terrain>(terrain).unwrap().source {
            TerrainSource::Recipe { recipe, .. } => recipe.seed,
            source => panic!("{source:?}"),
        };
        let build = |app: &mut App| {
            let status = TerrainStatus::Building { stage: "erode".into(), fraction: 0.0 };
            app.world_mut().entity_mut(terrain).insert(status);
        };
        let made = |app: &mut App, seconds| {
            let mut ground = TerrainGround::bare(Heightfield::flat(Grid::new(9, 9, 1.0).unwrap(), 0.0));
            let mut landscape = Landscape::clone(&ground.landscape);
            landscape.stages = vec![StageTime { name: "erode".into(), seconds }];
            ground.landscape = landscape.into();
            app.world_mut().entity_mut(terrain).insert((ground, TerrainStatus::Ready));
        };

        turn(&mut app, 1);
        build(&mut app);
        turn(&mut app, 2);
        assert_eq!((seed(&app), asked_size(&app, terrain)), (1, 33), "the first preview is finished");
        made(&mut app, 0.0003);
        turn(&mut app, 3);
        assert_eq!((seed(&app), asked_size(&app, terrain)), (3, 129), "33² took a third of a millisecond");

        build(&mut app);
        pass(&mut app, 2.0);
        made(&mut app, 2.0);
        turn(&mut app, 4);
        assert_eq!((seed(&app), asked_size(&app, terrain)), (4, 33), "129² took two seconds");
    }

    #[test]
    fn land_whose_tiles_can_be_made_immediately_has_no_preview() {
        let mut recipe = Recipe::new("Land", (600, 300), 1.0);
        recipe.steps.push(crate::Step::from_name("fbm").unwrap());
        let (mut app, terrain) = app(&recipe);
        pass(&mut app, 1.0);
        let before = app.world().entity(terrain).get_ref::<Terrain>().unwrap().last_changed();
        app.world_mut().get_mut::<Document>(terrain).unwrap().recipe.seed = 9;
        pass(&mut app, 0.1);
        assert_eq!(asked_size(&app, terrain), 600);
        let asked = app.world().entity(terrain).get_ref::<Terrain>().unwrap().last_changed();
        assert_ne!(asked, before);
        pass(&mut app, 5.0);
        let now = app.world().entity(terrain).get_ref::<Terrain>().unwrap().last_changed();
        assert_eq!(now, asked, "it is built once");
    }

    #[test]
    fn moving_the_sun_and_changing_the_weather_build_nothing() {
        let recipe = Recipe::new("Land", (9, 9), 1.0);
        let (mut app, terrain) = app(&recipe);
        let sky = app.world_mut().spawn((Sky::default(), SkyOf(terrain))).id();
        pass(&mut app, 0.1);
        let before = app.world().entity(terrain).get_ref::<Terrain>().unwrap().last_changed();
        let mut document = app.world_mut().get_mut::<Document>(terrain).unwrap();
        (document.recipe.sun.elevation, document.recipe.weather.clouds) = (3.0, 0.4);
        pass(&mut app, 0.1);
        assert_eq!(app.world().entity(terrain).get_ref::<Terrain>().unwrap().last_changed(), before);
        let sky = app.world().get::<Sky>(sky).unwrap();
        assert_eq!((sky.sun.elevation, sky.low_clouds), (3.0, 0.4));
    }

    #[test]
    fn haze_does_not_depend_on_what_was_open_before() {
        let (mut app, terrain) = app(&Recipe::new("Small", (9, 9), 1.0));
        let large = Recipe::new("Large", (1025, 1025), 30.0);
        // The sky of a view that opens with the large land.
        let fresh = app.world_mut().spawn(scene::sky(&large, 1, crate::plugin::Quality::High)).id();
        let expected = app.world().get::<Sky>(fresh).unwrap().clone();
        let sky = app.world_mut().spawn((Sky::default(), SkyOf(terrain))).id();
        let air = |app: &App| {
            let sky = app.world().get::<Sky>(sky).unwrap();
            (sky.visibility, sky.shadow_distance)
        };
        pass(&mut app, 0.1);
        assert_ne!(air(&app), (expected.visibility, expected.shadow_distance));
        app.world_mut().get_mut::<Document>(terrain).unwrap().show(large, None);
        pass(&mut app, 0.1);
        assert_eq!(air(&app), (expected.visibility, expected.shadow_distance));
        let changed = |app: &App| app.world().entity(sky).get_ref::<Sky>().unwrap().last_changed();
        let before = changed(&app);
        pass(&mut app, 0.1);
        assert_eq!(changed(&app), before, "correct settings stay unchanged");
    }

    #[test]
    fn a_recipe_follows_its_file_and_survives_its_mistakes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("land.ron");
        let text =
            |seed| format!("(version: 1, name: \"Land\", seed: {seed}, size: (9, 9), cell: 1, steps: [])");
        // Times of files are coarse, so each write sets its own.
        let write = |text: String, second| {
            std::fs::write(&path, text).unwrap();
            let file = std::fs::File::options().write(true).open(&path).unwrap();
            file.set_modified(std::time::UNIX_EPOCH + Duration::from_secs(second)).unwrap();
        };
        write(text(1), 1);
        let recipe = Recipe::read(&path).unwrap();
        let (mut app, terrain) = app(&recipe);
        *app.world_mut().get_mut::<Document>(terrain).unwrap() = Document::new(recipe, Some(path.clone()));
        let seed = |app: &App| app.world().get::<Document>(terrain).unwrap().recipe.seed;

        write(text(2), 2);
        pass(&mut app, 1.0);
        assert_eq!(seed(&app), 2);

        write("(version: 1, name: oops".into(), 3);
        pass(&mut app, 1.0);
        assert_eq!(seed(&app), 2);
        let message = app.world().resource::<Message>();
        assert!(message.is_error && message.text.contains("land.ron:1:"), "{}", message.text);

        // Edits made here are not discarded.
        app.world_mut().get_mut::<Document>(terrain).unwrap().recipe.seed = 77;
        write(text(4), 4);
        pass(&mut app, 1.0);
        assert_eq!(seed(&app), 77);
    }
}

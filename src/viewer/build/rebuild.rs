//! Keeps terrains in step with their recipes. Where tiles can be made at once, the full size is shown at once, coarse
//! tiles before fine ones; otherwise previews, the first as small as it must be to follow a hand on a slider, then larger
//! ones, and the full size after a pause in editing. If only the texture changes, the land is only repainted.

use bevy::prelude::*;
use bevy::time::Stopwatch;
use bevy_egui::EguiPostUpdateSet;

use super::step_stack::{self, StackView};
use super::terrain_override::{Instead, RebuildSystems, is_made_at_once, same_objects};
use crate::plugin::{
    Sky, Terrain, TerrainCache, TerrainFailed, TerrainGround, TerrainReady, TerrainRepainted, TerrainSkin,
    TerrainStatus, TerrainSystems,
};
use crate::render::scene;
use crate::render::texture_view::TextureView;
use crate::shown::shown;
use crate::viewer::document::history::{Unsettled, settle};
use crate::viewer::document::links::{Links, SharedLight, share_light};
use crate::viewer::document::revision::{GroundRevision, count_revisions};
use crate::viewer::document::{Document, Reread};
use crate::viewer::session::status_message::Message;
use crate::viewer::session::{Number, SkyOf};
use crate::{Cache, Recipe};

/// Samples along the longer side of previews.
const PREVIEWS: [u32; 4] = [33, 65, 129, 257];
/// Seconds that the heights of the first preview after a change may take, to be drawn in the next frame or the one after it:
/// colours and tiles are made after them.
const PREVIEW_SECONDS: f32 = 0.005;
/// Seconds of one processor core that a preview may take by the land's estimate. If even the smallest takes
/// longer, there is no preview, and the land itself is started immediately.
const PREVIEW_AT_MOST: f64 = 4.0;
/// Seconds after which a preview that is still being made is cancelled when another change comes.
const WAITED_FOR: f32 = 2.0;
/// Seconds without a change after which the full size is built.
const REST: f32 = 0.35;

/// Rebuilds what was edited.
pub(crate) struct RebuildPlugin;

impl Plugin for RebuildPlugin {
    fn build(&self, app: &mut App) {
        app.register_required_components::<Document, Failure>()
            .register_required_components::<Document, Unsettled>();
        app.init_resource::<SharedLight>()
            // What the panels have changed in this frame is begun in it, so that a preview can be there in the next.
            .configure_sets(
                PostUpdate,
                RebuildSystems.after(EguiPostUpdateSet::EndPass).before(TerrainSystems::Build),
            )
            .add_systems(
                PostUpdate,
                (
                    (reload, count_revisions, share_light, learn_pace).chain(),
                    (step_stack::follow, settle, rebuild, fit_skies, watch).chain(),
                )
                    .chain()
                    .in_set(RebuildSystems),
            )
            .add_observer(say_failure)
            .add_observer(say_notes_of_build)
            .add_observer(say_notes_of_paint);
    }
}

/// What a terrain was last asked to show, and for how long.
#[derive(Component)]
#[require(BuildTime, Pace)]
pub(crate) struct Asked {
    /// With the texture as it is seen.
    recipe: Recipe,
    /// Which ground that is, and the step that is shown alone.
    ground: (GroundRevision, Option<usize>),
    rested: f32,
    full: bool,
    /// Which of the previews it was asked to show, if it is not the full size.
    preview: usize,
    /// Whether it was asked to show something else than a recipe.
    instead: bool,
    /// Whether the user has been informed that previews are left out.
    left_out: bool,
}

/// How long previews of a terrain take, seconds for each sample; `None` before the first.
#[derive(Component, Default)]
pub(crate) struct Pace(Option<f32>);

impl Pace {
    /// The largest preview that is soon there; the smallest while nothing is known, as larger ones follow.
    fn first_preview(&self) -> usize {
        let Some(pace) = self.0 else { return 0 };
        let is_soon = |side: &u32| (side * side) as f32 * pace <= PREVIEW_SECONDS;
        PREVIEWS.iter().rposition(is_soon).unwrap_or(0)
    }

    /// A preview of this many samples along the longer side took so many seconds. Larger ones take less for each sample,
    /// so what was known before counts, too.
    fn took(&mut self, side: u32, seconds: f32) {
        let now = seconds / (side * side) as f32;
        self.0 = Some(self.0.map_or(now, |before| 0.5 * (before + now)));
    }
}

/// Why a document's file could not be read, or its land not be built: shown in its view until it is built again, or the user closes it. Empty if
/// nothing failed.
#[derive(Component, Default)]
pub(crate) struct Failure(pub String);

impl Asked {
    /// A terrain that shows the land of `document` at full size.
    pub fn full(document: &Document) -> Self {
        let (recipe, ground) = (document.recipe.clone(), (document.revision().ground, None));
        Self { recipe, ground, rested: 0.0, full: true, preview: 0, instead: false, left_out: false }
    }

    /// The reason for no preview with this many samples along the longer side, if it would take too long.
    fn too_long(&self, side: u32) -> Option<String> {
        let estimate = self.recipe.with_longer_side(side).estimate();
        estimate.left_out("its preview", PREVIEW_AT_MOST)
    }

    /// The terrain that it is to show.
    fn shown(&self, cache: &Cache) -> Terrain {
        let shown = match self.full {
            true => self.recipe.clone(),
            false => self.recipe.preview(PREVIEWS[self.preview]),
        };
        Terrain::from_recipe(shown, cache)
    }
}

/// How long a terrain has been building.
#[derive(Component, Default)]
pub(crate) struct BuildTime(pub Stopwatch);

/// Learns from previews that have just been made. Frames do not count: they are longer than small previews take.
fn learn_pace(mut terrains: Query<(&Asked, &TerrainGround, &mut Pace, Ref<TerrainStatus>)>) {
    for (asked, ground, mut pace, status) in &mut terrains {
        if !asked.full && status.is_changed() && *status == TerrainStatus::Ready {
            let seconds = ground.landscape.stages.iter().map(|stage| stage.seconds).sum();
            pace.took(PREVIEWS[asked.preview], seconds);
        }
    }
}

fn watch(
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
        &mut Asked,
        &mut Terrain,
        &TerrainStatus,
        (Option<&TextureView>, Option<&StackView>, Option<Ref<Instead>>, &BuildTime),
        Option<(&Number, &Links)>,
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
    for (entity, document, mut asked, mut terrain, status, views, linked, is_drawn, is_repainted, pace) in
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
        if let Some(light) = linked.and_then(|(number, links)| shared.on(*number, links)) {
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
            // A larger preview follows while the hand rests, be it on the slider; of small land all of it.
            if let Some(side) = PREVIEWS.get(asked.preview + 1)
                && shows_preview
                && *status == TerrainStatus::Ready
                && asked.too_long(*side).is_none()
            {
                asked.preview += 1;
                asked.full = asked.recipe.size.0.max(asked.recipe.size.1) <= *side;
                *terrain = asked.shown(&cache.0);
            }
            if buttons.pressed(MouseButton::Left) {
                asked.rested = 0.0;
                continue;
            }
            asked.rested += time.delta_secs();
            if asked.rested >= REST && !asked.full {
                asked.full = true;
                *terrain = asked.shown(&cache.0);
            }
            continue;
        }
        // A hand that moves on and on should see something: a small preview that is being made is finished.
        // What it was asked to show stays, so that the rest of the change is seen in the frame after. One
        // that takes long is given up.
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
        // After a failed repaint the heights are still right.
        let heights_are_right = is_drawn && (*status == TerrainStatus::Ready || is_repainted);
        // Newly requested layers need a new build.
        let has_layers = asked.recipe.fade().layers().iter().all(|name| layers.contains(name));
        let is_built = same_heights && asked.full && heights_are_right;
        if is_built && same_objects && has_layers {
            let Recipe { texture, seed, .. } = &asked.recipe;
            commands.entity(entity).try_insert(TerrainSkin { skin: texture.clone(), seed: *seed });
            continue;
        }
        let (width, depth) = asked.recipe.size;
        asked.preview = pace.first_preview();
        let side = PREVIEWS[asked.preview];
        // What is drawn stays until objects of other rules have been placed on it: a preview would replace
        // ground that doesn't change.
        asked.full = is_built || width.max(depth) <= side || is_made_at_once(&asked.recipe, &cache.0);
        let mut left_out = None;
        if !asked.full && asked.too_long(side).is_some() {
            asked.preview = 0;
            left_out = asked.too_long(PREVIEWS[0]);
            asked.full = left_out.is_some();
        }
        if let Some(reason) = left_out.as_ref().filter(|_| !asked.left_out) {
            message.tell(format!("{}: {reason}; all of it is being built", asked.recipe.name));
        }
        asked.left_out = left_out.is_some();
        *terrain = asked.shown(&cache.0);
        commands.entity(entity).try_remove::<TerrainSkin>();
    }
}

/// Seconds between checks of the files on disk.
const LOOK: f32 = 0.5;

/// Rereads a recipe's file that has changed on disk but not in the panel. An error in it is reported, and
/// the landscape stays.
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
                message.tell(format!("{} has changed; shown as it is now", name()));
                document.set_changed();
            }
            Some(Ok(Reread::Kept)) => message.tell(format!(
                "{} has changed on the disk; what you changed here stays, and saving will ask",
                name()
            )),
            Some(Err(error)) => message.error(error.to_string()),
        }
    }
}

/// Gives each sky the sun of its document, and the haze and shadows that suit the extent of the land that is
/// open there now: the view may have been opened with another land.
fn fit_skies(
    documents: Query<(&Document, Option<(&Number, &Links)>)>,
    shared: Res<SharedLight>,
    mut skies: Query<(&SkyOf, &mut Sky)>,
) {
    for (SkyOf(entity), mut sky) in &mut skies {
        let Ok((document, linked)) = documents.get(*entity) else { continue };
        let light = linked.and_then(|(number, links)| shared.on(*number, links));
        let sun = light.and_then(|light| light.sun()).unwrap_or(document.recipe.sun);
        let fitted = sky.bypass_change_detection();
        let is_moved = std::mem::replace(&mut fitted.sun, sun) != sun;
        if scene::fit_sky(fitted, &document.recipe) || is_moved {
            sky.set_changed();
        }
    }
}

fn say_notes_of_build(
    ready: On<TerrainReady>,
    grounds: Query<&TerrainGround>,
    mut failures: Query<&mut Failure>,
    mut message: ResMut<Message>,
) {
    forget_failure(&mut failures, ready.entity);
    if let Ok(ground) = grounds.get(ready.entity) {
        say_notes(&ground.landscape.notes, &mut message);
    }
}

fn say_notes_of_paint(
    painted: On<TerrainRepainted>,
    mut failures: Query<&mut Failure>,
    mut message: ResMut<Message>,
) {
    forget_failure(&mut failures, painted.entity);
    say_notes(&painted.notes, &mut message);
}

fn forget_failure(failures: &mut Query<&mut Failure>, land: Entity) {
    if let Ok(mut failure) = failures.get_mut(land) {
        failure.0.clear();
    }
}

fn say_notes(notes: &[String], message: &mut Message) {
    if !notes.is_empty() {
        message.tell(notes.join("\n"));
    }
}

/// Says it where the land would be seen: others beside it go on, and may fail, too.
fn say_failure(failed: On<TerrainFailed>, mut documents: Query<(&Document, &mut Failure)>) {
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
        let asked = Asked::full(&document);
        let terrain = app.world_mut().spawn((document, asked, Terrain::from(recipe.clone()))).id();
        (app, terrain)
    }

    /// The size of the land that the terrain is asked to be.
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

    /// Land that must be known as a whole, with this many grains.
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
        assert_eq!(change(&mut app, 2, 0.1), 1, "the one that is being made is finished first");
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
    fn a_change_shows_a_preview_at_once_and_the_whole_when_the_hand_rests() {
        let mut recipe = Recipe::new("Land", (600, 300), 1.0);
        recipe.texture = crate::Skin::Arid;
        // It must know all of the land.
        recipe.steps.push(crate::Step::from_name("erode").unwrap());
        let (mut app, terrain) = app(&recipe);
        pass(&mut app, 1.0);
        assert_eq!(asked_size(&app, terrain), 600);

        app.world_mut().get_mut::<Document>(terrain).unwrap().recipe.seed = 9;
        app.world_mut().resource_mut::<ButtonInput<MouseButton>>().press(MouseButton::Left);
        pass(&mut app, 0.1);
        assert_eq!(asked_size(&app, terrain), 33);
        pass(&mut app, 5.0);
        assert_eq!(
            asked_size(&app, terrain),
            33,
            "the hand is still on the slider, and nothing is there yet"
        );
        for side in [65, 129, 257, 257] {
            app.world_mut().entity_mut(terrain).insert(TerrainStatus::Ready);
            pass(&mut app, 0.1);
            assert_eq!(asked_size(&app, terrain), side, "what is there is followed by what is finer");
        }

        app.world_mut().resource_mut::<ButtonInput<MouseButton>>().release(MouseButton::Left);
        pass(&mut app, REST + 0.1);
        assert_eq!(asked_size(&app, terrain), 600);
        assert!(app.world_mut().get_mut::<Document>(terrain).unwrap().undo());
    }

    /// How many steps the history has, the state that was opened among them.
    fn steps_of_history(app: &App, terrain: Entity) -> usize {
        app.world().get::<Document>(terrain).unwrap().history().0.len()
    }

    #[test]
    fn a_word_that_is_written_is_one_step_of_the_history() {
        let (mut app, terrain) = app(&Recipe::new("Land", (9, 9), 1.0));
        // Nothing that is built depends on the name.
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
    fn what_is_changed_while_something_else_is_shown_becomes_a_step_of_the_history() {
        let (mut app, terrain) = app(&Recipe::new("Land", (9, 9), 1.0));
        let instead = Instead(Terrain::from(Recipe::new("Other", (5, 5), 1.0)));
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
    fn of_small_land_all_is_seen_while_the_slider_is_held() {
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
    fn a_hand_that_moves_on_sees_previews_as_large_as_are_soon_there() {
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
        assert_eq!((seed(&app), asked_size(&app, terrain)), (1, 33), "it is made to its end");
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
    fn land_whose_tiles_can_be_made_at_once_has_no_preview() {
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
    fn moving_the_sun_builds_nothing() {
        let recipe = Recipe::new("Land", (9, 9), 1.0);
        let (mut app, terrain) = app(&recipe);
        let sky = app.world_mut().spawn((Sky::default(), SkyOf(terrain))).id();
        pass(&mut app, 0.1);
        let before = app.world().entity(terrain).get_ref::<Terrain>().unwrap().last_changed();
        app.world_mut().get_mut::<Document>(terrain).unwrap().recipe.sun.elevation = 3.0;
        pass(&mut app, 0.1);
        assert_eq!(app.world().entity(terrain).get_ref::<Terrain>().unwrap().last_changed(), before);
        assert_eq!(app.world().get::<Sky>(sky).unwrap().sun.elevation, 3.0);
    }

    #[test]
    fn the_same_land_has_the_same_haze_whatever_was_open_before() {
        let (mut app, terrain) = app(&Recipe::new("Small", (9, 9), 1.0));
        let large = Recipe::new("Large", (1025, 1025), 30.0);
        // As a view that begins with the large land has it.
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
        // Times of files are coarse, so each writing gets its own.
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

        // What was edited here is not thrown away.
        app.world_mut().get_mut::<Document>(terrain).unwrap().recipe.seed = 77;
        write(text(4), 4);
        pass(&mut app, 1.0);
        assert_eq!(seed(&app), 77);
    }
}

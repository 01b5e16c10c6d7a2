//! Plays a recording of the build on the land itself, frame by frame.

use std::sync::Arc;

use bevy::prelude::*;
use bevy_egui::egui;

use super::frame_diff::FrameChange;
use super::terrain_override::TerrainOverride;
use crate::compute::work::Work;
use crate::error::Result;
use crate::plugin::{Terrain, TerrainStatus};
use crate::viewer::document::Document;
use crate::viewer::document::revision::{GroundRevision, Revision};
use crate::viewer::session::Selection;
use crate::viewer::session::derived::Derived;
use crate::{Landscape, Recipe, RecordedFrame, Recording, RecordingOptions};

/// Seconds without a change after which a changed recipe is recorded again.
const REST: f32 = 0.5;

/// Up to this speed, frames a second, each frame is shown long enough to be looked at.
const SLOW: f32 = 8.0;

/// The slowest and the fastest speed, frames a second.
pub(crate) const SPEEDS: std::ops::RangeInclusive<f32> = 0.5..=60.0;

/// The recording, and the frame that is shown.
#[derive(Resource)]
pub(crate) struct Player {
    /// Whether the land shows the recording.
    pub open: bool,
    /// Whether it is being played.
    pub is_playing: bool,
    /// Frames a second.
    pub speed: f32,
    /// Whether colours show what a frame has changed, rather than the ground.
    pub shows_changes: bool,
    /// Index of the frame that is shown.
    at: usize,
    /// Seconds since it was first shown.
    shown_for: f32,
    recording: Arc<Recording>,
    /// What a frame of it changes, if that has been requested.
    changed: Option<Changed>,
    /// Why there is no recording.
    failed: Option<String>,
    recorded: Derived<GroundRevision, Recording>,
    /// The recipe that was recorded last, or is being.
    recipe: Option<Arc<Recipe>>,
    /// The document with that, and the number of its origin.
    land: Option<(Entity, usize)>,
}

/// What a frame changes, kept until another frame is requested.
struct Changed {
    recording: Arc<Recording>,
    at: usize,
    change: FrameChange,
    picture: egui::TextureHandle,
}

impl Default for Player {
    fn default() -> Self {
        Self {
            open: false,
            is_playing: false,
            speed: 4.0,
            shows_changes: true,
            at: 0,
            shown_for: 0.0,
            recording: Arc::default(),
            changed: None,
            failed: None,
            recorded: Derived::default(),
            recipe: None,
            land: None,
        }
    }
}

impl Player {
    /// The recording that is played.
    pub fn recording(&self) -> &Recording {
        &self.recording
    }

    /// The recipe that was recorded.
    pub fn recipe(&self) -> Option<&Recipe> {
        self.recipe.as_deref()
    }

    /// Index of the frame that is shown.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The frame that is shown; `None` if there is none.
    pub fn frame(&self) -> Option<&RecordedFrame> {
        self.recording.frames().get(self.at)
    }

    /// What the shown frame changes, and a picture of that; `None` if there is no frame. It is computed once
    /// for each frame.
    pub fn change(&mut self, context: &egui::Context) -> Option<(&FrameChange, &egui::TextureHandle)> {
        let frame = self.recording.frames().get(self.at)?;
        let is_known = self
            .changed
            .as_ref()
            .is_some_and(|changed| changed.at == self.at && Arc::ptr_eq(&changed.recording, &self.recording));
        if !is_known {
            let before = self.recording.before(self.at).map(|frame| &*frame.heights);
            let change = FrameChange::between(before, &frame.heights);
            let options = egui::TextureOptions::LINEAR;
            let picture = match self.changed.take() {
                Some(Changed { mut picture, .. }) => {
                    picture.set(change.picture(), options);
                    picture
                }
                None => context.load_texture("change", change.picture(), options),
            };
            let recording = self.recording.clone();
            self.changed = Some(Changed { recording, at: self.at, change, picture });
        }
        self.changed.as_ref().map(|changed| (&changed.change, &changed.picture))
    }

    /// Why there is nothing to play.
    pub fn failed(&self) -> Option<&str> {
        self.failed.as_deref()
    }

    /// Whether the build is being recorded.
    pub fn is_recording(&self) -> bool {
        self.recorded.is_busy() || (self.recorded.requested().is_none() && self.failed.is_none())
    }

    /// Shows the frame with this index, or the last.
    pub fn go_to(&mut self, frame: usize) {
        self.at = frame.min(self.last());
        self.shown_for = 0.0;
    }

    /// Moves forwards by this number of frames, or backwards if it is negative, and stops there.
    pub fn step(&mut self, frames: isize) {
        self.is_playing = false;
        self.go_to(self.at.saturating_add_signed(frames));
    }

    /// Starts playing, from the beginning if the end has been reached; or stops.
    pub fn toggle(&mut self) {
        self.is_playing = !self.is_playing;
        if self.is_playing && self.at >= self.last() {
            self.go_to(0);
        }
    }

    /// Shows the first frame of the step after or before the one that is shown.
    pub fn skip(&mut self, forward: bool) {
        let starts = self.recording.steps().iter().map(|step| step.frames.start);
        let to = if forward {
            starts.clone().find(|start| *start > self.at).unwrap_or(self.last())
        } else {
            starts.clone().rfind(|start| *start < self.at).unwrap_or(0)
        };
        self.is_playing = false;
        self.go_to(to);
    }

    /// Drops the recording, and a job that makes another. The settings stay.
    fn drop_recording(&mut self) {
        let Self { open, speed, shows_changes, .. } = *self;
        *self = Self { open, speed, shows_changes, ..Self::default() };
    }

    fn last(&self) -> usize {
        self.recording.frames().len().saturating_sub(1)
    }

    /// Advances by this many seconds.
    fn pass(&mut self, seconds: f32) {
        if !self.is_playing {
            return;
        }
        self.shown_for += seconds;
        let frames = (self.shown_for * self.speed) as usize;
        if frames == 0 {
            return;
        }
        let left = self.shown_for - frames as f32 / self.speed;
        self.go_to(self.at + frames);
        self.shown_for = left.max(0.0);
        self.is_playing = self.at < self.last();
    }

    /// Replaces the recording. The position stays at the same share of it, because a slider may be dragged
    /// meanwhile.
    fn take_in(&mut self, outcome: Result<Recording>) {
        match outcome {
            Ok(recording) => {
                let share = self.at as f64 / self.last().max(1) as f64;
                let was_there = !self.recording.frames().is_empty();
                self.recording = Arc::new(recording);
                self.failed = self.recording.frames().is_empty().then(|| "no step is enabled".to_owned());
                self.go_to((share * self.last() as f64).round() as usize);
                self.is_playing |= !was_there;
            }
            Err(error) => {
                (self.recording, self.failed) = (Arc::default(), Some(error.to_string()));
                self.go_to(0);
            }
        }
    }
}

/// Adds the player.
pub(crate) fn add(app: &mut App) {
    app.init_resource::<Player>().add_systems(Update, (record, play, show).chain());
}

/// Records the edited landscape while the player is open, and again after it has changed. Frames of one land
/// are never shown on another.
fn record(
    mut player: ResMut<Player>,
    documents: Query<(Entity, &Document)>,
    selection: Res<Selection>,
    time: Res<Time>,
) {
    if !player.open {
        if player.recorded.requested().is_some() {
            player.drop_recording();
        }
        return;
    }
    let edited = selection.edited().and_then(|edited| documents.get(edited).ok());
    let Some((entity, document)) = edited else { return };
    let land = Some((entity, document.origin_number()));
    if player.land != land {
        if player.land.is_some() {
            player.drop_recording();
        }
        player.land = land;
    }
    if let Some(outcome) = player.recorded.take() {
        player.take_in(outcome);
    }
    let revision = document.revision();
    let has_rested = player.recorded.behind(&revision.ground, time.delta_secs()) >= REST;
    if has_rested || player.recorded.requested().is_none() {
        player.recipe = Some(revision.recipe.clone());
        let recipe = revision.recipe.clone();
        player
            .recorded
            .follow(revision.ground, true, move |_, work| recipe.record(&RecordingOptions::default(), work));
    }
}

fn play(mut player: ResMut<Player>, time: Res<Time>) {
    player.pass(time.delta_secs());
}

/// The frame that the land shows.
#[derive(Clone)]
struct ShownFrame {
    document: Entity,
    /// The recipe gives the frame its texture and its sea.
    revision: Revision,
    recording: Arc<Recording>,
    at: usize,
    look: FrameLook,
}

/// What the ground shows at a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FrameLook {
    /// Colours for what the frame changes.
    Changes,
    /// Its texture with few texels, which is soon computed.
    Sketch,
    /// Its texture. Even this has fewer texels than the land itself, which comes back when the player is
    /// closed.
    Ground,
}

impl FrameLook {
    /// What the user wants to see.
    fn looked_at(player: &Player) -> Self {
        if player.shows_changes { Self::Changes } else { Self::Ground }
    }

    /// What is shown first. A frame that the user scrubs to should appear immediately, so a sketch comes
    /// first and more detail follows. Frames that are played slowly have enough time for all detail, and a
    /// sketch before it would make the ground seem to flicker.
    fn first(player: &Player) -> Self {
        let is_slow = player.is_playing && player.speed <= SLOW;
        match Self::looked_at(player) {
            Self::Ground if !is_slow => Self::Sketch,
            looked_at => looked_at,
        }
    }

    /// Whether both show the same thing, possibly at different detail.
    fn is_like(self, other: Self) -> bool {
        (self == Self::Changes) == (other == Self::Changes)
    }
}

/// Shows the frame on the edited land, and the land itself again once the player is closed.
fn show(
    mut commands: Commands,
    player: Res<Player>,
    documents: Query<(Entity, &Document, &TerrainStatus)>,
    selection: Res<Selection>,
    mut shown: Local<Option<ShownFrame>>,
    mut is_refined: Local<bool>,
) {
    let edited = selection.edited().filter(|_| player.open && player.frame().is_some());
    let wanted = edited.and_then(|edited| documents.get(edited).ok());
    let wanted_on = wanted.as_ref().map(|(document, ..)| *document);
    if let Some(before) = shown.as_ref()
        && wanted_on != Some(before.document)
    {
        if let Ok(mut land) = commands.get_entity(before.document) {
            land.try_remove::<TerrainOverride>();
        }
        *shown = None;
    }
    let Some((document, of, status)) = wanted else { return };
    let looked_at = FrameLook::looked_at(&player);
    let is_there = shown.as_ref().filter(|shown| {
        shown.at == player.at
            && Arc::ptr_eq(&shown.recording, &player.recording)
            && shown.look.is_like(looked_at)
            && (looked_at == FrameLook::Changes || shown.revision.look == of.revision().look)
    });
    let look = match is_there {
        Some(shown) if shown.look == looked_at => return,
        // While playing fast, the next frame would replace the finer one before it is ready.
        Some(_) if player.is_playing || *status != TerrainStatus::Ready => return,
        Some(_) => looked_at,
        // If the next frame replaced one that is still being put on the land, none would ever be seen. A
        // refinement may be replaced, because its frame has already been seen.
        None if shown.is_some() && !status.is_settled() && !*is_refined => return,
        None => FrameLook::first(&player),
    };
    // This request refines a frame that has already been seen.
    *is_refined = is_there.is_some();
    let (revision, recording) = (of.revision().clone(), player.recording.clone());
    let frame = ShownFrame { document, revision, recording, at: player.at, look };
    let of_frame = frame.clone();
    commands
        .entity(document)
        .try_insert(TerrainOverride(Terrain::build(move |work| of_frame.landscape(work))));
    *shown = Some(frame);
}

impl ShownFrame {
    /// The land at this frame.
    fn landscape(&self, work: &Work) -> Result<Landscape> {
        let frames = self.recording.frames();
        let heights = &*frames[self.at.min(frames.len() - 1)].heights;
        let colour = match self.look {
            FrameLook::Changes => {
                let before = self.recording.before(self.at).map(|frame| &*frame.heights);
                FrameChange::between(before, heights).colours()
            }
            FrameLook::Sketch => self.revision.recipe.bake_sketch(heights, work)?.colour,
            FrameLook::Ground => self.revision.recipe.bake_preview(heights, work)?.colour,
        };
        let sea_level = self.revision.recipe.sea_level();
        Ok(Landscape { sea_level, ..Landscape::new(heights.clone(), colour) })
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    fn recipe() -> Recipe {
        let text = r#"(version: 1, name: "Land", seed: 3, size: (65, 65), cell: 20,
            steps: [diamond_square(wrap: false), fault(faults: 10, blend: add)])"#;
        Recipe::from_ron(text, "land.ron").unwrap()
    }

    fn player() -> Player {
        let recording = recipe().record(&RecordingOptions::default(), &Work::new());
        let mut player = Player { open: true, ..Player::default() };
        player.take_in(recording);
        player
    }

    #[test]
    fn it_plays_to_the_end_and_then_from_the_beginning() {
        let mut player = player();
        assert!(player.is_playing && player.at() == 0);
        player.speed = 10.0;
        player.pass(0.05);
        assert_eq!(player.at(), 0);
        player.pass(0.06);
        assert_eq!(player.at(), 1);
        player.pass(0.35);
        assert_eq!(player.at(), 4);
        player.pass(100.0);
        assert_eq!(player.at(), player.recording().frames().len() - 1);
        assert!(!player.is_playing);
        player.toggle();
        assert_eq!((player.at(), player.is_playing), (0, true));
        player.step(-1);
        assert_eq!((player.at(), player.is_playing), (0, false));
        player.step(3);
        assert_eq!(player.at(), 3);
    }

    #[test]
    fn skipping_goes_from_step_to_step() {
        let mut player = player();
        let second = player.recording().steps()[1].frames.start;
        player.skip(true);
        assert_eq!(player.at(), second);
        player.skip(true);
        assert_eq!(player.at(), player.recording().frames().len() - 1);
        player.skip(false);
        player.skip(false);
        assert_eq!(player.at(), 0);
    }

    #[test]
    fn a_recording_that_fails_says_why() {
        let mut player = player();
        let mut broken = recipe();
        broken.steps.push(crate::Step::from_name("import").unwrap());
        player.take_in(broken.record(&RecordingOptions::default(), &Work::new()));
        assert!(player.frame().is_none() && player.failed().is_some());
        player.step(1);
        player.toggle();
        player.pass(1.0);
        player.skip(true);
        assert_eq!(player.at(), 0);
    }

    #[test]
    fn what_a_frame_changes_is_computed_once() {
        let (mut player, context) = (player(), egui::Context::default());
        // The frame and recording that the change was computed for, and the texture.
        let found = |player: &mut Player| {
            let texture = player.change(&context).unwrap().1.id();
            let changed = player.changed.as_ref().unwrap();
            (changed.at, Arc::as_ptr(&changed.recording), texture)
        };
        let first = found(&mut player);
        assert_eq!(found(&mut player), first);
        player.step(1);
        assert_eq!(found(&mut player), (1, first.1, first.2), "another picture in the same texture");
        player.take_in(recipe().record(&RecordingOptions::default(), &Work::new()));
        player.go_to(1);
        assert_ne!(found(&mut player).1, first.1);
    }

    #[test]
    fn the_edited_land_shows_the_recording_while_the_player_is_open() {
        let mut app = App::new();
        app.init_resource::<Time>();
        add(&mut app);
        let land = app.world_mut().spawn((Document::new(recipe(), None), TerrainStatus::Ready)).id();
        app.insert_resource(Selection::editing(land));
        app.update();
        assert!(!app.world().entity(land).contains::<TerrainOverride>());
        app.world_mut().resource_mut::<Player>().open = true;
        let begun = Instant::now();
        while !app.world().entity(land).contains::<TerrainOverride>() {
            assert!(begun.elapsed() < Duration::from_secs(60));
            app.update();
        }
        app.world_mut().resource_mut::<Player>().open = false;
        app.update();
        assert!(!app.world().entity(land).contains::<TerrainOverride>());
        assert!(app.world().resource::<Player>().recording().frames().is_empty(), "its memory is freed");
    }

    #[test]
    fn another_land_does_not_show_the_recording_of_the_first() {
        let mut app = App::new();
        app.init_resource::<Time>();
        add(&mut app);
        let lands = [(), ()]
            .map(|()| app.world_mut().spawn((Document::new(recipe(), None), TerrainStatus::Ready)).id());
        app.insert_resource(Selection::editing(lands[0]));
        app.world_mut().resource_mut::<Player>().open = true;
        let wait = |app: &mut App, land: Entity| {
            let begun = Instant::now();
            while !app.world().entity(land).contains::<TerrainOverride>() {
                assert!(begun.elapsed() < Duration::from_secs(60));
                app.update();
            }
        };
        wait(&mut app, lands[0]);
        let first = app.world().resource::<Player>().recording.clone();
        *app.world_mut().resource_mut::<Selection>() = Selection::editing(lands[1]);
        app.update();
        assert!(!app.world().entity(lands[0]).contains::<TerrainOverride>());
        wait(&mut app, lands[1]);
        assert!(!Arc::ptr_eq(&app.world().resource::<Player>().recording, &first), "it has its own");
        // Another landscape is opened in the same document.
        let second = app.world().resource::<Player>().recording.clone();
        let opened = Recipe { seed: 9, ..recipe() };
        app.world_mut().get_mut::<Document>(lands[1]).unwrap().show(opened, None);
        app.update();
        assert!(!Arc::ptr_eq(&app.world().resource::<Player>().recording, &second), "it was dropped");
    }

    /// A frame of a land, as the player puts it there.
    fn shown(recipe: Recipe, look: FrameLook) -> ShownFrame {
        let revision = Document::new(recipe, None).revision().clone();
        ShownFrame { document: Entity::PLACEHOLDER, revision, recording: player().recording, at: 5, look }
    }

    #[test]
    fn a_frame_on_the_land_has_its_sea_and_its_ground() {
        let mut wet = recipe();
        wet.water.sea = true;
        let shown = shown(wet, FrameLook::Ground);
        let land = shown.landscape(&Work::new()).unwrap();
        assert_eq!(land.sea_level, shown.revision.recipe.sea_level());
        assert_eq!(land.heightfield, *shown.recording.frames()[5].heights);
        assert!(land.colour.texels.len() > 100);
    }

    #[test]
    fn a_frame_on_the_land_has_no_more_texels_than_a_preview() {
        let side = |resolution: u32, look: FrameLook| {
            let mut land = recipe();
            land.texture = land.texture.with(&|texture| texture.resolution = resolution);
            shown(land, look).landscape(&Work::new()).unwrap().colour.width
        };
        assert_eq!((side(4096, FrameLook::Sketch), side(4096, FrameLook::Ground)), (2 * 65, 3 * 65));
        assert_eq!((side(100, FrameLook::Sketch), side(100, FrameLook::Ground)), (100, 100));
    }

    #[test]
    fn a_frame_that_is_passed_quickly_is_a_sketch_first() {
        let mut player = player();
        (player.shows_changes, player.is_playing) = (false, false);
        assert_eq!(FrameLook::first(&player), FrameLook::Sketch, "scrubbed to");
        (player.is_playing, player.speed) = (true, 60.0);
        assert_eq!(FrameLook::first(&player), FrameLook::Sketch, "played fast");
        player.speed = 4.0;
        assert_eq!(FrameLook::first(&player), FrameLook::looked_at(&player), "played slowly");
        assert!(FrameLook::first(&player).is_like(FrameLook::looked_at(&player)));
        player.shows_changes = true;
        assert_eq!(FrameLook::first(&player), FrameLook::Changes);
        assert!(!FrameLook::Sketch.is_like(FrameLook::Changes));
    }
}

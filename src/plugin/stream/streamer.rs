//! The tiles of a terrain: made in the background, uploaded within a budget; and which source they are of
//! while a land changes.

use std::cmp::Reverse;
use std::sync::Arc;
use std::time::Instant;

use bevy::math::{DVec2, DVec3};
use bevy::prelude::*;

use super::budget::TerrainBudget;
use super::first::FirstShown;
use super::motion::{Motions, Mover};
use super::pool::{PoolTextures, TileKind, TilePool};
use super::statistics::TerrainStatistics;
use crate::Error;
use crate::plugin::device::{DeviceLimits, TexelPatches};
use crate::plugin::jobs::{Done, FrameBudget, JobQueue, SHORTEST_FRAME, jobs_ahead};
use crate::sculpt::{Sculpture, Strokes};
use crate::stream::{
    Arrival, Budget, Drawn, Eye, LandShape, LandTile, MadeTile, Residency, SculptedSource, TileSource,
};

/// Seconds in which a tile that has arrived takes its parent's place.
const FADE: f64 = 0.25;

/// Most areas of strokes that are reported one by one.
const MOST_AREAS: usize = 64;

/// Strokes of a frame that look around on the main thread, at most: each takes up to some milliseconds.
const MOST_LOOKS: usize = 4;

/// Samples that such a stroke sees there, at most.
const MOST_SEEN: usize = 1 << 14;

/// Seconds that a tile is assumed to take before one has been made.
const EXPECTED: f64 = 0.01;

/// The tiles of a terrain.
#[derive(Component)]
pub(crate) struct Stream {
    source: Arc<dyn TileSource>,
    /// The strokes that its land has, and the source of that.
    strokes: Strokes,
    sculpted: Option<(Arc<Sculpture>, Arc<dyn TileSource>)>,
    /// Set while a land is drawn that has not been built yet.
    ahead: Option<Ahead>,
    /// Set when a tile of that land is drawn.
    first_shown: FirstShown,
    /// The source after the one whose first tile is still being made, and what to set when a tile of it is
    /// drawn.
    next: Option<(Arc<dyn TileSource>, FirstShown)>,
    /// Why the first tile of the source that failed could not be made, until that is reported.
    unreported: Option<Error>,
    residency: Residency,
    pool: TilePool,
    /// Tiles that are being made, and after which edit.
    jobs: JobQueue<LandTile, MadeTile, u64>,
    started: Instant,
    cameras: Motions,
    /// When the last plan was made, and the running mean of the seconds between plans.
    planned: f64,
    frame_seconds: f64,
    /// Milliseconds from the need for a tile to its arrival, for each that has arrived since the last report.
    latencies: Vec<f32>,
}

/// The fallback if the land that is drawn ahead of its build cannot be built.
enum Ahead {
    /// Nothing: there was no land before.
    OfNothing,
    /// The tiles of this source.
    Of(Arc<dyn TileSource>),
}

impl Stream {
    /// The tiles of a source; `first` are some of the coarsest.
    pub(crate) fn new(
        source: Arc<dyn TileSource>,
        first: Vec<MadeTile>,
        (budget, limits): (&TerrainBudget, DeviceLimits),
        images: &mut Assets<Image>,
        patches: &mut TexelPatches,
    ) -> Self {
        let shape = source.shape();
        let kind = TileKind::of(&*source);
        // Even if all tiles are needed together, some slots stay free, so that texels are not made larger.
        let most = tiles(&shape).map_or(usize::MAX, |tiles| tiles + tiles / 4 + 1);
        let slots = budget.slots(kind, limits).min(most);
        let residency = Residency::new(shape, Budget { slots, jobs: 1, fade: FADE });
        let pool = TilePool::new(residency.budget().slots, kind, limits, images);
        let mut stream = Self {
            source,
            strokes: Strokes::default(),
            sculpted: None,
            ahead: None,
            first_shown: FirstShown::default(),
            next: None,
            unreported: None,
            residency,
            pool,
            jobs: JobQueue::expecting(EXPECTED),
            started: Instant::now(),
            cameras: Motions::new(Mover::CAMERA),
            planned: 0.0,
            frame_seconds: SHORTEST_FRAME,
            latencies: Vec::new(),
        };
        stream.take_first(first, patches);
        stream
    }

    /// Where there is land.
    pub(crate) fn shape(&self) -> &LandShape {
        self.residency.shape()
    }

    /// Which tiles are resident.
    pub(crate) fn residency(&self) -> &Residency {
        &self.residency
    }

    /// Where they come from: the land with its strokes.
    pub(crate) fn source(&self) -> Arc<dyn TileSource> {
        self.sculpted.as_ref().map_or(&self.source, |(_, source)| source).clone()
    }

    /// The strokes on the land, if there are any.
    pub(crate) fn sculpture(&self) -> Option<&Arc<Sculpture>> {
        self.sculpted.as_ref().map(|(sculpture, _)| sculpture)
    }

    /// Changes the land's strokes. Tiles under new strokes are changed immediately, as far as their new
    /// heights are known, and made again, as are those under strokes that have gone. Returns where the ground
    /// has changed: north-west and south-east corners, metres from the land's sample (0, 0).
    pub(crate) fn sculpt(
        &mut self,
        strokes: &Strokes,
        images: &mut Assets<Image>,
        patches: &mut TexelPatches,
    ) -> Vec<[DVec2; 2]> {
        // Strokes are only added and taken back at the end, so that what both lists begin with is unchanged.
        let same = self.strokes.alike(strokes);
        if same == self.strokes.len() && same == strokes.len() {
            return Vec::new();
        }
        let mut areas: Vec<[DVec2; 2]> = Vec::new();
        for stroke in self.strokes.iter().skip(same).chain(strokes.iter().skip(same)) {
            if stroke.tool.changes_heights() || stroke.tool.changes_holes() || stroke.tool.clears() {
                areas.push(stroke.bounds());
            }
        }
        // Taken before the strokes are replaced: the tiles in question lie under strokes that are not in the
        // new list.
        let gone = self.sculpted.as_ref().map(|(sculpture, _)| sculpture.clone());
        if let Some(gone) = gone.filter(|gone| gone.len() > same) {
            // Their jobs would bring back ground with the strokes.
            for tile in self.residency.unsculpt(same, |bounds| gone.touches(same..gone.len(), bounds)) {
                self.jobs.cancel(&tile);
            }
        }
        self.strokes = strokes.clone();
        // In this order: the source knows the strokes before tiles are asked for holes; strokes that look
        // around see the ground before they change it; then all of them are applied.
        self.apply_strokes(false);
        self.make_room_for_holes(images, patches);
        self.look_around(same, patches);
        self.bring_up_to_date(patches);
        // A few areas are reported one by one, many as a whole.
        if areas.len() > MOST_AREAS {
            areas = areas.into_iter().reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])]).into_iter().collect();
        }
        areas
    }

    /// Gives the device's tiles a layer of holes with the first stroke that cuts one. All heights are
    /// uploaded again then, once; land whose recipe has holes has the layer from the beginning.
    fn make_room_for_holes(&mut self, images: &mut Assets<Image>, patches: &mut TexelPatches) {
        let cuts = self.sculpted.as_ref().is_some_and(|(_, source)| source.has_holes());
        if !cuts || !self.pool.gain_holes(images) {
            return;
        }
        for ground in self.residency.grounds() {
            self.pool.upload_ground(ground, patches);
        }
    }

    /// Puts the strokes on the present source's land; on land that is `new`, all of them look around again.
    fn apply_strokes(&mut self, is_new: bool) {
        if self.strokes.is_empty() {
            self.sculpted = None;
            return;
        }
        // Strokes on the same land keep what they have seen of it.
        let known = self.sculpted.take().filter(|_| !is_new);
        let sculpture = Arc::new(match known {
            Some((known, _)) => known.followed_by(&self.strokes),
            None => Sculpture::new(self.shape().domain(), &self.strokes),
        });
        let source = SculptedSource::new(self.source.clone(), sculpture.clone());
        self.sculpted = Some((sculpture, Arc::new(source)));
    }

    /// Applies strokes to the heights of those resident tiles that do not have them yet.
    fn bring_up_to_date(&mut self, patches: &mut TexelPatches) {
        let Some((sculpture, _)) = &self.sculpted else { return };
        for part in self.residency.sculpt(sculpture, sculpture.len()) {
            self.pool.upload_part(part, patches);
        }
    }

    /// Lets new strokes from number `first` on look around at resident tiles, where these have the land that
    /// they have to see: so they are drawn as soon as others. Otherwise they look when a tile is made.
    fn look_around(&mut self, first: usize, patches: &mut TexelPatches) {
        let Some((sculpture, _)) = &self.sculpted else { return };
        let looking = (first..sculpture.len()).filter_map(|number| Some((number, sculpture.wants(number)?)));
        for (number, window) in looking.take(MOST_LOOKS) {
            let samples = window.size.iter().map(|side| *side as usize).product::<usize>();
            // Such a stroke would take longer than a frame may; it is drawn when its tiles have been made in
            // the background.
            if samples > MOST_SEEN || !self.source.tells_by_tiles(window.level) {
                continue;
            }
            // A stroke sees all strokes before it.
            for part in self.residency.sculpt(sculpture, number) {
                self.pool.upload_part(part, patches);
            }
            if let Some(heights) = self.residency.heights_of(window, number) {
                sculpture.show(number, &heights);
            }
        }
    }

    /// When it began: no other stream has.
    pub(crate) fn since(&self) -> Instant {
        self.started
    }

    /// The textures in which they lie.
    pub(crate) fn textures(&self) -> &PoolTextures {
        &self.pool.textures
    }

    /// Adds the numbers of this terrain's tiles, and the tiles that have arrived since the last call.
    pub(crate) fn report(&mut self, statistics: &mut TerrainStatistics) {
        statistics.tiles += self.residency.resident();
        statistics.device_bytes += self.pool.bytes() + self.residency.table().bytes();
        statistics.memory_bytes += self.residency.bytes();
        statistics.texel_factor = statistics.texel_factor.max(self.residency.pressure());
        statistics.latencies_ms.append(&mut self.latencies);
    }

    /// Whether another source's tiles can be put into the same slots.
    pub(crate) fn fits(&self, source: &dyn TileSource) -> bool {
        source.shape() == *self.shape() && self.pool.takes(TileKind::of(source))
    }

    /// Marks the land as one that is drawn before it has been built, where none was.
    pub(crate) fn into_first_preview(mut self) -> Self {
        self.ahead = Some(Ahead::OfNothing);
        self
    }

    /// The land is about to change: all tiles are made again from this source, and the ground as it was is
    /// drawn until then. [`settle`](Self::settle) or [`go_back`](Self::go_back) is to follow. Returns what is
    /// set when the first tile is drawn.
    pub(crate) fn begin_speculative(&mut self, source: Arc<dyn TileSource>) -> FirstShown {
        let first_shown = FirstShown::default();
        self.begin_speculative_with(source, first_shown.clone());
        first_shown
    }

    fn begin_speculative_with(&mut self, source: Arc<dyn TileSource>, first_shown: FirstShown) {
        // However often the land changes, something of it is seen: a first tile that is on its way arrives.
        if self.ahead.is_some() && !self.residency.shows_present() && !self.jobs.is_empty() {
            self.next = Some((source, first_shown));
            return;
        }
        self.first_shown = first_shown;
        let before = std::mem::replace(&mut self.source, source);
        // Only the first source counts as the one to go back to: those between were never built.
        self.ahead.get_or_insert(Ahead::Of(before));
        self.apply_strokes(true);
        self.forget();
        self.residency.edit();
    }

    /// The land has been built: these are its tiles, of which `first` have been made already, parents before
    /// children. Those of `speculative_source` are of the same ground.
    pub(crate) fn settle(
        &mut self,
        source: Arc<dyn TileSource>,
        speculative_source: Option<&dyn TileSource>,
        first: Vec<MadeTile>,
        patches: &mut TexelPatches,
    ) {
        (self.ahead, self.next) = (None, None);
        // The very source whose tiles are drawn: there is nothing to make again.
        if std::ptr::addr_eq(&*source, &*self.source) {
            return;
        }
        match speculative_source {
            Some(speculative_source) if std::ptr::addr_eq(speculative_source, &*self.source) => {
                // The ground is the same, so each tile stays until its new colours are there, and none fades.
                self.repaint(source)
            }
            _ => {
                self.source = source;
                self.apply_strokes(true);
                self.forget();
                self.residency.edit();
                self.take_first(first, patches);
            }
        }
    }

    /// Lets tiles arrive that were made with the land: some of it is drawn at once, and those are not made
    /// again.
    fn take_first(&mut self, first: Vec<MadeTile>, patches: &mut TexelPatches) {
        let (edit, now) = (self.residency.edits(), self.now());
        for first in first {
            // A tile that was not ordered would be dropped.
            self.residency.order(first.tile);
            self.arrive(first, edit, now, patches);
        }
        self.bring_up_to_date(patches);
    }

    /// The land could not be built: what was drawn before is made again. False if nothing was.
    pub(crate) fn go_back(&mut self) -> bool {
        match self.ahead.take() {
            None => true,
            Some(Ahead::OfNothing) => false,
            Some(Ahead::Of(before)) => {
                self.source = before;
                self.apply_strokes(true);
                self.forget();
                self.residency.edit();
                true
            }
        }
    }

    /// All tiles are made again, from the same source.
    #[cfg(feature = "viewer")]
    pub(crate) fn make_all_again(&mut self) {
        self.forget();
        self.residency.edit();
    }

    /// The same ground in other colours: all tiles are made again, from this source, and each is drawn as it
    /// is until it has been.
    pub(crate) fn repaint(&mut self, source: Arc<dyn TileSource>) {
        self.source = source;
        self.apply_strokes(false);
        self.forget();
        self.residency.repaint();
    }

    /// Forgets what belongs to the former source.
    fn forget(&mut self) {
        self.jobs.clear();
        self.jobs.forget_failure();
        (self.next, self.unreported) = (None, None);
    }

    /// Whether all that is needed is there.
    pub(crate) fn is_settled(&self) -> bool {
        self.residency.is_settled()
    }

    /// Whether all tiles in memory that touch an area (north-west and south-east corner, metres from the
    /// land's sample (0, 0); all tiles without one) have the ground of the present source and strokes.
    pub(crate) fn is_up_to_date(&self, area: Option<[DVec2; 2]>) -> bool {
        let bounds = area.map(|[low, high]| [low.x, low.y, high.x, high.y]);
        self.ahead.is_none()
            && self.next.is_none()
            && self.residency.has_present_ground(bounds, self.strokes.len())
    }

    /// How many tiles are needed, as far as is known, and how many of them are there.
    pub(crate) fn needed(&self) -> (usize, usize) {
        self.residency.needed()
    }

    /// Seconds since the first tile.
    fn now(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// How fast a camera moves that is now at a place of the land, in metres per second.
    pub(crate) fn velocity(&mut self, camera: Entity, place: DVec3) -> DVec3 {
        let now = self.now();
        self.cameras.follow(camera, place, now).velocity
    }

    /// Forgets cameras that are gone.
    pub(crate) fn keep_cameras(&mut self, exists: impl Fn(Entity) -> bool) {
        self.cameras.keep(exists);
    }

    /// Takes in what has been made, as much as is left of a frame's budget. Returns why a tile could not
    /// be made: once for all of a source, since they mostly fail for the same reason. While a land is drawn
    /// ahead of its build, the build reports its failure itself, and this waits until that has ended.
    pub(crate) fn receive(&mut self, frame: &mut FrameBudget, patches: &mut TexelPatches) -> Option<Error> {
        frame.next_taker();
        let now = self.now();
        // The coarsest first: finer ones wait for them.
        self.jobs.gather(|tile| Reverse(*tile));
        while let Some(Done { key: tile, version: edit, outcome, .. }) = self.jobs.next_done(frame) {
            match outcome {
                Ok(made) => frame.spend(self.arrive(made, edit, now, patches)),
                Err(error) => {
                    // A failure of tiles that are no longer needed, or of an earlier edit, is of no interest.
                    if self.residency.fail(tile, edit)
                        && let Some(first) = self.jobs.first_failure(error)
                    {
                        self.unreported = Some(first);
                    }
                }
            }
        }
        // Tiles that came before their parents have waited for them.
        while let Some((made, edit)) = self.residency.take_early() {
            self.arrive(made, edit, now, patches);
        }
        // Corrects tiles that were made before the last strokes, and those where a stroke had to wait for its
        // surroundings.
        self.bring_up_to_date(patches);
        if let Some((source, first_shown)) = self.next.take() {
            self.begin_speculative_with(source, first_shown);
        }
        self.unreported.take_if(|_| self.ahead.is_none())
    }

    /// Lets a tile arrive; the bytes that are uploaded.
    fn arrive(&mut self, mut made: MadeTile, edit: u64, now: f64, patches: &mut TexelPatches) -> usize {
        // Strokes that are gone since did not touch it.
        made.strokes = made.strokes.min(self.strokes.len());
        match self.residency.arrive(made, edit, now) {
            Arrival::Shown { slot, heights, texels, latency } => {
                if self.residency.shows_present() {
                    self.first_shown.set();
                }
                self.latencies.push((latency * 1e3) as f32);
                self.pool.upload(slot, &heights, texels, patches)
            }
            Arrival::Early | Arrival::Dropped => 0,
        }
    }

    /// Orders what eyes need, and uploads what has changed in the table.
    pub(crate) fn plan(&mut self, eyes: &[Eye], drawn: Drawn, patches: &mut TexelPatches) {
        let now = self.now();
        // A running mean: one long frame must not let a burst of jobs through.
        self.frame_seconds += 0.3 * (now - self.planned - self.frame_seconds);
        self.planned = now;
        self.residency.set_jobs(jobs_ahead(self.jobs.seconds(), self.frame_seconds));
        self.residency.fade(now);
        let plan = self.residency.plan(eyes, drawn, now);
        // Cancelled first, so that their threads are free for what is started.
        for tile in plan.stop {
            self.jobs.cancel(&tile);
        }
        for tile in plan.start {
            let source = self.source();
            self.jobs.start(tile, self.residency.edits(), move |work| source.make(tile, work));
        }
        self.pool.upload_table(self.residency.table_mut(), patches);
    }
}

/// How many tiles a bounded land has; `None` for one without end, or with very many.
fn tiles(shape: &LandShape) -> Option<usize> {
    let size = shape.size?;
    let mut count = 0usize;
    for level in shape.finest..=shape.coarsest {
        let side = f64::from(shape.cell_at(level)) * crate::stream::TILE_CELLS as f64;
        let along = |samples: u32| (f64::from(samples - 1) * f64::from(shape.cell) / side).ceil().max(1.0);
        let tiles = along(size[0]) * along(size[1]);
        // No pool has that many slots, and the sum stays far from an overflow.
        if tiles > 1e6 {
            return None;
        }
        count += tiles as usize;
    }
    Some(count)
}

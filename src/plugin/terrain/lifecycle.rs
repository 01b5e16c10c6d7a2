//! The life of a terrain as a state machine. Systems report events to it and ask it what to do; the state
//! is not known or changed anywhere else.
//!
//! | state | a terrain that |
//! |---|---|
//! | waiting | has a recipe that has not loaded |
//! | building | is being built |
//! | ready | is drawn, up to date with its source and skin |
//! | repainting | keeps its land while its colours are baked again |
//! | failed | has a source or a skin that failed; what was drawn before stays |
//! | gone | has been removed |
//!
//! [`Lifecycle::on`] has all transitions. Running work belongs to the state, and is cancelled when it is
//! left.

use std::sync::Arc;

use bevy::ecs::query::QueryData;
use bevy::prelude::*;

use super::events::{TerrainProgress, TerrainWork};
use super::painting::{PaintResult, PaintUpdate, PaintedSkin, Repaint};
use super::prepared::{Build, PreparedTerrain};
use super::skin::TerrainSkin;
use super::status::{OverallProgress, TerrainStatus};
use crate::{Landscape, Progress, Result};

/// A terrain's life.
#[derive(Component, Default)]
pub(crate) struct Lifecycle {
    state: State,
    /// Why the present source failed; kept while work on the previous one goes on.
    source_error: Option<String>,
    /// The last skin that the ground was to get. Kept if it failed, so that it isn't tried again and again.
    painted_skin: Option<PaintedSkin>,
}

#[derive(Default)]
enum State {
    #[default]
    Waiting,
    Building(Box<Build>),
    Ready,
    Repainting(Box<Repaint>),
    /// With the message.
    Failed(String),
    Gone,
}

/// Events in the life of a terrain.
pub(super) enum Event {
    /// It has a new source, a recipe that has not loaded yet.
    SourceAwaited,
    /// It has a new source, whose build has started.
    SourceThere(Box<Build>),
    /// Its recipe failed to load or reload.
    SourceFailed(String),
    /// Its land has been built.
    Built,
    /// Its land could not be built.
    BuildFailed(String),
    /// It has a new skin, whose repaint has started.
    SkinPut(Box<Repaint>),
    /// Its skin was removed; it keeps its present colours.
    SkinTaken,
    /// The repaint has finished.
    Painted,
    /// The repaint failed.
    PaintFailed(String),
    /// The ground being repainted is no longer the terrain's.
    GroundLost,
    /// The terrain component was removed.
    Removed,
}

impl Lifecycle {
    /// Moves to the next state.
    pub(super) fn on(&mut self, event: Event) {
        // Taken out so that running work can move from state to state without a copy. The stand-in is the
        // state that accepts nothing, should an arm ever fail.
        let before = std::mem::replace(&mut self.state, State::Gone);
        self.state = match (event, before) {
            // After the end nothing changes.
            (Event::Removed, _) | (_, State::Gone) => State::Gone,

            // All running work was for the previous source.
            (Event::SourceAwaited, before) => {
                self.leave_source(&before);
                State::Waiting
            }
            (Event::SourceThere(build), before) => {
                self.leave_source(&before);
                State::Building(build)
            }
            // The previous source can still be built and painted.
            (Event::SourceFailed(error), before) => {
                self.source_error = Some(error.clone());
                match before {
                    under_way @ (State::Building(_) | State::Repainting(_)) => under_way,
                    _ => State::Failed(error),
                }
            }

            (Event::Built, State::Building(_)) => self.settled(),
            (Event::BuildFailed(error), State::Building(_)) => {
                self.source_error = Some(error.clone());
                State::Failed(error)
            }

            (Event::SkinPut(repaint), State::Ready | State::Failed(_) | State::Repainting(_)) => {
                self.painted_skin = Some(repaint.painted_skin.clone());
                State::Repainting(repaint)
            }
            // Land that is about to be replaced is not painted any more; the new land will be, once it is
            // there.
            (Event::SkinPut(_), before) => before,
            (Event::SkinTaken, before) => {
                self.painted_skin = None;
                match before {
                    State::Repainting(_) | State::Failed(_) => self.settled(),
                    _ => before,
                }
            }
            (Event::Painted, State::Repainting(_)) => self.settled(),
            (Event::PaintFailed(error), State::Repainting(_)) => State::Failed(error),
            (Event::GroundLost, State::Repainting(_)) => {
                self.painted_skin = None;
                self.settled()
            }

            // Reported by work that has been cancelled.
            (
                Event::Built
                | Event::BuildFailed(_)
                | Event::Painted
                | Event::PaintFailed(_)
                | Event::GroundLost,
                before,
            ) => before,
        };
    }

    /// Resets what was true of the previous source.
    fn leave_source(&mut self, before: &State) {
        self.source_error = None;
        if matches!(before, State::Repainting(_)) {
            // In case the new source fails, the old land's repaint goes on.
            self.painted_skin = None;
        }
    }

    /// The state when no work is running.
    fn settled(&self) -> State {
        self.source_error.clone().map_or(State::Ready, State::Failed)
    }

    /// Whether the ground with this land has to be repainted with `skin`.
    pub(super) fn wants_paint(&self, skin: &TerrainSkin, landscape: &Arc<Landscape>) -> bool {
        let may_be_painted = matches!(self.state, State::Ready | State::Failed(_) | State::Repainting(_));
        may_be_painted
            && !self.painted_skin.as_ref().is_some_and(|painted_skin| painted_skin.is(skin, landscape))
    }

    /// Whether a build is running.
    pub(super) fn is_building(&self) -> bool {
        matches!(self.state, State::Building(_))
    }

    /// The land that is being repainted, if any.
    pub(super) fn painted_land(&self) -> Option<&Arc<Landscape>> {
        match &self.state {
            State::Repainting(repaint) => Some(&repaint.painted_skin.landscape),
            _ => None,
        }
    }

    /// The result of the running build, once it has ended.
    pub(super) fn take_build(&mut self) -> Option<Result<PreparedTerrain>> {
        let State::Building(build) = &mut self.state else { return None };
        let outcome = build.job.outcome()?;
        self.on(match &outcome {
            Ok(_) => Event::Built,
            Err(error) => Event::BuildFailed(error.to_string()),
        });
        Some(outcome)
    }

    /// Whether a build has ended whose land has not been taken.
    #[cfg(test)]
    pub(super) fn is_built(&self) -> bool {
        matches!(&self.state, State::Building(build) if build.job.is_done())
    }

    /// The preview of the running build, once.
    pub(super) fn take_first_preview(&mut self) -> Option<PreparedTerrain> {
        let State::Building(build) = &mut self.state else { return None };
        build.first_preview.take()
    }

    /// The pictures painted since the last call, and the result of the repaint once it has ended.
    pub(super) fn take_paint(&mut self) -> Option<(Vec<PaintUpdate>, Option<Result<PaintResult>>)> {
        let State::Repainting(repaint) = &mut self.state else { return None };
        // Asked before the paint is taken: paint that is pushed between the two calls is then found with the
        // result in a later frame, and not lost with the state.
        let outcome = repaint.job.outcome();
        let paint = repaint.painted.take();
        match &outcome {
            Some(Ok(_)) => self.on(Event::Painted),
            Some(Err(error)) => self.on(Event::PaintFailed(error.to_string())),
            None => {}
        }
        Some((paint, outcome))
    }

    /// The status for games; `None` for what is gone.
    fn status(&self) -> Option<TerrainStatus> {
        let under_way = |Progress { stage, fraction }| TerrainStatus::Building {
            // Work without a stage yet is not without a name on a loading screen.
            stage: if stage.is_empty() { STARTING.to_owned() } else { stage },
            fraction,
        };
        Some(match &self.state {
            State::Waiting => TerrainStatus::Waiting,
            State::Building(build) => under_way(build.job.progress()),
            State::Ready => TerrainStatus::Ready,
            State::Repainting(repaint) => under_way(repaint.job.progress()),
            State::Failed(error) => TerrainStatus::Failed(error.clone()),
            State::Gone => return None,
        })
    }
}

/// The name of the time before the first stage, for people.
const STARTING: &str = "starting";

impl Lifecycle {
    /// How far the present work is as a whole, for games.
    fn overall(&self) -> OverallProgress {
        OverallProgress(match &self.state {
            State::Waiting | State::Gone => 0.0,
            State::Building(build) => build.job.overall(),
            State::Repainting(repaint) => repaint.job.overall(),
            State::Ready | State::Failed(_) => 1.0,
        })
    }
}

#[cfg(test)]
impl Lifecycle {
    /// A handle of the running work, to observe cancellation from outside.
    pub(super) fn work(&self) -> Option<crate::Work> {
        match &self.state {
            State::Building(build) => Some(build.job.work()),
            State::Repainting(repaint) => Some(repaint.job.work()),
            _ => None,
        }
    }
}

/// A terrain's life and its status component.
#[derive(QueryData)]
#[query_data(mutable)]
pub(super) struct Living {
    pub(super) life: &'static mut Lifecycle,
    status: &'static mut TerrainStatus,
    overall: &'static mut OverallProgress,
}

impl LivingItem<'_, '_> {
    /// Reports an event to the life, and updates the status.
    pub(super) fn on(&mut self, event: Event) {
        self.life.on(event);
        self.show_status();
    }

    /// Updates the status. Returns whether it has changed.
    pub(super) fn show_status(&mut self) -> bool {
        self.overall.set_if_neq(self.life.overall());
        self.life.status().is_some_and(|status| self.status.set_if_neq(status))
    }

    /// Updates the status. Returns the progress of the running work, if there is any and it has changed.
    pub(super) fn progress(&mut self, entity: Entity) -> Option<TerrainProgress> {
        let work = match self.life.state {
            State::Building(_) => TerrainWork::Build,
            State::Repainting(_) => TerrainWork::Repaint,
            _ => {
                self.show_status();
                return None;
            }
        };
        if !self.show_status() {
            return None;
        }
        let TerrainStatus::Building { stage, fraction } = &*self.status else { return None };
        let (stage, fraction, overall) = (stage.clone(), *fraction, self.overall.0);
        Some(TerrainProgress { entity, work, stage, fraction, overall })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::jobs::Job;
    use crate::{Error, Grid, Heightfield, Skin, Work};

    /// Every state that differs from others in what follows it, and the events that lead there: waiting,
    /// building, ready, repainting, failed because of the source, of the build (where the table below leads)
    /// or of the paint, gone; `!` where the source failed meanwhile.
    const STATES: [(&str, &[&str]); 10] = [
        ("W", &[]),
        ("B", &["source there"]),
        ("B!", &["source there", "source failed"]),
        ("R", &["source there", "built"]),
        ("P", &["source there", "built", "skin put"]),
        ("P!", &["source there", "built", "skin put", "source failed"]),
        ("FS!", &["source failed"]),
        ("FP", &["source there", "built", "skin put", "paint failed"]),
        ("FP!", &["source there", "built", "skin put", "source failed", "paint failed"]),
        ("G", &["removed"]),
    ];

    /// Where each event leads from each of them; `=` where it changes nothing.
    const NEXT: &str = "
                        W     B     B!    R     P     P!    FS!   FP    FP!   G
        source awaited  =     W     W     W     W     W     W     W     W     =
        source there    B     B     B     B     B     B     B     B     B     =
        source failed   FS!   B!    =     FS!   P!    =     =     FS!   FS!   =
        built           =     R     FS!   =     =     =     =     =     =     =
        build failed    =     FB!   FB!   =     =     =     =     =     =     =
        skin put        =     =     =     P     P     P!    P!    P     P!    =
        skin taken      =     =     =     =     R     FS!   =     R     FS!   =
        painted         =     =     =     =     R     FS!   =     =     =     =
        paint failed    =     =     =     =     FP    FP!   =     =     =     =
        ground lost     =     =     =     =     R     FS!   =     =     =     =
        removed         G     G     G     G     G     G     G     G     G     =
    ";

    fn land() -> Arc<Landscape> {
        let field = Heightfield::flat(Grid::new(2, 2, 1.0).unwrap(), 0.0);
        super::super::ground::TerrainGround::bare(field).landscape
    }

    fn skin(seed: u64) -> TerrainSkin {
        TerrainSkin { skin: Skin::Arid, seed }
    }

    /// Work that goes on until it is cancelled.
    fn endless<T: Send + 'static>() -> Job<T> {
        Job::start(|work| {
            while work.check().is_ok() {
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            Err(Error::Cancelled)
        })
    }

    /// An event, and the work that it brings.
    fn event(name: &str) -> (Event, Option<Work>) {
        match name {
            "source there" => {
                let build = endless();
                let work = build.work();
                let build = Box::new(Build { job: build, first_preview: default() });
                return (Event::SourceThere(build), Some(work));
            }
            "skin put" => {
                let job = endless();
                let work = job.work();
                let painted_skin = PaintedSkin { skin: skin(1), landscape: land() };
                let repaint = Repaint { painted_skin, job, painted: default() };
                return (Event::SkinPut(Box::new(repaint)), Some(work));
            }
            _ => {}
        }
        let event = match name {
            "source awaited" => Event::SourceAwaited,
            "source failed" => Event::SourceFailed("source".into()),
            "built" => Event::Built,
            "build failed" => Event::BuildFailed("build".into()),
            "skin taken" => Event::SkinTaken,
            "painted" => Event::Painted,
            "paint failed" => Event::PaintFailed("paint".into()),
            "ground lost" => Event::GroundLost,
            "removed" => Event::Removed,
            other => panic!("{other}"),
        };
        (event, None)
    }

    fn after(events: &[&str]) -> Lifecycle {
        let mut life = Lifecycle::default();
        events.iter().for_each(|name| life.on(event(name).0));
        life
    }

    fn name(life: &Lifecycle) -> String {
        let state = match &life.state {
            State::Waiting => "W",
            State::Building(_) => "B",
            State::Ready => "R",
            State::Repainting(_) => "P",
            State::Failed(error) => match error.as_str() {
                "source" => "FS",
                "build" => "FB",
                _ => "FP",
            },
            State::Gone => return "G".to_owned(),
        };
        state.to_owned() + if life.source_error.is_some() { "!" } else { "" }
    }

    #[test]
    fn each_event_leads_from_each_state_where_the_table_says() {
        let mut lines = NEXT.trim().lines();
        let states: Vec<&str> = lines.next().unwrap().split_whitespace().collect();
        assert_eq!(states, STATES.map(|(state, _)| state));
        let mut count = 0;
        for line in lines {
            let (happens, next) = line.trim().split_at(14);
            let next: Vec<&str> = next.split_whitespace().collect();
            assert_eq!(next.len(), STATES.len(), "{line}");
            for ((state, events), expected) in STATES.into_iter().zip(next) {
                let mut life = after(events);
                assert_eq!(name(&life), state);
                let before = life.work();
                let (event, brought) = event(happens.trim());
                life.on(event);
                let (case, now) = (format!("{happens} in {state}"), name(&life));
                assert_eq!(now, if expected == "=" { state } else { expected }, "{case}");

                // Work goes on exactly as long as its state does; a result that comes too late begins
                // nothing.
                let has_begun = brought.is_some() && expected != "=";
                if let Some(before) = before {
                    let goes_on = now.trim_end_matches('!') == state.trim_end_matches('!') && !has_begun;
                    assert_eq!(before.is_cancelled(), !goes_on, "{case}: what was under way");
                }
                if let Some(brought) = brought {
                    assert_eq!(brought.is_cancelled(), !has_begun, "{case}: what was brought");
                }
                let works = life.work().is_some_and(|work| !work.is_cancelled());
                assert_eq!(works, now.starts_with(['B', 'P']), "{case}: what is under way now");
                count += 1;
            }
        }
        assert_eq!(count, 11 * 10, "no event is left out");
    }

    #[test]
    fn games_are_told_the_state_and_nothing_of_what_is_gone() {
        for (state, events) in STATES {
            let told = after(events).status();
            let is_right = match (state.trim_end_matches('!'), &told) {
                ("W", Some(TerrainStatus::Waiting))
                | ("B" | "P", Some(TerrainStatus::Building { .. }))
                | ("R", Some(TerrainStatus::Ready))
                | ("G", None) => true,
                ("FS", Some(TerrainStatus::Failed(error))) => error == "source",
                ("FP", Some(TerrainStatus::Failed(error))) => error == "paint",
                _ => false,
            };
            assert!(is_right, "{state}: {told:?}");
        }
    }

    #[test]
    fn a_ground_is_painted_once_for_each_skin_and_land_and_only_when_it_stays() {
        let (here, elsewhere) = (land(), land());
        for (state, events) in STATES {
            let mut life = after(events);
            let may = state.starts_with(['R', 'P', 'F']);
            assert_eq!(life.wants_paint(&skin(1), &here), may, "{state}");
            life.painted_skin = Some(PaintedSkin { skin: skin(1), landscape: here.clone() });
            assert!(!life.wants_paint(&skin(1), &here), "{state}: it wears that");
            assert_eq!(life.wants_paint(&skin(2), &here), may, "{state}: it wears something else");
            assert_eq!(life.wants_paint(&skin(1), &elsewhere), may, "{state}: other land wears that");
        }
        // A skin that could not be painted is not tried again, nor is one that has been painted.
        for end in ["painted", "paint failed"] {
            let life = after(&["source there", "built", "skin put", end]);
            let painted_skin = life.painted_skin.clone().unwrap();
            assert!(!life.wants_paint(&painted_skin.skin, &painted_skin.landscape), "{end}");
        }
    }

    #[test]
    fn what_was_not_painted_to_the_end_is_painted_when_the_old_land_stays_after_all() {
        for called_off in ["source there", "source awaited", "ground lost", "skin taken"] {
            let mut life = after(&["source there", "built", "skin put"]);
            let painted_skin = life.painted_skin.clone().unwrap();
            life.on(event(called_off).0);
            life.on(event("source failed").0);
            life.on(event("build failed").0);
            assert!(name(&life).starts_with('F'), "{called_off}");
            assert!(life.wants_paint(&painted_skin.skin, &painted_skin.landscape), "{called_off}");
        }
        let mut painted = after(&["source there", "built", "skin put", "painted", "source there"]);
        let painted_skin = painted.painted_skin.clone().unwrap();
        painted.on(event("build failed").0);
        assert!(!painted.wants_paint(&painted_skin.skin, &painted_skin.landscape), "it has that already");
    }

    #[test]
    fn a_life_that_ends_in_any_way_ends_what_is_under_way() {
        for (state, events) in STATES {
            for end in ["dropped", "despawned", "another"] {
                let life = after(events);
                let work = life.work();
                let mut world = World::new();
                match end {
                    "dropped" => drop(life),
                    "despawned" => {
                        let terrain = world.spawn(life).id();
                        world.despawn(terrain);
                    }
                    _ => _ = world.spawn(life).insert(Lifecycle::default()).id(),
                }
                assert!(work.is_none_or(|work| work.is_cancelled()), "{state}, {end}");
            }
        }
    }
}

//! The unit in which a recipe is built: a step, or consecutive waterways, or one end of a group of steps.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::build::cache::{Cache, Key};
use crate::compute::frames::Moment;
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::Domain;
use crate::recipe::Step;
use crate::sculpt::Sculpture;
use crate::steps::filter::SculptStrokes;
use crate::steps::water::Carve;
use crate::steps::{Ground, Kind, Reach};

/// A step, or consecutive waterways, which are dug together.
///
/// Where a step `group` begins there is one that only says what the next one works on, and at its `end` one
/// that blends two lands.
pub(in crate::build) struct StepGroup<'a> {
    /// The index of its first step; at an `end` that of the step `group`.
    pub(in crate::build) first: usize,
    /// Its first step; at an `end` the step `group`.
    pub(in crate::build) step: &'a Step,
    /// What it does with the land before it.
    pub(in crate::build) role: Role,
    /// The number of groups after which the land is that it works on: its own number, but 0, level ground,
    /// where a step `group` begins that starts from it.
    pub(in crate::build) from: usize,
    /// Empty unless they are waterways.
    pub(in crate::build) waterways: Vec<(&'a dyn Carve, u64)>,
    /// The key of its result; `None` if that cannot be cached.
    pub(in crate::build) key: Option<Key>,
    /// The layers that its result must have for the groups after it.
    pub(in crate::build) needs: BTreeSet<String>,
    /// All layers that are read or asked for; the same for all groups.
    pub(in crate::build) wanted: Arc<BTreeSet<String>>,
}

/// What a group does with the land before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::build) enum Role {
    /// Changes it.
    Runs,
    /// Leaves it as it is, for the steps of a step `group`.
    Begins,
    /// Blends it into the land after this many groups, the one before the step `group`.
    Ends(usize),
}

impl StepGroup<'_> {
    /// How much of the land it must know to make one sample.
    pub(in crate::build) fn reach(&self, domain: Domain) -> Reach {
        match self.role {
            Role::Begins => Reach::Point,
            Role::Runs | Role::Ends(_) => self.step.reach(domain),
        }
    }

    /// The numbers of groups after which the lands are that it works on.
    pub(in crate::build) fn works_on(&self) -> impl Iterator<Item = usize> {
        let outer = match self.role {
            Role::Ends(outer) => Some(outer),
            Role::Runs | Role::Begins => None,
        };
        [self.from].into_iter().chain(outer)
    }

    /// Blends the land of a step `group`, which ends here, into the land before it.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    pub(in crate::build) fn end(
        &self,
        outer: &mut Ground,
        made: Ground,
        seed: u64,
        work: &Work,
    ) -> Result<()> {
        outer.want(&self.wanted);
        let work = &work.in_step(self.first, self.step.name());
        let done = self.step.end_group(outer, made, seed, work);
        self.named(done.and_then(|()| work.frame(Moment::RESULT, 1, 1, || Ok(&outer.heights))))
    }

    /// Runs it.
    ///
    /// # Errors
    /// Those of the step, with its index and name.
    pub(in crate::build) fn apply(&self, ground: &mut Ground, seed: u64, work: &Work) -> Result<()> {
        ground.want(&self.wanted);
        let work = &work.in_step(self.first, self.step.name());
        let done = if self.waterways.is_empty() {
            self.step.apply(ground, seed, work)
        } else {
            self.step.dig(ground, &self.waterways, work)
        };
        self.named(done.and_then(|()| work.frame(Moment::RESULT, 1, 1, || Ok(&ground.heights))))
    }

    /// Whether it digs rivers or finds lakes, which belong to all of the land.
    pub(in crate::build) fn leaves_water(&self) -> bool {
        self.step.operation.kind() == Kind::Waterway
    }

    /// Its result, if the cache has it with all needed layers.
    pub(in crate::build) fn known(&self, cache: Option<&Cache>) -> Option<Arc<Ground>> {
        let ground = cache?.ground(self.key?)?;
        // Kept results have the layers that were wanted then, which may be fewer.
        self.needs.iter().all(|name| ground.layers().get(name).is_some()).then_some(ground)
    }

    /// Whether it makes strokes of a brush.
    pub(in crate::build) fn is_strokes(&self) -> bool {
        self.step.operation_as::<SculptStrokes>().is_some()
    }

    /// Its strokes; none of another step.
    ///
    /// # Errors
    /// When their file cannot be read.
    pub(in crate::build) fn sculpture(
        &self,
        domain: &Domain,
        cache: Option<&Cache>,
    ) -> Result<Arc<Sculpture>> {
        let read = || {
            let strokes = self.step.operation_as::<SculptStrokes>().map(SculptStrokes::strokes);
            Ok(Sculpture::new(*domain, &strokes.transpose()?.unwrap_or_default()))
        };
        self.named(match cache {
            Some(cache) => cache.one_of(self.key.map(|key| key.of("sculpture")), read),
            None => read().map(Arc::new),
        })
    }

    /// As [`named`](Self::named), where the step asks for land around a window. An error of size would name
    /// a size that was not asked for.
    pub(in crate::build) fn looking<T>(&self, outcome: Result<T>) -> Result<T> {
        self.named(outcome).map_err(|error| match error {
            Error::Size { width, depth, reason } => {
                let reason = format!("for this window it looks at {width}×{depth} samples, which {reason}");
                Error::parameter(self.label(), reason)
            }
            error => error,
        })
    }

    /// The label of its first step in errors: the path and the name.
    pub(in crate::build) fn label(&self) -> String {
        label(self.first, self.step)
    }

    /// Adds the step's path and name to an error.
    pub(in crate::build) fn named<T>(&self, outcome: Result<T>) -> Result<T> {
        outcome.map_err(|error| error.within(&self.label()))
    }
}

/// The number of groups that have made the land before group `number`: those that only begin a step `group`
/// have not changed it.
pub(in crate::build) fn land_before(groups: &[StepGroup], number: usize) -> usize {
    let mut count = number;
    while let Some(group) =
        count.checked_sub(1).map(|last| &groups[last]).filter(|group| group.role == Role::Begins)
    {
        count = group.from;
    }
    count
}

/// The label of a step in errors: the path and the name.
pub(in crate::build) fn label(index: usize, step: &Step) -> String {
    format!("steps.{index} ({})", step.name())
}

//! The trait that every step implements, and the one that waterways implement in addition.

use std::any::Any;
use std::fmt;

use glam::DVec2;

use super::{Ground, HeightsAt, Needs, Reach, Site, estimate};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::layer::{MOST_SHIFTED, SHIFT};
use crate::grid::{Domain, Grid, Heightfield, Region};
use crate::params::Params;
use crate::steps::rock::Bedding;
use crate::steps::water::Course;

/// A step: makes land, changes it, or digs water into it.
///
/// Implemented by a struct that [`params!`](crate::params!) declares; [`register`](super::register) makes it
/// known to recipes.
pub trait Operation: Params + Object {
    /// Its name in recipes: lower-case letters, digits and underscores, beginning with a letter; unique
    /// among all steps.
    fn name(&self) -> &'static str;

    /// Its title for people.
    fn title(&self) -> &'static str;

    /// Whether it makes land, changes it or digs water.
    fn kind(&self) -> Kind;

    /// Its computation as a formula with its present numbers, for people who watch it work; `None` if there
    /// is none.
    fn formula(&self) -> Option<String> {
        None
    }

    /// A note on its parameters for people, where samples are `cell` metres apart: that a river is narrower
    /// than what samples can show, for example. `None` if there is nothing to note.
    fn note(&self, _cell: f32) -> Option<String> {
        None
    }

    /// Chooses numbers that suit a land to which the step is added after all others, when a recipe is edited
    /// by hand, as in the window. The defaults of a recipe that leaves parameters out do not change. By
    /// default it does nothing.
    fn suit(&mut self, _site: &Site) {}

    /// About how many seconds of one processor core the step takes on this grid. It is used to announce long
    /// work, and to leave out what would take too long, such as a small picture of the land. It may be wrong
    /// by a factor of a few. It depends on the parameters and the grid alone: it must not use a clock or read
    /// files. By default 20 nanoseconds a sample.
    fn seconds(&self, grid: Grid) -> f64 {
        estimate::usual(grid)
    }

    /// How much of the land the step must know to compute one sample, whatever the window. By default
    /// [`Reach::Whole`].
    fn reach(&self, _domain: Domain) -> Reach {
        Reach::Whole
    }

    /// The land before the step that it looks at to change a window. By default the window with a halo as
    /// wide as its [`reach`](Self::reach). It is not called for a step whose reach is
    /// [`Whole`](Reach::Whole).
    ///
    /// Two kinds of steps return something else. A step that looks at less in some windows returns a smaller
    /// [`Needs::Halo`], so that the steps before it have fewer samples to make. A step whose halo would be
    /// too large at fine levels, where hundreds of metres are thousands of samples, returns
    /// [`Needs::Context`]: it looks at another region, which it finds in [`Ground::context`].
    ///
    /// # Errors
    /// Those of computing it, and [`Error::Cancelled`](crate::Error::Cancelled).
    fn looks_at(&self, window: &Region, _seed: u64, _work: &Work) -> Result<Needs> {
        Ok(Needs::within(self.reach(window.domain()), window))
    }

    /// Places, in metres from sample (0, 0), at which the step must know the height before it, whatever
    /// window it changes: a road needs the heights along its line. [`Ground::heights_at`] returns them. The
    /// places follow from the step's parameters and the domain alone, so that they are the same for every
    /// window; its [`reach`](Self::reach) need not include them. None by default.
    fn places(&self, _domain: &Domain) -> Vec<DVec2> {
        Vec::new()
    }

    /// Further places at which it must know the height. They may depend on the `heights` at its
    /// [`places`](Self::places), and on those at any others that it asks `heights_at` for: a road that finds
    /// its own route looks at the land in a coarse grid first, and then along the route. None by default; a
    /// step without `places` has none.
    ///
    /// # Errors
    /// Those of finding them, of `heights_at`, and [`Error::Cancelled`](crate::Error::Cancelled).
    fn places_after(
        &self,
        _domain: &Domain,
        _heights: &[f32],
        _heights_at: &HeightsAt,
        _work: &Work,
    ) -> Result<Vec<DVec2>> {
        Ok(Vec::new())
    }

    /// Whether the parameter `name` has an effect, given the values of the others. The panel hides those
    /// that have none.
    fn uses(&self, _name: &str) -> bool {
        true
    }

    /// Names of the layers that it reads, if an earlier step has written them.
    fn reads(&self) -> Vec<&str> {
        Vec::new()
    }

    /// Names of the layers that it can write. It writes those of them that the ground
    /// [wants](Ground::wants), and no others.
    fn writes(&self) -> Vec<&str> {
        Vec::new()
    }

    /// Names of the layers that it writes again where an earlier step has written them, such as what lies at
    /// the surface that it changes. None by default.
    fn renews(&self) -> Vec<&str> {
        Vec::new()
    }

    /// The layered rock that it lays under all of the land for the steps after it, in a land with this
    /// domain. The same for every window. None by default.
    fn bedding(&self, _domain: &Domain, _seed: u64) -> Option<Bedding> {
        None
    }

    /// Whether its result can be mixed with the land before it: whether recipes have an amount and a mask for
    /// it. By default waterways can't, and all other steps can.
    fn mixes(&self) -> bool {
        self.kind() != Kind::Waterway
    }

    /// The farthest that it moves ground along either axis, metres. By default [`MOST_SHIFTED`] if it
    /// [`writes`](Self::writes) a layer of shifts, and otherwise 0. A search for all ground over a place
    /// looks this far around it.
    fn shifts_by(&self) -> f32 {
        let writes = self.writes();
        if SHIFT.iter().any(|name| writes.contains(name)) { MOST_SHIFTED } else { 0.0 }
    }

    /// Changes the ground, the part of the land in [`Ground::region`]: all of the land at level 0 if the
    /// [`reach`](Self::reach) is [`Whole`](Reach::Whole).
    ///
    /// The same parameters, ground and seed must give a sample the same bits on every machine, with any
    /// number of threads, and in every region. Only samples closer to the region's border than the reach,
    /// where that is not the land's own border, may differ. The grid must stay as it is, and heights must
    /// stay finite: otherwise, or if the step panics, the build fails with an error that names the step.
    ///
    /// A step that works in rounds shows the land after each of them ([`Work::frame`]); other steps that it
    /// calls get an [unobserved](Work::unobserved) work.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled) within 50 ms of a cancellation (call [`Work::check`]),
    /// which leaves the ground half changed; and whatever the step's own documentation names.
    fn apply(&self, ground: &mut Ground, seed: u64, work: &Work) -> Result<()>;

    /// As [`apply`](Self::apply), on a copy: blending and masking also need the land before the step. The
    /// default copies the heights. A step that leaves the heights as they are, or needs those before it
    /// anyway, can do without.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    fn applied(&self, ground: &Ground, seed: u64, work: &Work) -> Result<Ground> {
        let mut changed = ground.clone();
        // A generator makes new heights: those before are not written to.
        if self.kind() != Kind::Generator {
            changed.heights.unshare_while(work)?;
        }
        self.apply(&mut changed, seed, work)?;
        Ok(changed)
    }

    /// As [`apply`](Self::apply), on the heights of all of a bounded land without layers: the shortest way to
    /// run one step by itself.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::filter::Scale;
    /// use upland::steps::Operation;
    /// use upland::{Grid, Heightfield, Work};
    ///
    /// let mut heights = Heightfield::flat(Grid::new(3, 2, 10.0)?, 5.0);
    /// Scale { factor: 2.0, bias: 1.0 }.apply_to(&mut heights, 0, &Work::new())?;
    /// assert_eq!(heights.heights(), [11.0; 6]);
    /// # Ok::<(), upland::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`apply`](Self::apply); the heights are then half changed.
    fn apply_to(&self, heights: &mut Heightfield, seed: u64, work: &Work) -> Result<()> {
        // The heights are moved and not shared: a change of shared heights would copy them first.
        let nothing = Heightfield::flat(Grid { width: 1, depth: 1, cell: 1.0 }, 0.0);
        // It keeps no layers, because the caller gets only the heights back.
        let mut ground = Ground::new(std::mem::replace(heights, nothing)).keeping(&[]);
        let outcome = self.apply(&mut ground, seed, work);
        // Before the outcome is looked at: after an error the caller still has its heights.
        *heights = ground.heights;
        outcome
    }

    /// The step as a waterway, if it is one: consecutive ones in a recipe are dug together, by
    /// [`water::dig`](crate::steps::water::dig).
    fn as_waterway(&self) -> Option<&dyn Carve> {
        None
    }
}

/// The name, the title and the kind of a built-in step: `step!("mean", "Mean", Filter);` in its
/// [`Operation`].
macro_rules! step {
    ($name:literal, $title:literal, $Kind:ident) => {
        fn name(&self) -> &'static str {
            $name
        }

        fn title(&self) -> &'static str {
            $title
        }

        fn kind(&self) -> $crate::steps::Kind {
            $crate::steps::Kind::$Kind
        }
    };
}
pub(crate) use step;

/// The kinds of steps. They differ in what a recipe may say in addition to their own parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Makes land, which a recipe may blend with the present land.
    Generator,
    /// Begins or ends a group of steps, whose land a recipe may blend with the present land. There are two:
    /// [`Group`](super::stack::Group) and [`End`](super::stack::End).
    Group,
    /// Changes the present land.
    Filter,
    /// Digs a river bed. It has no mask and no amount: half of a bed could rise downstream.
    Waterway,
}

impl Kind {
    /// All kinds, in the order in which steps are listed.
    pub const ALL: [Self; 4] = [Self::Generator, Self::Group, Self::Filter, Self::Waterway];
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Generator => "generator",
            Self::Group => "group",
            Self::Filter => "filter",
            Self::Waterway => "waterway",
        })
    }
}

/// A waterway: digs the bed of a river.
pub trait Carve: Operation {
    /// The course that the water would take over `field`; `seed` varies it.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled) within 50 ms of a cancellation.
    fn course(&self, field: &Heightfield, seed: u64, work: &Work) -> Result<Course>;

    /// Lowers `field` to the bed and returns the course; `seed` varies it. Ignores all other rivers:
    /// [`dig`](crate::steps::water::dig) joins several.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled) within 50 ms of a cancellation, and then the
    /// field is half changed.
    fn carve(&self, field: &mut Heightfield, seed: u64, work: &Work) -> Result<Course> {
        work.stage("river", 2);
        let course = self.course(field, seed, work)?;
        work.advance(1);
        course.carve(field, work)?;
        work.advance(1);
        Ok(course)
    }

    /// A note for people on the river that it has dug along `course` in the finished land `field`: that
    /// nothing of the river can be seen, for example. `sea` is the height of the sea in metres, if there is
    /// one. `None` by default.
    fn note_on(&self, _course: &Course, _field: &Heightfield, _sea: Option<f32>) -> Option<String> {
        None
    }
}

/// Copying, comparing and downcasting of boxed operations. Implemented for every [`Operation`] that is
/// `Clone` and `PartialEq`.
pub trait Object: Any + fmt::Debug + Send + Sync {
    /// A boxed copy.
    fn boxed(&self) -> Box<dyn Operation>;

    /// Whether `other` has the same type and equal parameters.
    fn equals(&self, other: &dyn Operation) -> bool;

    /// For downcasting.
    fn as_any(&self) -> &dyn Any;
}

impl<T: Operation + Clone + PartialEq + Any + fmt::Debug + Send + Sync> Object for T {
    fn boxed(&self) -> Box<dyn Operation> {
        Box::new(self.clone())
    }

    fn equals(&self, other: &dyn Operation) -> bool {
        // Operations of two types are never equal; of one type the fields decide.
        other.as_any().downcast_ref::<Self>().is_some_and(|other| self == other)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Clone for Box<dyn Operation> {
    fn clone(&self) -> Self {
        (**self).boxed()
    }
}

impl PartialEq for dyn Operation {
    fn eq(&self, other: &Self) -> bool {
        self.equals(other)
    }
}

impl<T: Operation> From<T> for Box<dyn Operation> {
    fn from(operation: T) -> Self {
        Box::new(operation)
    }
}

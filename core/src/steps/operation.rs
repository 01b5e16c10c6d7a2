//! What every step implements.

use std::any::Any;
use std::fmt;

use glam::DVec2;

use super::{Ground, Site, estimate};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::layer::{MOST_SHIFTED, SHIFT};
use crate::grid::{Domain, Grid, Region};
use crate::params::Params;
use crate::steps::water::Carve;

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

    /// What it computes, as a formula with its present numbers, for people who watch it work; `None` if nobody has
    /// written one.
    fn formula(&self) -> Option<String> {
        None
    }

    /// What should be known of its parameters where samples are `cell` metres apart, for people: that a river is narrower
    /// than what samples can show, for example. `None` if there is nothing to say.
    fn note(&self, _cell: f32) -> Option<String> {
        None
    }

    /// Chooses numbers that suit a land to which the step is added after all others: for whoever edits a recipe by hand,
    /// as in the window. Default parameters stay what they are wherever a recipe leaves them out. By default nothing.
    fn suit(&mut self, _site: &Site) {}

    /// About how many seconds of one processor core the step takes on this grid. It is used to announce long
    /// work, and to leave out what would take too long, such as a small picture of the land. It may be wrong
    /// by a factor of a few. It depends on the parameters and the grid alone: it must not use a clock or read
    /// files. By default 20 nanoseconds a sample.
    fn seconds(&self, grid: Grid) -> f64 {
        estimate::usual(grid)
    }

    /// How much of the land the step must know to compute one sample. By default [`Reach::Whole`].
    fn reach(&self, _domain: Domain) -> Reach {
        Reach::Whole
    }

    /// The land that a step looks at to change a window, where that is not the window with a halo as wide as
    /// its [`reach`](Self::reach): the step finds it in [`Ground::surroundings`]. `None`, the default, for a
    /// halo. At a level with a sample every few centimetres, a halo of hundreds of metres would be so many
    /// samples that nobody could wait for them.
    ///
    /// # Errors
    /// What computing it says, and [`Error::Cancelled`](crate::Error::Cancelled).
    fn surroundings(&self, _window: &Region, _seed: u64, _work: &Work) -> Result<Option<Region>> {
        Ok(None)
    }

    /// On how many samples around a window the step depends, if it has no [surroundings](Self::surroundings) there. By
    /// default as many as its [`reach`](Self::reach) covers. A step that looks at fewer at some levels should say so, because
    /// the steps before it then have fewer samples to make.
    fn halo(&self, window: &Region, _seed: u64) -> u32 {
        self.reach(window.domain()).halo(window)
    }

    /// Whether, where the step has [surroundings](Self::surroundings), its heights follow from these alone, as those of a
    /// warp do. Then the heights before it need not be made in the window itself: if it has no mask and an amount of 1, and
    /// no layer is needed there, it finds level ground in place of them. By default false.
    fn makes_of_surroundings(&self) -> bool {
        false
    }

    /// Places of the land, in metres from sample (0, 0), whose heights before the step it must know whatever window it
    /// changes, as a road those along its line: it finds them by [`Ground::heights_at`]. They follow from its parameters
    /// and the domain alone, so what it makes of them is the same in every window, and its [`reach`](Self::reach) need
    /// not include them. None by default.
    fn places(&self, _domain: &Domain) -> Vec<DVec2> {
        Vec::new()
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

    /// The farthest that it moves ground along either axis beyond where that stood before, metres: not
    /// [`writes`](Self::writes) the layers of shifts, 0; otherwise [`MOST_SHIFTED`] by default. Who looks for all
    /// ground over a place looks so far around.
    fn shifts_by(&self) -> f32 {
        shifts_of_unknown(&self.writes())
    }

    /// Changes the ground. It is the part of the land that [`Ground::region`] tells; all of the land at
    /// level 0 if the [`reach`](Self::reach) is [`Whole`](Reach::Whole).
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
    /// default copies; generators, which don't read the land, need not.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    fn applied(&self, ground: &Ground, seed: u64, work: &Work) -> Result<Ground> {
        let heights = ground.heights.copy_while(work)?;
        let mut changed = ground.with_heights(heights);
        self.apply(&mut changed, seed, work)?;
        Ok(changed)
    }

    /// The step as a waterway, if it is one: consecutive ones in a recipe are dug together, by
    /// [`water::dig`](crate::steps::water::dig).
    fn as_waterway(&self) -> Option<&dyn Carve> {
        None
    }
}

/// How far a step that writes these layers may move ground sideways, metres, if nothing else is known of it.
pub(in crate::steps) fn shifts_of_unknown(writes: &[&str]) -> f32 {
    if SHIFT.iter().any(|name| writes.contains(name)) { MOST_SHIFTED } else { 0.0 }
}

/// The kinds of steps. They differ in what a recipe may say beside their own parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Makes land, which a recipe may blend with the present land.
    Generator,
    /// Changes the present land.
    Filter,
    /// Digs a river bed. It has no mask and no amount: half of a bed could rise downstream.
    Waterway,
}

impl Kind {
    /// All kinds, in the order in which steps are listed.
    pub const ALL: [Self; 3] = [Self::Generator, Self::Filter, Self::Waterway];
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Generator => "generator",
            Self::Filter => "filter",
            Self::Waterway => "waterway",
        })
    }
}

/// Samples that are added to a reach at levels coarser than 0. A step that looks around looks at two samples at least, even
/// where they are farther apart than its reach.
const MORE_IF_COARSE: u32 = 2;

/// How much of the land a step must know to compute one sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reach {
    /// The sample's position, and its own height.
    Point,
    /// Everything within this distance in metres along both axes; at levels coarser than 0, two samples
    /// more.
    Near(f32),
    /// As `Point`, and the lowest and highest height of all the land:
    /// [`Region::range_of`](crate::Region::range_of).
    Range,
    /// All of the land: the step runs once, at level 0.
    Whole,
}

impl Reach {
    /// The number of samples around a window that the reach covers.
    pub(in crate::steps) fn halo(self, window: &Region) -> u32 {
        match self {
            Self::Near(metres) if metres > 0.0 => {
                let coarse = if window.level() > 0 { MORE_IF_COARSE } else { 0 };
                window.samples_within(metres).saturating_add(coarse)
            }
            _ => 0,
        }
    }
}

impl fmt::Display for Reach {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Point => formatter.write_str("point"),
            Self::Near(metres) => write!(formatter, "within {metres} m"),
            Self::Range => formatter.write_str("point and range"),
            Self::Whole => formatter.write_str("whole"),
        }
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

//! What a step has to say of itself and to do.

use std::any::Any;
use std::fmt;

use super::Ground;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Domain;
use crate::params::Params;
use crate::steps::water::Carve;

/// What a step does: makes land, changes it, or digs water into it.
///
/// Implemented by a struct that [`params!`](crate::params!) declares; [`register`](super::register) makes it
/// known to recipes.
pub trait Operation: Params + Object {
    /// Its name in recipes: lower-case letters, digits and underscores, beginning with a letter, and no
    /// other step's.
    fn name(&self) -> &'static str;

    /// Its title for people.
    fn title(&self) -> &'static str;

    /// What sort of thing it does.
    fn kind(&self) -> Kind;

    /// How far around a sample the land decides what becomes of it. What says nothing needs the whole
    /// land.
    fn reach(&self, _domain: Domain) -> Reach {
        Reach::Whole
    }

    /// The level whose samples a step that looks around a sample looks at where the land is finer; see
    /// [`Ground::surroundings`], in which it finds them. A window of a level far finer than what the step looks
    /// at would need so many samples around it that nobody could wait for them. What says nothing looks at
    /// samples of the level that it is asked for.
    fn surroundings_level(&self, _domain: Domain) -> Option<i32> {
        None
    }

    /// Whether the parameter called `name` matters as the others are now.
    fn uses(&self, _name: &str) -> bool {
        true
    }

    /// The names of the layers that it reads where a step before has written them.
    fn reads(&self) -> Vec<&str> {
        Vec::new()
    }

    /// The names of the layers that it writes: those of them that the ground
    /// [wants](Ground::wants), and no others.
    fn writes(&self) -> Vec<&str> {
        Vec::new()
    }

    /// Changes the ground, which is the part of the land that [`Ground::region`] says: all of it at level 0
    /// where the [`reach`](Self::reach) is [`Whole`](Reach::Whole). The same parameters, ground and seed must
    /// give a place the same bits on every machine, with any number of threads, and in every region; only
    /// what lies within the reach of the region's border, and not on the land's own, may differ. The grid
    /// stays as it is, and heights stay finite: a recipe whose step breaks that is refused with the step's
    /// name, as is one whose step panics.
    ///
    /// What goes on in rounds hands the land out after each ([`Work::frame`]); what it asks of another step on
    /// the way is [unobserved](Work::unobserved).
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled) within 50 ms of a cancellation (ask
    /// [`Work::check`]), and then the ground is half changed; whatever the step's own documentation names.
    fn apply(&self, ground: &mut Ground, seed: u64, work: &Work) -> Result<()>;

    /// What [`apply`](Self::apply) makes of a copy: where the step is masked, the land as it was is still
    /// needed. What makes land out of nothing need not copy anything.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    fn applied(&self, ground: &Ground, seed: u64, work: &Work) -> Result<Ground> {
        let heights = ground.heights.copy_while(work)?;
        let mut changed = ground.with_heights(heights);
        self.apply(&mut changed, seed, work)?;
        Ok(changed)
    }

    /// The step as a waterway, if it is one: those that follow each other in a recipe are dug together, by
    /// [`water::dig`](crate::steps::water::dig).
    fn as_waterway(&self) -> Option<&dyn Carve> {
        None
    }
}

/// The sorts of operations. They differ in what a recipe may say beside their own parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Makes land, which a recipe may blend with the land that is there.
    Generator,
    /// Changes the land that is there.
    Filter,
    /// Digs the bed of a water. It is never masked or taken in part: half of a bed could rise downstream.
    Waterway,
}

impl Kind {
    /// All of them, in the order in which steps are listed.
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

/// How much of the land a step must know to say what becomes of one sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reach {
    /// The sample itself and its place on the land.
    Point,
    /// What lies no more than so many metres away along either axis; at coarser levels two samples more.
    Near(f32),
    /// The sample itself, and the lowest and the highest height of all the land:
    /// [`Region::range_of`](crate::Region::range_of) says them.
    Range,
    /// All of the land.
    Whole,
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

/// What an [`Operation`] can do because it is a plain value: be copied, compared and shown. Nobody has to
/// implement it.
pub trait Object: Any + fmt::Debug + Send + Sync {
    /// A copy.
    fn boxed(&self) -> Box<dyn Operation>;

    /// Whether the other is of the same type and equal.
    fn equals(&self, other: &dyn Operation) -> bool;

    /// Itself, to ask whether it is of a certain type.
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

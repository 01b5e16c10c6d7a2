//! The step that begins a group.

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Domain, Grid, Layers};
use crate::params::{choice, params};
use crate::steps::{Ground, Operation, Reach, step};

choice! {
    /// What the first step of a group works on.
    pub enum GroupStart {
        /// The land before the group.
        Land = "land",
        /// Level ground at height 0, without layers.
        Level = "level",
    }
}

params! {
    /// A stack inside the stack: the steps from here to `end` make a land of their own, which is then blended
    /// into the land before the group, by the group's blend, amount and mask. So a mask can hold for many steps
    /// at once, two lands can be joined, and one can be lifted onto another. Groups may stand inside groups. A
    /// group holds whatever makes or changes land; rivers, lakes, roads and strokes belong to all of the
    /// land and come after it.
    pub struct Group {
        /// What its first step works on.
        pub start: GroupStart = GroupStart::Land;
        /// A name for people.
        pub name: String = String::new(), unless empty;
    }
}

impl Operation for Group {
    step!("group", "Group", Group);

    fn formula(&self) -> Option<String> {
        let from = match self.start {
            GroupStart::Land => "h(x)",
            GroupStart::Level => "0",
        };
        Some(format!("g(x) = the steps of the group on {from}"))
    }

    fn seconds(&self, _grid: Grid) -> f64 {
        0.0
    }

    fn reach(&self, _domain: Domain) -> Reach {
        Reach::Point
    }

    /// As a group without steps.
    fn apply(&self, ground: &mut Ground, _seed: u64, _work: &Work) -> Result<()> {
        if self.start == GroupStart::Level {
            ground.heights = Ground::level_in(*ground.region()).heights;
            ground.layers = Layers::default();
        }
        Ok(())
    }
}

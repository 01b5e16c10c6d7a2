//! The stacks of a recipe: the steps between a `group` and its `end` make a land of their own.
//!
//! A recipe's steps are one list; a group is the part of it from a `group` to the `end` that belongs to it,
//! as brackets do. This is the one place that pairs them.

use std::ops::Range;

use super::{Recipe, Step};
use crate::steps::Kind;
use crate::steps::filter::{Road, SculptStrokes};
use crate::steps::generate::Flat;
use crate::steps::stack::{End, Group, GroupStart};

/// What a step that runs is to the stacks of its recipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StackPart {
    /// A step of a stack.
    Step,
    /// Begins a group.
    Opens,
    /// Ends the group that begins at this index.
    Closes(usize),
}

impl Step {
    /// Whether it begins a group.
    #[doc(hidden)]
    pub fn opens_group(&self) -> bool {
        self.operation_as::<Group>().is_some()
    }

    /// Whether it begins a group on level ground.
    pub(crate) fn starts_level(&self) -> bool {
        self.operation_as::<Group>().is_some_and(|group| group.start == GroupStart::Level)
    }

    /// Whether what it makes belongs to all of the land, so that no group can hold it: water, a road,
    /// strokes.
    pub(crate) fn is_of_all_land(&self) -> bool {
        self.operation.kind() == Kind::Waterway
            || self.operation_as::<Road>().is_some()
            || self.operation_as::<SculptStrokes>().is_some()
    }

    /// Whether it ends a group.
    #[doc(hidden)]
    pub fn closes_group(&self) -> bool {
        self.operation_as::<End>().is_some()
    }
}

impl Recipe {
    /// The steps that run, in order, with their indices: without those that are off or have an amount of 0,
    /// all steps in groups that are, and an `end` that belongs to no group.
    #[doc(hidden)]
    pub fn done(&self) -> impl DoubleEndedIterator<Item = (usize, &Step)> {
        let parts = self.stack_parts().into_iter();
        parts.filter_map(|(index, _)| Some((index, self.steps.get(index)?)))
    }

    /// The steps of the outermost stack that run, a group as the step that begins it.
    pub(crate) fn outer_steps(&self) -> Vec<&Step> {
        let (mut steps, mut depth) = (Vec::new(), 0usize);
        for (index, part) in self.stack_parts() {
            depth = depth.saturating_sub(usize::from(matches!(part, StackPart::Closes(_))));
            let step = match part {
                StackPart::Step => index,
                StackPart::Closes(opened) => opened,
                StackPart::Opens => {
                    depth += 1;
                    continue;
                }
            };
            steps.extend((depth == 0).then(|| &self.steps[step]));
        }
        steps
    }

    /// What each step that runs is to the stacks. A group without an `end` is closed after the last step, by
    /// one that isn't there.
    pub(crate) fn stack_parts(&self) -> Vec<(usize, StackPart)> {
        let mut parts = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        // Groups within one that is off.
        let mut off = 0;
        for (index, step) in self.steps.iter().enumerate() {
            match () {
                () if step.opens_group() && (off > 0 || !step.is_done()) => off += 1,
                () if step.closes_group() && off > 0 => off -= 1,
                () if off > 0 => {}
                () if step.opens_group() => {
                    open.push(index);
                    parts.push((index, StackPart::Opens));
                }
                () if step.closes_group() => {
                    parts.extend(open.pop().map(|opened| (index, StackPart::Closes(opened))));
                }
                () if step.is_done() => parts.push((index, StackPart::Step)),
                () => {}
            }
        }
        parts.extend(open.into_iter().rev().map(|opened| (self.steps.len(), StackPart::Closes(opened))));
        parts
    }

    /// The steps that belong together with the one of this index: of a `group` or its `end` all from one to
    /// the other, and otherwise the step alone. Steps that are off count.
    ///
    /// ```
    /// # use upland_core as upland;
    /// let text = "(version: 1, name: \"\", size: (3, 3), cell: 1,
    ///     steps: [fbm(), group(), terrace(), end(), mean()])";
    /// let recipe = upland::Recipe::from_ron(text, "x.ron")?;
    /// assert_eq!([0, 1, 2, 3].map(|index| recipe.span(index)), [0..1, 1..4, 2..3, 1..4]);
    /// # Ok::<(), upland::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn span(&self, index: usize) -> Range<usize> {
        let mut open = Vec::new();
        for (number, step) in self.steps.iter().enumerate() {
            if step.opens_group() {
                open.push(number);
            } else if step.closes_group()
                && let Some(opened) = open.pop()
                && (opened == index || number == index)
            {
                return opened..number + 1;
            }
        }
        if open.contains(&index) { index..self.steps.len() } else { index..index + 1 }
    }

    /// How many groups each step is in; a `group` and its `end` are not in their own.
    #[doc(hidden)]
    pub fn depths(&self) -> Vec<usize> {
        let mut depth = 0usize;
        let of_step = |step: &Step| {
            if step.closes_group() {
                depth = depth.saturating_sub(1);
            }
            let here = depth;
            depth += usize::from(step.opens_group());
            here
        };
        self.steps.iter().map(of_step).collect()
    }

    /// The recipe whose land is what its first `count` steps have made. Within a group that is the land of
    /// the group, which isn't blended yet. The steps keep their indices.
    pub(crate) fn up_to(&self, count: usize) -> Self {
        let mut land = self.clone();
        land.steps.truncate(count);
        let is_open = |(index, part): (usize, StackPart)| match part {
            StackPart::Closes(opened) if index == land.steps.len() => Some(opened),
            _ => None,
        };
        let open: Vec<usize> = land.stack_parts().into_iter().filter_map(is_open).collect();
        for opened in open {
            let mut ground = Step::new(Flat::default());
            // What stands in for the group keeps the land as it is, or makes level ground of it.
            ground.mixing.on = land.steps[opened].starts_level();
            land.steps[opened] = ground;
        }
        land
    }
}

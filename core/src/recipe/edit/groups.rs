//! Changes of the list of steps that keep groups together.

use std::cmp::Ordering;

use crate::recipe::{Recipe, Step};
use crate::steps::Kind;
use crate::steps::generate::Flat;
use crate::steps::stack::{End, Group};

impl Recipe {
    /// The moves of single steps that move the step `from` to the place `to`, in their order: each is the
    /// index from which a step is removed, and then that at which it is inserted. A group moves as a whole,
    /// from its first step to its `end`; an `end` alone moves, but not above the group's beginning.
    #[doc(hidden)]
    pub fn moves(&self, from: usize, to: usize) -> Vec<(usize, usize)> {
        let (span, last) = (self.span(from), self.steps.len().saturating_sub(1));
        let to = to.min(last);
        let is_end = self.steps.get(from).is_some_and(Step::closes_group);
        if span.len() == 1 || is_end {
            let to = if is_end && span.len() > 1 { to.max(span.start + 1) } else { to };
            return if to == from { Vec::new() } else { vec![(from, to)] };
        }
        match to.cmp(&from) {
            Ordering::Less => span.clone().map(|index| (index, to + index - span.start)).collect(),
            Ordering::Equal => Vec::new(),
            // Down by one means past the next step after the group.
            Ordering::Greater => {
                let to = to.max(span.end);
                if to > last { Vec::new() } else { vec![(span.start, to); span.len()] }
            }
        }
    }

    /// Copies of the steps that [belong together](Self::span) with that of this index, to stand after them:
    /// each varies its randomness.
    #[doc(hidden)]
    pub fn double(&self, index: usize) -> Vec<Step> {
        let mut with = self.clone();
        let mut copies = Vec::new();
        for step in &self.steps[self.span(index)] {
            let mut copy = step.clone();
            copy.mixing.variant = with.free_variant(&copy);
            with.steps.push(copy.clone());
            copies.push(copy);
        }
        copies
    }

    /// The steps that begin and end a group, with nothing between them.
    #[doc(hidden)]
    pub fn empty_group() -> [Step; 2] {
        [Step::new(Group::default()), Step::new(End::default())]
    }

    /// The recipe with one of its steps alone, as it is shown: a generator or a group by itself, whether or
    /// not it is on; any other step with those before it, within a group those of the group.
    #[doc(hidden)]
    pub fn alone(&self, index: usize) -> Self {
        let Some(step) = self.steps.get(index) else { return self.clone() };
        let span = self.span(index);
        let makes_land = step.operation.kind() == Kind::Generator || span.len() > 1;
        let mut alone = if makes_land { self.clone() } else { self.up_to(index + 1) };
        // Later steps are off, but keep their places.
        let later = self.steps[alone.steps.len()..].iter();
        alone.steps.extend(later.map(|step| {
            let mut step = if step.closes_group() { Step::new(Flat::default()) } else { step.clone() };
            step.mixing.on = false;
            step
        }));
        for (number, step) in alone.steps.iter_mut().enumerate() {
            if span.contains(&number) {
                step.mixing.on |= number == span.start;
            } else if makes_land {
                // A group that is off would take what is in it along.
                if step.opens_group() || step.closes_group() {
                    *step = Step::new(Flat::default());
                }
                step.mixing.on = false;
            }
        }
        alone
    }

    /// Ends all groups that have no `end`, so that steps can follow that belong to all of the land.
    pub(crate) fn end_groups(&mut self) {
        let open = self.open_groups();
        self.steps.extend(std::iter::repeat_with(|| Step::new(End::default())).take(open));
    }

    /// How many groups have no `end`.
    fn open_groups(&self) -> usize {
        let (mut open, mut ends) = (0usize, 0usize);
        for step in &self.steps {
            open += usize::from(step.opens_group());
            ends = if step.closes_group() { (ends + 1).min(open) } else { ends };
        }
        open - ends
    }
}

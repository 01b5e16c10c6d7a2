//! The budget of a frame for results of jobs, and how long jobs take.

use std::time::Instant;

/// The budget of the main thread for results in a frame, which several takers may share. Each always takes
/// one thing in, however small the budget and whatever others have spent: otherwise it might never get any.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameBudget {
    begun: Instant,
    milliseconds: f32,
    amount: usize,
    spent: usize,
    /// Whether the present taker has spent anything.
    has_taken: bool,
}

impl FrameBudget {
    /// Milliseconds since `begun`, and an amount: bytes, or a number of things that are about the same size.
    pub(crate) fn new(begun: Instant, milliseconds: f32, amount: usize) -> Self {
        Self { begun, milliseconds, amount, spent: 0, has_taken: false }
    }

    /// No limit.
    pub(crate) fn unlimited() -> Self {
        Self::new(Instant::now(), f32::INFINITY, usize::MAX)
    }

    /// Another taker has its turn.
    pub(crate) fn next_taker(&mut self) {
        self.has_taken = false;
    }

    /// A part of the amount is spent; 0 for a result that needed nothing.
    pub(crate) fn spend(&mut self, amount: usize) {
        self.spent = self.spent.saturating_add(amount);
        self.has_taken |= amount > 0;
    }

    /// Whether the rest has to wait for the next frame.
    pub(crate) fn is_spent(&self) -> bool {
        // Results that needed nothing do not count: each taker may still take in one that does.
        self.has_taken && (self.spent >= self.amount || self.is_late())
    }

    /// Whether the time is over, whatever has been spent.
    pub(crate) fn is_late(&self) -> bool {
        self.begun.elapsed().as_secs_f32() * 1e3 > self.milliseconds
    }
}

/// The weight of the last value in a running mean.
const LAST: f64 = 0.1;

/// The seconds that a job takes: a running mean.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MeanSeconds {
    seconds: f64,
    count: u64,
}

impl MeanSeconds {
    /// Begins with a guess, which the first jobs change only slowly.
    pub(crate) fn expecting(seconds: f64) -> Self {
        Self { seconds, count: (1.0 / LAST) as u64 }
    }

    pub(crate) fn add(&mut self, seconds: f64) {
        self.count += 1;
        // At first the mean of all values; later the weight of old values decays.
        let weight = (1.0 / self.count as f64).max(LAST);
        self.seconds += weight * (seconds - self.seconds);
    }

    pub(crate) fn get(&self) -> f64 {
        self.seconds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_lets_one_thing_in_and_no_more_than_it_has() {
        for (milliseconds, amount, things) in [(1e9, 100, 10), (1e9, 95, 10), (1e9, 0, 1), (-1.0, 100, 1)] {
            let mut budget = FrameBudget::new(Instant::now(), milliseconds, amount);
            let mut taken = 0;
            while !budget.is_spent() {
                budget.spend(10);
                taken += 1;
            }
            assert_eq!(taken, things, "{milliseconds} ms, {amount}");
        }
        // Three takers share what there is, and none goes without.
        let mut shared = FrameBudget::new(Instant::now(), 1e9, 50);
        let taken = [7; 3].map(|waiting| {
            shared.next_taker();
            let mut taken = 0;
            while taken < waiting && !shared.is_spent() {
                shared.spend(10);
                taken += 1;
            }
            taken
        });
        assert_eq!(taken, [5, 1, 1]);
        let mut late = FrameBudget::new(Instant::now(), -1.0, 0);
        late.spend(0);
        assert!(!late.is_spent(), "nothing has been taken in yet");
    }

    #[test]
    fn the_mean_is_that_of_all_at_first_and_follows_what_changes() {
        let mut mean = MeanSeconds::default();
        [1.0, 2.0, 6.0].into_iter().for_each(|seconds| mean.add(seconds));
        assert!((mean.get() - 3.0).abs() < 1e-12);
        (0..100).for_each(|_| mean.add(0.5));
        assert!((mean.get() - 0.5).abs() < 1e-3);
        let mut guessed = MeanSeconds::expecting(0.01);
        guessed.add(1.01);
        assert!((guessed.get() - 0.11).abs() < 1e-12, "a first job that is slow says little");
    }
}

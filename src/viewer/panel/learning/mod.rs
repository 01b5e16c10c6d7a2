//! Help: the keys, a tour for newcomers, lessons, and explanations of mistakes.

pub(super) mod help;
pub(super) mod lesson;
pub(super) mod mistake;
pub(super) mod progress;
pub(super) mod welcome;

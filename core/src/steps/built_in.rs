//! How the rooms of steps list the built-in ones. All else about a step is in its own file: its parameters,
//! and how it implements [`Operation`].

use super::Operation;

/// Creates a step with its default parameters.
pub(super) type Make = fn() -> Box<dyn Operation>;

/// Exports steps, each named by its path, and lists them in this order.
macro_rules! built_in {
    ($($($path:ident)::+,)+) => {
        $(pub use $($path)::+;)+

        /// Makes each step with its default parameters.
        pub(in crate::steps) const BUILT_IN: &[crate::steps::built_in::Make] =
            &[$(|| Box::new(<$($path)::+>::default()),)+];
    };
}
pub(super) use built_in;

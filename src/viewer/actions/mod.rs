//! Actions: what buttons, the command palette, keys and pictures of the window can have done, and why some
//! are refused now.

mod action;
mod hour;
mod queue;
mod refused;

pub(crate) use action::{Action, Switch};
pub(crate) use hour::Hour;
pub(crate) use queue::ActionQueue;
pub(crate) use refused::{WindowState, refused};

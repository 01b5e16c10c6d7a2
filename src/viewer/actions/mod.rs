//! Actions: everything that buttons, the command palette, keys and pictures of the window can do, and why
//! some of it is refused at present.

mod action;
mod forecast;
mod hour;
mod queue;
mod refused;

pub(crate) use action::{Action, Switch};
pub(crate) use forecast::Forecast;
pub(crate) use hour::Hour;
pub(crate) use queue::ActionQueue;
pub(crate) use refused::{WindowState, refused};

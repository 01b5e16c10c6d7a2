//! Controls that the panels share: their style, the names of qualities, sections, rows for parameters, lists,
//! and arrow keys.

pub(super) mod action_button;
pub(super) mod browse;
pub(super) mod keyboard;
pub(super) mod names;
pub(super) mod parameters;
pub(super) mod places;
pub(super) mod quality;
pub(super) mod reorder;
pub(super) mod section;
pub(super) mod style;

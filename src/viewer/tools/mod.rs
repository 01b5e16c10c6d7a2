//! Tools over the land: setting points and towers, the brush, the probe, the journey to the nearest object,
//! and which tool owns the mouse.

pub(crate) mod nearest;
pub(crate) mod point_editor;
pub(crate) mod pointer;
pub(crate) mod probe;
pub(crate) mod sculpt;
pub(crate) mod towers;

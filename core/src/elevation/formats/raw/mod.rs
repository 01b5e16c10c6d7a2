//! Raw numbers row by row, with or without a file that describes them.

pub(super) mod hgt;
pub(in crate::elevation) mod r16;
pub(super) mod raw_header;
pub(super) mod raw_layout;

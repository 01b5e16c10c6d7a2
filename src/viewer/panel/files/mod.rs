//! Windows in which files are opened, saved and exported.

pub(super) mod export;
pub(super) mod output;
pub(super) mod path_dialog;

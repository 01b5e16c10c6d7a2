//! Windows for opening, saving and exporting files.

pub(super) mod export;
pub(super) mod output;
pub(super) mod path_dialog;

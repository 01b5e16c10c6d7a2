//! The arguments of `upland view`.

use std::path::PathBuf;

use clap::Args;

use super::shared::{Changes, FieldSize};
use crate::plugin::Quality;

#[derive(Args)]
pub(in crate::cli) struct ViewArguments {
    /// Recipes, elevation files or a lesson; several landscapes are shown side by side with linked cameras
    #[arg(value_name = "FILE")]
    pub(in crate::cli) files: Vec<String>,
    /// Samples: N along the longer side, or WxD
    #[arg(long, value_name = "N|WxD", allow_negative_numbers = true)]
    pub(in crate::cli) size: Option<FieldSize>,
    /// How much is drawn: low, medium, high or ultra; by default the last choice, and at the first start what
    /// the device can draw
    #[arg(long, value_name = "LEVEL")]
    pub(in crate::cli) quality: Option<Quality>,
    /// Take pictures of all panels and modes into this folder, and quit
    #[arg(long, value_name = "FOLDER", hide = true)]
    pub(in crate::cli) stills: Option<PathBuf>,
    #[command(flatten)]
    pub(in crate::cli) changes: Changes,
}

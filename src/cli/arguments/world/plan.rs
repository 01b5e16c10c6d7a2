//! The arguments of `upland plan`.

use clap::Args;

use crate::cli::arguments::shared::{Changes, FieldSize};
use crate::grid::Window;

#[derive(Args)]
pub(in crate::cli) struct PlanArguments {
    /// Recipe
    pub(in crate::cli) recipe: String,
    /// Where the plan and its tiles are written: a folder, s3://BUCKET/FOLDER, gs://BUCKET/FOLDER or
    /// az://CONTAINER/FOLDER
    #[arg(long, value_name = "PLACE")]
    pub(in crate::cli) into: String,
    /// Samples along the side of a tile, 64 to 16384
    #[arg(long, value_name = "N", default_value_t = 4096, allow_negative_numbers = true)]
    pub(in crate::cli) tile: u32,
    /// Plan only these samples: LEVEL:X,Z,WxD, such as -2:0,0,100000x100000. Level 0 has the recipe's own
    /// spacing, -1 is twice as fine. Endless land needs it
    #[arg(long, value_name = "LEVEL:X,Z,WxD", allow_hyphen_values = true)]
    pub(in crate::cli) window: Option<Window>,
    /// Also make tiles of colours
    #[arg(long, visible_alias = "colors")]
    pub(in crate::cli) colours: bool,
    /// Also make tiles of splat weights, four terrain types in each, and of colours
    #[arg(long)]
    pub(in crate::cli) weights: bool,
    /// Also make tiles of a layer, such as flow; may be given several times
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) layer: Vec<String>,
    /// Samples of the land: N along the longer side, or WxD
    #[arg(long, value_name = "N|WxD", allow_negative_numbers = true)]
    pub(in crate::cli) size: Option<FieldSize>,
    #[command(flatten)]
    pub(in crate::cli) changes: Changes,
}

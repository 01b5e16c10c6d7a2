//! The arguments of `upland info`.

use clap::Args;

use super::shared::ReadingArguments;
use crate::grid::Window;

#[derive(Args)]
pub(in crate::cli) struct InfoArguments {
    /// An elevation file, or a recipe
    #[arg(value_name = "FILE")]
    pub(in crate::cli) file: String,
    /// Only these samples: LEVEL:X,Z,WxD, such as -1:600,0,257x257. Level 0 has the recipe's or the file's
    /// own spacing, 1 is twice as coarse and -1, for recipes only, twice as fine; X and Z are the first
    /// sample at that level, east and south
    #[arg(long, value_name = "LEVEL:X,Z,WxD", allow_hyphen_values = true)]
    pub(in crate::cli) window: Option<Window>,
    /// Stop building a recipe's land after this many seconds, and report without its heights; 0 sets no limit
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub(in crate::cli) limit: u32,
    #[command(flatten)]
    pub(in crate::cli) reading: ReadingArguments,
}

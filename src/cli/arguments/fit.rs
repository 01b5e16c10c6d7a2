//! The arguments of `upland fit`.

use std::path::PathBuf;

use clap::Args;

use super::values::seed;

#[derive(Args)]
pub(in crate::cli) struct FitArguments {
    /// The real land: an elevation file, or a recipe
    #[arg(value_name = "DEM")]
    pub(in crate::cli) dem: String,
    /// The recipe to write, .ron
    #[arg(short, long, value_name = "RECIPE.ron")]
    pub(in crate::cli) output: PathBuf,
    /// A page of plots of both lands to write too, .svg
    #[arg(long, value_name = "PAGE.svg")]
    pub(in crate::cli) page: Option<PathBuf>,
    /// Samples along the longer side, 65 to 1025; a finer model is averaged to them. Twice as many take four
    /// times as long
    #[arg(long, value_name = "N", default_value_t = 257, value_parser = clap::value_parser!(u16).range(65..=1025))]
    pub(in crate::cli) samples: u16,
    /// Rounds of the search, 0 to 10
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(0..=10))]
    pub(in crate::cli) rounds: u8,
    /// The seed of the recipe
    #[arg(long, value_name = "SEED", default_value_t = 1, value_parser = seed, allow_negative_numbers = true)]
    pub(in crate::cli) seed: u64,
    /// Print the distances as JSON
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

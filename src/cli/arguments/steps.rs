//! The arguments of `upland steps`.

use clap::Args;

#[derive(Args)]
pub(in crate::cli) struct StepsArguments {
    /// The steps to show; all of them by default
    #[arg(value_name = "STEP")]
    pub(in crate::cli) names: Vec<String>,
    /// Print JSON for programs
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

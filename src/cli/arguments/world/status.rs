//! The arguments of `upland status`.

use clap::Args;

#[derive(Args)]
pub(in crate::cli) struct StatusArguments {
    /// The place of the plan, as `upland plan --into` has it
    #[arg(long, value_name = "PLACE")]
    pub(in crate::cli) plan: String,
    /// Print JSON, with the numbers of all tiles that are missing or damaged
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

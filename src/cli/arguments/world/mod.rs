//! The arguments of the commands about planned worlds.

mod plan;
mod status;
mod verify;
mod work;

pub(in crate::cli) use plan::PlanArguments;
pub(in crate::cli) use status::StatusArguments;
pub(in crate::cli) use verify::VerifyArguments;
pub(in crate::cli) use work::WorkArguments;

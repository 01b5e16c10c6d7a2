//! The arguments of `upland lesson`.

use clap::Args;

#[derive(Args)]
pub(in crate::cli) struct LessonArguments {
    /// A lesson's name, or the .ron file of one; all are listed if omitted
    #[arg(value_name = "NAME|FILE")]
    pub(in crate::cli) name: Option<String>,
    /// Print the lesson without the answers to its questions
    #[arg(long, requires = "name")]
    pub(in crate::cli) print: bool,
    /// Print the lesson with the answers
    #[arg(long, requires = "name")]
    pub(in crate::cli) answers: bool,
}

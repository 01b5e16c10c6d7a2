//! The arguments of `upland verify`.

use clap::Args;

#[derive(Args)]
pub(in crate::cli) struct VerifyArguments {
    /// The place of the plan, as `upland plan --into` has it
    #[arg(long, value_name = "PLACE")]
    pub(in crate::cli) plan: String,
    /// The share of the tiles that are made again and compared, such as 1% or 100%; at least one of each
    /// pass. Which they are follows from the plan
    #[arg(long, value_name = "SHARE", default_value = "1%", value_parser = share)]
    pub(in crate::cli) sample: f64,
    /// Write the tiles that are damaged again
    #[arg(long)]
    pub(in crate::cli) repair: bool,
    /// Print JSON
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

fn share(text: &str) -> Result<f64, String> {
    let (number, whole) = match text.trim().strip_suffix('%') {
        Some(number) => (number.trim(), 100.0),
        None => (text.trim(), 1.0),
    };
    let share = number.parse::<f64>().ok().map(|number| number / whole);
    share
        .filter(|share| (0.0..=1.0).contains(share))
        .ok_or_else(|| format!("`{text}` is not a share; give 0% to 100%"))
}

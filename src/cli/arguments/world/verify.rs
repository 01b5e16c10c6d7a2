//! The arguments of `upland verify`.

use clap::Args;

#[derive(Args)]
pub(in crate::cli) struct VerifyArguments {
    /// The place of the plan, as `upland plan --into` has it
    #[arg(long, value_name = "PLACE")]
    pub(in crate::cli) plan: String,
    /// The share of the tiles that are made again and compared, such as 1% or 100%; above 0%, at least one
    /// of each pass. Which they are follows from the plan
    #[arg(long, value_name = "SHARE", default_value = "1%", value_parser = percent)]
    pub(in crate::cli) sample: f64,
    /// Write the tiles that are damaged again
    #[arg(long)]
    pub(in crate::cli) repair: bool,
    /// Print JSON
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

/// A share in percent.
fn percent(text: &str) -> Result<f64, String> {
    // Without the sign, 1 could be taken for all of the tiles.
    let percent = text.trim().strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
    percent
        .filter(|percent| (0.0..=100.0).contains(percent))
        .ok_or_else(|| format!("`{text}` is not a share in percent; give 0% to 100%, such as 1%"))
}

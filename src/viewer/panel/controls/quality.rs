//! The quality levels with their names, and the offer of a higher one.

use bevy_egui::egui;

use super::style::Tip as _;
use crate::plugin::Quality;

/// The quality levels, with their names and what they are for.
pub(crate) const QUALITIES: [(Quality, &str, &str); 4] = [
    (Quality::Low, "Low", "For computers without a graphics card: half the resolution, simple lighting"),
    (Quality::Medium, "Medium", "For integrated graphics: full lighting, coarser textures, no anti-aliasing"),
    (Quality::High, "High", "For graphics cards: finer ground, more shadows, anti-aliasing"),
    (Quality::Ultra, "Ultra", "For fast graphics cards: finest ground, sharpest shadows"),
];

/// If the window's quality does not draw `what`, reports that and offers the lowest quality that does.
/// Returns that quality if the user selects it.
pub(crate) fn say_hidden(
    ui: &mut egui::Ui,
    now: Quality,
    what: &str,
    draws: impl Fn(Quality) -> bool,
) -> Option<Quality> {
    let better = Quality::ALL.into_iter().find(|quality| draws(*quality)).filter(|_| !draws(now))?;
    let text = format!(
        "Quality {now} doesn't draw {what}. They are drawn from {better} on, in exported pictures too."
    );
    ui.add(egui::Label::new(egui::RichText::new(text).color(ui.visuals().warn_fg_color)).wrap());
    let tip = "Needs a faster graphics device; you can go back in the section Quality";
    ui.button(format!("Use quality {better}")).tip(tip).clicked().then_some(better)
}

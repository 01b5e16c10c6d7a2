//! Levels of quality with their names, and the offer of a better one.

use bevy_egui::egui;

use super::style::Tip as _;
use crate::plugin::Quality;

/// Levels of quality, with their names and what they are for.
pub(crate) const QUALITIES: [(Quality, &str, &str); 4] = [
    (Quality::Low, "Low", "For devices without a graphics card: half the resolution, simple light"),
    (Quality::Medium, "Medium", "For small graphics devices: full light, larger texels, no smoothed edges"),
    (Quality::High, "High", "For graphics cards: finer ground, more shadows, smoothed edges"),
    (Quality::Ultra, "Ultra", "For fast graphics cards: the finest ground, the sharpest shadows"),
];

/// If the window's quality does not draw `what`, says so and offers the lowest quality that does. Returns
/// that quality if it is chosen.
pub(crate) fn say_hidden(
    ui: &mut egui::Ui,
    now: Quality,
    what: &str,
    draws: impl Fn(Quality) -> bool,
) -> Option<Quality> {
    let better = Quality::ALL.into_iter().find(|quality| draws(*quality)).filter(|_| !draws(now))?;
    let text =
        format!("The present quality, {now}, draws no {what}. Pictures of a higher quality have them.");
    ui.add(egui::Label::new(egui::RichText::new(text).color(ui.visuals().warn_fg_color)).wrap());
    let tip = "Needs more of the graphics device; you can go back in the section Quality";
    ui.button(format!("Draw with quality {better}")).tip(tip).clicked().then_some(better)
}

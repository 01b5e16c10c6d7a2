//! The style of the panels.

use bevy_egui::egui::{self, Color32, CornerRadius, Stroke, Visuals, vec2};

/// Colour of errors.
pub(super) const ERROR: Color32 = Color32::from_rgb(0xff, 0x8a, 0x73);
/// Colour of success.
pub(super) const GOOD: Color32 = Color32::from_rgb(0xb9, 0xdc, 0xa4);
/// Colour of what is less important.
pub(super) const QUIET: Color32 = Color32::from_rgb(0x93, 0x9b, 0xa1);
/// Colour of what can be dragged.
pub(super) const ACCENT: Color32 = Color32::from_rgb(0x4f, 0x86, 0xa8);
/// Its lighter shade, for thin lines.
pub(super) const ACCENT_LIGHT: Color32 = Color32::from_rgb(0x8f, 0xbc, 0xd8);

/// Gives a button that shows a sign its tip, which is also the name by which a screen reader calls it.
pub(super) fn sign(button: egui::Response, tip: &str) -> egui::Response {
    let is_enabled = button.enabled();
    button.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, is_enabled, tip));
    button.on_hover_text(tip)
}

/// What lies behind text over the land.
pub(super) fn over_land(ui: &egui::Ui) -> Color32 {
    let [r, g, b, _] = ui.visuals().extreme_bg_color.to_array();
    Color32::from_rgba_unmultiplied(r, g, b, 225)
}

/// Makes egui look like upland: slate panels, quiet lines, one blue.
pub(super) fn apply(context: &egui::Context) {
    context.set_theme(egui::Theme::Dark);
    context.all_styles_mut(|style| {
        let mut visuals = Visuals::dark();
        visuals.panel_fill = Color32::from_rgb(0x1d, 0x21, 0x25);
        visuals.window_fill = Color32::from_rgb(0x22, 0x27, 0x2b);
        visuals.extreme_bg_color = Color32::from_rgb(0x14, 0x17, 0x1a);
        visuals.selection.bg_fill = ACCENT;
        visuals.selection.stroke = Stroke::new(1.0, Color32::WHITE);
        visuals.slider_trailing_fill = true;
        visuals.widgets.noninteractive.bg_stroke = Stroke::new(1.0, Color32::from_rgb(0x33, 0x3a, 0x40));
        visuals.widgets.noninteractive.fg_stroke = Stroke::new(1.0, Color32::from_rgb(0xcf, 0xd5, 0xd9));
        for widget in
            [&mut visuals.widgets.inactive, &mut visuals.widgets.hovered, &mut visuals.widgets.active]
        {
            widget.corner_radius = CornerRadius::same(4);
        }
        visuals.widgets.inactive.weak_bg_fill = Color32::from_rgb(0x2f, 0x36, 0x3c);
        visuals.widgets.inactive.bg_fill = Color32::from_rgb(0x2f, 0x36, 0x3c);
        style.visuals = visuals;
        style.spacing.item_spacing = vec2(8.0, 5.0);
        style.spacing.slider_width = 118.0;
        style.spacing.combo_width = 130.0;
        style.spacing.interact_size.y = 20.0;
        // The scroll bar is beside its content, not over it.
        style.spacing.scroll.floating_allocated_width = 6.0;
        style.spacing.scroll.floating_width = 4.0;
        style.spacing.scroll.bar_width = 6.0;
        style.spacing.tooltip_width = 420.0;
    });
}

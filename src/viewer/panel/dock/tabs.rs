//! How tabs and the space between them are drawn.

use bevy_egui::egui::{self, CornerRadius, Rect, Ui};
use egui_dock::{OverlayType, TabStyle, TabViewer};

use super::sizes::{LEAST, LINE, TITLE};
use crate::viewer::panel::controls::style::{self, Tip as _};
use crate::viewer::session::Tab;

/// Draws the content of tabs.
pub(super) struct Viewer<F> {
    pub(super) draw: F,
    /// The space of the land.
    pub(super) land: Rect,
    /// Tabs that the user closed.
    pub(super) closed: Vec<Tab>,
}

impl<F: FnMut(&mut Ui, Tab)> TabViewer for Viewer<F> {
    type Tab = Tab;

    fn id(&mut self, tab: &mut Tab) -> egui::Id {
        egui::Id::new(("docked", *tab))
    }

    fn title(&mut self, tab: &mut Tab) -> egui::WidgetText {
        tab.title().into()
    }

    fn ui(&mut self, ui: &mut Ui, tab: &mut Tab) {
        match tab {
            Tab::Land => self.land = ui.max_rect(),
            tab => (self.draw)(ui, *tab),
        }
    }

    fn on_tab_button(&mut self, tab: &mut Tab, response: &egui::Response) {
        let info =
            || egui::WidgetInfo::labeled(egui::WidgetType::Button, true, format!("{} panel", tab.title()));
        response.widget_info(info);
        if self.is_closeable(tab) {
            let name = format!("Close the {} panel", tab.title());
            // egui_dock draws its close button without a name, under this id.
            response.ctx.accesskit_node_builder(response.id.with("close-button"), |node| {
                node.set_role(egui::accesskit::Role::Button);
                node.set_label(name);
            });
        }
        response
            .clone()
            .tip("Drag it to an edge of the land, over the land, or onto the title of another panel");
    }

    fn on_close(&mut self, tab: &mut Tab) -> egui_dock::tab_viewer::OnCloseResponse {
        self.closed.push(*tab);
        // The panel closes in the next frame, after its owner has learned of it.
        egui_dock::tab_viewer::OnCloseResponse::Ignore
    }

    fn is_closeable(&self, tab: &Tab) -> bool {
        !matches!(tab, Tab::Land | Tab::Recipe)
    }

    fn tab_style_override(&self, tab: &Tab, all: &TabStyle) -> Option<TabStyle> {
        let mut own = all.clone();
        match tab {
            Tab::Land => {
                own.tab_body.inner_margin = egui::Margin::ZERO;
                own.tab_body.stroke = egui::Stroke::NONE;
            }
            _ => return None,
        }
        Some(own)
    }

    fn allowed_in_windows(&self, tab: &mut Tab) -> bool {
        *tab != Tab::Land
    }

    fn clear_background(&self, tab: &Tab) -> bool {
        *tab != Tab::Land
    }

    fn scroll_bars(&self, tab: &Tab) -> [bool; 2] {
        // The land has nothing to scroll, and the recipe scrolls by itself.
        [false, !matches!(tab, Tab::Land | Tab::Recipe)]
    }
}

/// The style of the dock.
pub(super) fn look(style: &egui::Style) -> egui_dock::Style {
    let mut look = egui_dock::Style::from_egui(style);
    let visuals = &style.visuals;
    let line = visuals.widgets.noninteractive.bg_stroke.color;
    look.dock_area_padding = None;
    look.main_surface_border_stroke = egui::Stroke::NONE;
    look.main_surface_border_rounding = CornerRadius::ZERO;
    look.tab_bar.corner_radius = CornerRadius::ZERO;
    look.tab.tab_body.corner_radius = CornerRadius::ZERO;
    // A panel dropped near an edge of the land goes next to it, elsewhere over it, on a title behind that.
    look.overlay.overlay_type = OverlayType::HighlightedAreas;
    look.overlay.feel.center_drop_coverage = 0.0;
    look.overlay.feel.window_drop_coverage = 0.8;
    look.separator.width = LINE;
    look.separator.extra_interact_width = 6.0;
    look.separator.extra = LEAST;
    look.separator.color_idle = line;
    look.separator.color_hovered = style::accent_line(visuals);
    look.separator.color_dragged = style::accent_line(visuals);
    look.tab_bar.height = TITLE * style::scale(style);
    // The scroll bars of two panels over the land would have the same id in egui; the wheel scrolls titles
    // without them.
    look.tab_bar.show_scroll_bar_on_overflow = false;
    look.tab_bar.bg_fill = visuals.extreme_bg_color;
    look.tab_bar.hline_color = line;
    look.tab.tab_body.bg_fill = visuals.panel_fill;
    look.tab.tab_body.stroke = egui::Stroke::NONE;
    look.tab.tab_body.inner_margin = egui::Margin::same(8);
    // The land's title bar stays hidden, so it must not be draggable.
    look.tab.tab_body.hidden_tab_bar_drag_height = Some(0.0);
    look.buttons.show_tab_bar_size = 0.0;
    look.buttons.show_tab_bar_hover_expand = 0.0;
    for tab in [&mut look.tab.active, &mut look.tab.focused] {
        tab.bg_fill = visuals.panel_fill;
        tab.outline_color = line;
        tab.text_color = visuals.strong_text_color();
    }
    look.tab.inactive.bg_fill = visuals.extreme_bg_color;
    look.tab.inactive.outline_color = line;
    look.tab.inactive.text_color = visuals.weak_text_color();
    look.tab.hovered.outline_color = line;
    look
}

//! The style of the panels.

use std::sync::Arc;

use bevy_egui::egui::{self, Color32, CornerRadius, Stroke, Visuals, vec2};

/// Signs of formulas that egui's own fonts lack.
const SIGNS: &[u8] = include_bytes!("../../../assets/fonts/signs.ttf");

/// Colour of errors.
pub(super) fn error(ui: &egui::Ui) -> Color32 {
    ui.visuals().error_fg_color
}

/// Colour of success.
pub(super) fn good(ui: &egui::Ui) -> Color32 {
    by_theme(ui.visuals(), [0xb9dca4, 0x2f6b2a])
}

/// Colour of what is less important.
pub(super) fn quiet(ui: &egui::Ui) -> Color32 {
    by_theme(ui.visuals(), [0x939ba1, 0x5a646b])
}

/// Colour of what can be dragged.
pub(super) const ACCENT: Color32 = Color32::from_rgb(0x4f, 0x86, 0xa8);

/// Colour of thin lines of the same hue.
pub(super) fn accent_line(visuals: &Visuals) -> Color32 {
    by_theme(visuals, [0x8fbcd8, 0x2a6488])
}

/// Colour of headings and of what must be read first.
pub(super) fn strong(ui: &egui::Ui) -> Color32 {
    ui.visuals().strong_text_color()
}

/// One of two colours, for dark and for light panels, as hexadecimal digits of red, green and blue.
pub(super) fn by_theme(visuals: &Visuals, [dark, light]: [u32; 2]) -> Color32 {
    let [_, r, g, b] = if visuals.dark_mode { dark } else { light }.to_be_bytes();
    Color32::from_rgb(r, g, b)
}

/// Gives a button that shows a sign its tip, which is also the name by which a screen reader calls it.
pub(super) fn sign(button: egui::Response, tip: &str) -> egui::Response {
    let is_enabled = button.enabled();
    button.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, is_enabled, tip));
    button.on_hover_text(tip)
}

/// Gives a control the name by which a screen reader calls it, where no text of its own says what it is.
pub(super) fn called(control: egui::Response, name: &str) -> egui::Response {
    control.ctx.accesskit_node_builder(control.id, |node| node.set_label(name));
    control
}

/// Draws what must stay the same when something that was drawn before it comes or goes. egui tells controls apart by how
/// many came before them in the same place: a control that is counted anew loses the focus, and its menu closes.
pub(super) fn lasting<R>(ui: &mut egui::Ui, name: &str, draw: impl FnOnce(&mut egui::Ui) -> R) -> R {
    let id = ui.id().with(("lasting", name));
    ui.scope_builder(egui::UiBuilder::new().id(id), draw).inner
}

/// Gives the triangle that unfolds something a role and a name.
pub(super) fn unfolds(triangle: egui::Response, name: &str) {
    let is_enabled = triangle.enabled();
    triangle.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::CollapsingHeader, is_enabled, name));
}

/// What lies behind text over the land.
pub(super) fn over_land(ui: &egui::Ui) -> Color32 {
    let [r, g, b, _] = ui.visuals().extreme_bg_color.to_array();
    Color32::from_rgba_unmultiplied(r, g, b, 225)
}

/// Makes egui look like upland: slate panels or white ones, quiet lines, one blue.
pub(super) fn apply(context: &egui::Context) {
    context.set_fonts(fonts());
    for theme in [egui::Theme::Dark, egui::Theme::Light] {
        context.style_mut_of(theme, |style| {
            style.visuals = visuals(theme);
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
}

/// Lets a click be a click, and two a double click, however slow frames are: egui counts the time from the frame that tells of
/// the press to that which tells of the release. Called in every frame.
pub(super) fn allow_slow_clicks(context: &egui::Context) {
    let usual = egui::InputOptions::default();
    let frames = 2.0 * f64::from(context.input(|input| input.unstable_dt));
    context.options_mut(|options| {
        options.input_options.max_click_duration = usual.max_click_duration + frames;
        options.input_options.max_double_click_delay = usual.max_double_click_delay + frames;
    });
}

/// egui's fonts, and behind them one with the signs of formulas.
fn fonts() -> egui::FontDefinitions {
    let mut fonts = egui::FontDefinitions::default();
    let signs = "signs";
    fonts.font_data.insert(signs.to_owned(), Arc::new(egui::FontData::from_static(SIGNS)));
    fonts.families.values_mut().for_each(|family| family.push(signs.to_owned()));
    fonts
}

fn visuals(theme: egui::Theme) -> Visuals {
    let mut visuals = theme.default_visuals();
    let colour = |both| by_theme(&theme.default_visuals(), both);
    visuals.panel_fill = colour([0x1d2125, 0xf3f4f4]);
    visuals.window_fill = colour([0x22272b, 0xfafafa]);
    visuals.extreme_bg_color = colour([0x14171a, 0xffffff]);
    visuals.faint_bg_color = colour([0x24292e, 0xe9ecee]);
    visuals.error_fg_color = colour([0xff8a73, 0xb3261e]);
    visuals.warn_fg_color = colour([0xe8c170, 0x8a5a00]);
    visuals.selection.bg_fill = ACCENT;
    visuals.selection.stroke = Stroke::new(1.0, Color32::WHITE);
    visuals.slider_trailing_fill = true;
    let widgets = &mut visuals.widgets;
    widgets.noninteractive.bg_stroke = Stroke::new(1.0, colour([0x333a40, 0xd0d5d9]));
    widgets.noninteractive.fg_stroke = Stroke::new(1.0, colour([0xcfd5d9, 0x262b2f]));
    for widget in [&mut widgets.inactive, &mut widgets.hovered, &mut widgets.active] {
        widget.corner_radius = CornerRadius::same(4);
    }
    widgets.inactive.weak_bg_fill = colour([0x2f363c, 0xdfe4e7]);
    widgets.inactive.bg_fill = colour([0x2f363c, 0xc9d1d6]);
    visuals
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lessons::{Mistake, ShippedLesson};
    use crate::recipe::Step;
    use crate::steps;

    /// The signs of a text that a family of fonts cannot write.
    fn lacking(text: &str, family: egui::FontFamily) -> String {
        let context = egui::Context::default();
        apply(&context);
        let mut lacking = String::new();
        let mut output = context.run_ui(egui::RawInput::default(), |ui| {
            ui.ctx().fonts_mut(|fonts| {
                let mut font = fonts.fonts.font(&family);
                let known = font.characters();
                lacking = text.chars().filter(|sign| *sign != '\n' && !known.contains_key(sign)).collect();
            });
        });
        // Nothing is drawn, so nobody wants the font's picture.
        output.textures_delta.clear();
        lacking
    }

    #[test]
    fn all_signs_of_formulas_and_lessons_can_be_written() {
        let steps = steps::names().into_iter().filter_map(Step::from_name);
        let mut formulas: String = steps.filter_map(|step| step.operation.formula()).collect();
        let mut texts = String::new();
        for lesson in ShippedLesson::all() {
            formulas += lesson.text;
            texts += lesson.text;
        }
        Mistake::all().iter().for_each(|mistake| texts += &[mistake.why, mistake.cure].concat());
        assert!(["Σ", "≤", "∇", "ᵢ"].iter().all(|sign| formulas.contains(sign)));
        assert_eq!(lacking(&formulas, egui::FontFamily::Monospace), "");
        assert_eq!(lacking(&texts, egui::FontFamily::Proportional), "");
        assert_eq!(lacking("𒀀", egui::FontFamily::Monospace), "𒀀", "what is lacking is found");
    }

    #[test]
    fn a_click_is_one_however_slow_frames_are() {
        let clicked = |is_allowed: bool| {
            let (context, place) = (egui::Context::default(), egui::pos2(20.0, 12.0));
            let button = |pressed| egui::Event::PointerButton {
                pos: place,
                button: egui::PointerButton::Primary,
                pressed,
                modifiers: egui::Modifiers::default(),
            };
            let frames = [
                vec![],
                vec![egui::Event::PointerMoved(place)],
                vec![],
                vec![button(true)],
                vec![button(false)],
            ];
            let mut clicked = false;
            for (frame, events) in frames.into_iter().enumerate() {
                let input =
                    egui::RawInput { time: Some(1.5 * frame as f64), events, ..egui::RawInput::default() };
                let mut output = context.run_ui(input, |ui| {
                    if is_allowed {
                        allow_slow_clicks(ui.ctx());
                    }
                    clicked = ui.button("A button that is wide enough").clicked();
                });
                output.textures_delta.clear();
            }
            clicked
        };
        assert!(clicked(true));
        assert!(!clicked(false), "egui takes it for a long press");
    }
}

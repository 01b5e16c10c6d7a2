//! The style of the panels.

use std::sync::Arc;

use bevy_egui::egui::{self, Color32, CornerRadius, Rect, Stroke, Visuals, vec2};

/// Symbols for formulas that egui's own fonts lack.
const SIGNS: &[u8] = include_bytes!("../../../../assets/fonts/signs.ttf");

/// Colour of errors.
pub(crate) fn error(ui: &egui::Ui) -> Color32 {
    ui.visuals().error_fg_color
}

/// Colour of success.
pub(crate) fn good(ui: &egui::Ui) -> Color32 {
    by_theme(ui.visuals(), [0xb9dca4, 0x2f6b2a])
}

/// Colour of less important text.
pub(crate) fn quiet(ui: &egui::Ui) -> Color32 {
    by_theme(ui.visuals(), [0x939ba1, 0x5a646b])
}

/// Colour of things that can be dragged.
pub(crate) const ACCENT: Color32 = Color32::from_rgb(0x4f, 0x86, 0xa8);

/// Colour of thin lines of the same hue.
pub(crate) fn accent_line(visuals: &Visuals) -> Color32 {
    by_theme(visuals, [0x8fbcd8, 0x2a6488])
}

/// Colour of headings and of text to be read first.
pub(crate) fn strong(ui: &egui::Ui) -> Color32 {
    ui.visuals().strong_text_color()
}

/// One of two colours, for dark and for light panels, as hexadecimal digits of red, green and blue.
pub(crate) fn by_theme(visuals: &Visuals, [dark, light]: [u32; 2]) -> Color32 {
    let [_, r, g, b] = if visuals.dark_mode { dark } else { light }.to_be_bytes();
    Color32::from_rgb(r, g, b)
}

/// Gives a button that shows a symbol its tooltip, which is also its name for screen readers.
pub(crate) fn sign(button: egui::Response, tip: &str) -> egui::Response {
    let is_enabled = button.enabled();
    button.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, is_enabled, tip));
    button.tip(tip)
}

/// Gives a control a name for screen readers, where its own text doesn't say what it is.
pub(crate) fn called(control: egui::Response, name: &str) -> egui::Response {
    control.ctx.accesskit_node_builder(control.id, |node| node.set_label(name));
    control
}

/// Tooltips next to a control's panel, so that they cover neither the control nor its neighbours.
pub(crate) trait Tip {
    /// Shows a text while the pointer rests on the control.
    fn tip(self, text: impl AsRef<str>) -> Self;
}

impl Tip for egui::Response {
    fn tip(self, text: impl AsRef<str>) -> Self {
        // Returns early, because most controls are not under the pointer.
        if !egui::Tooltip::should_show_tooltip(&self, true) {
            return self;
        }
        const BESIDE: [egui::RectAlign; 3] =
            [egui::RectAlign::LEFT_START, egui::RectAlign::BOTTOM_START, egui::RectAlign::TOP_START];
        let mut tooltip = egui::Tooltip::for_enabled(&self);
        let panel = self.ctx.data(|data| data.get_temp::<Rect>(place_of_tips()));
        if let Some(panel) = panel.filter(|panel| panel.contains(self.rect.center())) {
            let row = Rect::from_x_y_ranges(panel.x_range(), self.rect.y_range());
            let beside = tooltip.popup.anchor(row).align(egui::RectAlign::RIGHT_START);
            tooltip.popup = beside.align_alternatives(&BESIDE);
        }
        let text = plain(text.as_ref());
        tooltip.show(|ui| {
            ui.set_max_width(ui.spacing().tooltip_width);
            ui.label(text);
        });
        self
    }
}

fn place_of_tips() -> egui::Id {
    egui::Id::new("beside which tips stand")
}

/// Draws a panel whose controls have their tooltips next to it.
pub(crate) fn with_tips_beside<R>(ui: &mut egui::Ui, draw: impl FnOnce(&mut egui::Ui) -> R) -> R {
    let panel = ui.clip_rect();
    ui.data_mut(|data| data.insert_temp(place_of_tips(), panel));
    let drawn = draw(ui);
    ui.data_mut(|data| data.remove::<Rect>(place_of_tips()));
    drawn
}

/// A doc text for the interface: names without backticks, links without their addresses.
pub(crate) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(sign) = rest.find(['`', '[']) {
        plain += &rest[..sign];
        rest = &rest[sign..];
        let link = rest.strip_prefix('[').and_then(|link| {
            let (shown, after) = link.split_once(']')?;
            let after = match after.strip_prefix('(') {
                Some(address) => address.split_once(')')?.1,
                None if shown.starts_with('`') => after,
                None => return None,
            };
            Some((shown, after))
        });
        if let Some((shown, after)) = link {
            plain += &shown.replace('`', "");
            rest = after;
        } else if let Some((name, after)) = rest.strip_prefix('`').and_then(|name| name.split_once('`')) {
            plain += &format!("“{}”", name.replace('_', " "));
            rest = after;
        } else {
            // This bracket or backtick belongs neither to a name nor to a link.
            plain += &rest[..1];
            rest = &rest[1..];
        }
    }
    plain + rest
}

/// A text with names in quotation marks instead of backticks.
pub(crate) fn quoted(text: &str) -> String {
    let mut parts = text.split('`').enumerate().peekable();
    let mut quoted = String::with_capacity(text.len());
    while let Some((number, part)) = parts.next() {
        quoted += part;
        match (parts.peek().is_some(), number % 2) {
            (false, _) => {}
            (true, 0) => quoted.push('“'),
            (true, _) => quoted.push('”'),
        }
    }
    quoted
}

/// A progress bar with a text that is readable on both its filled and its empty part.
pub(crate) fn progress(ui: &egui::Ui, fraction: f32, text: impl Into<String>) -> egui::ProgressBar {
    let [fill, written] = progress_colours(ui.visuals());
    egui::ProgressBar::new(fraction).fill(fill).text(egui::RichText::new(text).color(written))
}

/// The colours of the filled part of a progress bar, and of its text.
fn progress_colours(visuals: &Visuals) -> [Color32; 2] {
    [by_theme(visuals, [0x35607c, 0xa9cbe0]), by_theme(visuals, [0xf2f5f7, 0x1b2226])]
}

/// Puts a window into the middle of the land, so that it covers no panel; at its top if it `hangs`.
pub(crate) fn over_middle<'a>(
    window: egui::Window<'a>,
    land: bevy::math::Rect,
    hangs: bool,
) -> egui::Window<'a> {
    let middle = egui::pos2(land.center().x, land.center().y);
    if hangs {
        window.pivot(egui::Align2::CENTER_TOP).fixed_pos(egui::pos2(middle.x, land.min.y + 56.0))
    } else {
        window.pivot(egui::Align2::CENTER_CENTER).fixed_pos(middle)
    }
}

/// Like [`over_middle`], for a window that grows with its content. Its upper left corner stays in place,
/// where a window of this width in logical pixels would be centred.
pub(crate) fn growing_over_middle<'a>(
    window: egui::Window<'a>,
    land: bevy::math::Rect,
    width: f32,
) -> egui::Window<'a> {
    let left = (land.center().x - width / 2.0).max(land.min.x);
    let corner = egui::pos2(left, land.min.y + 56.0);
    window.pivot(egui::Align2::LEFT_TOP).fixed_pos(corner).default_width(width)
}

/// Draws something that must keep its state when something before it appears or disappears. egui identifies
/// controls by their number within their parent: a control with another number loses the focus, and its menu
/// closes.
pub(crate) fn lasting<R>(ui: &mut egui::Ui, name: &str, draw: impl FnOnce(&mut egui::Ui) -> R) -> R {
    let id = ui.id().with(("lasting", name));
    ui.scope_builder(egui::UiBuilder::new().id(id), draw).inner
}

/// Gives the triangle that unfolds something a role and a name.
pub(crate) fn unfolds(triangle: egui::Response, name: &str) {
    let is_enabled = triangle.enabled();
    triangle.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::CollapsingHeader, is_enabled, name));
}

/// The background of text over the land.
pub(crate) fn over_land(ui: &egui::Ui) -> Color32 {
    let [r, g, b, _] = ui.visuals().extreme_bg_color.to_array();
    Color32::from_rgba_unmultiplied(r, g, b, 225)
}

/// Size of ordinary text in panels of the usual size, logical pixels.
const BODY: f32 = 13.0;

/// The factor by which text and panels are enlarged in a window of this size in logical pixels, because
/// windows that fill large screens are viewed from farther away.
pub(crate) fn scale_for(window: egui::Vec2) -> f32 {
    let scale = (window.x / 1920.0).min(window.y / 1080.0).clamp(1.0, 2.0);
    // Rounded to steps, so that dragging the window's border doesn't change it all the time.
    (scale * 12.0).floor() / 12.0
}

/// The factor by which text and panels are enlarged.
pub(crate) fn scale(style: &egui::Style) -> f32 {
    style.text_styles.get(&egui::TextStyle::Body).map_or(1.0, |font| font.size / BODY)
}

/// The usual size of a text, scaled for this window.
pub(crate) fn points(ui: &egui::Ui, usual: f32) -> f32 {
    usual * scale(ui.style())
}

/// A font of this usual size, scaled for this window.
pub(crate) fn font(ui: &egui::Ui, usual: f32) -> egui::FontId {
    egui::FontId::proportional(points(ui, usual))
}

/// Applies the style: slate or white panels, subdued lines, one blue.
pub(crate) fn apply(context: &egui::Context) {
    context.set_fonts(fonts());
    for theme in [egui::Theme::Dark, egui::Theme::Light] {
        context.style_mut_of(theme, |style| style.visuals = visuals(theme));
    }
    enlarge(context, 1.0);
}

/// Enlarges text and controls by this factor.
pub(crate) fn enlarge(context: &egui::Context, scale: f32) {
    let usual = egui::Style::default();
    context.all_styles_mut(|style| {
        style.text_styles.clone_from(&usual.text_styles);
        style.text_styles.values_mut().for_each(|font| font.size *= scale);
        let spacing = &mut style.spacing;
        spacing.item_spacing = vec2(8.0, 5.0) * scale;
        spacing.slider_width = 118.0 * scale;
        spacing.combo_width = 130.0 * scale;
        spacing.interact_size = vec2(usual.spacing.interact_size.x, 20.0) * scale;
        spacing.icon_width = usual.spacing.icon_width * scale;
        spacing.icon_width_inner = usual.spacing.icon_width_inner * scale;
        spacing.indent = usual.spacing.indent * scale;
        spacing.button_padding = usual.spacing.button_padding * scale;
        // The scroll bar is next to its content, rather than over it.
        spacing.scroll.floating_allocated_width = 6.0;
        spacing.scroll.floating_width = 4.0;
        spacing.scroll.bar_width = 6.0;
        spacing.tooltip_width = 420.0 * scale;
    });
}

/// Makes clicks and double clicks work however slow frames are. egui measures the time between the frames
/// that report the press and the release, and would take a click for a long press. Called in every frame.
pub(crate) fn allow_slow_clicks(context: &egui::Context) {
    let usual = egui::InputOptions::default();
    let frames = 2.0 * f64::from(context.input(|input| input.unstable_dt));
    context.options_mut(|options| {
        options.input_options.max_click_duration = usual.max_click_duration + frames;
        options.input_options.max_double_click_delay = usual.max_double_click_delay + frames;
    });
}

/// egui's fonts, with the one of symbols for formulas as their fallback.
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

/// The present stage of a build, or a general phrase before the first stage.
pub(crate) fn stage_name(stage: &str) -> &str {
    if stage.trim().is_empty() { "preparing" } else { stage }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lessons::{Mistake, ShippedLesson};
    use crate::recipe::Step;
    use crate::steps;

    /// The symbols of a text that a family of fonts lacks.
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
        // Nothing is drawn, so the font's texture is not needed.
        output.textures_delta.clear();
        lacking
    }

    /// How readable one colour is on another, from 1 to 21: the contrast ratio of the Web Content
    /// Accessibility Guidelines.
    fn contrast(a: Color32, b: Color32) -> f32 {
        let light = |colour: Color32| {
            let [r, g, b, _] = egui::Rgba::from(colour).to_array();
            0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05
        };
        let [a, b] = [light(a), light(b)];
        a.max(b) / a.min(b)
    }

    #[test]
    fn texts_are_readable_on_their_background_in_both_themes() {
        for theme in [egui::Theme::Dark, egui::Theme::Light] {
            let visuals = visuals(theme);
            let [fill, written] = progress_colours(&visuals);
            let panel = visuals.panel_fill;
            for (what, text, ground) in [
                ("progress, filled", written, fill),
                ("progress, empty", written, visuals.extreme_bg_color),
                ("text", visuals.text_color(), panel),
                ("heading", visuals.strong_text_color(), panel),
                ("quiet", by_theme(&visuals, [0x939ba1, 0x5a646b]), panel),
                ("good", by_theme(&visuals, [0xb9dca4, 0x2f6b2a]), panel),
                ("error", visuals.error_fg_color, panel),
                ("warning", visuals.warn_fg_color, panel),
            ] {
                let contrast = contrast(text, ground);
                assert!(contrast > 4.5, "{what} in {theme:?}: {contrast}");
            }
            // Selected text is larger or bolder, so less contrast is enough.
            assert!(contrast(visuals.selection.stroke.color, visuals.selection.bg_fill) > 3.0);
        }
    }

    #[test]
    fn documentation_in_the_interface_has_no_markup() {
        assert_eq!(
            plain("As `sea_level`, see [`River`](crate::River) and [`Sea`]; a [b] stays"),
            "As “sea level”, see River and Sea; a [b] stays"
        );
        assert_eq!(plain("an odd ` and a lone ["), "an odd ` and a lone [");
        assert_eq!(plain("[text](address) before"), "text before");
        assert_eq!(quoted("no field `sea_levl`: `sea_level`?"), "no field “sea_levl”: “sea_level”?");
        assert_eq!([quoted(""), quoted("plain")], ["", "plain"]);
        for step in steps::names().into_iter().filter_map(Step::from_name) {
            let mut docs = vec![crate::params::Params::doc(&step)];
            crate::params::Params::read(&step, &mut |param, value| {
                docs.push(param.doc);
                if let crate::params::Reading::Choice(choice) = value {
                    docs.extend(choice.docs());
                }
            });
            for doc in docs {
                let shown = plain(doc);
                assert!(!shown.contains('`') && !shown.contains("]("), "{}: {shown}", step.name());
            }
        }
    }

    #[test]
    fn text_is_larger_where_the_window_is() {
        let scales = [
            vec2(1280.0, 720.0),
            vec2(1440.0, 860.0),
            vec2(1920.0, 1080.0),
            vec2(2560.0, 1440.0),
            vec2(3840.0, 2160.0),
        ]
        .map(scale_for);
        assert_eq!(scales[..3], [1.0; 3]);
        assert!((1.25..1.4).contains(&scales[3]) && scales[4] == 2.0, "{scales:?}");
        assert_eq!(scale_for(vec2(9000.0, 300.0)), 1.0, "it must have room in both directions");
        let context = egui::Context::default();
        apply(&context);
        enlarge(&context, 1.25);
        assert_eq!(scale(&context.global_style()), 1.25);
        assert_eq!(context.global_style().spacing.slider_width, 1.25 * 118.0);
        enlarge(&context, 1.0);
        assert_eq!(scale(&context.global_style()), 1.0);
    }

    #[test]
    fn the_fonts_have_all_symbols_of_formulas_and_lessons() {
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
        assert_eq!(lacking("𒀀", egui::FontFamily::Monospace), "𒀀", "a missing symbol is found");
    }

    #[test]
    fn the_fonts_have_all_symbols_of_the_windows_own_texts() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/viewer");
        let (mut folders, mut symbols) = (vec![root], std::collections::BTreeSet::new());
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let source = std::fs::read_to_string(&path).unwrap();
                let code = source.split("#[cfg(test)]\nmod tests {").next().unwrap();
                let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
                symbols.extend(lines.flat_map(str::chars).filter(|symbol| !symbol.is_ascii()));
            }
        }
        // Tests in files of their own use symbols that no font has.
        symbols.remove(&'𒀀');
        assert!(symbols.contains(&'↔') && symbols.len() > 30, "{symbols:?}");
        let symbols: String = symbols.into_iter().collect();
        assert_eq!(lacking(&symbols, egui::FontFamily::Proportional), "");
    }

    #[test]
    fn a_click_is_a_click_however_slow_frames_are() {
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
        assert!(!clicked(false), "egui would take it for a long press");
    }
}

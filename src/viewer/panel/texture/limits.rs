//! Limits as a slider with two handles over a histogram. Between the handles the influence is full. It fades
//! along the slanted lines next to them, whose feet can be dragged too. With the keyboard, up and down select
//! what left and right move.

use bevy_egui::egui::{
    self, Align2, CornerRadius, CursorIcon, Pos2, Rect, Response, RichText, Sense, Shape, Stroke, Ui,
    WidgetInfo, WidgetType, pos2, vec2,
};

use super::histogram::Histogram;
use crate::texture::Limits;
use crate::viewer::panel::controls::keyboard;
use crate::viewer::panel::controls::parameters::written_number;
use crate::viewer::panel::controls::style::{self, Tip as _};

/// Height of the slider, logical pixels.
const HEIGHT: f32 = 48.0;
/// Distance from which a handle can be grabbed, pixels.
const REACH: f32 = 9.0;
/// Above this share of the height a click grabs the bar, below it the foot of the fade.
const FEET: f32 = 0.6;
/// Minimum distance between a bar and the foot of its fade, pixels, so that they can be told apart.
const APART: f32 = 8.0;
/// Margin at both sides, so that a handle at the end can be seen and grabbed.
const MARGIN: f32 = 5.0;

/// The axis of a slider.
pub(super) struct Axis<'a> {
    /// The values at its two ends, the first smaller.
    pub range: (f32, f32),
    /// Limits without effect; a handle at an end of the slider means them.
    pub any: Limits,
    /// The histogram of the land, and the part of the axis that it covers.
    pub land: Option<(&'a Histogram, (f32, f32))>,
    /// Formats a value for people.
    pub text: &'a dyn Fn(f32) -> String,
}

/// A part that can be dragged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Handle {
    Min,
    Max,
    /// The foot of the fade below `min`.
    Below,
    /// The foot of the fade above `max`.
    Above,
    /// Both limits together.
    Both,
}

impl Handle {
    /// The order in which the keyboard goes through them: from left to right, then all together.
    const ALL: [Self; 5] = [Self::Below, Self::Min, Self::Max, Self::Above, Self::Both];

    fn name(self) -> &'static str {
        match self {
            Self::Min => "lower limit",
            Self::Max => "upper limit",
            Self::Below => "end of the fade below",
            Self::Above => "end of the fade above",
            Self::Both => "both limits",
        }
    }
}

/// The handle that arrow keys move.
#[derive(Clone, Copy)]
struct ChosenHandle(Handle);

/// The share of the axis by which an arrow key moves a handle.
const STEP: f32 = 0.01;

/// A grabbed handle, the limits when it was grabbed, and the position.
#[derive(Clone, Copy)]
struct Grip {
    handle: Handle,
    limits: Limits,
    pixel: f32,
}

/// Draws a slider over the available width and lets `limits` be dragged.
pub(super) fn slider(ui: &mut Ui, name: &str, limits: &mut Limits, axis: &Axis) -> Response {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::drag());
    // Distinguished from the numbers in the row below, which have names of their own.
    let about = format!("Bars of {}", name.replace('_', " "));
    let chosen = by_keys(ui, &response, limits, axis);
    let about = chosen.map_or(about.clone(), |ChosenHandle(handle)| format!("{about}: {}", handle.name()));
    response.widget_info(|| WidgetInfo::labeled(WidgetType::Other, true, &about));
    let track = Track { left: rect.left() + MARGIN, right: rect.right() - MARGIN, range: axis.range };
    let grip = drag(ui, &response, limits, axis, &track);
    let under = match grip {
        Some(grip) => Some(grip.handle),
        None => response.hover_pos().and_then(|place| track.grab(limits, place, rect)),
    };
    if let Some(handle) = under {
        let both = if handle == Handle::Both { CursorIcon::Grab } else { CursorIcon::ResizeHorizontal };
        ui.ctx().set_cursor_icon(both);
    }
    if ui.is_rect_visible(rect) {
        paint(ui, rect, limits, axis, &track, under.or(chosen.map(|ChosenHandle(handle)| handle)));
    }
    keyboard::ring(ui, rect, &response);
    response
}

/// Moves the selected handle by arrow keys; returns it while the slider has the focus.
fn by_keys(ui: &Ui, response: &Response, limits: &mut Limits, axis: &Axis) -> Option<ChosenHandle> {
    let steps = keyboard::steps(ui, response);
    let ChosenHandle(mut handle) =
        ui.data(|data| data.get_temp(response.id)).unwrap_or(ChosenHandle(Handle::Min));
    if steps.y != 0.0 {
        let here = Handle::ALL.iter().position(|other| *other == handle).unwrap_or(0);
        let there = here as i32 + steps.y.signum() as i32;
        handle = Handle::ALL[there.rem_euclid(Handle::ALL.len() as i32) as usize];
        ui.data_mut(|data| data.insert_temp(response.id, ChosenHandle(handle)));
    }
    *limits = axis.dragged(*limits, handle, steps.x * STEP * axis.span());
    response.has_focus().then_some(ChosenHandle(handle))
}

fn drag(ui: &Ui, response: &Response, limits: &mut Limits, axis: &Axis, track: &Track) -> Option<Grip> {
    if response.drag_started() {
        let origin = ui.input(|input| input.pointer.press_origin()).or(response.interact_pointer_pos());
        let grip = origin.and_then(|place| {
            let handle = track.grab(limits, place, response.rect)?;
            Some(Grip { handle, limits: *limits, pixel: place.x })
        });
        ui.data_mut(|data| data.insert_temp(response.id, grip));
    }
    if !response.dragged() {
        return None;
    }
    let grip = ui.data(|data| data.get_temp::<Option<Grip>>(response.id)).flatten()?;
    let pixel = response.interact_pointer_pos()?.x;
    let moved = (pixel - grip.pixel) * track.units_per_pixel();
    *limits = axis.dragged(grip.limits, grip.handle, moved);
    Some(grip)
}

/// The mapping of values to the screen.
struct Track {
    left: f32,
    right: f32,
    range: (f32, f32),
}

impl Track {
    fn units_per_pixel(&self) -> f32 {
        (self.range.1 - self.range.0) / (self.right - self.left).max(1.0)
    }

    /// The pixel of a value, clamped to the slider.
    fn pixel(&self, value: f32) -> f32 {
        let value = value.clamp(self.range.0, self.range.1);
        self.left + (value - self.range.0) / self.units_per_pixel()
    }

    /// The pixels of the feet of both fades, clear of their bars.
    fn feet(&self, limits: &Limits) -> (f32, f32) {
        let (min, max) = (self.pixel(limits.min), self.pixel(limits.max));
        let below = self.pixel(limits.min - limits.release).min(min - APART);
        let above = self.pixel(limits.max + limits.release).max(max + APART);
        // A foot at an end is visible, though it has no effect there.
        (below.max(self.left - MARGIN + 3.5), above.min(self.right + MARGIN - 3.5))
    }

    /// The handle at a position, if any.
    fn grab(&self, limits: &Limits, place: Pos2, rect: Rect) -> Option<Handle> {
        let (min, max) = (self.pixel(limits.min), self.pixel(limits.max));
        let (below, above) = self.feet(limits);
        // Low down, a foot is grabbed if it is nearer than a bar.
        let away = |pixel: f32| (place.x - pixel).abs();
        let feet = place.y > rect.top() + FEET * rect.height()
            && away(below).min(away(above)) < away(min).min(away(max));
        let (low, high) = if feet { (below, above) } else { (min, max) };
        let handles = if feet { (Handle::Below, Handle::Above) } else { (Handle::Min, Handle::Max) };
        let (to_low, to_high) = ((place.x - low).abs(), (place.x - high).abs());
        // Coincident handles are distinguished by the side of the click; at an end only one can move.
        let nearer = match to_low.total_cmp(&to_high) {
            std::cmp::Ordering::Less => handles.0,
            std::cmp::Ordering::Greater => handles.1,
            std::cmp::Ordering::Equal if low >= self.right || place.x < low => handles.0,
            std::cmp::Ordering::Equal => handles.1,
        };
        let between = min < place.x && place.x < max;
        if to_low.min(to_high) <= REACH || !between { Some(nearer) } else { Some(Handle::Both) }
    }
}

impl Axis<'_> {
    /// The length of the axis.
    pub fn span(&self) -> f32 {
        self.range.1 - self.range.0
    }

    /// The limits after a handle was dragged by `moved`: a limit pushes the other instead of passing it,
    /// and at an end of the slider it has no effect.
    fn dragged(&self, limits: Limits, handle: Handle, moved: f32) -> Limits {
        if moved == 0.0 {
            return limits;
        }
        let (low, high) = self.range;
        let (min, max) = (limits.min.clamp(low, high), limits.max.clamp(low, high));
        match handle {
            Handle::Min => {
                let min = self.lower(min + moved);
                Limits { min, max: limits.max.max(min), ..limits }
            }
            Handle::Max => {
                let max = self.upper(max + moved);
                Limits { min: limits.min.min(max), max, ..limits }
            }
            Handle::Below => {
                let foot = (min - limits.release).max(low) + moved;
                Limits { release: self.release(min - foot), ..limits }
            }
            Handle::Above => {
                let foot = (max + limits.release).min(high) + moved;
                Limits { release: self.release(foot - max), ..limits }
            }
            Handle::Both => {
                let (is_lower, is_upper) = (limits.min > self.any.min, limits.max < self.any.max);
                // A limit without effect stays; the other one moves alone.
                let most = (low - if is_lower { min } else { max }, high - if is_upper { max } else { min });
                let moved = moved.clamp(most.0.min(0.0), most.1.max(0.0));
                Limits {
                    min: if is_lower { self.tidy(min + moved).max(self.any.min) } else { limits.min },
                    max: if is_upper { self.tidy(max + moved).min(self.any.max) } else { limits.max },
                    ..limits
                }
            }
        }
    }

    fn lower(&self, value: f32) -> f32 {
        let (low, high) = self.range;
        if value <= low { self.any.min } else { self.tidy(value.min(high)).clamp(self.any.min, self.any.max) }
    }

    fn upper(&self, value: f32) -> f32 {
        let (low, high) = self.range;
        if value >= high { self.any.max } else { self.tidy(value.max(low)).clamp(self.any.min, self.any.max) }
    }

    fn release(&self, value: f32) -> f32 {
        self.tidy(value.clamp(0.0, self.span())).max(0.0)
    }

    /// A value rounded to the precision of the slider.
    fn tidy(&self, value: f32) -> f32 {
        let digits = self.decimals();
        let scale = 10f64.powi(digits);
        ((f64::from(value) * scale).round() / scale) as f32
    }

    /// Decimals, negative for digits before the point, that one pixel corresponds to.
    fn decimals(&self) -> i32 {
        let span = f64::from(self.span()).max(1e-9);
        (2.7 - span.log10()).ceil() as i32
    }
}

/// The influence of a value, in [0, 1], as in the baker.
fn influence(limits: &Limits, value: f32) -> f32 {
    let excess = (limits.min - value).max(value - limits.max).max(0.0);
    match excess {
        0.0 => 1.0,
        _ if limits.release > 0.0 => (1.0 - excess / limits.release).max(0.0),
        _ => 0.0,
    }
}

fn paint(ui: &Ui, rect: Rect, limits: &Limits, axis: &Axis, track: &Track, under: Option<Handle>) {
    let line_colour = style::accent_line(ui.visuals());
    let outside = ui.visuals().widgets.noninteractive.bg_stroke.color.lerp_to_gamma(style::quiet(ui), 0.3);
    let painter = ui.painter_at(rect);
    painter.rect_filled(rect, CornerRadius::same(4), ui.visuals().extreme_bg_color);
    let (top, floor) = (rect.top() + 4.0, rect.bottom() - 4.0);

    let level = |value: f32| floor + (top - floor) * influence(limits, value);
    let (low, high) = axis.range;
    let corner = |value: f32| pos2(track.pixel(value), level(value.clamp(low, high)));
    let (min, max) = (limits.min.clamp(low, high), limits.max.clamp(low, high));
    let mut outline = [limits.min - limits.release, min, max, limits.max + limits.release].map(corner);
    (outline[0].x, outline[3].x) = track.feet(limits);
    let shade = [pos2(outline[0].x, floor), outline[0], outline[1], outline[2], outline[3]];
    let mut shade = shade.to_vec();
    shade.push(pos2(outline[3].x, floor));
    painter.add(Shape::convex_polygon(shade, line_colour.gamma_multiply(0.25), Stroke::NONE));

    if let Some((histogram, (from, to))) = axis.land {
        let width = (to - from) / histogram.parts.len() as f32;
        for (index, part) in histogram.parts.iter().enumerate().filter(|(_, part)| **part > 0.0) {
            let value = from + index as f32 * width;
            // The sea floor may lie below the slider's lower end.
            if value + width <= low {
                continue;
            }
            let left = track.pixel(value);
            let right = track.pixel(value + width).max(left + 1.0);
            // The square root makes small bins visible.
            let tip = floor - (0.82 * (floor - top) * part.sqrt()).max(1.0);
            let colour = outside.lerp_to_gamma(line_colour, influence(limits, value + width / 2.0));
            painter.rect_filled(
                Rect::from_min_max(pos2(left, tip), pos2(right, floor)),
                0,
                colour.gamma_multiply(0.8),
            );
        }
    }

    let text = |value, align: Align2, x: f32| {
        let font = style::font(ui, 10.0);
        painter.text(pos2(x, rect.top() + 2.0), align, (axis.text)(value), font, style::quiet(ui))
    };
    // Clear of a handle at the end.
    text(low, Align2::LEFT_TOP, rect.left() + MARGIN + 5.0);
    text(high, Align2::RIGHT_TOP, rect.right() - MARGIN - 5.0);

    painter.line(outline.to_vec(), Stroke::new(1.5, line_colour));
    let colour = |handle| {
        if under == Some(handle) {
            style::strong(ui)
        } else {
            line_colour.lerp_to_gamma(style::strong(ui), 0.45)
        }
    };
    for (handle, x) in [(Handle::Min, outline[1].x), (Handle::Max, outline[2].x)] {
        let lit = under == Some(Handle::Both);
        let colour = if lit { style::strong(ui) } else { colour(handle) };
        let bar = Rect::from_min_max(pos2(x - 2.0, rect.top() + 2.0), pos2(x + 2.0, floor));
        painter.rect_filled(bar, CornerRadius::same(2), colour);
    }
    for (handle, x) in [(Handle::Below, outline[0].x), (Handle::Above, outline[3].x)] {
        painter.circle(pos2(x, floor), 3.5, colour(handle), Stroke::new(1.0, ui.visuals().extreme_bg_color));
    }
}

/// A slider of limits, and their exact values below it.
pub(super) fn limit(ui: &mut egui::Ui, name: &str, limits: &mut Limits, axis: &Axis) {
    slider(ui, name, limits, axis);
    let about = |what: &str| format!("{}: {what}", name.replace('_', " "));
    ui.push_id(name, |ui| {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 5.0;
            let quiet = |ui: &mut egui::Ui, text| ui.label(RichText::new(text).color(style::quiet(ui)));
            quiet(ui, "from");
            if bound(ui, &about("from"), &mut limits.min, (axis.any.min, axis.range.0), axis) {
                limits.max = limits.max.max(limits.min);
            }
            quiet(ui, "to");
            if bound(ui, &about("to"), &mut limits.max, (axis.any.max, axis.range.1), axis) {
                limits.min = limits.min.min(limits.max);
            }
            quiet(ui, "fades over");
            let release = egui::DragValue::new(&mut limits.release)
                .range(0.0..=axis.any.max)
                .speed(axis.span() / 400.0)
                .custom_formatter(|value, _| (axis.text)(value as f32))
                .custom_parser(written_number);
            let release = ui.add(release).tip("Distance beyond the limits over which it fades");
            style::called(release, &about("fades over"));
        });
    });
}

/// The exact value of one limit. `any` is the value without effect, shown as if it were at `end`.
fn bound(ui: &mut egui::Ui, name: &str, value: &mut f32, (any, end): (f32, f32), axis: &Axis) -> bool {
    let is_any = *value == any;
    let mut shown = if is_any { end } else { *value };
    let drag = egui::DragValue::new(&mut shown)
        .range(axis.any.min..=axis.any.max)
        .speed(axis.span() / 400.0)
        .update_while_editing(false)
        .custom_formatter(move |value, _| {
            if is_any && value as f32 == end { "any".into() } else { (axis.text)(value as f32) }
        })
        .custom_parser(move |text| {
            let is_word = text.trim().is_empty() || text.trim().eq_ignore_ascii_case("any");
            if is_word { Some(f64::from(any)) } else { written_number(text) }
        });
    let drag = ui.add(drag).tip("Drag, or click and type; `any` for no limit");
    let changed = style::called(drag, name).changed();
    if changed && !(is_any && shown == end) {
        *value = shown;
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy_egui::egui;

    fn heights() -> Axis<'static> {
        Axis {
            range: (-100.0, 900.0),
            any: Limits::ANY_ELEVATION,
            land: None,
            text: &|value| value.to_string(),
        }
    }

    fn slopes() -> Axis<'static> {
        Axis { range: (0.0, 90.0), any: Limits::ANY_SLOPE, land: None, text: &|value| value.to_string() }
    }

    #[test]
    fn pixels_run_with_values_from_end_to_end() {
        let track = Track { left: 20.0, right: 320.0, range: (-100.0, 900.0) };
        assert_eq!((track.pixel(-100.0), track.pixel(900.0), track.pixel(400.0)), (20.0, 320.0, 170.0));
        assert_eq!((track.pixel(-1e5), track.pixel(1e5)), (20.0, 320.0));
        let there = |value: f32| track.range.0 + (track.pixel(value) - track.left) * track.units_per_pixel();
        for value in [-99.0, 0.0, 123.4, 899.0] {
            assert!((there(value) - value).abs() < 1e-2);
        }
    }

    #[test]
    fn limits_stay_valid_however_they_are_dragged() {
        let starts = |any: Limits| {
            [
                any,
                Limits::new(10.0, 40.0, 5.0),
                Limits::new(40.0, 40.0, 0.0),
                Limits::new(any.min, 30.0, 80.0),
            ]
        };
        for axis in [heights(), slopes()] {
            for start in starts(axis.any) {
                for handle in Handle::ALL {
                    for moved in [-1e6, -70.0, -3.3, 0.0, 0.01, 12.0, 60.0, 1e6] {
                        let Limits { min, max, release } = axis.dragged(start, handle, moved);
                        let case = format!("{start:?} {handle:?} {moved}: {min} {max} {release}");
                        assert!(axis.any.min <= min && min <= max && max <= axis.any.max, "{case}");
                        assert!((0.0..=axis.any.max).contains(&release), "{case}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_limit_pushes_the_other_along() {
        let limits = Limits::new(10.0, 40.0, 5.0);
        assert_eq!(slopes().dragged(limits, Handle::Min, 50.0), Limits::new(60.0, 60.0, 5.0));
        assert_eq!(slopes().dragged(limits, Handle::Max, -35.0), Limits::new(5.0, 5.0, 5.0));
        assert_eq!(slopes().dragged(limits, Handle::Both, 7.0), Limits::new(17.0, 47.0, 5.0));
        assert_eq!(slopes().dragged(limits, Handle::Both, 70.0), Limits::new(60.0, 90.0, 5.0));
    }

    #[test]
    fn a_handle_at_the_end_of_the_slider_is_no_limit() {
        let limits = Limits::new(100.0, 500.0, 20.0);
        assert_eq!(heights().dragged(limits, Handle::Min, -200.0).min, Limits::ANY_ELEVATION.min);
        assert_eq!(heights().dragged(limits, Handle::Max, 400.0).max, Limits::ANY_ELEVATION.max);
        let back = heights().dragged(Limits::ANY_ELEVATION, Handle::Min, 50.0);
        assert_eq!((back.min, back.max), (-50.0, Limits::ANY_ELEVATION.max));
        let both = heights().dragged(Limits::new(Limits::ANY_ELEVATION.min, 500.0, 0.0), Handle::Both, 50.0);
        assert_eq!((both.min, both.max), (Limits::ANY_ELEVATION.min, 550.0));
    }

    #[test]
    fn feet_set_the_fade() {
        let limits = Limits::new(100.0, 500.0, 20.0);
        assert_eq!(heights().dragged(limits, Handle::Below, -30.0).release, 50.0);
        assert_eq!(heights().dragged(limits, Handle::Below, 30.0).release, 0.0);
        assert_eq!(heights().dragged(limits, Handle::Above, 30.0).release, 50.0);
    }

    #[test]
    fn dragged_values_have_no_more_digits_than_pixels_resolve() {
        assert_eq!(heights().dragged(Limits::new(0.0, 500.0, 0.0), Handle::Min, 123.456).min, 123.0);
        assert_eq!(slopes().dragged(Limits::new(0.0, 50.0, 0.0), Handle::Min, 12.3456).min, 12.3);
        let shares = Axis { range: (-0.2, 1.05), ..heights() };
        assert_eq!(shares.dragged(Limits::new(0.1, 0.5, 0.0), Handle::Min, 0.123_456).min, 0.223);
    }

    /// Presses at `from`, moves to `to`, and returns the new limits.
    fn drag_pointer(from: Pos2, to: Pos2, start: Limits) -> Limits {
        let context = egui::Context::default();
        let mut limits = start;
        let button = |pos, pressed| egui::Event::PointerButton {
            pos,
            button: egui::PointerButton::Primary,
            pressed,
            modifiers: egui::Modifiers::NONE,
        };
        let frames = [
            vec![],
            vec![egui::Event::PointerMoved(from)],
            vec![button(from, true)],
            vec![egui::Event::PointerMoved(to)],
            vec![button(to, false)],
        ];
        for events in frames {
            let screen = Rect::from_min_size(Pos2::ZERO, vec2(400.0, 200.0));
            let input = egui::RawInput { screen_rect: Some(screen), events, ..Default::default() };
            let mut output = context.run_ui(input, |ui| {
                let place = Rect::from_min_size(Pos2::ZERO, vec2(100.0 + 2.0 * MARGIN, 100.0));
                ui.scope_builder(egui::UiBuilder::new().max_rect(place), |ui| {
                    slider(ui, "slope", &mut limits, &slopes());
                });
            });
            // Nothing is drawn, so the font's texture is not needed.
            output.textures_delta.clear();
        }
        limits
    }

    #[test]
    fn arrow_keys_choose_a_handle_and_move_it() {
        use egui::Key::{ArrowDown, ArrowLeft, ArrowRight, ArrowUp};

        let pressed = |keys: &[egui::Key]| {
            let mut limits = Limits::new(18.0, 72.0, 9.0);
            let keys: Vec<_> = keys.iter().map(|key| (*key, egui::Modifiers::NONE)).collect();
            keyboard::tests::press(&keys, |ui| slider(ui, "slope", &mut limits, &slopes()));
            limits
        };
        assert_eq!(pressed(&[]), Limits::new(18.0, 72.0, 9.0));
        assert_eq!(
            pressed(&[ArrowRight, ArrowRight]),
            Limits::new(19.8, 72.0, 9.0),
            "the lower limit is first"
        );
        assert_eq!(pressed(&[ArrowDown, ArrowLeft]), Limits::new(18.0, 71.1, 9.0));
        assert_eq!(pressed(&[ArrowUp, ArrowLeft]), Limits::new(18.0, 72.0, 9.9), "the fade below");
        assert_eq!(pressed(&[ArrowUp, ArrowUp, ArrowRight]), Limits::new(18.9, 72.9, 9.0), "both");
    }

    #[test]
    fn the_pointer_drags_the_grabbed_handle() {
        let start = Limits::new(18.0, 72.0, 9.0);
        // Ninety degrees on a hundred pixels: 20 and 80 are the bars, 10 and 90 the feet.
        let at = |x: f32, y: f32| pos2(MARGIN + x, y);
        let (high, low) = (10.0, HEIGHT - 5.0);
        assert_eq!(drag_pointer(at(21.0, high), at(31.0, high), start).min, 27.0);
        assert_eq!(drag_pointer(at(80.0, high), at(70.0, high), start).max, 63.0);
        assert_eq!(drag_pointer(at(9.0, low), at(4.0, low), start).release, 13.5);
        assert_eq!(drag_pointer(at(90.0, low), at(80.0, low), start).release, 0.0);
        assert_eq!(drag_pointer(at(50.0, high), at(60.0, high), start), Limits::new(27.0, 81.0, 9.0));
        assert_eq!(drag_pointer(at(21.0, high), at(-50.0, high), start).min, 0.0);
        // Without a fade, the foot is next to its bar, whose lower end moves the limit.
        let sharp = Limits::new(18.0, 72.0, 0.0);
        assert_eq!(drag_pointer(at(20.0, low), at(30.0, low), sharp), Limits::new(27.0, 72.0, 0.0));
        assert_eq!(drag_pointer(at(12.0, low), at(2.0, low), sharp), Limits::new(18.0, 72.0, 9.0));
    }
}

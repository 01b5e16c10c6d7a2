//! A small compass whose needle is turned by the pointer or by arrow keys.

use bevy_egui::egui::{self, Align2, Response, Sense, Stroke, Ui, Vec2, vec2};

use crate::viewer::panel::controls::{keyboard, style};

/// Width and height, logical pixels.
pub(super) const SIDE: f32 = 36.0;

/// Draws a compass with north up, on which `bearing`, in degrees clockwise from north, can be dragged to
/// whole degrees.
pub(super) fn compass(ui: &mut Ui, bearing: &mut f32) -> Response {
    let (rect, mut response) = ui.allocate_exact_size(Vec2::splat(SIDE), Sense::click_and_drag());
    if let Some(place) = response.interact_pointer_pos()
        && let Some(pointed) = bearing_of(place - rect.center())
    {
        *bearing = pointed;
        response.mark_changed();
    }
    let steps = keyboard::steps(ui, &response);
    if steps != Vec2::ZERO {
        // Right is clockwise; so is up, like on a vertical slider.
        *bearing = (bearing.round() + steps.x - steps.y).rem_euclid(360.0);
        response.mark_changed();
    }
    let shown = f64::from(*bearing);
    response.widget_info(|| egui::WidgetInfo::slider(true, shown, "Bearing, degrees clockwise from north"));
    let visuals = ui.style().interact(&response);
    let (painter, centre, radius) = (ui.painter(), rect.center(), SIDE / 2.0 - 1.0);
    painter.circle(centre, radius, ui.visuals().extreme_bg_color, Stroke::new(1.0, style::quiet(ui)));
    for quarter in 0..4 {
        let way = way_of(90.0 * quarter as f32);
        painter.line_segment([centre + way * (radius - 3.0), centre + way * radius], visuals.fg_stroke);
    }
    let font = style::font(ui, 9.0);
    painter.text(centre - vec2(0.0, radius - 8.0), Align2::CENTER_CENTER, "N", font, style::quiet(ui));
    let (tip, side) = (way_of(*bearing) * (radius - 5.0), way_of(*bearing + 90.0) * 3.5);
    let needle = vec![centre + tip, centre + side - tip * 0.35, centre - side - tip * 0.35];
    let colour = if response.hovered() || response.dragged() {
        style::strong(ui)
    } else {
        style::accent_line(ui.visuals())
    };
    painter.add(egui::Shape::convex_polygon(needle, colour, Stroke::NONE));
    keyboard::ring(ui, rect, &response);
    response
}

/// The bearing from the middle of the compass to a point, rounded; `None` at the middle itself.
fn bearing_of(way: Vec2) -> Option<f32> {
    (way.length() > 2.0).then(|| way.x.atan2(-way.y).to_degrees().round().rem_euclid(360.0))
}

/// A step of one pixel towards a bearing on the screen, where north is up.
fn way_of(bearing: f32) -> Vec2 {
    let (sine, cosine) = bearing.to_radians().sin_cos();
    vec2(sine, -cosine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn north_is_up_and_bearings_run_clockwise() {
        let point = |x, y| bearing_of(vec2(x, y));
        assert_eq!(point(0.0, -9.0), Some(0.0));
        assert_eq!(point(9.0, 0.0), Some(90.0));
        assert_eq!(point(0.0, 9.0), Some(180.0));
        assert_eq!(point(-9.0, 0.0), Some(270.0));
        assert_eq!(point(0.0, 0.5), None);
    }

    #[test]
    fn arrow_keys_turn_the_needle_past_north() {
        use crate::viewer::panel::controls::keyboard::tests::press;
        use egui::{Key, Modifiers};

        let mut bearing = 1.4;
        press(&[(Key::ArrowLeft, Modifiers::NONE), (Key::ArrowLeft, Modifiers::NONE)], |ui| {
            compass(ui, &mut bearing)
        });
        assert_eq!(bearing, 359.0);
        press(&[(Key::ArrowRight, Modifiers::SHIFT), (Key::ArrowUp, Modifiers::NONE)], |ui| {
            compass(ui, &mut bearing)
        });
        assert_eq!(bearing, 10.0);
    }

    #[test]
    fn the_needle_points_where_it_was_dragged() {
        for bearing in [0.0, 45.0, 135.0, 200.0, 359.0] {
            assert_eq!(bearing_of(way_of(bearing) * 15.0), Some(bearing));
        }
    }
}

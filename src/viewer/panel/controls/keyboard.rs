//! Arrow keys for controls without keyboard support in egui: bars of limits, compasses, lines between views,
//! rows of lists.

use bevy_egui::egui::{
    Event, EventFilter, Key, Rect, Response, Stroke, StrokeKind, Ui, Vec2, accesskit, vec2,
};

use super::style;

/// The number of steps with Shift.
const FAR: f32 = 10.0;

/// The steps that a control is moved by, positive to the right and down. They come from arrow keys while the
/// control has the focus, which then don't move the focus, and from screen readers. With Shift, a key moves
/// ten steps.
pub(crate) fn steps(ui: &Ui, response: &Response) -> Vec2 {
    let asked = ui.input(|input| {
        input.num_accesskit_action_requests(response.id, accesskit::Action::Increment) as f32
            - input.num_accesskit_action_requests(response.id, accesskit::Action::Decrement) as f32
    });
    ui.ctx().accesskit_node_builder(response.id, |node| {
        node.add_action(accesskit::Action::Increment);
        node.add_action(accesskit::Action::Decrement);
    });
    if !response.has_focus() {
        return vec2(asked, 0.0);
    }
    let arrows = EventFilter { horizontal_arrows: true, vertical_arrows: true, ..Default::default() };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, arrows));
    let keys = ui.input(|input| input.events.iter().map(step).fold(Vec2::ZERO, std::ops::Add::add));
    vec2(asked, 0.0) + keys
}

/// The steps that an event stands for.
fn step(event: &Event) -> Vec2 {
    let Event::Key { key, pressed: true, modifiers, .. } = event else { return Vec2::ZERO };
    let way = match key {
        Key::ArrowRight => vec2(1.0, 0.0),
        Key::ArrowLeft => vec2(-1.0, 0.0),
        Key::ArrowDown => vec2(0.0, 1.0),
        Key::ArrowUp => vec2(0.0, -1.0),
        _ => Vec2::ZERO,
    };
    match (modifiers.shift, modifiers.command || modifiers.alt) {
        (_, true) => Vec2::ZERO,
        (true, _) => FAR * way,
        _ => way,
    }
}

/// Shows that a control has the focus.
pub(crate) fn ring(ui: &Ui, rect: Rect, response: &Response) {
    if response.has_focus() {
        let stroke = Stroke::new(1.5, style::accent_line(ui.visuals()));
        ui.painter().rect_stroke(rect, 3.0, stroke, StrokeKind::Outside);
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use bevy_egui::egui;

    use super::*;

    /// Shows a control, gives it the focus, and presses the keys one after the other, one per frame.
    pub fn press(keys: &[(Key, egui::Modifiers)], mut control: impl FnMut(&mut Ui) -> Response) {
        let context = egui::Context::default();
        let mut frame = |events: Vec<Event>, is_first: bool| {
            let screen = Rect::from_min_size(egui::Pos2::ZERO, vec2(400.0, 300.0));
            let input = egui::RawInput { screen_rect: Some(screen), events, ..Default::default() };
            let mut output = context.run_ui(input, |ui| {
                let response = control(ui);
                // Other controls next to it could get the focus.
                let _ = (ui.button("Right"), ui.button("Below"));
                // A second request would drop the lock of the focus on arrow keys.
                if is_first {
                    response.request_focus();
                }
            });
            // Nothing is drawn, so the font's texture is not needed.
            output.textures_delta.clear();
        };
        frame(Vec::new(), true);
        frame(Vec::new(), false);
        frame(Vec::new(), false);
        for (key, modifiers) in keys {
            let event = |pressed| Event::Key {
                key: *key,
                physical_key: None,
                pressed,
                repeat: false,
                modifiers: *modifiers,
            };
            frame(vec![event(true)], false);
            frame(vec![event(false)], false);
        }
    }

    #[test]
    fn arrow_keys_move_one_step_and_ten_with_shift() {
        let mut all = Vec2::ZERO;
        let (plain, shift) = (egui::Modifiers::NONE, egui::Modifiers::SHIFT);
        let keys = [
            (Key::ArrowRight, plain),
            (Key::ArrowRight, plain),
            (Key::ArrowLeft, plain),
            (Key::ArrowUp, plain),
            (Key::ArrowDown, shift),
            (Key::A, plain),
        ];
        press(&keys, |ui| {
            let (_, response) = ui.allocate_exact_size(vec2(50.0, 20.0), egui::Sense::click_and_drag());
            all += steps(ui, &response);
            response
        });
        assert_eq!(all, vec2(1.0, 9.0));
    }

    #[test]
    fn without_the_focus_nothing_moves() {
        let mut all = Vec2::ZERO;
        press(&[(Key::ArrowRight, egui::Modifiers::NONE)], |ui| {
            let (_, without) = ui.allocate_exact_size(vec2(50.0, 20.0), egui::Sense::drag());
            all += steps(ui, &without);
            ui.button("another")
        });
        assert_eq!(all, Vec2::ZERO);
    }
}

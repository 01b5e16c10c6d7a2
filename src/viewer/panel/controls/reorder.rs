//! Lists whose rows are reordered by dragging or arrow keys, and the small switches in their rows.

use std::marker::PhantomData;

use bevy_egui::egui::{self, Rect, RichText, Sense, Stroke, pos2, vec2};

use super::keyboard;
use super::style::{self, Tip as _};

/// The row that is being dragged, in the list of `T`. The type parameter prevents a drop into another list.
struct DraggedRow<T>(usize, PhantomData<fn() -> T>);

/// The request of arrow keys to the list of `T`.
#[derive(Clone, Copy)]
enum KeyRequest {
    /// Move the row with this index down by this number of rows.
    Move(usize, isize),
    /// Give the focus to the row with this index, where the moved row is now.
    Follow(usize),
}

impl KeyRequest {
    /// The key under which it is kept until the whole list has been drawn.
    fn id<T: 'static>() -> egui::Id {
        egui::Id::new(("by keys", std::any::type_name::<T>()))
    }
}

/// The six dots by which a row is dragged, or moved up and down by arrow keys.
pub(crate) fn handle<T: 'static>(ui: &mut egui::Ui, index: usize, tip: &str) {
    let (rect, response) = ui.allocate_exact_size(vec2(10.0, 18.0), Sense::drag());
    let lit = response.hovered() || response.dragged() || response.has_focus();
    let steps = keyboard::steps(ui, &response).y;
    if steps != 0.0 {
        let asked = KeyRequest::Move(index, steps as isize);
        ui.data_mut(|data| data.insert_temp(KeyRequest::id::<T>(), asked));
    } else if let Some(KeyRequest::Follow(row)) = ui.data(|data| data.get_temp(KeyRequest::id::<T>()))
        && row == index
    {
        ui.data_mut(|data| data.remove::<KeyRequest>(KeyRequest::id::<T>()));
        // A row whose id moves along has the focus already; requesting it again would drop its lock on arrow
        // keys.
        if !response.has_focus() {
            response.request_focus();
        }
    }
    keyboard::ring(ui, rect, &response);
    let colour = if lit { style::strong(ui) } else { style::quiet(ui) };
    for (x, y) in [(-2.5, -5.0), (2.5, -5.0), (-2.5, 0.0), (2.5, 0.0), (-2.5, 5.0), (2.5, 5.0)] {
        ui.painter().circle_filled(rect.center() + vec2(x, y), 1.3, colour);
    }
    response.dnd_set_drag_payload(DraggedRow::<T>(index, PhantomData));
    let name = format!("Drag row {}", index + 1);
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Other, true, &name));
    response.tip(tip);
}

/// Shows where a dragged row would go, given the positions of all rows. When it is dropped, or arrow keys
/// move it, returns the index from which to remove it and the index at which to insert it after that.
pub(crate) fn dropped<T: 'static>(ui: &egui::Ui, rows: &[Rect]) -> Option<(usize, usize)> {
    let asked = ui.data(|data| data.get_temp(KeyRequest::id::<T>()));
    if let Some(KeyRequest::Move(from, rows_on)) = asked {
        let to = from.saturating_add_signed(rows_on).min(rows.len().saturating_sub(1));
        ui.data_mut(|data| data.insert_temp(KeyRequest::id::<T>(), KeyRequest::Follow(to)));
        return (to != from).then_some((from, to));
    }
    let from = egui::DragAndDrop::payload::<DraggedRow<T>>(ui.ctx())?.0;
    let pointer = ui.input(|input| input.pointer.interact_pos())?;
    let (first, last) = (rows.first()?, rows.last()?);
    let area = first.union(*last).expand2(vec2(20.0, 14.0));
    if from >= rows.len() || !area.contains(pointer) {
        return None;
    }
    let slot = slot(rows, pointer.y);
    let y = rows.get(slot).map_or(last.bottom() + 1.0, |row| row.top() - 1.0);
    let line = [pos2(first.left(), y), pos2(first.right(), y)];
    ui.painter().line_segment(line, Stroke::new(2.0, style::accent_line(ui.visuals())));
    if !ui.input(|input| input.pointer.any_released()) {
        return None;
    }
    drop(egui::DragAndDrop::take_payload::<DraggedRow<T>>(ui.ctx()));
    let to = place_after(from, slot);
    (to != from).then_some((from, to))
}

/// Index of the row before which something dropped at height `y` goes; the number of rows if it goes to the
/// end.
fn slot(rows: &[Rect], y: f32) -> usize {
    // An unfolded row is tall, so only its head counts.
    rows.iter().filter(|row| y > row.top() + row.height().min(26.0) / 2.0).count()
}

/// The new index of a row that is removed at `from` and inserted before row `slot`.
fn place_after(from: usize, slot: usize) -> usize {
    if slot > from { slot - 1 } else { slot }
}

/// A switch with a letter; returns whether it was clicked.
pub(crate) fn toggle(ui: &mut egui::Ui, on: &mut bool, letter: &str, tip: &str) -> bool {
    let text =
        if *on { RichText::new(letter).strong() } else { RichText::new(letter).color(style::quiet(ui)) };
    let button = egui::Button::selectable(*on, text.size(style::points(ui, 12.0)))
        .min_size(vec2(18.0, 18.0))
        .frame(true);
    let clicked = style::sign(ui.add(button), tip).clicked();
    *on ^= clicked;
    clicked
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::viewer::build::step_stack::moved;

    #[test]
    fn a_row_goes_to_the_pointer() {
        let row = |index: usize| Rect::from_min_size(pos2(0.0, 30.0 * index as f32), vec2(99.0, 26.0));
        let rows: Vec<Rect> = (0..4).map(row).collect();
        let drop = |from, y| place_after(from, slot(&rows, y));
        assert_eq!([drop(0, 5.0), drop(0, 20.0), drop(0, 40.0), drop(0, 50.0)], [0, 0, 0, 1]);
        assert_eq!([drop(3, 5.0), drop(3, 20.0), drop(3, 70.0), drop(3, 130.0)], [0, 1, 2, 3]);
        assert_eq!(drop(1, 500.0), 3);
    }

    #[test]
    fn arrow_keys_move_a_row_and_the_focus_follows() {
        use egui::{Key, Modifiers};

        struct Letters;
        let mut letters = vec!['a', 'b', 'c', 'd'];
        let context = egui::Context::default();
        let mut frame = |key: Option<(Key, Modifiers)>, focus: Option<usize>| {
            let pressed = |(key, modifiers)| egui::Event::Key {
                key,
                physical_key: None,
                pressed: true,
                repeat: false,
                modifiers,
            };
            let events = key.map(pressed).into_iter().collect();
            let mut output = context.run_ui(egui::RawInput { events, ..Default::default() }, |ui| {
                let mut rows = Vec::new();
                for index in 0..letters.len() {
                    let row = ui.push_id(index, |ui| {
                        let before = ui.next_auto_id();
                        handle::<Letters>(ui, index, "Drag it");
                        if focus == Some(index) {
                            ui.memory_mut(|memory| memory.request_focus(before));
                        }
                    });
                    rows.push(row.response.rect);
                }
                if let Some((from, to)) = dropped::<Letters>(ui, &rows) {
                    let letter = letters.remove(from);
                    letters.insert(to, letter);
                }
            });
            // Nothing is drawn, so the font's texture is not needed.
            output.textures_delta.clear();
            letters.iter().collect::<String>()
        };
        frame(None, None);
        frame(None, Some(1));
        frame(None, None);
        let (plain, shift) = (Modifiers::NONE, Modifiers::SHIFT);
        let mut press = |key, modifiers| {
            let after = frame(Some((key, modifiers)), None);
            frame(None, None);
            frame(None, None);
            after
        };
        assert_eq!(press(Key::ArrowDown, plain), "acbd");
        assert_eq!(press(Key::ArrowDown, plain), "acdb", "the same row moves again");
        assert_eq!(press(Key::ArrowDown, plain), "acdb", "there is no row below it");
        assert_eq!(press(Key::ArrowUp, shift), "bacd", "all the way up");
    }

    #[test]
    fn indices_of_all_rows_are_known_after_a_move() {
        for (from, to) in [(0, 3), (3, 0), (1, 2), (2, 2)] {
            let mut rows = vec![0, 1, 2, 3];
            let row = rows.remove(from);
            rows.insert(to, row);
            for index in 0..4 {
                assert_eq!(rows[moved(index, from, to)], index, "{from} to {to}");
            }
        }
    }
}

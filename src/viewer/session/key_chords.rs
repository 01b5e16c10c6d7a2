//! Spreads keys that went down with different modifiers within one frame over several frames.
//!
//! Quick hands do that where frames are slow. egui and Bevy only know the modifiers at the end of a frame: a
//! Ctrl P that is over by then would be read as P, and an N typed after it, while Ctrl is still reported as
//! down, as Ctrl N.

use std::collections::VecDeque;

use bevy::ecs::message::MessageCursor;
use bevy::input::InputSystems;
use bevy::input::keyboard::{Key, KeyboardFocusLost, KeyboardInput};
use bevy::prelude::*;
use bevy_egui::EguiInputSet;

/// Ensures that all keys that go down in a frame have the modifiers at its end.
pub(crate) struct ChordPlugin;

impl Plugin for ChordPlugin {
    fn build(&self, app: &mut App) {
        let deal_out = deal_out.before(InputSystems).before(EguiInputSet::InitReading);
        app.init_resource::<Queue>().add_systems(PreUpdate, deal_out);
    }
}

/// Keys that wait for their frame.
#[derive(Resource, Default)]
struct Queue {
    waiting: VecDeque<KeyboardInput>,
    /// Whether Shift, Ctrl, Alt and Super are down.
    held: [bool; 4],
    /// Whether the previous frame had a chord and keys wait behind it. They wait for one more frame, because
    /// what the chord opened, such as a text field, only gets the focus in the frame after this one.
    is_after_chord: bool,
}

const SHIFT: usize = 0;

fn modifier(key: &Key) -> Option<usize> {
    match key {
        Key::Shift => Some(SHIFT),
        Key::Control => Some(1),
        Key::Alt => Some(2),
        Key::Super | Key::Meta => Some(3),
        _ => None,
    }
}

impl Queue {
    /// The keys of the next frame.
    fn take(&mut self) -> Vec<KeyboardInput> {
        let Self { waiting, held, is_after_chord } = self;
        let may_go_down = !std::mem::take(is_after_chord);
        let (mut count, mut is_any_down, mut is_chord) = (0, false, false);
        for input in &*waiting {
            let goes_down = input.state.is_pressed();
            match modifier(&input.logical_key) {
                // A letter already contains the effect of Shift, so Shift doesn't separate frames.
                Some(modifier) if is_chord || is_any_down && modifier != SHIFT => break,
                Some(modifier) => held[modifier] = goes_down,
                None if goes_down && !may_go_down => break,
                None if goes_down => {
                    is_any_down = true;
                    is_chord |= held.iter().skip(SHIFT + 1).any(|held| *held);
                }
                None => {}
            }
            count += 1;
        }
        let now = waiting.drain(..count).collect();
        *is_after_chord = is_chord && !waiting.is_empty();
        now
    }
}

/// Leaves only this frame's keys among the messages, before anything reads them.
fn deal_out(
    mut cursor: Local<MessageCursor<KeyboardInput>>,
    mut lost: MessageReader<KeyboardFocusLost>,
    mut keys: ResMut<Messages<KeyboardInput>>,
    mut queue: ResMut<Queue>,
) {
    // Without the focus, the window is not informed of keys that go up.
    if lost.read().count() > 0 {
        *queue = Queue::default();
    }
    let have_waited = !queue.waiting.is_empty();
    queue.waiting.extend(cursor.read(&keys).cloned());
    let now = queue.take();
    if have_waited || !queue.waiting.is_empty() {
        keys.clear();
        keys.write_batch(now);
        cursor.clear(&keys);
    }
}

#[cfg(test)]
mod tests {
    use bevy::input::ButtonState;

    use super::*;

    /// The frames over which keys of one frame are spread: `+C` is Ctrl going down, `-p` is P going up.
    fn dealt(keys: &str) -> Vec<String> {
        let input = |text: &str| {
            let (sign, name) = text.split_at(1);
            KeyboardInput {
                key_code: KeyCode::KeyP,
                logical_key: match name {
                    "C" => Key::Control,
                    "S" => Key::Shift,
                    letter => Key::Character(letter.into()),
                },
                state: if sign == "+" { ButtonState::Pressed } else { ButtonState::Released },
                text: None,
                repeat: false,
                window: Entity::PLACEHOLDER,
            }
        };
        let mut queue = Queue { waiting: keys.split(' ').map(input).collect(), ..Queue::default() };
        let mut frames = Vec::new();
        while !queue.waiting.is_empty() {
            let described = |input: KeyboardInput| {
                let sign = if input.state.is_pressed() { '+' } else { '-' };
                match &input.logical_key {
                    Key::Control => format!("{sign}C"),
                    Key::Shift => format!("{sign}S"),
                    Key::Character(letter) => format!("{sign}{letter}"),
                    key => format!("{key:?}"),
                }
            };
            frames.push(queue.take().into_iter().map(described).collect::<Vec<_>>().join(" "));
        }
        frames
    }

    #[test]
    fn keys_of_a_frame_have_the_modifiers_at_its_end() {
        assert_eq!(dealt("+C +p -p -C"), ["+C +p -p", "-C"]);
        assert_eq!(dealt("+C +S +s -s -S -C"), ["+C +S +s -s", "-S -C"]);
        assert_eq!(dealt("+x -x +C +p"), ["+x -x", "+C +p"]);
        // What a chord opens has the focus two frames later.
        assert_eq!(dealt("+C +p -p -C +a -a +n -n"), ["+C +p -p", "-C", "+a -a +n -n"]);
        assert_eq!(dealt("+C +p -C +a -p"), ["+C +p", "-C", "+a -p"]);
    }

    #[test]
    fn keys_with_the_same_modifiers_take_one_frame() {
        for keys in ["+a -a +b -b", "+S +H -H -S +i -i", "+C +z +z +z -z", "+C -C", "+S +C -S -C"] {
            assert_eq!(dealt(keys), [keys]);
        }
    }
}

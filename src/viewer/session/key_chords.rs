//! Keys that went down with different modifiers within one frame, as quick hands do where frames are slow. egui and Bevy know
//! the modifiers at a frame's end alone: a Ctrl P that is over by then would be a P, and an N that is typed after it, while
//! the Ctrl is told, a Ctrl N. So such keys are dealt out to several frames.

use std::collections::VecDeque;

use bevy::ecs::message::MessageCursor;
use bevy::input::InputSystems;
use bevy::input::keyboard::{Key, KeyboardFocusLost, KeyboardInput};
use bevy::prelude::*;
use bevy_egui::EguiInputSet;

/// Sees to it that all keys that go down in a frame have the modifiers at its end.
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
    /// Whether the frame before had a chord after which keys wait. What the chord has opened, a field for text, say, has the
    /// focus from the frame after this one on.
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
                // A letter knows by itself whether Shift was down with it.
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

/// Leaves this frame's keys among those that have come, before anything reads them.
fn deal_out(
    mut cursor: Local<MessageCursor<KeyboardInput>>,
    mut lost: MessageReader<KeyboardFocusLost>,
    mut keys: ResMut<Messages<KeyboardInput>>,
    mut queue: ResMut<Queue>,
) {
    // Without the focus no key is told to go up any more.
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

    /// The frames into which keys are dealt out that all come in one: `+C` is Ctrl going down, `-p` a P going up.
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
            let told = |input: KeyboardInput| {
                let sign = if input.state.is_pressed() { '+' } else { '-' };
                match &input.logical_key {
                    Key::Control => format!("{sign}C"),
                    Key::Shift => format!("{sign}S"),
                    Key::Character(letter) => format!("{sign}{letter}"),
                    key => format!("{key:?}"),
                }
            };
            frames.push(queue.take().into_iter().map(told).collect::<Vec<_>>().join(" "));
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
    fn what_has_one_kind_of_modifiers_takes_one_frame() {
        for keys in ["+a -a +b -b", "+S +H -H -S +i -i", "+C +z +z +z -z", "+C -C", "+S +C -S -C"] {
            assert_eq!(dealt(keys), [keys]);
        }
    }
}

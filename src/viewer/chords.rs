//! Chords such as Ctrl P that are pressed and let go within one frame, as quick hands do where frames are slow. egui is
//! told the modifiers that are held at a frame's end, so without this it would see a P alone.

use bevy::input::keyboard::{Key, KeyboardInput};
use bevy::prelude::*;
use bevy_egui::EguiInputSet;
use bevy_egui::input::ModifierKeysState;

/// Tells egui the modifiers with which a key went down.
pub(super) struct ChordPlugin;

impl Plugin for ChordPlugin {
    fn build(&self, app: &mut App) {
        let between = (EguiInputSet::InitReading, EguiInputSet::FocusContext);
        app.init_resource::<Kept>()
            .add_systems(PreUpdate, hold.after(between.0).before(between.1))
            .add_systems(PreUpdate, let_go.after(EguiInputSet::WriteEguiEvents));
    }
}

/// The modifiers that are held at a frame's end.
#[derive(Resource, Default)]
struct Kept(ModifierKeysState);

/// Puts the modifiers of a chord in the place of those that are still held.
fn hold(
    mut keys: MessageReader<KeyboardInput>,
    mut kept: ResMut<Kept>,
    mut state: ResMut<ModifierKeysState>,
) {
    let before = std::mem::replace(&mut kept.0, *state);
    if let Some(chord) = chord(before, keys.read()) {
        *state = chord;
    }
}

/// In the next frame those count again that are held.
fn let_go(kept: Res<Kept>, mut state: ResMut<ModifierKeysState>) {
    *state = kept.0;
}

/// The modifiers of the first key that went down with more of them than Shift; `held` are those of the frame before.
fn chord<'a>(
    mut held: ModifierKeysState,
    keys: impl Iterator<Item = &'a KeyboardInput>,
) -> Option<ModifierKeysState> {
    for input in keys {
        let is_pressed = input.state.is_pressed();
        match input.logical_key {
            Key::Shift => held.shift = is_pressed,
            Key::Control => held.ctrl = is_pressed,
            Key::Alt => held.alt = is_pressed,
            Key::Super | Key::Meta => held.win = is_pressed,
            _ if is_pressed && (held.ctrl || held.alt || held.win) => return Some(held),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use bevy::input::ButtonState;

    use super::*;

    fn input(logical_key: Key, state: ButtonState) -> KeyboardInput {
        KeyboardInput {
            key_code: KeyCode::KeyP,
            logical_key,
            state,
            text: None,
            repeat: false,
            window: Entity::PLACEHOLDER,
        }
    }

    #[test]
    fn a_chord_has_the_modifiers_with_which_its_key_went_down() {
        let down = |key: Key| input(key, ButtonState::Pressed);
        let up = |key: Key| input(key, ButtonState::Released);
        let p = || Key::Character("p".into());
        let found = |held: ModifierKeysState, keys: &[KeyboardInput]| {
            chord(held, keys.iter()).map(|state| (state.ctrl, state.shift, state.alt, state.win))
        };
        let none = ModifierKeysState::default();
        let quick = [down(Key::Control), down(p()), up(p()), up(Key::Control)];
        assert_eq!(found(none, &quick), Some((true, false, false, false)));
        let with_shift = [down(Key::Control), down(Key::Shift), down(p()), up(Key::Shift)];
        assert_eq!(found(none, &with_shift), Some((true, true, false, false)));
        // Held since an earlier frame, and let go before the key, after it, or not at all.
        let mut held = none;
        held.ctrl = true;
        assert_eq!(found(held, &[up(Key::Control), down(p())]), None);
        assert_eq!(found(held, &[down(p()), up(Key::Control)]), Some((true, false, false, false)));
        assert_eq!(found(held, &[down(p())]), Some((true, false, false, false)));
        assert_eq!(found(none, &[down(p()), down(Key::Control)]), None, "the key was first");
        assert_eq!(found(none, &[]), None);
    }
}

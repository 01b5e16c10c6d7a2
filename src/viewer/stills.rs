//! Pictures of the window in all its states, taken by itself one after another: for those who judge how it looks.
//!
//! What is done between pictures is named as it would be typed into the command palette.

use std::collections::VecDeque;
use std::path::PathBuf;

use bevy::app::AppExit;
use bevy::input::ButtonState;
use bevy::input::mouse::MouseButtonInput;
use bevy::prelude::*;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use bevy::window::{CursorMoved, PrimaryWindow, WindowEvent};

use super::beside::Differing;
use super::inside::Inside;
use super::layout::{Place, Slot};
use super::panel::Orders;
use super::probe::Probing;
use super::screenshot;
use super::watch::Player;
use crate::plugin::TerrainStatus;

/// Frames in which nothing is busy any more before a picture is taken: panels unfold, fade and find their sizes.
const CALM: u32 = 12;

/// What is done before a picture.
enum Act {
    /// A command by its name.
    Do(&'static str),
    /// A click on the first land, at this share of its view.
    Click(f32, f32),
    /// So many frames pass.
    Wait(u32),
}

use Act::{Click, Do, Wait};

/// Names of pictures, and what is done before each.
const STILLS: [(&str, &[Act]); 35] = [
    ("window", &[]),
    ("section-texture", &[Do("Section: Texture")]),
    ("section-steps", &[Do("Section: Steps")]),
    ("section-view", &[Do("Section: View")]),
    ("section-show", &[Do("Section: Show")]),
    ("section-levels", &[Do("Section: Levels")]),
    ("section-quality", &[Do("Section: Quality")]),
    ("section-panels", &[Do("Section: Panels")]),
    ("watch", &[Do("Section: Sun"), Do("Watch the steps work"), Wait(6)]),
    ("inside", &[Do("Close all"), Do("Look inside")]),
    ("probe", &[Do("Close all"), Do("Probe a sample"), Wait(4), Click(0.4, 0.6)]),
    ("all-panels", &[Do("Watch the steps work"), Do("Look inside"), Do("Frame times")]),
    ("hidden", &[Do("Hide or show")]),
    ("times", &[Do("Close all"), Do("Frame times")]),
    ("keys", &[Do("Close all"), Do("Keys")]),
    ("gallery", &[Do("Close all"), Do("Gallery"), Wait(60)]),
    ("files", &[Do("Close all"), Do("Open a file")]),
    ("save-as", &[Do("Close all"), Do("Save as")]),
    ("export", &[Do("Close all"), Do("Picture or film")]),
    ("mistake", &[Do("Close all"), Do("Mistake"), Wait(4)]),
    ("lesson", &[Do("Close all"), Do("Lesson: brownian"), Wait(6)]),
    ("slope", &[Do("Close all"), Do("Open landscape: high-range"), Wait(20), Do("Show: Slope")]),
    ("contours", &[Do("Show: Contours")]),
    ("wireframe", &[Do("Show: Wireframe")]),
    ("viewshed", &[Do("Show: Viewshed"), Do("Section: Show")]),
    ("levels", &[Do("Show: Landscape"), Do("Levels of detail compared")]),
    ("side-by-side", &[Do("Close all"), Do("Compare with a copy"), Wait(6), Do("Another seed")]),
    ("swipe", &[Do("Swipe")]),
    ("difference", &[Do("Landscapes side by side"), Do("Difference")]),
    (
        "four",
        &[
            Do("Close all"),
            Do("Compare with a copy"),
            Wait(6),
            Do("Another seed"),
            Wait(6),
            Do("Compare with a copy"),
        ],
    ),
    ("light", &[Do("Light panels"), Do("Look inside")]),
    ("light-texture", &[Do("Close all"), Do("Section: Texture")]),
    ("light-watch", &[Do("Section: Sun"), Do("Watch the steps work"), Wait(6)]),
    ("light-gallery", &[Do("Close all"), Do("Gallery"), Wait(10)]),
    ("question", &[Do("Close all"), Do("Dark panels"), Do("Another seed"), Do("Close the window")]),
];

/// What is still to be done.
#[derive(Resource)]
struct Stills {
    folder: PathBuf,
    acts: VecDeque<Act>,
    left: VecDeque<(&'static str, &'static [Act])>,
    /// The picture that is waited for.
    name: Option<&'static str>,
    /// Frames since something was done or was busy.
    calm: u32,
    /// Frames that shall pass before the next act.
    pause: u32,
    is_taken: bool,
}

/// Takes all pictures into a folder, and ends the program.
pub(super) fn add(app: &mut App, folder: PathBuf) {
    let stills = Stills {
        folder,
        acts: VecDeque::new(),
        left: STILLS.into_iter().collect(),
        name: None,
        calm: 0,
        pause: 0,
        is_taken: true,
    };
    app.insert_resource(stills)
        .add_systems(Update, (go_on, click.run_if(resource_exists::<Clicked>)).chain());
}

/// Where the land shall be clicked on, and whether the button is down.
#[derive(Resource)]
struct Clicked(Vec2, u32);

/// Does the next act, or takes the next picture, when nothing is busy.
fn go_on(
    mut commands: Commands,
    mut stills: ResMut<Stills>,
    mut orders: ResMut<Orders>,
    lands: Query<&TerrainStatus>,
    places: Query<(&Slot, &Place)>,
    (player, inside, probing, differing): (Res<Player>, Res<Inside>, Res<Probing>, Res<Differing>),
    clicked: Option<Res<Clicked>>,
    mut exit: MessageWriter<AppExit>,
) {
    let is_busy = lands.is_empty()
        || lands.iter().any(|status| !matches!(status, TerrainStatus::Ready | TerrainStatus::Failed(_)))
        || (player.open && player.is_recording())
        || (inside.open && inside.is_busy())
        || (probing.open && probing.is_busy())
        || (differing.open && differing.is_behind())
        || clicked.is_some();
    stills.calm = if is_busy { 0 } else { stills.calm + 1 };
    if stills.pause > 0 {
        stills.pause -= 1;
        return;
    }
    match stills.acts.pop_front() {
        Some(Act::Do(wanted)) => {
            orders.0.push(wanted.to_owned());
            // What is built anew is not seen to be so at once.
            (stills.pause, stills.calm) = (3, 0);
            return;
        }
        Some(Act::Wait(frames)) => {
            stills.pause = frames;
            return;
        }
        Some(Act::Click(x, y)) => {
            if let Some((_, place)) = places.iter().find(|(slot, _)| slot.0 == 0) {
                let at = place.rect().min + place.rect().size() * Vec2::new(x, y);
                commands.insert_resource(Clicked(at, 0));
            }
            (stills.pause, stills.calm) = (8, 0);
            return;
        }
        None => {}
    }
    if stills.calm < CALM {
        return;
    }
    match (stills.name, stills.is_taken) {
        (Some(name), false) => {
            stills.is_taken = true;
            stills.calm = 0;
            let path = stills.folder.join(format!("{name}.png"));
            commands.spawn(Screenshot::primary_window()).observe(
                move |captured: On<ScreenshotCaptured>, mut stills: ResMut<Stills>| {
                    match screenshot::save(&captured.image, &path) {
                        Ok(()) => eprintln!("upland: wrote {}", path.display()),
                        Err(error) => eprintln!("upland: {error}"),
                    }
                    stills.name = None;
                },
            );
        }
        (Some(_), true) => {}
        (None, _) => match stills.left.pop_front() {
            Some((name, acts)) => {
                stills.acts.extend(acts.iter().map(|act| match act {
                    Do(wanted) => Do(wanted),
                    Click(x, y) => Click(*x, *y),
                    Wait(frames) => Wait(*frames),
                }));
                (stills.name, stills.is_taken, stills.calm) = (Some(name), false, 0);
            }
            None => drop(exit.write(AppExit::Success)),
        },
    }
}

/// Moves the mouse there, presses its button and releases it, a frame each.
fn click(
    mut commands: Commands,
    mut clicked: ResMut<Clicked>,
    window: Single<(Entity, &mut Window), With<PrimaryWindow>>,
    mut moves: MessageWriter<CursorMoved>,
    mut buttons: MessageWriter<MouseButtonInput>,
    mut events: MessageWriter<WindowEvent>,
) {
    let (entity, mut window) = window.into_inner();
    let Clicked(position, frame) = *clicked;
    clicked.1 += 1;
    let state = match frame {
        0 => {
            window.set_cursor_position(Some(position));
            let moved = CursorMoved { window: entity, position, delta: None };
            moves.write(moved.clone());
            events.write(WindowEvent::CursorMoved(moved));
            return;
        }
        1 => return,
        2 => ButtonState::Pressed,
        3 => ButtonState::Released,
        _ => {
            commands.remove_resource::<Clicked>();
            return;
        }
    };
    let input = MouseButtonInput { button: MouseButton::Left, state, window: entity };
    buttons.write(input);
    events.write(WindowEvent::MouseButtonInput(input));
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::panel;
    use super::*;

    #[test]
    fn every_picture_has_a_name_of_its_own_and_every_command_is_there() {
        let names: BTreeSet<_> = STILLS.iter().map(|(name, _)| name).collect();
        assert_eq!(names.len(), STILLS.len());
        for act in STILLS.iter().flat_map(|(_, acts)| acts.iter()) {
            if let Do(wanted) = act {
                let found = panel::command_named(wanted);
                assert!(found.is_some_and(|name| name.starts_with(wanted)), "{wanted}");
            }
        }
    }
}

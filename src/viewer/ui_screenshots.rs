//! Takes pictures of the window in all its states, for people who judge how it looks.
//!
//! Commands between pictures are named as a user would type them into the command palette.

use std::collections::VecDeque;
use std::path::PathBuf;

use bevy::app::AppExit;
use bevy::ecs::system::SystemParam;
use bevy::input::ButtonState;
use bevy::input::keyboard::{Key, KeyboardInput};
use bevy::input::mouse::{MouseButtonInput, MouseScrollUnit, MouseWheel};
use bevy::input::touch::TouchPhase;
use bevy::prelude::*;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use bevy::window::{CursorMoved, PrimaryWindow, WindowEvent};
use bevy_egui::egui::accesskit;
use bevy_egui::{EguiContext, EguiOutput, PrimaryEguiContext};

use super::actions::ActionQueue;
use super::build::playback::Player;
use super::camera::pilot::Pilot;
use super::document::Document;
use super::files::recent::Recent;
use super::files::screenshot;
use super::panel;
use super::session::{Landscapes, Place, Selection, ViewOf};
use super::tools::probe::Probing;
use super::views::difference::DifferenceView;
use super::views::gallery::{Gallery, Shelf};
use super::views::plots::Inside;
use crate::analysis::plots::PlotKind;
use crate::plugin::TerrainStatus;

/// A picture is taken after this many frames without activity, because panels unfold, fade and find their
/// sizes.
const CALM: u32 = 12;

/// A button is searched for in this many frames, because it may just be unfolding.
const PATIENCE: u32 = 120;

/// An action before a picture.
#[derive(Clone, Copy)]
enum Act {
    /// A command by its name.
    Do(&'static str),
    /// A click on the first land, at this share of its view.
    Click(f32, f32),
    /// A click on the button whose name begins with this, otherwise on one whose name contains it.
    Button(&'static str),
    /// The command palette opens.
    Palette,
    /// The Escape key, which closes menus and the palette.
    Escape,
    /// Another shelf of the gallery.
    Look(Shelf),
    /// Another plot.
    Plot(PlotKind),
    /// Moves the pilot high above the middle of the land, looking north-east.
    Rise,
    /// Turns the wheel down over the left panel, by this many lines.
    Scroll(f32),
    /// Lets this many frames pass.
    Wait(u32),
}

use Act::{Button, Click, Do, Escape, Look, Palette, Plot, Rise, Scroll, Wait};

/// Names of pictures, and the actions before each.
const STILLS: &[(&str, &[Act])] = &[
    ("window", &[]),
    // These come first because their buttons are at the top of the panel, before it is scrolled.
    ("menu-file", &[Button("Not now"), Wait(4), Button("File"), Wait(4)]),
    ("menu-history", &[Escape, Wait(4), Do("Another random seed"), Wait(4), Button("History"), Wait(4)]),
    // Changes made for a picture are undone, because otherwise a question would appear about saving them.
    (
        "menu-step",
        &[Escape, Wait(4), Do("Undo"), Do("Section: Steps"), Wait(30), Button("Move, copy"), Wait(6)],
    ),
    ("add-step", &[Escape, Wait(4), Do("Section: View"), Wait(20), Button("Add step"), Wait(6)]),
    ("section-sun", &[Escape, Escape, Wait(4), Do("Section: Sun")]),
    ("section-weather", &[Do("Section: Weather")]),
    ("section-water", &[Do("Section: Water")]),
    ("section-texture", &[Do("Section: Texture")]),
    ("section-steps", &[Do("Section: Steps")]),
    ("section-plants", &[Do("Section: Plants and rocks")]),
    ("section-view", &[Do("Section: View")]),
    (
        "bookmarks",
        &[
            Do("Bookmark this place"),
            Rise,
            Do("Bookmark this place"),
            Do("Record a flight"),
            Do("Opening view"),
            Wait(60),
            Do("Record a flight"),
            Do("Section: View"),
            Wait(20),
            Button("waypoints, "),
        ],
    ),
    ("guided-tour", &[Do("Guided tour"), Wait(12)]),
    ("export-files", &[Do("Close all"), Do("Export: heights"), Wait(12)]),
    ("export-mesh", &[Button("Mesh"), Wait(6)]),
    ("export-film", &[Do("Close all"), Do("Picture or film"), Wait(4), Button("Film"), Wait(4)]),
    (
        "drawing",
        &[
            Button("Picture"),
            Wait(4),
            Do("Close all"),
            Do("Add step: River"),
            Wait(30),
            Do("Draw on the land"),
        ],
    ),
    // Undoes the changes above too.
    (
        "section-show",
        &[
            Do("Draw on the land"),
            Do("Undo"),
            Do("Undo"),
            Do("Undo"),
            Do("Undo"),
            Do("Undo"),
            Wait(20),
            Do("Section: Show"),
        ],
    ),
    ("section-levels", &[Do("Section: Levels")]),
    ("section-quality", &[Do("Section: Quality")]),
    ("section-panels", &[Do("Section: Panels")]),
    ("palette", &[Escape, Wait(4), Palette, Wait(4)]),
    ("watch", &[Escape, Wait(4), Do("Section: Sun"), Do("Watch the steps work"), Wait(6)]),
    ("inside", &[Do("Close all"), Do("Look inside"), Plot(PlotKind::Heights)]),
    ("inside-hypsometry", &[Plot(PlotKind::Hypsometry), Wait(4)]),
    ("inside-slopes", &[Plot(PlotKind::Slopes), Wait(4)]),
    ("inside-aspects", &[Plot(PlotKind::Aspects), Wait(4)]),
    ("inside-slope-rose", &[Plot(PlotKind::SlopeRose), Wait(4)]),
    ("inside-spectrum", &[Plot(PlotKind::Spectrum), Wait(4)]),
    ("inside-variogram", &[Plot(PlotKind::Variogram), Wait(4)]),
    ("inside-slope-area", &[Plot(PlotKind::SlopeArea), Wait(4)]),
    ("inside-profile", &[Plot(PlotKind::Profile), Wait(4)]),
    ("inside-geomorphons", &[Plot(PlotKind::Geomorphons), Wait(4)]),
    ("inside-long-profile", &[Plot(PlotKind::LongProfile), Wait(4)]),
    ("inside-chi", &[Plot(PlotKind::Chi), Wait(4)]),
    ("inside-ksn", &[Plot(PlotKind::Ksn), Wait(4)]),
    ("inside-hack", &[Plot(PlotKind::Hack), Wait(4)]),
    ("inside-basins", &[Plot(PlotKind::Basins), Wait(4)]),
    ("probe", &[Do("Close all"), Do("Probe a sample"), Wait(4), Click(0.4, 0.6)]),
    ("sculpt", &[Do("Close all"), Do("Sculpt by hand"), Wait(4)]),
    ("all-panels", &[Do("Watch the steps work"), Do("Look inside"), Do("Frame times")]),
    ("hidden", &[Do("Hide or show")]),
    ("times", &[Do("Close all"), Do("Frame times")]),
    ("keys", &[Do("Close all"), Do("Keys")]),
    ("gallery", &[Do("Close all"), Do("Gallery"), Look(Shelf::Presets), Wait(60)]),
    ("gallery-generators", &[Look(Shelf::Generators), Wait(60)]),
    ("gallery-lessons", &[Look(Shelf::Lessons), Wait(60)]),
    ("gallery-mistakes", &[Look(Shelf::Mistakes), Wait(60)]),
    ("gallery-neighbours", &[Look(Shelf::Neighbours), Wait(60)]),
    ("gallery-parameter", &[Look(Shelf::Parameter), Wait(60)]),
    ("files", &[Look(Shelf::Presets), Do("Close all"), Do("Open a file")]),
    ("save-as", &[Do("Close all"), Do("Save as")]),
    ("export", &[Do("Close all"), Do("Picture or film")]),
    ("mistake", &[Do("Close all"), Do("Mistake"), Wait(4)]),
    ("lesson", &[Do("Close all"), Do("Lesson: brownian"), Wait(6)]),
    ("lesson-answered", &[Scroll(7.0), Wait(20), Button("Show me"), Wait(30), Scroll(7.0), Wait(20)]),
    (
        "failed",
        &[
            Do("Close all"),
            Do("Open landscape: high-range"),
            Wait(20),
            Do("Add step: Elevation file"),
            Wait(20),
        ],
    ),
    ("slope", &[Do("Undo"), Wait(20), Do("Show: Slope")]),
    ("aspect", &[Do("Show: Aspect")]),
    ("contours", &[Do("Show: Contours")]),
    ("normals", &[Do("Show: Normals")]),
    ("types", &[Do("Show: Terrain types")]),
    ("levels", &[Do("Show: Levels of detail")]),
    ("chunks", &[Do("Show: Chunks")]),
    ("residency", &[Do("Show: Residency")]),
    ("overdraw", &[Do("Show: Overdraw")]),
    ("wireframe", &[Do("Show: Wireframe")]),
    ("viewshed", &[Do("Show: Viewshed"), Do("Section: Show")]),
    ("walk", &[Do("Show: Landscape"), Do("Section: View"), Rise, Do("Walk"), Wait(20)]),
    ("orbit", &[Do("Orbit"), Do("Opening view")]),
    ("levels-compared", &[Do("Fly"), Do("Levels of detail compared"), Wait(60)]),
    ("side-by-side", &[Do("Close all"), Do("Compare with a copy"), Wait(6), Do("Another random seed")]),
    ("swipe", &[Do("Swipe")]),
    ("difference", &[Do("Landscapes side by side"), Do("Difference")]),
    ("difference-worn", &[Button("On the land"), Wait(20)]),
    ("likeness", &[Button("On the land"), Do("Close all"), Do("Likeness of two"), Wait(20)]),
    ("failed-beside", &[Do("Close all"), Do("Add step: Elevation file"), Wait(20)]),
    (
        "four",
        &[
            Do("Undo"),
            Do("Compare with a copy"),
            Wait(6),
            Do("Another random seed"),
            Wait(6),
            Do("Compare with a copy"),
        ],
    ),
    ("light", &[Do("Light panels"), Do("Look inside")]),
    ("light-texture", &[Do("Close all"), Do("Section: Texture")]),
    ("light-watch", &[Do("Section: Sun"), Do("Watch the steps work"), Wait(6)]),
    ("light-gallery", &[Do("Close all"), Do("Gallery"), Wait(10)]),
    ("question", &[Do("Close all"), Do("Dark panels"), Do("Another random seed"), Do("Close the window")]),
];

/// The remaining pictures.
#[derive(Resource)]
struct Stills {
    folder: PathBuf,
    acts: VecDeque<Act>,
    left: VecDeque<(&'static str, &'static [Act])>,
    /// The next picture.
    name: Option<&'static str>,
    /// Frames since the last action or activity.
    calm: u32,
    /// Frames to pass before the next action.
    pause: u32,
    /// Frames in which a button has been searched for.
    looked: u32,
    is_taken: bool,
}

/// Takes all pictures into a folder, then ends the program.
pub(super) fn add(app: &mut App, folder: PathBuf) {
    let stills = Stills {
        folder,
        acts: VecDeque::new(),
        left: STILLS.iter().copied().collect(),
        name: None,
        calm: 0,
        pause: 0,
        looked: 0,
        is_taken: true,
    };
    app.insert_resource(stills)
        .add_systems(Update, (go_on, click.run_if(resource_exists::<Clicked>)).chain());
}

/// The position of a click on the land, and the frames since it began.
#[derive(Resource)]
struct Clicked(Vec2, u32);

/// The window's panels, and input to them.
#[derive(SystemParam)]
struct Panels<'w, 's> {
    window: Single<'w, 's, Entity, With<PrimaryWindow>>,
    contexts: Query<'w, 's, (&'static mut EguiContext, &'static EguiOutput), With<PrimaryEguiContext>>,
    keys: MessageWriter<'w, KeyboardInput>,
    moves: MessageWriter<'w, CursorMoved>,
    wheels: MessageWriter<'w, MouseWheel>,
    events: MessageWriter<'w, WindowEvent>,
    actions: ResMut<'w, ActionQueue>,
    documents: Query<'w, 's, &'static Document>,
    selection: Res<'w, Selection>,
    recent: Res<'w, Recent>,
    gallery: ResMut<'w, Gallery>,
    pilot: ResMut<'w, Pilot>,
}

impl Panels<'_, '_> {
    /// Does what the command palette finds by this name.
    fn order(&mut self, wanted: &str) {
        let edited = self.selection.edited().and_then(|edited| self.documents.get(edited).ok());
        let recipe = edited.map(|document| &document.recipe);
        if let Some(action) = panel::action_named(wanted, recipe, self.recent.paths()) {
            self.actions.send(action);
        }
    }

    /// Presses keys together, then releases them.
    fn press(&mut self, keys: &[(KeyCode, Key)]) {
        let down = keys.iter().map(|key| (key, ButtonState::Pressed));
        let up = keys.iter().rev().map(|key| (key, ButtonState::Released));
        for ((key_code, logical_key), state) in down.chain(up) {
            let input = KeyboardInput {
                key_code: *key_code,
                logical_key: logical_key.clone(),
                state,
                text: None,
                repeat: false,
                window: *self.window,
            };
            self.keys.write(input.clone());
            self.events.write(WindowEvent::KeyboardInput(input));
        }
    }

    /// Turns the wheel down over the left panel.
    fn scroll(&mut self, lines: f32) {
        let (window, position) = (*self.window, Vec2::new(170.0, 500.0));
        let moved = CursorMoved { window, position, delta: None };
        self.moves.write(moved.clone());
        self.events.write(WindowEvent::CursorMoved(moved));
        let (unit, phase) = (MouseScrollUnit::Line, TouchPhase::Moved);
        let turned = MouseWheel { unit, x: 0.0, y: -lines, window, phase };
        self.wheels.write(turned);
        self.events.write(WindowEvent::MouseWheel(turned));
    }

    /// The position of the button whose name, as a screen reader finds it, begins with this, otherwise of one
    /// whose name contains it; the top one if there are several.
    fn button(&mut self, name: &str) -> Option<Vec2> {
        let (mut context, output) = self.contexts.single_mut().ok()?;
        // AccessKit only reports the interface after it has been enabled.
        context.get_mut().enable_accesskit();
        let update = output.platform_output.accesskit_update.as_ref()?;
        let buttons = update.nodes.iter().filter_map(|(_, node)| {
            let is_button = matches!(node.role(), accesskit::Role::Button | accesskit::Role::CheckBox);
            let label = node.label().filter(|label| is_button && label.contains(name))?;
            Some((!label.starts_with(name), node.bounds()?))
        });
        let order = |(a, at): &(bool, accesskit::Rect), (b, other): &(bool, accesskit::Rect)| {
            a.cmp(b).then(at.y0.total_cmp(&other.y0))
        };
        let (_, top) = buttons.min_by(order)?;
        Some(Vec2::new((top.x0 + top.x1) as f32 / 2.0, (top.y0 + top.y1) as f32 / 2.0))
    }
}

/// Takes the next action, or the next picture, when nothing is busy.
fn go_on(
    mut commands: Commands,
    mut stills: ResMut<Stills>,
    mut panels: Panels,
    lands: Query<&TerrainStatus>,
    landscapes: Res<Landscapes>,
    places: Query<(&ViewOf, &Place)>,
    mut inside: ResMut<Inside>,
    (player, probing, differing): (Res<Player>, Res<Probing>, Res<DifferenceView>),
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
    if let Some(act) = stills.acts.pop_front() {
        // A rebuild doesn't show as busy immediately, so wait a few frames.
        let mut pause = 3;
        match act {
            Do(wanted) => panels.order(wanted),
            Wait(frames) => {
                stills.pause = frames;
                return;
            }
            Click(x, y) => {
                let first = landscapes.first();
                if let Some((_, place)) = places.iter().find(|(view, _)| Some(view.0) == first) {
                    let at = place.rect().min + place.rect().size() * Vec2::new(x, y);
                    commands.insert_resource(Clicked(at, 0));
                }
                pause = 8;
            }
            Button(name) => {
                match panels.button(name) {
                    Some(at) => commands.insert_resource(Clicked(at, 0)),
                    None if stills.looked < PATIENCE => {
                        stills.looked += 1;
                        stills.acts.push_front(act);
                        return;
                    }
                    None => eprintln!("upland: there is no button \"{name}\" to click on"),
                }
                (pause, stills.looked) = (8, 0);
            }
            Palette => panels
                .press(&[(KeyCode::ControlLeft, Key::Control), (KeyCode::KeyP, Key::Character("p".into()))]),
            Escape => panels.press(&[(KeyCode::Escape, Key::Escape)]),
            Look(shelf) => panels.gallery.shelf = shelf,
            Plot(kind) => inside.kind = kind,
            Scroll(lines) => panels.scroll(lines),
            Rise => panels.pilot.put(Vec3::new(0.0, 9000.0, 0.0), Vec3::new(2000.0, 9000.0, -2000.0)),
        }
        (stills.pause, stills.calm) = (pause, 0);
        return;
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
                stills.acts.extend(acts);
                (stills.name, stills.is_taken, stills.calm) = (Some(name), false, 0);
            }
            None => drop(exit.write(AppExit::Success)),
        },
    }
}

/// Moves the mouse to the position, presses its button and releases it, one frame each.
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

    use super::*;
    use crate::plugin::DebugView;
    use crate::render::view_mode::VIEWS;
    use crate::viewer::camera::pilot::Mode;

    fn acts() -> impl Iterator<Item = Act> {
        STILLS.iter().flat_map(|(_, acts)| acts.iter().copied())
    }

    #[test]
    fn every_picture_has_a_unique_name_and_every_command_exists() {
        let names: BTreeSet<_> = STILLS.iter().map(|(name, _)| name).collect();
        assert_eq!(names.len(), STILLS.len());
        for act in acts() {
            if let Do(wanted) = act {
                let found = panel::command_named(wanted);
                assert!(found.is_some_and(|name| name.starts_with(wanted)), "{wanted}");
            }
        }
    }

    #[test]
    fn there_is_a_picture_of_every_shelf_plot_view_and_camera_mode() {
        for (shelf, name, _) in Shelf::ALL {
            assert!(acts().any(|act| matches!(act, Look(of) if of == shelf)), "{name}");
        }
        for kind in PlotKind::ALL {
            assert!(acts().any(|act| matches!(act, Plot(of) if of == kind)), "{}", kind.name());
        }
        let is_ordered = |name: String| {
            acts().any(|act| matches!(act, Do(wanted) if panel::command_named(wanted) == Some(name.clone())))
        };
        for view in VIEWS {
            let name = if view == DebugView::None { "Landscape" } else { view.title() };
            assert!(is_ordered(format!("Show: {name}")), "{name}");
        }
        for (_, name, about) in Mode::ALL {
            assert!(is_ordered(format!("{name}: {about}")), "{name}");
        }
    }
}

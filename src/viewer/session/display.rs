//! Checks before a window is opened whether there is a display that responds, and how large the window may
//! be.

use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};

use bevy::prelude::*;
use bevy::window::{Monitor, PrimaryMonitor, PrimaryWindow};
use bevy::winit::WinitPlugin;

/// The initial size of the window, logical pixels, if the screen has space for it.
pub(crate) const USUAL: UVec2 = UVec2::new(1440, 860);

/// A small screen never shrinks the window below this size, logical pixels: panels need it.
const LEAST: UVec2 = UVec2::new(640, 400);

/// The space on a screen that the title bar and the system's own bars take, logical pixels.
const BARS: Vec2 = Vec2::new(16.0, 96.0);

/// A display on which windows can be opened. A process can open it once.
pub struct Display(App);

impl Display {
    /// Opens the display that the environment names.
    ///
    /// # Errors
    /// When there is no display, or it doesn't respond; the message is for people.
    pub fn open() -> Result<Self, String> {
        if let Some(display) = named_display() {
            // Bevy reports a display that doesn't respond by a panic. Only the window system is initialised
            // here, so nothing else can have panicked.
            let hook = take_hook();
            set_hook(Box::new(|_| {}));
            let app = catch_unwind(AssertUnwindSafe(|| {
                let mut app = App::new();
                app.add_plugins(WinitPlugin::default());
                app
            }));
            set_hook(hook);
            return app.map(Self).map_err(|_| format!("{display} does not answer"));
        }
        Err("there is no display to open a window on".into())
    }

    /// An app with the window system and nothing else.
    pub(crate) fn into_app(self) -> App {
        self.0
    }
}

/// Shrinks the window to fit the screen, once the screen is known.
pub(crate) fn fit(
    mut window: Single<&mut Window, With<PrimaryWindow>>,
    screens: Query<(&Monitor, Has<PrimaryMonitor>)>,
    mut is_done: Local<bool>,
) {
    // If the system names no primary screen, the first in the list is used.
    let screen = screens.iter().find(|(_, is_primary)| *is_primary).or_else(|| screens.iter().next());
    let Some((screen, _)) = screen.filter(|_| !*is_done) else { return };
    *is_done = true;
    let now = window.resolution.size().as_uvec2();
    let size = fitting(now, screen.physical_size(), window.scale_factor());
    if size != now {
        window.resolution.set(size.x as f32, size.y as f32);
    }
}

/// The size of a window on a screen with this many physical pixels, at `scale` physical pixels per logical
/// one.
fn fitting(usual: UVec2, screen: UVec2, scale: f32) -> UVec2 {
    let space = screen.as_vec2() / scale.max(f32::MIN_POSITIVE) - BARS;
    // Some systems report a size of zero.
    if screen.min_element() == 0 { usual } else { usual.min(space.as_uvec2().max(LEAST)) }
}

/// The display that the environment names; `None` if it names none.
fn named_display() -> Option<String> {
    if !cfg!(target_os = "linux") {
        return Some("the window system".into());
    }
    // In the order in which the window system tries them.
    ["WAYLAND_DISPLAY", "WAYLAND_SOCKET", "DISPLAY"].into_iter().find_map(|name| {
        let value = std::env::var_os(name).filter(|value| !value.is_empty())?;
        Some(format!("the display {name}={}", value.to_string_lossy()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_fits_the_screen() {
        let of = |screen: [u32; 2], scale| fitting(USUAL, screen.into(), scale);
        assert_eq!(of([1920, 1080], 1.0), USUAL);
        assert_eq!(of([3840, 2160], 2.0), USUAL);
        assert_eq!(of([1366, 768], 1.0), UVec2::new(1350, 672));
        assert_eq!(of([1280, 720], 1.0), UVec2::new(1264, 624));
        // A small screen of many pixels.
        assert_eq!(of([2560, 1440], 2.0), UVec2::new(1264, 624));
        assert_eq!(of([320, 200], 1.0), LEAST);
        assert_eq!(of([0, 0], 1.0), USUAL, "a screen of unknown size");
        assert_eq!(of([1280, 720], 0.0), USUAL);
    }
}

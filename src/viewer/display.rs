//! Checks for a display, and whether it responds, before a window is opened.

use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};

use bevy::app::App;
use bevy::winit::WinitPlugin;

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
    pub(super) fn into_app(self) -> App {
        self.0
    }
}

/// The display that the environment names; `None` where it names none.
fn named_display() -> Option<String> {
    if !cfg!(target_os = "linux") {
        return Some("the window system".into());
    }
    // In the order that the window system uses.
    ["WAYLAND_DISPLAY", "WAYLAND_SOCKET", "DISPLAY"].into_iter().find_map(|name| {
        let value = std::env::var_os(name).filter(|value| !value.is_empty())?;
        Some(format!("the display {name}={}", value.to_string_lossy()))
    })
}

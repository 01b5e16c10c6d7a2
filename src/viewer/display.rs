//! The way to a window: whether there is a display, and whether it answers.

use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};

use bevy::app::App;
use bevy::winit::WinitPlugin;

/// A display that windows can be opened on. A process reaches for it once.
pub struct Display(App);

impl Display {
    /// Reaches for the display that the environment names.
    ///
    /// # Errors
    /// Why no window can be opened, for people: there is no display, or it does not answer.
    pub fn open() -> Result<Self, String> {
        if let Some(display) = named_display() {
            // Bevy has no other word for a display that does not answer than a panic. Nothing but the
            // window system is asked for here, so nothing else can have panicked.
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

    /// An app that has the window system already, and nothing else.
    pub(super) fn into_app(self) -> App {
        self.0
    }
}

/// The display that the environment names; `None` where it names none.
fn named_display() -> Option<String> {
    if !cfg!(target_os = "linux") {
        return Some("the window system".into());
    }
    // In the order in which the window system looks.
    ["WAYLAND_DISPLAY", "WAYLAND_SOCKET", "DISPLAY"].into_iter().find_map(|name| {
        let value = std::env::var_os(name).filter(|value| !value.is_empty())?;
        Some(format!("the display {name}={}", value.to_string_lossy()))
    })
}

//! The one-line message at the bottom of the window.

use std::path::{Path, PathBuf};

use bevy::prelude::*;

use super::directories;
use crate::shown::{shown, shown_in_line};

/// The current message, and its age.
#[derive(Resource, Default)]
pub(crate) struct Message {
    /// The text; empty if there is none.
    pub text: String,
    /// Whether it is an error. Errors stay until they are dismissed.
    pub is_error: bool,
    /// The absolute path of the file or folder that it is about.
    pub path: Option<PathBuf>,
    age: f32,
}

/// Other messages stay for this long: a minimum, and more for each letter. Seconds.
const STAY: f32 = 6.0;
const READ: f32 = 0.07;

/// The maximum number of letters shown of a file's name, and of its folder.
const MOST_OF_NAME: usize = 60;
const MOST_OF_FOLDER: usize = 48;

impl Message {
    /// Shows a message about what was done.
    pub fn report(&mut self, text: impl Into<String>) {
        *self = Self { text: shown(&text.into()).into_owned(), ..Self::default() };
    }

    /// Shows that something was done that created a file or folder: "Saved hills.png in ~/Pictures".
    pub fn report_file(&mut self, done: &str, path: &Path) {
        let whole = std::path::absolute(path).unwrap_or(path.to_owned());
        self.report(format!("{done} {}", in_words(&whole, directories::home().as_deref())));
        self.path = Some(whole);
    }

    /// How long it stays, seconds: as long as it takes to read.
    fn stays(&self) -> f32 {
        STAY.max(self.text.chars().count() as f32 * READ)
    }

    /// Restarts its time, because the pointer is over it.
    pub fn stay(&mut self) {
        self.age = 0.0;
    }

    /// Shows an error, and logs it.
    pub fn error(&mut self, text: impl Into<String>) {
        *self = Self { text: shown(&text.into()).into_owned(), is_error: true, ..Self::default() };
        error!("{}", self.text);
    }

    /// Removes the message.
    pub fn dismiss(&mut self) {
        *self = Self::default();
    }
}

/// The name of a file and its folder, with `~` for the user's home and … in the middle of a long path.
fn in_words(whole: &Path, home: Option<&Path>) -> String {
    let name = whole.file_name().unwrap_or(whole.as_os_str()).to_string_lossy();
    let name = shown_in_line(&name, MOST_OF_NAME);
    let Some(folder) = whole.parent() else { return name };
    // If home were the root, `~` would stand for every folder.
    let of_home = home.filter(|home| home.parent().is_some()).and_then(|home| folder.strip_prefix(home).ok());
    let folder = match of_home {
        Some(own) if own.as_os_str().is_empty() => "~".to_owned(),
        Some(own) => format!("~/{}", own.display()),
        None => folder.display().to_string(),
    };
    format!("{name} in {}", without_middle(&shown_in_line(&folder, usize::MAX), MOST_OF_FOLDER))
}

/// Shortens a text to this many letters, keeping the first and the last.
fn without_middle(text: &str, most: usize) -> String {
    let letters: Vec<char> = text.chars().collect();
    if letters.len() <= most {
        return text.to_owned();
    }
    let first = most.saturating_sub(1) / 2;
    let last = letters.len() - most.saturating_sub(1 + first);
    letters[..first].iter().chain(&['…']).chain(&letters[last..]).collect()
}

/// Removes messages after their time.
pub(crate) fn fade(mut message: ResMut<Message>, time: Res<Time>) {
    if !message.text.is_empty() && !message.is_error {
        message.age += time.delta_secs();
        if message.age > message.stays() {
            message.dismiss();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_with_its_folder() {
        let words = |path: &str| in_words(Path::new(path), Some(Path::new("/home/ann")));
        assert_eq!(words("/home/ann/Pictures/hills.png"), "hills.png in ~/Pictures");
        assert_eq!(words("/home/ann/hills.png"), "hills.png in ~");
        assert_eq!(words("/srv/lands/hills.png"), "hills.png in /srv/lands");
        assert_eq!(words("/home/annika/hills.png"), "hills.png in /home/annika");
        assert_eq!(in_words(Path::new("/srv/a.png"), Some(Path::new("/"))), "a.png in /srv");
        assert_eq!(in_words(Path::new("/srv/a\nb.png"), None), "a b.png in /srv");
        let deep = format!("/srv/{}pictures/hills.png", "lands/".repeat(20));
        let named = words(&deep);
        assert!(
            named.starts_with("hills.png in /srv/lands/") && named.ends_with("lands/pictures"),
            "{named}"
        );
        assert!(
            named.contains('…') && named.chars().count() == "hills.png in ".len() + MOST_OF_FOLDER,
            "{named}"
        );
    }

    #[test]
    fn a_message_about_a_file_knows_its_path_and_stays_under_the_pointer() {
        let mut message = Message::default();
        message.report_file("Saved", Path::new("hills.png"));
        let path = message.path.clone().unwrap();
        assert!(message.text.starts_with("Saved hills.png in ") && path.is_absolute(), "{}", message.text);
        message.age = 5.0;
        message.stay();
        assert_eq!(message.age, 0.0);
        message.report("Undone");
        assert!(message.path.is_none());
    }
}

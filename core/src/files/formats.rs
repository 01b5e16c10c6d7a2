//! The table of the formats of one kind of file, which finds a format by the extension of a file's name.

use std::path::Path;

use crate::error::{Error, Result};

/// A format in a [`FormatTable`].
pub(crate) trait FileFormat {
    /// The extensions of its files in lower case, the usual one first.
    fn extensions(&self) -> &[&'static str];
}

/// The formats of one kind of file, in the order in which they are listed.
pub(crate) struct FormatTable<F: 'static> {
    /// The content of the files, as the subject of a sentence: "a mesh", "elevation".
    pub(crate) what: &'static str,
    pub(crate) formats: &'static [F],
}

impl<F: FileFormat> FormatTable<F> {
    /// The format in which a file of this name is written.
    ///
    /// # Errors
    /// When no format has the extension.
    pub(crate) fn of(&self, path: &Path) -> Result<&'static F> {
        self.of_those(path, |_| true, "written")
    }

    /// The format of a file of this name, among those that `can` accepts. `done` is for the error: "read" or
    /// "written".
    ///
    /// # Errors
    /// When there is none; the message lists the extensions of those that there are.
    pub(crate) fn of_those(&self, path: &Path, can: fn(&F) -> bool, done: &str) -> Result<&'static F> {
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let found = self.formats.iter().find(|format| format.extensions().contains(&extension.as_str()));
        found.filter(|format| can(format)).ok_or_else(|| {
            let fact = match path.extension() {
                Some(extension) => {
                    format!("{} cannot be {done} as `.{}`", self.what, extension.to_string_lossy())
                }
                None => "the name has no extension to say its format".into(),
            };
            Error::file(path, format!("{fact}; there is {}", self.extensions(can)))
        })
    }

    /// The extensions of some of the formats, for people.
    pub(crate) fn extensions(&self, of: fn(&F) -> bool) -> String {
        let listed = self.formats.iter().filter(|format| of(format)).flat_map(F::extensions);
        listed.map(|extension| format!(".{extension}")).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Letter(&'static [&'static str]);

    impl FileFormat for Letter {
        fn extensions(&self) -> &[&'static str] {
            self.0
        }
    }

    const TABLE: FormatTable<Letter> =
        FormatTable { what: "a letter", formats: &[Letter(&["a", "alpha"]), Letter(&["b"])] };

    #[test]
    fn the_extension_decides_the_format() {
        for (name, extensions) in
            [("x.a", ["a", "alpha"].as_slice()), ("x.ALPHA", &["a", "alpha"]), ("x.y.b", &["b"])]
        {
            assert_eq!(TABLE.of(Path::new(name)).unwrap().0, extensions, "{name}");
        }
        let refused =
            |name: &str| TABLE.of(Path::new(name)).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(refused("x.c").ends_with("a letter cannot be written as `.c`; there is .a, .alpha, .b"));
        assert!(
            refused("x").ends_with("the name has no extension to say its format; there is .a, .alpha, .b")
        );
    }
}

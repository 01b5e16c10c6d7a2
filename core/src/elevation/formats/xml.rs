//! Text in XML: the characters that have a meaning there.

/// Characters, and how they are written in texts and in attributes.
const ESCAPES: [(&str, &str); 5] =
    [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;"), ("'", "&apos;")];

/// A text as the content of an element, or of an attribute in double quotes. Characters that XML cannot hold
/// stay: see [`forbidden`].
pub(in crate::elevation::formats) fn escaped(text: &str) -> String {
    // An apostrophe only has a meaning in attributes in single quotes.
    ESCAPES[..4].iter().fold(text.to_owned(), |text, (letter, name)| text.replace(letter, name))
}

/// The text that [`escaped`] was made of.
pub(in crate::elevation::formats) fn unescaped(text: &str) -> String {
    // The ampersand last: it would make escapes of what was written as text.
    ESCAPES.iter().rev().fold(text.to_owned(), |text, (letter, name)| text.replace(name, letter))
}

/// The first character that XML 1.0 cannot hold, or that readers change: all control characters but the tab
/// and the line feed, and two that Unicode reserves.
pub(in crate::elevation::formats) fn forbidden(text: &str) -> Option<char> {
    let is_forbidden = |letter: &char| {
        (letter.is_control() && !matches!(letter, '\t' | '\n')) || matches!(letter, '\u{fffe}' | '\u{ffff}')
    };
    text.chars().find(is_forbidden)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_comes_back() {
        for text in ["", "a & b < c > \"d\" 'e'", "&amp;lt;", "&&amp;&#65;", "Größe\n\t€"] {
            let written = escaped(text);
            assert!(!written.contains(['<', '>', '"']), "{written}");
            assert_eq!(unescaped(&written), text);
        }
        assert_eq!(unescaped("&apos;&lt;"), "'<");
    }

    #[test]
    fn characters_that_xml_cannot_hold_are_found() {
        assert_eq!(forbidden("a\tb\nä€😀"), None);
        for letter in ['\0', '\u{1b}', '\r', '\u{7f}', '\u{85}', '\u{ffff}'] {
            assert_eq!(forbidden(&format!("a{letter}b")), Some(letter));
        }
    }
}

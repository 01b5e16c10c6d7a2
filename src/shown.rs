//! Makes untrusted text (names in recipes and files, file names) safe to show.

use std::borrow::Cow;

/// Replaces a character that must not be shown.
const INSTEAD: &str = "\u{fffd}";

/// `text` without characters that could make a terminal or a window system do more than show it: control
/// characters, which start escape sequences, and marks that reverse the direction of text. Newlines and tabs
/// stay.
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    let refused = |letter| is_harmful(letter) && !matches!(letter, '\n' | '\t');
    // Nearly all text is harmless, and is then not copied.
    if text.contains(refused) { Cow::Owned(text.replace(refused, INSTEAD)) } else { Cow::Borrowed(text) }
}

/// As [`shown`], on one line of at most `most` characters: for a title.
#[cfg(feature = "render")]
pub(crate) fn shown_in_line(text: &str, most: usize) -> String {
    let mut letters = text.chars().map(|letter| match letter {
        '\n' | '\t' => ' ',
        letter if is_harmful(letter) => char::REPLACEMENT_CHARACTER,
        letter => letter,
    });
    let mut line: String = letters.by_ref().take(most).collect();
    if letters.next().is_some() {
        line.pop();
        line.push('…');
    }
    line
}

/// A whole number with its digits in groups: 1,662,408.
#[cfg(feature = "viewer")]
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn is_harmful(letter: char) -> bool {
    // Bidirectional controls: text that follows them may be shown in another order than it has ("Trojan
    // Source", 2021).
    letter.is_control() || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_is_shown_commands_a_terminal() {
        let (low, high) = (0..=0x9f, 0x2000..=0x206f);
        let text: String = low.chain(high).filter_map(char::from_u32).collect();
        let shown = shown(&text);
        assert!(shown.chars().all(|letter| matches!(letter, '\n' | '\t') || !letter.is_control()));
        assert!(!shown.contains('\u{202e}') && shown.contains("\n") && shown.contains("~"));
        assert_eq!(shown.chars().count(), text.chars().count());
    }

    #[test]
    fn ordinary_names_stay_as_they_are() {
        let name = "Höhenzug 山脈\n\tam Meer 🏔";
        assert!(matches!(shown(name), Cow::Borrowed(same) if same == name));
    }

    #[cfg(feature = "render")]
    #[test]
    fn digits_of_large_numbers_are_grouped() {
        let numbers = [0, 999, 1000, 12_345, 1_662_408].map(grouped);
        assert_eq!(numbers, ["0", "999", "1,000", "12,345", "1,662,408"]);
    }

    #[cfg(feature = "viewer")]
    #[test]
    fn a_title_is_one_short_line_without_nul() {
        assert_eq!(shown_in_line("Hills\0\x1b[31m\nfar", 80), "Hills\u{fffd}\u{fffd}[31m far");
        assert_eq!(shown_in_line("ÄÖÜäöü", 6), "ÄÖÜäöü");
        assert_eq!(shown_in_line("ÄÖÜäöüß", 6), "ÄÖÜäö…");
    }
}

//! Explains what is wrong with text that is not valid RON, and what to do.

use ron::error::{Position, SpannedError};

/// The most letters of a unit: a longer word is not a unit, and is not repeated in an error.
const LONGEST_UNIT: usize = 8;

/// The reason of a parser error, with hints from the text around the error.
pub(crate) fn reason_in(text: &str, error: SpannedError) -> String {
    use ron::Error::{
        ExpectedArrayEnd, ExpectedComma, ExpectedIdentifier, ExpectedMapColon, ExpectedMapEnd,
        ExpectedOptionEnd, ExpectedString, ExpectedStructLikeEnd, SuggestRawIdentifier, UnexpectedChar,
    };
    // RON says what it expected; people need to know what they did, which the text around the place shows.
    let (before, after) = text.split_at(offset(text, error.span.end));
    let (last, next) = (before.trim_end(), after.trim_start());
    match error.code {
        ExpectedComma | ExpectedArrayEnd | ExpectedStructLikeEnd | ExpectedOptionEnd | ExpectedMapEnd => {
            if let Some(unit) = unit_behind_number(last, next) {
                return format!(
                    "numbers are written without a unit; leave `{unit}` out, or put a comma before it"
                );
            }
            // Before a bracket, the bracket itself is wrong and not the text.
            if last.ends_with('"') && !next.is_empty() && !next.starts_with([',', ')', ']', '}']) {
                return "a comma is missing before this, or the bracket that closes; or a text is not closed where it \
                        should be: a quotation mark within a text is written \\\""
                    .to_owned();
            }
            reason_of(error.code)
        }
        ExpectedString | ExpectedIdentifier | ExpectedMapColon
            if ends_in_digit_and_comma(last) && is_digit(next) =>
        {
            DECIMALS.to_owned()
        }
        SuggestRawIdentifier(name)
            if is_digit(&name) && ends_in_digit_and_comma(last.strip_suffix(&*name).unwrap_or(last)) =>
        {
            DECIMALS.to_owned()
        }
        ExpectedString | UnexpectedChar(_)
            if next.starts_with(OTHER_QUOTES) || last.ends_with(OTHER_QUOTES) =>
        {
            "write text in straight quotes: \"…\"".to_owned()
        }
        code => reason_of(code),
    }
}

/// Quotation marks that RON doesn't accept.
const OTHER_QUOTES: [char; 6] = ['“', '”', '„', '‘', '’', '\''];

const DECIMALS: &str = "a number is not expected here; if this is the end of one, write its decimals after a \
                        point: 0.3";

/// The unit that `next` begins with, if `last` ends in a number.
fn unit_behind_number<'t>(last: &str, next: &'t str) -> Option<&'t str> {
    let is_of_unit = |char: char| char.is_alphabetic() || ['°', '%', '²', '/'].contains(&char);
    let (unit, rest) = next.split_at(next.find(|char| !is_of_unit(char)).unwrap_or(next.len()));
    // A name is followed by a colon or a parenthesis.
    let is_name = rest.trim_start().starts_with([':', '(', '=']);
    let is_unit = (1..=LONGEST_UNIT).contains(&unit.chars().count()) && !is_name;
    (is_unit && last.ends_with(|char: char| char.is_ascii_digit())).then_some(unit)
}

fn is_digit(text: &str) -> bool {
    text.starts_with(|char: char| char.is_ascii_digit())
}

/// Whether a text ends in a digit and a comma, like the `0,` of 0,3.
fn ends_in_digit_and_comma(text: &str) -> bool {
    text.strip_suffix(',').is_some_and(|number| number.ends_with(|char: char| char.is_ascii_digit()))
}

/// The number of bytes of a text before a position.
fn offset(text: &str, place: Position) -> usize {
    // RON counts lines and columns from 1, and columns in characters.
    let line: usize = text.split_inclusive('\n').take(place.line.saturating_sub(1)).map(str::len).sum();
    let column = text[line..].char_indices().nth(place.col.saturating_sub(1));
    column.map_or(text.len(), |(bytes, _)| line + bytes)
}

/// The reason of a parser error. Most readers of values give their own reason, which is kept.
pub(crate) fn reason_of(error: ron::Error) -> String {
    use ron::Error::{
        DuplicateStructField, Eof, ExceededRecursionLimit, ExpectedArray, ExpectedArrayEnd, ExpectedBoolean,
        ExpectedComma, ExpectedFloat, ExpectedIdentifier, ExpectedInteger, ExpectedMap, ExpectedMapColon,
        ExpectedMapEnd, ExpectedOptionEnd, ExpectedString, ExpectedStringEnd, ExpectedStructLike,
        ExpectedStructLikeEnd, IntegerOutOfBounds, InvalidIntegerDigit, InvalidValueForType,
        MissingStructField, NoSuchEnumVariant, NoSuchStructField, SuggestRawIdentifier, TrailingCharacters,
        UnclosedBlockComment, UnexpectedChar,
    };
    let reason = match error {
        NoSuchEnumVariant { expected, found, .. } => {
            return format!("there is no `{found}`; there are {}", expected.join(", "));
        }
        NoSuchStructField { expected, found, outer } => {
            let of = outer.map_or_else(String::new, |outer| format!(" in `{outer}`"));
            return format!(
                "there is no field `{found}`{of}; there are {}. Or a bracket that closes is missing before it",
                expected.join(", ")
            );
        }
        MissingStructField { field, outer } => {
            let of = outer.map_or_else(String::new, |outer| format!(" in `{outer}`"));
            return format!("`{field}` is missing{of}");
        }
        SuggestRawIdentifier(name) => {
            let other: String =
                name.chars().map(|char| if char.is_alphanumeric() { char } else { '_' }).collect();
            return format!(
                "`{name}` is not a name; names have only letters, digits and underscores; perhaps `{other}`"
            );
        }
        InvalidValueForType { expected, found } if found == "a unit value" => {
            return format!("{expected} is expected here; write words in quotes");
        }
        ExpectedInteger | InvalidIntegerDigit { .. } => {
            "a whole number is expected here, without quotes and without a unit, such as 2"
        }
        IntegerOutOfBounds => "the whole number here is too large or too small",
        ExpectedFloat => "a number is expected here, without quotes and without a unit, such as 2 or 0.5",
        ExpectedBoolean => "true or false is expected here",
        ExpectedMap => "settings in braces are expected here, such as {\"steps.0.hurst\": 0.2}",
        ExpectedMapEnd => "a comma is missing before this, or the `}` that closes the settings",
        DuplicateStructField { field, .. } => {
            return format!("`{field}` is given twice; keep one of the two");
        }
        UnexpectedChar(char) => {
            return format!(
                "`{char}` is not expected here; check whether a quote or a bracket is missing before it"
            );
        }
        Eof => "the text ends too early; close what is open with `)` or `]`, the innermost bracket first",
        ExpectedComma => {
            "a comma is missing before this, or the bracket that closes what is open: `)` or `]`"
        }
        ExpectedArrayEnd => "a comma is missing before this, or the `]` that closes the list",
        ExpectedStructLikeEnd | ExpectedOptionEnd => {
            "a comma is missing before this, or the `)` that closes what is open"
        }
        ExpectedArray => "a list is expected here; begin it with `[`",
        ExpectedStructLike => "parameters in parentheses are expected here; begin them with `(`",
        ExpectedMapColon => "a colon is missing before this: it is `name: value`",
        ExpectedString => "text in quotes is expected here: \"…\"",
        ExpectedStringEnd => "a text in quotes is not closed; close it with a quote",
        ExpectedIdentifier => {
            "a name is expected here, such as that of a parameter, or the bracket that closes what is open"
        }
        TrailingCharacters => {
            "there is more after the last bracket; remove it, or a bracket that closes too early"
        }
        UnclosedBlockComment => "a comment is not closed; close it with `*/`",
        ExceededRecursionLimit => "brackets are nested more deeply than any value here needs",
        other => return other.to_string(),
    };
    reason.to_owned()
}

#[cfg(test)]
mod tests {
    use crate::Recipe;

    #[test]
    fn invalid_ron_is_reported_with_its_place_and_a_remedy() {
        let mut others = Vec::new();
        let land = |steps: &str| {
            format!(
                "(\n    version: 1,\n    name: \"Land\",\n    size: (9, 9),\n    cell: 1,\n    steps: {steps}"
            )
        };
        for (text, place, remedy) in [
            (
                land("[fbm(octaves: 3)"),
                "land.ron:6:",
                "a comma is missing before this, or the bracket that closes",
            ),
            (land("[fbm(octaves:"), "land.ron:6:", "`octaves`: it takes a number from 1 to 16"),
            (land("[fbm(octaves: 3 hurst: 1)],\n)"), "land.ron:6:", "a comma is missing"),
            (land("[fbm(height: 200 m)],\n)"), "land.ron:6:", "without a unit; leave `m` out"),
            (land("[fbm(height: 200 \u{1b}[2J)],\n)"), "land.ron:6:", "a comma is missing"),
            (
                land(&format!("[fbm(height: 200 {})],\n)", "m".repeat(99))),
                "land.ron:6:",
                "a comma is missing",
            ),
            (land("[fbm(height: \"200 m\")],\n)"), "land.ron:6:", "without quotes and without a unit"),
            (land("[fbm(octaves: 3, hurst: 0,3)],\n)"), "land.ron:6:", "write its decimals after a point"),
            (land("[],\n    about: \"the \"hills\"\""), "land.ron:7:", "is written \\\""),
            (land("[],\n    about: “hills”)"), "land.ron:7:", "straight quotes"),
            (land("[],\n    colour: 3)"), "land.ron:7:", "there is no field `colour`"),
            (land("[fbm() warp()],\n)"), "land.ron:6:", "a comma is missing"),
            (land("(fbm()),\n)"), "land.ron:6:", "a list is expected here; begin it with `[`"),
            (land("[],\n) )"), "land.ron:7:", "there is more after the last bracket"),
            (land("[],\n}"), "land.ron:7:", "or the bracket that closes what is open"),
            (land("[],\n    /* sea"), "land.ron:7:", "a comment is not closed; close it with `*/`"),
            (land("[],\n    about: \"hills"), "land.ron:7:", "close it with a quote"),
            (land("[],\n    about hills)"), "land.ron:7:", "a colon is missing before this"),
        ] {
            let said = Recipe::from_ron(&text, "land.ron").unwrap_err().to_string();
            if !(said.starts_with(place) && said.contains(remedy)) || said.contains('\u{1b}') {
                others.push(format!("{text}\n{said}"));
            }
        }
        assert!(others.is_empty(), "{}", others.join("\n"));
    }
}

//! What is wrong with a text that is no RON, in words that say what to do.

/// The reason of an error of the parser. Most have their words from whoever reads a value, and keep them.
pub(crate) fn reason_of(error: ron::Error) -> String {
    use ron::Error::{
        DuplicateStructField, Eof, ExceededRecursionLimit, ExpectedArray, ExpectedArrayEnd, ExpectedComma,
        ExpectedIdentifier, ExpectedMapColon, ExpectedOptionEnd, ExpectedString, ExpectedStringEnd,
        ExpectedStructLike, ExpectedStructLikeEnd, TrailingCharacters, UnclosedBlockComment, UnexpectedChar,
    };
    let reason = match error {
        DuplicateStructField { field, .. } => {
            return format!("`{field}` is given twice; keep one of the two");
        }
        UnexpectedChar(char) => {
            return format!(
                "`{char}` cannot stand here; see whether a quote or a bracket is missing before it"
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
        ExpectedArray => "a list stands here; begin it with `[`",
        ExpectedStructLike => "parameters in parentheses stand here; begin them with `(`",
        ExpectedMapColon => "a colon is missing before this: it is `name: value`",
        ExpectedString => "a text in quotes stands here: \"…\"",
        ExpectedStringEnd => "a text in quotes does not end; close it with a quote",
        ExpectedIdentifier => {
            "a name stands here, such as that of a parameter, or the bracket that closes what is open"
        }
        TrailingCharacters => {
            "there is more after the last bracket; remove it, or a bracket that closes too early"
        }
        UnclosedBlockComment => "a comment does not end; close it with `*/`",
        ExceededRecursionLimit => "more brackets lie in each other than anything here needs",
        other => return other.to_string(),
    };
    reason.to_owned()
}

#[cfg(test)]
mod tests {
    use crate::Recipe;

    #[test]
    fn what_is_no_ron_is_told_with_its_place_and_a_remedy() {
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
            (
                land("[fbm(octaves:"),
                "land.ron:6:",
                "`octaves`: Expected float; it takes a number from 1 to 16",
            ),
            (land("[fbm(octaves: 3 hurst: 1)],\n)"), "land.ron:6:", "a comma is missing"),
            (land("[fbm() warp()],\n)"), "land.ron:6:", "a comma is missing"),
            (land("(fbm()),\n)"), "land.ron:6:", "a list stands here; begin it with `[`"),
            (land("[],\n) )"), "land.ron:7:", "there is more after the last bracket"),
            (land("[],\n}"), "land.ron:7:", "or the bracket that closes what is open"),
            (land("[],\n    /* sea"), "land.ron:7:", "a comment does not end; close it with `*/`"),
            (land("[],\n    about: \"hills"), "land.ron:7:", "close it with a quote"),
            (land("[],\n    about hills)"), "land.ron:7:", "a colon is missing before this"),
        ] {
            let said = Recipe::from_ron(&text, "land.ron").unwrap_err().to_string();
            if !(said.starts_with(place) && said.contains(remedy)) {
                others.push(format!("{text}\n{said}"));
            }
        }
        assert!(others.is_empty(), "{}", others.join("\n"));
    }
}

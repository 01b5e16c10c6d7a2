//! Doc comments as text for people. Their lines are joined, because the panel breaks text to its own width.

/// Joins the lines of a doc comment by spaces. An item of a list begins a new line, and a blank line stays
/// between paragraphs. Writes as much of the text as fits into `out`, and returns the length of all of it.
/// The compiler calls it once for the length, and once more to fill an array that long.
// A `const fn`, so that texts are joined while compiling; there neither `String` nor iterators exist.
#[doc(hidden)]
pub const fn join_lines(comment: &str, out: &mut [u8]) -> usize {
    let bytes = comment.as_bytes();
    let (mut next, mut length, mut is_after_blank) = (0, 0, false);
    while next < bytes.len() {
        let mut start = next;
        while next < bytes.len() && bytes[next] != b'\n' {
            next += 1;
        }
        let mut end = next;
        next += 1;
        while start < end && bytes[start] == b' ' {
            start += 1;
        }
        while end > start && bytes[end - 1] == b' ' {
            end -= 1;
        }
        if start == end {
            is_after_blank = true;
            continue;
        }
        if length > 0 {
            let is_item = end - start > 2 && matches!(bytes[start], b'-' | b'*') && bytes[start + 1] == b' ';
            let between: &[u8] = if is_after_blank {
                b"\n\n"
            } else if is_item {
                b"\n"
            } else {
                b" "
            };
            length = put(between, 0, between.len(), out, length);
        }
        length = put(bytes, start, end, out, length);
        is_after_blank = false;
    }
    length
}

/// Copies `bytes[start..end]` to `out[at..]`, as far as there is room; returns the position after it. Byte by
/// byte, because slices cannot be indexed by ranges in a `const fn`.
const fn put(bytes: &[u8], start: usize, end: usize, out: &mut [u8], mut at: usize) -> usize {
    let mut from = start;
    while from < end {
        // With an empty `out` this only measures, which gives the length of the array to fill.
        if at < out.len() {
            out[at] = bytes[from];
        }
        (from, at) = (from + 1, at + 1);
    }
    at
}

/// The lines of a doc comment as one text; see [`join_lines`](crate::params::join_lines).
#[doc(hidden)]
#[macro_export]
macro_rules! joined_doc {
    ($($line:literal)+) => {{
        const COMMENT: &str = concat!($($line, "\n"),+);
        const JOINED: [u8; $crate::params::join_lines(COMMENT, &mut [])] = {
            let mut joined = [0; $crate::params::join_lines(COMMENT, &mut [])];
            $crate::params::join_lines(COMMENT, &mut joined);
            joined
        };
        const TEXT: &str = match ::core::str::from_utf8(&JOINED) {
            Ok(text) => text,
            // This cannot happen: text is only cut at line breaks and spaces, which are whole characters.
            Err(_) => COMMENT,
        };
        TEXT
    }};
}

#[cfg(test)]
mod tests {
    #[test]
    fn lines_are_joined_but_for_paragraphs_and_items() {
        let text = joined_doc!(" Height of the ridges," " in metres – one" "   line." "" " - one" " - two," "   long");
        assert_eq!(text, "Height of the ridges, in metres – one line.\n\n- one\n- two, long");
        assert_eq!(joined_doc!(" One line."), "One line.");
        assert_eq!(joined_doc!("" " * items" " * alone" ""), "* items\n* alone");
    }

    #[test]
    fn no_line_of_a_parameters_text_is_broken_within_a_sentence() {
        for step in crate::steps::names().into_iter().filter_map(crate::recipe::Step::from_name) {
            let mut docs = vec![step.operation.doc().to_owned()];
            step.operation.read(&mut |param, _| docs.push(param.doc.to_owned()));
            for doc in docs {
                let broken = doc
                    .lines()
                    .any(|line| line.ends_with(|last: char| last.is_alphanumeric() || last == ','));
                assert!(!broken || !doc.contains('\n'), "{}: {doc}", step.name());
            }
        }
    }
}

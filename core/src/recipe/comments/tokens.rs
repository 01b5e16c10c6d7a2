//! A text in RON as tokens, and the comments between them.

/// The most tokens of a text, and the most comments. Hundreds of steps with a thousand drawn points each have
/// fewer.
const MOST: usize = 1 << 20;

/// What a token is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Kind {
    Open,
    Close,
    Comma,
    Colon,
    Name,
    /// A string, a number, or what has no place in RON.
    Other,
}

/// A token, by its bytes in the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// A comment, and how it stands among the tokens.
#[derive(Debug)]
pub(super) struct Comment<'t> {
    /// With its marks; one to the end of a line without the spaces there.
    pub(super) text: &'t str,
    /// The index of the token that follows, or the number of all.
    pub(super) next: usize,
    /// Whether it begins on the line on which the token before it ends.
    pub(super) is_behind: bool,
    /// Whether it ends on the line on which the next token begins.
    pub(super) is_before: bool,
    /// Whether an empty line is above it.
    pub(super) blank_above: bool,
    /// Whether an empty line is below it.
    pub(super) blank_below: bool,
}

impl Comment<'_> {
    /// Whether it ends with its line.
    pub(super) fn is_line(&self) -> bool {
        self.text.starts_with("//")
    }

    /// The comment on one line on which more may follow; `None` if it cannot be written so.
    pub(super) fn in_line(&self) -> Option<String> {
        let Some(said) = self.text.strip_prefix("//") else {
            return (!self.text.contains('\n')).then(|| self.text.to_owned());
        };
        let is_safe = !said.contains("/*") && !said.contains("*/");
        is_safe.then(|| format!("/* {} */", said.trim()))
    }
}

/// A text as tokens and comments.
#[derive(Debug)]
pub(super) struct Lexed<'t> {
    pub(super) text: &'t str,
    /// Without those of extensions, as in `#![enable(implicit_some)]`.
    pub(super) tokens: Vec<Token>,
    pub(super) comments: Vec<Comment<'t>>,
    /// Whether all of the text was understood: neither a string nor a comment lacks its end, and it is not
    /// too long.
    pub(super) is_whole: bool,
}

impl<'t> Lexed<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let mut lexed = Self { text, tokens: Vec::new(), comments: Vec::new(), is_whole: true };
        let mut at = 0;
        // Newlines since the last token or comment, whether there was one since the last token, and the first
        // comment that ends on this line.
        let (mut newlines, mut is_new_line, mut on_line) = (0, true, 0);
        while let Some(first) = text[at..].chars().next() {
            let rest = &text[at..];
            if is_space(first) {
                if first == '\n' {
                    (newlines, is_new_line, on_line) = (newlines + 1, true, lexed.comments.len());
                    if let Some(last) = lexed.comments.last_mut().filter(|_| newlines == 2) {
                        // A comment after which a token has been read is not followed by this blank line.
                        last.blank_below |= last.next == lexed.tokens.len();
                    }
                }
                at += first.len_utf8();
                continue;
            }
            if rest.starts_with("//") || rest.starts_with("/*") {
                let Some(length) = comment_length(rest).filter(|_| lexed.comments.len() < MOST) else {
                    lexed.is_whole = false;
                    break;
                };
                if rest[..length].contains('\n') {
                    on_line = lexed.comments.len();
                }
                lexed.comments.push(Comment {
                    text: if rest.starts_with("//") { rest[..length].trim_end() } else { &rest[..length] },
                    next: lexed.tokens.len(),
                    is_behind: !is_new_line && !lexed.tokens.is_empty(),
                    is_before: false,
                    blank_above: newlines > 1,
                    blank_below: false,
                });
                is_new_line |= rest[..length].contains('\n');
                (newlines, at) = (0, at + length);
                continue;
            }
            let Some((kind, length)) = token(rest).filter(|_| lexed.tokens.len() < MOST) else {
                lexed.is_whole = false;
                break;
            };
            lexed.comments[on_line..].iter_mut().for_each(|comment| comment.is_before = true);
            lexed.tokens.push(Token { kind, start: at, end: at + length });
            (newlines, is_new_line, on_line, at) = (0, false, lexed.comments.len(), at + length);
        }
        lexed.leave_extensions_out();
        lexed
    }

    /// The text of a token.
    pub(super) fn text_of(&self, token: usize) -> &'t str {
        self.tokens.get(token).map_or("", |token| &self.text[token.start..token.end])
    }

    /// The texts of all tokens.
    pub(super) fn texts(&self) -> impl Iterator<Item = &'t str> {
        self.tokens.iter().map(|token| &self.text[token.start..token.end])
    }

    /// The bytes between a token and the one before it.
    fn gap_before(&self, token: usize) -> (usize, &'t str) {
        let start = token.checked_sub(1).map_or(0, |before| self.tokens[before].end);
        (start, &self.text[start..self.tokens[token].start])
    }

    /// Where the line of a token begins, and the spaces before the token; `None` if another token is before
    /// it on its line. For texts without comments.
    pub(super) fn line_begun_by(&self, token: usize) -> Option<(usize, &'t str)> {
        let (start, gap) = self.gap_before(token);
        let after = match gap.rfind('\n') {
            Some(newline) => newline + 1,
            None if token == 0 => 0,
            None => return None,
        };
        Some((start + after, &gap[after..]))
    }

    /// Whether no token is behind this one on its line. For texts without comments.
    pub(super) fn ends_line(&self, token: usize) -> bool {
        token + 1 >= self.tokens.len() || self.gap_before(token + 1).1.contains('\n')
    }

    fn leave_extensions_out(&mut self) {
        let mut first = 0;
        while self.text_of(first) == "#" && self.text_of(first + 1) == "!" && self.text_of(first + 2) == "[" {
            let end = (first + 2..self.tokens.len()).find(|&token| self.text_of(token) == "]");
            first = end.map_or(self.tokens.len(), |end| end + 1);
        }
        self.tokens.drain(..first);
        for comment in &mut self.comments {
            comment.is_before &= comment.next >= first;
            comment.is_behind &= comment.next > first;
            comment.next = comment.next.saturating_sub(first);
        }
    }
}

/// What RON takes for space.
fn is_space(letter: char) -> bool {
    matches!(letter, ' ' | '\t'..='\r' | '\u{85}' | '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}')
}

/// The length of the comment that `rest` begins with; `None` if it has no end. Those in `/* */` may hold
/// others.
fn comment_length(rest: &str) -> Option<usize> {
    if rest.starts_with("//") {
        return Some(rest.find('\n').unwrap_or(rest.len()));
    }
    // Comments nest in RON. A counter and no recursion: the file may be made up.
    let (mut depth, mut at) = (0, 0);
    loop {
        at += rest[at..].find(['/', '*'])?;
        let here = &rest[at..];
        at += match (here.starts_with("/*"), here.starts_with("*/")) {
            (true, _) => {
                depth += 1;
                2
            }
            (_, true) => {
                depth -= 1;
                2
            }
            _ => 1,
        };
        if depth == 0 {
            return Some(at);
        }
    }
}

/// The kind and the length of the token that `rest` begins with; `None` if it has no end.
fn token(rest: &str) -> Option<(Kind, usize)> {
    let first = rest.chars().next()?;
    let run = |from: usize, is_in: &dyn Fn(char) -> bool| {
        rest[from..].find(|letter| !is_in(letter)).map_or(rest.len(), |length| from + length)
    };
    let is_of_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    let is_of_number = |letter: char| is_of_name(letter) || matches!(letter, '.' | '+' | '-');
    if let Some(length) = raw_length(rest) {
        return Some((Kind::Other, length?));
    }
    Some(match first {
        '(' | '[' | '{' => (Kind::Open, 1),
        ')' | ']' | '}' => (Kind::Close, 1),
        ',' => (Kind::Comma, 1),
        ':' => (Kind::Colon, 1),
        '"' => (Kind::Other, string_length(rest)?),
        '\'' => (Kind::Other, letter_length(rest)),
        'b' if rest.starts_with("b\"") => (Kind::Other, 1 + string_length(&rest[1..])?),
        'b' if rest.starts_with("b'") => (Kind::Other, 1 + letter_length(&rest[1..])),
        'r' if rest.starts_with("r#") => (Kind::Name, run(2, &is_of_number)),
        _ if first.is_alphabetic() || first == '_' => (Kind::Name, run(0, &is_of_name)),
        _ if is_of_number(first) => (Kind::Other, run(0, &is_of_number)),
        _ => (Kind::Other, first.len_utf8()),
    })
}

/// The length of a string with its quotes.
fn string_length(rest: &str) -> Option<usize> {
    let mut is_escaped = false;
    // Quotes and backslashes are never part of another letter in UTF-8.
    let end = rest.bytes().skip(1).position(|byte| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    });
    Some(end? + 2)
}

/// The length of a letter with its quotes, or of a quote by itself.
fn letter_length(rest: &str) -> usize {
    let mut letters = rest.char_indices().skip(1);
    let end = match letters.next() {
        // After the backslash stands at least one more, which may be a quote.
        Some((_, '\\')) => letters.nth(1).and_then(|(at, _)| Some(at + rest[at..].find('\'')?)),
        Some(_) => letters.next().and_then(|(at, letter)| (letter == '\'').then_some(at)),
        None => None,
    };
    // The longest escape has ten letters.
    end.filter(|&end| end <= 12).map_or(1, |end| end + 1)
}

/// The length of a raw string, as `r#"…"#`: `None` if it is something else, `Some(None)` if it has no end.
fn raw_length(rest: &str) -> Option<Option<usize>> {
    let quoted = rest.strip_prefix("br").or_else(|| rest.strip_prefix('r'))?;
    let hashes = quoted.bytes().take_while(|byte| *byte == b'#').count();
    let inside = quoted[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", &quoted[..hashes]);
    Some(inside.find(&end).map(|length| rest.len() - inside.len() + length + end.len()))
}

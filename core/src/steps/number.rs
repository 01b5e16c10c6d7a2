//! Numbers in formulas, for people.

/// Digits of a number that count.
const DIGITS: i32 = 4;

/// A number with four significant digits or all digits before the point, without trailing zeros, with the sign − and
/// not a hyphen: 0.3333, 12345, −2.5.
pub(crate) fn brief(number: f32) -> String {
    let size = if number == 0.0 { 0 } else { libm::floorf(libm::log10f(number.abs())) as i32 };
    let decimals = (DIGITS - 1 - size).clamp(0, 12) as usize;
    let text = format!("{:.decimals$}", number.abs());
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if number < 0.0 && text != "0" { format!("−{text}") } else { text.to_owned() }
}

/// What is said of something narrower than two samples, between which a bed or a road can be lost.
pub(crate) fn narrow(width: f32, cell: f32, what: &str) -> Option<String> {
    (0.0 < width && width < 2.0 * cell).then(|| {
        let [width, cell, least] = [width, cell, 2.0 * cell].map(brief);
        format!("{width} m wide where samples are {cell} m apart: {what} ragged below {least} m")
    })
}

/// ` + ` or ` − ` and the size of a number, [briefly](brief): what comes after another term.
pub(crate) fn plus(number: f32) -> String {
    format!(" {} {}", if number < 0.0 { '−' } else { '+' }, brief(number.abs()))
}

/// The size of a number after the sign that is opposite to its own.
pub(crate) fn minus(number: f32) -> String {
    if number == 0.0 { " − 0".to_owned() } else { plus(-number) }
}

/// What a counter runs through: `k = 0 … 7` for 8 of them.
pub(crate) fn counted(counter: char, count: u32) -> String {
    match count {
        0 | 1 => format!("{counter} = 0"),
        _ => format!("{counter} = 0 … {}", count - 1),
    }
}

/// An index below the line.
pub(crate) fn subscript(number: u32) -> String {
    const ZERO: u32 = '₀' as u32;
    let digits = number.to_string();
    digits.chars().filter_map(|digit| char::from_u32(ZERO + digit.to_digit(10)?)).collect()
}

/// What S is in formulas: [`smoothstep`](crate::math::smoothstep::smoothstep).
pub(crate) const SMOOTHSTEP: &str = "S(t) = 3t² − 2t³,  t kept within 0 … 1";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_as_short_as_four_digits_allow() {
        for (number, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (0.1, "0.1"),
            (1.0 / 3.0, "0.3333"),
            (0.99999, "1"),
            (-2.5, "−2.5"),
            (8.123_456, "8.123"),
            (99.999, "100"),
            (1500.0, "1500"),
            (12345.6, "12346"),
            (0.0005, "0.0005"),
            (-1e-20, "0"),
        ] {
            assert_eq!(brief(number), text);
        }
    }

    #[test]
    fn signs_stand_between_terms() {
        assert_eq!([3.0, 0.0, -0.5].map(plus), [" + 3", " + 0", " − 0.5"]);
        assert_eq!([3.0, 0.0, -0.5].map(minus), [" − 3", " − 0", " + 0.5"]);
    }

    #[test]
    fn counters_and_indices_are_counted_from_0() {
        assert_eq!((counted('k', 1), counted('i', 9)), ("k = 0".to_owned(), "i = 0 … 8".to_owned()));
        assert_eq!((subscript(7), subscript(15)), ("₇".to_owned(), "₁₅".to_owned()));
    }
}

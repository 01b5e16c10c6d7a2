//! Numbers as people read them.

/// Digits that tell.
const DIGITS: i32 = 5;

/// A number to five digits, without zeros at its end: 812.35, 0.0125, 2.5e-7.
pub(super) fn number(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    // The exponent after rounding: 99999.9 is 100000.
    let rounded = format!("{value:.*e}", (DIGITS - 1) as usize);
    let (digits, exponent) = rounded.split_once('e').unwrap_or((&rounded, "0"));
    match exponent.parse::<i32>() {
        Ok(exponent @ -4..=8) => trimmed(&format!("{value:.*}", (DIGITS - 1 - exponent).max(0) as usize)),
        _ => format!("{}e{exponent}", trimmed(digits)),
    }
}

/// Without zeros behind the point, and without the point if nothing is left behind it.
fn trimmed(text: &str) -> String {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_have_the_digits_that_tell_and_no_more() {
        for (value, expected) in [
            (0.0, "0"),
            (-0.5, "-0.5"),
            (812.3456, "812.35"),
            (99_999.9, "100000"),
            (1_234_567.8, "1234568"),
            (0.0125, "0.0125"),
            (0.000_123_456_7, "0.00012346"),
            (2.5e-7, "2.5e-7"),
            (-1.0e12, "-1e12"),
            (100.0, "100"),
        ] {
            assert_eq!(number(value), expected);
        }
    }
}

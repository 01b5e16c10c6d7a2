//! Numbers in a few letters.

/// A number with two digits, or all before the point.
pub(crate) fn short(number: f64) -> String {
    match number.abs() {
        0.0 => "0".to_owned(),
        ..0.995 => format!("{number:.2}"),
        ..9.95 => format!("{number:.1}"),
        _ => format!("{number:.0}"),
    }
}

/// A count in a few letters: 1.05 M.
pub(crate) fn count(number: usize) -> String {
    match number {
        0..10_000 => number.to_string(),
        10_000..1_000_000 => format!("{:.0} k", number as f64 / 1e3),
        _ => format!("{:.2} M", number as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [0.0, 0.126, 0.999, 3.149, 9.96, 1234.5, -0.456].map(short),
            ["0", "0.13", "1.0", "3.1", "10", "1234", "-0.46"]
        );
    }
}

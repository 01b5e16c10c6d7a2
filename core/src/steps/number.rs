//! Numbers in formulas, for people.

/// Digits of a number that count.
const DIGITS: i32 = 4;

/// A number with four significant digits or all digits before the point, without trailing zeros, with the
/// sign − and not a hyphen: 0.3333, 12345, −2.5.
pub(crate) fn brief(number: f32) -> String {
    let size = if number == 0.0 { 0 } else { libm::floorf(libm::log10f(number.abs())) as i32 };
    // Four digits in all. Of large numbers all digits before the point are written.
    let decimals = (DIGITS - 1 - size).clamp(0, 12) as usize;
    let text = format!("{:.decimals$}", number.abs());
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    // A small negative number may be rounded to 0, which has no sign. The sign is a minus, not a hyphen.
    if number < 0.0 && text != "0" { format!("−{text}") } else { text.to_owned() }
}

/// A warning that something is narrower than two samples, between which a bed or a road can be lost.
pub(crate) fn narrow(width: f32, cell: f32, what: &str) -> Option<String> {
    (0.0 < width && width < 2.0 * cell).then(|| {
        let [cell, least] = [cell, 2.0 * cell].map(brief);
        format!(
            "too narrow for this land: samples are {cell} m apart, so {what} needs at least {least} m to have clean edges"
        )
    })
}

/// ` + ` or ` − ` and the size of a number, [briefly](brief): what comes after another term. Nothing for 0.
pub(crate) fn plus(number: f32) -> String {
    match number {
        0.0 => String::new(),
        _ => format!(" {} {}", if number < 0.0 { '−' } else { '+' }, brief(number.abs())),
    }
}

/// A term of a [`sum`]: a number, the separator, and the factor that it multiplies. For a plain number the
/// factor is empty.
pub(crate) type Term<'a> = (f32, &'a str, &'a str);

/// A sum without the terms that are 0, and without factors of 1: `h − 0.5 · N + 7`. It is `0` if no term is
/// left.
pub(crate) fn sum(terms: &[Term<'_>]) -> String {
    let mut text = String::new();
    // Terms with the factor 0 have no effect and only hide the others.
    for &(factor, between, what) in terms.iter().filter(|(factor, ..)| *factor != 0.0) {
        text += match (text.is_empty(), factor < 0.0) {
            (true, false) => "",
            (true, true) => "−",
            (false, false) => " + ",
            (false, true) => " − ",
        };
        text += &match (what, factor.abs()) {
            ("", size) => brief(size),
            (what, 1.0) => what.to_owned(),
            (what, size) => format!("{}{between}{what}", brief(size)),
        };
    }
    if text.is_empty() { "0".to_owned() } else { text }
}

/// The values that a counter runs through: `k = 0 … 7` for 8 of them.
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

/// The meaning of S in formulas: [`smoothstep`](crate::math::smoothstep::smoothstep).
pub(crate) const SMOOTHSTEP: &str = "S(t) = 3t² − 2t³,  t kept within 0 … 1";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::Operation;
    use crate::steps::filter::{LowPass, Scale};
    use crate::steps::generate::{Fault, FaultFall, Import};

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
        assert_eq!([3.0, 0.0, -0.5].map(plus), [" + 3", "", " − 0.5"]);
    }

    #[test]
    fn a_sum_has_no_terms_that_are_0_and_no_factors_of_1() {
        let terms = |a, b, c| sum(&[(a, " · ", "h"), (b, " ", "k / 9"), (c, "", "")]);
        assert_eq!(terms(2.0, -1.0, 3.0), "2 · h − k / 9 + 3");
        assert_eq!(terms(0.0, 0.5, 0.0), "0.5 k / 9");
        assert_eq!(terms(-1.0, 0.0, -0.25), "−h − 0.25");
        assert_eq!(terms(0.0, 0.0, 1.0), "1");
        assert_eq!(terms(0.0, 0.0, 0.0), "0");
    }

    #[test]
    fn formulas_of_steps_leave_out_what_does_nothing() {
        let formula = |step: &dyn Operation| step.formula().unwrap();
        let fault = Fault { faults: 400, start: 20.0, end: 20.0, ..Fault::default() };
        assert!(formula(&fault).contains("dₖ = 20,  k = 0 … 399"), "{}", formula(&fault));
        let fault = Fault { fall: FaultFall::Geometric, ..fault };
        assert!(formula(&fault).contains("dₖ = 20,  k = 0 … 399"), "{}", formula(&fault));
        assert!(formula(&LowPass { k: 0.0, ..LowPass::default() }).starts_with("yₙ = hₙ\n"));
        assert_eq!(formula(&Scale { factor: 1.0, bias: -3.0 }), "h′ = h − 3");
        assert_eq!(formula(&Import::default()), "h(x) = v(x),  v: the file's values");
    }

    #[test]
    fn counters_and_indices_are_counted_from_0() {
        assert_eq!((counted('k', 1), counted('i', 9)), ("k = 0".to_owned(), "i = 0 … 8".to_owned()));
        assert_eq!((subscript(7), subscript(15)), ("₇".to_owned(), "₁₅".to_owned()));
    }
}

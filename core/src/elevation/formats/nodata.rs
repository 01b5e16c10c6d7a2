//! Which numbers of a file mark holes.

/// Heights are never as large as this. Any number that is means NODATA, however its last digits were rounded.
const HUGE: f64 = 1e30;
/// From here on, in metres, no number is a height, and one with six digits of NODATA was rounded on its way
/// into the file.
const NO_HEIGHT: f64 = 1e6;
/// Whole numbers of this size are not heights in any unit.
const NO_WHOLE_HEIGHT: f64 = 1e9;

/// What the stored numbers are, which decides how NODATA is rounded among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::elevation) enum Numbers {
    /// Whole numbers of any type.
    Whole,
    /// Floating point of 16, 32 and 64 bits.
    F16,
    F32,
    F64,
}

/// The number that marks holes. NaN always does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::elevation) struct Nodata {
    /// As the file gives it; NaN where only NaN marks holes.
    pub(in crate::elevation) value: f64,
    /// Numbers between these two mean NODATA.
    low: f64,
    high: f64,
}

impl Nodata {
    /// NODATA as samples of this kind hold it. Programs round NODATA and samples differently, so that
    /// `-3.4028234663852886e+38` in a header may mean `-3.402823e+38` among the samples. Numbers too large
    /// for a height need six equal digits (two near the end of `f32`), others as many as GDAL requires.
    pub(in crate::elevation) fn of(value: f64, numbers: Numbers) -> Self {
        let nothing = Self { value, low: f64::INFINITY, high: f64::NEG_INFINITY };
        if value.is_nan() {
            return nothing;
        }
        let size = value.abs();
        let share = match size {
            HUGE.. => 1e-2,
            NO_HEIGHT.. => 5e-6,
            _ => 5e-7,
        };
        let (near, far) = match numbers {
            Numbers::Whole if size >= NO_WHOLE_HEIGHT => (size * (1.0 - 5e-6), size * (1.0 + 5e-6)),
            // A number that is not whole cannot be among whole numbers.
            Numbers::Whole if value.fract() != 0.0 => return nothing,
            Numbers::Whole => (size, size),
            _ => {
                let (largest, rounded) = match numbers {
                    Numbers::F16 => (f64::from(half::f16::MAX), f64::from(half::f16::from_f64(size))),
                    Numbers::F32 => (f64::from(f32::MAX), f64::from(size as f32)),
                    _ => (f64::MAX, size),
                };
                let rounded = rounded.min(largest);
                // A number beyond the end of a type was stored as the type's largest number, or as infinity.
                let far = if rounded >= 0.99 * largest { f64::INFINITY } else { rounded * (1.0 + share) };
                (rounded * (1.0 - share), far)
            }
        };
        let (low, high) = if value < 0.0 { (-far, -near) } else { (near, far) };
        Self { value, low, high }
    }

    /// Whether a stored number marks a hole.
    pub(in crate::elevation) fn is(self, stored: f64) -> bool {
        (self.low..=self.high).contains(&stored)
    }
}

/// Whether a word stands for NaN or for nothing in any of the usual spellings: `nan`, `-NaN`, `1.#QNAN`,
/// `-1.#IND`, `nan(ind)`, `NA`, `null`.
pub(in crate::elevation) fn is_nan_word(word: &[u8]) -> bool {
    let word = match word {
        [b'+' | b'-', rest @ ..] => rest,
        rest => rest,
    };
    if word.is_empty() || word.len() > 24 {
        return false;
    }
    let lower = word.to_ascii_lowercase();
    let begins = |start: &[u8]| lower.strip_prefix(start);
    if let Some(rest) = begins(b"1.#") {
        return [&b"nan"[..], b"qnan", b"snan", b"ind"].iter().any(|name| rest.starts_with(name));
    }
    let named = begins(b"qnan").or(begins(b"snan")).or(begins(b"nan"));
    let is_nan = named.is_some_and(|rest| {
        rest.is_empty()
            || matches!(rest, b"q" | b"s")
            || rest.iter().all(u8::is_ascii_digit)
            || (rest.first() == Some(&b'(') && rest.last() == Some(&b')'))
    });
    is_nan || matches!(lower.as_slice(), b"na" | b"n/a" | b"null" | b"none")
}

/// A NODATA value from a header, possibly NaN; `Ok(None)` where the text says that there is none.
///
/// # Errors
/// When it is neither a number nor a word for none.
pub(in crate::elevation) fn parse(text: &str) -> Result<Option<f64>, ()> {
    let is_around = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '"' | '\'');
    let text = text.trim_matches(is_around);
    if text.is_empty() || text.eq_ignore_ascii_case("none") {
        return Ok(None);
    }
    if is_nan_word(text.as_bytes()) {
        return Ok(Some(f64::NAN));
    }
    // Some headers give a number for each band.
    let first = text.split([' ', '\t', ';']).next().unwrap_or_default();
    let number = first.parse().or_else(|_| first.replace(['d', 'D'], "e").parse());
    number.or_else(|_| first.replace(',', ".").parse()).map(Some).map_err(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holes(text: &str, numbers: Numbers) -> Option<Nodata> {
        parse(text).unwrap().map(|value| Nodata::of(value, numbers))
    }

    fn is_hole(stored: f64, text: &str, numbers: Numbers) -> bool {
        holes(text, numbers).is_some_and(|nodata| nodata.is(stored))
    }

    #[test]
    fn rounded_nodata_is_found_and_heights_are_kept() {
        for (stored, text) in [
            ("-3.402823e+38", "-3.4028234663852885981e+38"),
            ("-3.40282e38", "-3.4028234663852886e+38"),
            ("-3.4e38", "-3.4028234663852886e+38"),
            ("-3.4028234663852886e+38", "-3.4e38"),
            ("-3.403e38", "-3.4028234663852886e+38"),
            ("1.70141e38", "1.70141183460469229e+38"),
            ("9.96921e36", "9.969209968386869e+36"),
            ("-9999", "-9999.0"),
            ("-9999", " -9.999e3\0"),
            ("-9999", "\"-9999\""),
            ("-9999", "-9999 -9999"),
            ("-9999.9", "-9999.90002"),
            ("-3.4028234663852886e+38", "-1.7976931348623157e308"),
            ("-2147483600", "-2147483648"),
            ("-1e37", "-9.99999993e36"),
            ("inf", "inf"),
        ] {
            let stored = f64::from(stored.parse::<f32>().unwrap());
            assert!(is_hole(stored, text, Numbers::F32), "{stored} {text}");
        }
        for (stored, text) in [
            (0.0, "-0.5"),
            (1e-30, "0"),
            (-9998.9, "-9999"),
            (100.0, "100.01"),
            (8848.0, "1.7976931348623157e308"),
            (8848.0, "-3.4e38"),
            (f64::from(f32::MAX), "-3.4e38"),
        ] {
            assert!(!is_hole(stored, text, Numbers::F32), "{stored} {text}");
        }
        assert!(is_hole(0.0, "-0.0", Numbers::F32));
        assert!(is_hole(-9999.9, "-9999.9", Numbers::F64));
        assert!(is_hole(half::f16::from_f64(-9999.0).into(), "-9999", Numbers::F16));
    }

    #[test]
    fn whole_numbers_that_can_be_heights_are_compared_exactly() {
        for (stored, text) in
            [(-9999.0, "-9999.0"), (-32768.0, "-3.2768e4"), (-2147483648.0, "-2.14748e+09"), (255.0, "255")]
        {
            assert!(is_hole(stored, text, Numbers::Whole), "{stored} {text}");
            assert!(!is_hole(stored + 1e5, text, Numbers::Whole), "{stored} {text}");
        }
        assert!(!is_hole(-9998.0, "-9999", Numbers::Whole));
        assert!(!is_hole(0.0, "0.5", Numbers::Whole));
    }

    #[test]
    fn nan_has_many_spellings() {
        for word in [
            "nan", "NaN", "NAN", "-nan", "+nan", "1.#QNAN", "-1.#IND", "1.#IND00", "1.#QNAN0", "nan(ind)",
            "NA", "null",
        ] {
            assert!(is_nan_word(word.as_bytes()), "{word}");
            assert!(holes(word, Numbers::F32).is_some_and(|nodata| nodata.value.is_nan()), "{word}");
        }
        for word in ["", "-", "1.#INF", "inf", "nanometre", "12", "1.5", "ncols", "nodata_value"] {
            assert!(!is_nan_word(word.as_bytes()), "{word}");
        }
        for word in ["", " ", "\0", "none"] {
            assert_eq!(parse(word), Ok(None), "{word:?}");
        }
        assert_eq!(parse("not set"), Err(()));
    }
}

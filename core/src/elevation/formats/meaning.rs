//! Converts the numbers that a file stores to heights in metres: NODATA, and the scale, offset and unit of a
//! band.

use crate::elevation::formats::nodata::{self, Nodata, Numbers};
use crate::elevation::map::units::{self, Length, METRE};

/// What a file, or one next to it, says of the numbers of a band.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::elevation) struct Band {
    /// The number that marks holes; NaN where only NaN does.
    pub(in crate::elevation) nodata: Option<f64>,
    pub(in crate::elevation) scale: Option<f64>,
    pub(in crate::elevation) offset: Option<f64>,
    /// The unit of the heights.
    pub(in crate::elevation) unit: Option<Length>,
}

impl Band {
    /// Sets one of the numbers from a text. A text that cannot be read is reported in `notes`. `of` begins
    /// the note, such as `x.aux.xml: `.
    pub(in crate::elevation) fn take(&mut self, role: Role, text: &str, of: &str, notes: &mut Vec<String>) {
        let text = text.trim();
        let number = || text.parse().ok().filter(|number: &f64| number.is_finite());
        let (what, is_known) = match role {
            Role::Nodata => {
                let parsed = nodata::parse(text);
                self.nodata = parsed.ok().flatten().or(self.nodata);
                ("NODATA", parsed.is_ok())
            }
            Role::Scale => {
                // A scale of 0 would make all land level: such a file hasn't set it.
                let scale = number().filter(|scale| *scale != 0.0);
                self.scale = scale.or(self.scale);
                ("scale of the heights", scale.is_some())
            }
            Role::Offset => {
                self.offset = number().or(self.offset);
                ("offset of the heights", number().is_some())
            }
            Role::Unit => {
                let unit = units::length_by_name(text);
                self.unit = unit.or(self.unit);
                if unit.is_none() && !text.is_empty() {
                    let taken = self.unit.unwrap_or(METRE).name;
                    notes.push(format!(
                        "{of}the unit `{}` of its heights is unknown; {taken} is assumed",
                        shown(text)
                    ));
                }
                return;
            }
        };
        if !is_known {
            notes.push(format!("{of}its {what} is ignored: `{}` is not a usable number", shown(text)));
        }
    }

    /// This, with `other`'s values where this has none.
    pub(in crate::elevation) fn or(self, other: Self) -> Self {
        Self {
            nodata: self.nodata.or(other.nodata),
            scale: self.scale.or(other.scale),
            offset: self.offset.or(other.offset),
            unit: self.unit.or(other.unit),
        }
    }
}

/// What a text says of a band.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::elevation) enum Role {
    Nodata,
    Scale,
    Offset,
    Unit,
}

/// The beginning of a text, made safe to show.
pub(in crate::elevation) fn shown(text: &str) -> String {
    // Text from a file goes into messages: short, and without characters that steer a terminal.
    text.trim().chars().filter(|letter| !letter.is_control()).take(40).collect()
}

/// From stored numbers to heights in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::elevation) struct Meaning {
    nodata: Option<Nodata>,
    mapping: Mapping,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mapping {
    /// Stored numbers are heights.
    Same,
    /// Times `scale`, plus `offset`.
    Linear { scale: f64, offset: f64 },
    /// `low` is stored as `least`, `high` as `most`.
    Range { low: f64, high: f64, least: f64, most: f64 },
}

impl Meaning {
    /// For a band whose numbers are of this kind. `up` is the unit by the coordinate system of the map;
    /// `asked` is the requested unit, in metres. Conversions are reported in `notes`.
    pub(in crate::elevation) fn of(
        band: Band,
        numbers: Numbers,
        (up, asked): (Option<Length>, Option<f64>),
        notes: &mut Vec<String>,
    ) -> Self {
        let (scale, offset) = (band.scale.unwrap_or(1.0), band.offset.unwrap_or(0.0));
        if (scale, offset) != (1.0, 0.0) {
            notes.push(format!("heights are the stored numbers × {scale} + {offset}, as its metadata says"));
        }
        let asked = asked.and_then(Length::of_metres);
        if asked.is_none()
            && let (Some(own), Some(other)) = (band.unit, up)
            && own.differs(other)
        {
            notes.push(format!(
                "its heights are in {} by its band and in {} by its coordinate system; the band's unit is used",
                own.name, other.name
            ));
        }
        let unit = asked.or(band.unit).or(up).unwrap_or(METRE);
        if unit.differs(METRE) {
            notes.push(format!("heights are converted to metres: a {} is {} m", unit.name, unit.metres));
        }
        // Both together, so that each height is multiplied and added to only once.
        let (scale, offset) = (scale * unit.metres, offset * unit.metres);
        let mapping =
            if (scale, offset) == (1.0, 0.0) { Mapping::Same } else { Mapping::Linear { scale, offset } };
        Self { nodata: band.nodata.map(|value| Nodata::of(value, numbers)), mapping }
    }

    /// Whole numbers of which the lowest and highest possible ones, `least` and `most`, stand for the ends of
    /// a range of heights.
    pub(in crate::elevation) fn of_range(
        band: Band,
        (low, high): (f32, f32),
        [least, most]: [f64; 2],
    ) -> Self {
        let mapping = Mapping::Range { low: low.into(), high: high.into(), least, most };
        Self { nodata: band.nodata.map(|value| Nodata::of(value, Numbers::Whole)), mapping }
    }

    /// Whether every number except NaN is its own height.
    pub(in crate::elevation) fn is_none(&self) -> bool {
        self.nodata.is_none() && self.mapping == Mapping::Same
    }

    /// The number that marks holes, as the file gives it.
    pub(in crate::elevation) fn nodata(&self) -> Option<f64> {
        self.nodata.map(|nodata| nodata.value)
    }

    /// Whether a stored number marks a hole.
    pub(in crate::elevation) fn is_hole(&self, stored: f64) -> bool {
        stored.is_nan() || self.nodata.is_some_and(|nodata| nodata.is(stored))
    }

    /// The height in metres of a stored number that doesn't mark a hole.
    pub(in crate::elevation) fn mapped(&self, stored: f64) -> f32 {
        match self.mapping {
            Mapping::Same => stored as f32,
            Mapping::Linear { scale, offset } => (stored * scale + offset) as f32,
            Mapping::Range { low, high, least, most } => {
                (low + (high - low) * ((stored - least) / (most - least))) as f32
            }
        }
    }

    /// The height in metres of a stored number; NaN where it marks a hole.
    pub(in crate::elevation) fn height(&self, stored: f64) -> f32 {
        if self.is_hole(stored) { f32::NAN } else { self.mapped(stored) }
    }

    /// The height where nothing was written: the number 0, or a hole if the file has a number that marks
    /// holes.
    pub(in crate::elevation) fn of_nothing(&self) -> f32 {
        // A block that was never written is without data where the file has a value for that, and 0
        // elsewhere.
        if self.nodata.is_some() { f32::NAN } else { self.mapped(0.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_values_are_reported_and_ignored() {
        let (mut band, mut notes) = (Band::default(), Vec::new());
        for (role, text) in [
            (Role::Nodata, "?"),
            (Role::Scale, "0"),
            (Role::Scale, "nan"),
            (Role::Offset, "x\u{1b}[2J"),
            (Role::Unit, "cubit"),
        ] {
            band.take(role, text, "x: ", &mut notes);
        }
        assert_eq!((band, notes.len()), (Band::default(), 5));
        assert!(notes.iter().all(|note| note.starts_with("x: ") && !note.contains('\u{1b}')), "{notes:?}");
        for (role, text) in
            [(Role::Nodata, " nan "), (Role::Scale, "0.1"), (Role::Offset, "-500"), (Role::Unit, "ft")]
        {
            band.take(role, text, "", &mut notes);
        }
        assert!(band.nodata.is_some_and(f64::is_nan) && notes.len() == 5);
        let meaning = Meaning::of(band, Numbers::Whole, (None, None), &mut notes);
        assert_eq!(meaning.height(6000.0), ((6000.0 * 0.1 - 500.0) * 0.3048) as f32);
        assert!(meaning.of_nothing().is_nan());
    }

    #[test]
    fn a_requested_unit_comes_first_and_that_of_the_map_last() {
        let feet = units::length_by_name("ft");
        let one = |unit: Option<Length>, up: Option<Length>, asked: Option<f64>| {
            let mut notes = Vec::new();
            let band = Band { unit, ..Band::default() };
            (Meaning::of(band, Numbers::F32, (up, asked), &mut notes).height(1.0), notes.len())
        };
        assert_eq!(one(None, None, None), (1.0, 0));
        assert_eq!(one(None, feet, None), (0.3048, 1));
        assert_eq!(one(Some(METRE), feet, None), (1.0, 1));
        assert_eq!(one(feet, None, Some(1.0)), (1.0, 0));
    }
}

//! Units of length and of angle: by their EPSG codes, by the names that programs give them, and by the names
//! of coordinate systems.

use super::epsg;

/// A unit of length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::elevation) struct Length {
    /// Metres in it.
    pub(in crate::elevation) metres: f64,
    pub(in crate::elevation) name: &'static str,
}

pub(in crate::elevation) const METRE: Length = Length { metres: 1.0, name: "metre" };
const FOOT: Length = Length { metres: 0.3048, name: "foot" };
const US_SURVEY_FOOT: Length = Length { metres: 1200.0 / 3937.0, name: "US survey foot" };
/// The name of a unit of which only the length is known.
const OWN: &str = "unit of its own";

impl Length {
    /// A unit of this many metres; `None` if no unit can be that long.
    pub(in crate::elevation) fn of_metres(metres: f64) -> Option<Self> {
        if !(metres.is_finite() && metres > 0.0) {
            return None;
        }
        // Files round the number, some to seven digits, which just distinguish the two feet.
        let known = [METRE, FOOT, US_SURVEY_FOOT].into_iter().find(|known| known.is_about(metres));
        Some(known.unwrap_or(Self { metres, name: OWN }))
    }

    fn is_about(self, metres: f64) -> bool {
        (metres / self.metres - 1.0).abs() < 2e-7
    }

    /// Whether this is a different unit.
    pub(in crate::elevation) fn differs(self, other: Self) -> bool {
        (self.metres / other.metres - 1.0).abs() > 1e-7
    }
}

/// The unit of the coordinates of an elevation file, for files that do not give it or give a wrong one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MapUnit {
    /// Degrees of longitude and latitude.
    Degrees,
    /// Lengths; metres in a unit, such as 0.3048. Finite and above 0.
    Metres(f64),
}

impl MapUnit {
    /// The unit of a name such as `degrees`, `m`, `ft` or `us-ft`; `None` for an unknown one.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::formats::MapUnit;
    /// assert_eq!(MapUnit::of_name("ft"), Some(MapUnit::Metres(0.3048)));
    /// assert_eq!(MapUnit::of_name("cubits"), None);
    /// ```
    pub fn of_name(name: &str) -> Option<Self> {
        if degrees_by_name(name) == Some(1.0) {
            return Some(Self::Degrees);
        }
        length_by_name(name).map(|unit| Self::Metres(unit.metres))
    }
}

/// The unit of an EPSG code.
pub(in crate::elevation) fn length(code: u16) -> Option<Length> {
    match code {
        // Before the table, whose rounded foot is not bit for bit the exact fraction.
        9001 => return Some(METRE),
        9002 => return Some(FOOT),
        9003 => return Some(US_SURVEY_FOOT),
        _ => {}
    }
    let found = epsg::LENGTHS.iter().find(|(own, ..)| *own == code);
    found.map(|&(_, metres, name)| Length { metres, name })
}

/// The EPSG code of a unit of length, if it has one.
pub(in crate::elevation) fn code_of(unit: Length) -> Option<u16> {
    let known = [(9001, METRE), (9002, FOOT), (9003, US_SURVEY_FOOT)];
    known.into_iter().find(|(_, known)| *known == unit).map(|(code, _)| code)
}

/// The degrees in a unit of angle, by its EPSG code.
pub(in crate::elevation) fn degrees(code: u16) -> Option<f64> {
    let found = epsg::ANGLES.iter().find(|(own, ..)| *own == code);
    found.map(|&(_, degrees, _)| exact_degrees(degrees))
}

/// The exact size of a common unit of angle that has about this many degrees; other sizes are returned as
/// they are.
pub(in crate::elevation) fn exact_degrees(degrees: f64) -> f64 {
    const USUAL: [f64; 4] = [1.0, 0.9, 1.0 / 60.0, 1.0 / 3600.0];
    // Files store radians with rounded digits: the usual unit is meant, and exact.
    USUAL.into_iter().find(|usual| (degrees / usual - 1.0).abs() < 1e-7).unwrap_or(degrees)
}

/// A name as the tables spell it.
pub(in crate::elevation) fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The unit of a name such as `ft` or `US survey foot`.
pub(in crate::elevation) fn length_by_name(name: &str) -> Option<Length> {
    let other = |metres, name| Length { metres, name };
    Some(match plain(name).as_str() {
        "m" | "metre" | "metres" | "meter" | "meters" => METRE,
        "ft" | "foot" | "feet" | "internationalfoot" | "internationalfeet" | "footinternational"
        | "feetinternational" | "footintl" | "feetintl" | "ftint" | "ftintl" | "intft" => FOOT,
        "ussurveyfoot" | "ussurveyfeet" | "surveyfoot" | "surveyfeet" | "ftus" | "usft" | "ussft" | "sft"
        | "footus" | "feetus" | "usfoot" | "usfeet" | "footussurvey" | "feetussurvey" => US_SURVEY_FOOT,
        "km" | "kilometre" | "kilometer" | "kilometres" | "kilometers" => other(1000.0, "kilometre"),
        "dm" | "decimetre" | "decimeter" | "decimetres" | "decimeters" => other(0.1, "decimetre"),
        "cm" | "centimetre" | "centimeter" | "centimetres" | "centimeters" => other(0.01, "centimetre"),
        "mm" | "millimetre" | "millimeter" | "millimetres" | "millimeters" => other(0.001, "millimetre"),
        "yd" | "yard" | "yards" => other(0.9144, "yard"),
        "usyard" | "yardus" | "ussurveyyard" => other(3600.0 / 3937.0, "US survey yard"),
        "in" | "inch" | "inches" => other(0.0254, "inch"),
        "usinch" | "inchus" | "ussurveyinch" => other(100.0 / 3937.0, "US survey inch"),
        "fathom" | "fathoms" => other(1.8288, "fathom"),
        "chain" | "chains" => other(20.1168, "chain"),
        "link" | "links" => other(0.201_168, "link"),
        "mi" | "mile" | "miles" | "statutemile" => other(1609.344, "mile"),
        "usmile" | "mileus" => other(6_336_000.0 / 3937.0, "US survey mile"),
        "nm" | "nmi" | "nauticalmile" | "nauticalmiles" => other(1852.0, "nautical mile"),
        // ESRI's names for units that EPSG names with the country first.
        "germanlegalmeter" | "metergermanlegal" => return length(9031),
        "footclarke" => return length(9005),
        "footindian" => return length(9080),
        "yardindian" => return length(9084),
        "footgoldcoast" => return length(9094),
        "footsears" | "footbritishsears1922" => return length(9041),
        "yardsears" | "yardbritishsears1922" => return length(9040),
        name => {
            let found = epsg::LENGTHS.iter().find(|(_, _, known)| plain(known) == name);
            return found.map(|&(_, metres, name)| Length { metres, name });
        }
    })
}

/// Degrees in a unit of angle by its name.
pub(in crate::elevation) fn degrees_by_name(name: &str) -> Option<f64> {
    Some(match plain(name).as_str() {
        "degree" | "degrees" | "deg" | "dd" | "decimaldegree" | "decimaldegrees" => 1.0,
        "ds" | "arcsecond" | "arcseconds" | "second" | "seconds" => 1.0 / 3600.0,
        "arcminute" | "arcminutes" | "minute" | "minutes" => 1.0 / 60.0,
        "grad" | "grads" | "gon" | "gons" => 0.9,
        "radian" | "radians" | "rad" => 1.0_f64.to_degrees(),
        _ => return None,
    })
}

/// The unit that the name of a coordinate system implies, such as `NAD83 / Texas Central (ftUS)` or
/// `NAD_1983_StatePlane_Texas_FIPS_4203_Feet`.
pub(in crate::elevation) fn length_in_citation(text: &str) -> Option<Length> {
    let lower = text.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let us = [
        "ftus",
        "us survey f",
        "us_survey_f",
        "foot_us",
        "us foot",
        "us feet",
        "us_f",
        "survey feet",
        "survey foot",
        "usft",
        "us-ft",
    ];
    if has(&us) {
        Some(US_SURVEY_FOOT)
    } else if has(&["feet_intl", "ft_intl", "(ft)", "international f", "intl f"]) {
        Some(FOOT)
    } else if lower.trim_end_matches(['|', ' ']).ends_with("_feet") {
        // ESRI names the state plane systems of the United States like this.
        Some(US_SURVEY_FOOT)
    } else if has(&[" feet", " foot", "foot)", "feet)"]) {
        Some(FOOT)
    } else {
        None
    }
}

/// The entry of a table of ranges of codes.
fn in_ranges(table: &[(u16, u16, u16)], code: u16) -> Option<u16> {
    // The ranges ascend and don't overlap.
    let index = table.partition_point(|(_, last, _)| *last < code);
    table.get(index).filter(|(first, ..)| *first <= code).map(|(.., unit)| *unit)
}

/// Whether a number can be the code of a coordinate system; codes outside the range are defined by their
/// file.
pub(in crate::elevation) fn is_system(code: u16) -> bool {
    // The range that GeoTIFF leaves to EPSG codes; 32,767 means a system of the file's own.
    (1024..32_767).contains(&code)
}

/// The unit of a projected coordinate system, by its EPSG code.
pub(in crate::elevation) fn of_projected(code: u16) -> Option<Length> {
    in_ranges(&epsg::PROJECTED, code).and_then(length)
}

/// The degrees in the unit of a geographic coordinate system, by its EPSG code.
pub(in crate::elevation) fn of_geographic(code: u16) -> Option<f64> {
    in_ranges(&epsg::GEOGRAPHIC, code).and_then(degrees)
}

/// The unit of a vertical coordinate system, by its EPSG code.
pub(in crate::elevation) fn of_vertical(code: u16) -> Option<Length> {
    in_ranges(&epsg::VERTICAL, code).and_then(length)
}

/// Whether a vertical coordinate system counts downwards.
pub(in crate::elevation) fn is_depth(code: u16) -> bool {
    epsg::DEPTHS.iter().any(|(first, last)| (*first..=*last).contains(&code))
}

/// The horizontal and the vertical part of a compound coordinate system.
pub(in crate::elevation) fn parts(code: u16) -> Option<(u16, u16)> {
    let index = epsg::COMPOUND.binary_search_by_key(&code, |(own, ..)| *own).ok()?;
    epsg::COMPOUND.get(index).map(|&(_, horizontal, vertical)| (horizontal, vertical))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_known_by_code_and_by_name() {
        assert_eq!(length(9036).map(|unit| unit.metres), Some(1000.0));
        assert_eq!(length(9005).map(|unit| unit.name), Some("Clarke's foot"));
        assert_eq!(length(7), None);
        assert_eq!(degrees(9102), Some(1.0));
        assert_eq!((degrees(9105), degrees(9104)), (Some(0.9), Some(1.0 / 3600.0)));
        for (name, metres) in [
            ("ft", 0.3048),
            ("Feet", 0.3048),
            ("Foot (International)", 0.3048),
            ("US survey foot", 1200.0 / 3937.0),
            ("Foot_US", 1200.0 / 3937.0),
            ("US_survey_foot", 1200.0 / 3937.0),
            ("Yard_Sears", 0.914_398_414_616_028_7),
            ("German legal metre", 1.000_013_596_5),
            ("British foot (1936)", 0.304_800_749_1),
        ] {
            assert_eq!(length_by_name(name).map(|unit| unit.metres), Some(metres), "{name}");
        }
        assert_eq!(length_by_name("degC"), None);
        assert_eq!((degrees_by_name("Decimal_Degree"), degrees_by_name("ft")), (Some(1.0), None));
        assert_eq!(Length::of_metres(0.3048006), Some(US_SURVEY_FOOT));
        assert_eq!(Length::of_metres(0.3048), Some(FOOT));
        assert_eq!(Length::of_metres(2.0).map(|unit| unit.name), Some(OWN));
        assert_eq!((Length::of_metres(0.0), Length::of_metres(f64::INFINITY)), (None, None));
        // New Mexico Central (ftUS), UTM 32N, Texas Central (ftUS), a British grid in yards.
        assert_eq!(of_projected(6529), Some(US_SURVEY_FOOT));
        assert_eq!(of_projected(32632), Some(METRE));
        assert_eq!(of_projected(2277), Some(US_SURVEY_FOOT));
        assert_eq!(of_projected(2222), Some(FOOT));
        assert_eq!((of_projected(1), of_projected(4326), of_geographic(4326)), (None, None, Some(1.0)));
        // NTF (Paris) is in grads.
        assert_eq!((of_geographic(4807), of_geographic(32632)), (Some(0.9), None));
        assert_eq!(of_vertical(6360), Some(US_SURVEY_FOOT));
        assert_eq!(of_vertical(8228), Some(FOOT));
        assert_eq!(of_vertical(5703), Some(METRE));
        assert!(is_depth(5715) && !is_depth(5703));
        assert_eq!(parts(7415), Some((28992, 5709)));
    }

    #[test]
    fn the_names_of_coordinate_systems_imply_their_units() {
        for (text, unit) in [
            ("NAD83 / Texas Central (ftUS)|", Some(US_SURVEY_FOOT)),
            ("NAD83 / Arizona East (ft)", Some(FOOT)),
            ("PCS Name = NAD_1983_StatePlane_Texas_Central_FIPS_4203_Feet|", Some(US_SURVEY_FOOT)),
            ("NAD_1983_StatePlane_Arizona_East_FIPS_0201_Feet_Intl", Some(FOOT)),
            ("WGS 84 / UTM zone 32N|WGS 84|", None),
            ("Footscray local grid", None),
        ] {
            assert_eq!(length_in_citation(text), unit, "{text}");
        }
    }
}

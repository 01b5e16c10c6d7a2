//! Coordinate systems as texts give them: well-known text (WKT).
//!
//! Reads WKT 1 (OGC 01-009), ESRI's dialect of it, the parts of WKT 2 (ISO 19162) that give the unit of
//! coordinates, and the older `.prj` files of ArcInfo (`Projection UTM`, `Units METERS`). Only units, the
//! ellipsoid and the scale of some projections are used; nothing is reprojected.

use std::ops::Range;

use super::bodies;
use super::definition::Definition;
use super::stretch::{self, EARTH, Projection, Stretch};
use super::system::{Plane, System};
use super::units::{self, Length, METRE, plain};

/// The note on depths.
pub(super) const DOWNWARDS: &str =
    "its vertical system counts downwards; heights are read as they are stored";

impl System {
    /// Reads a `.prj` file or another text that describes a coordinate system. `None` when it is neither WKT
    /// nor ArcInfo's, nor a code such as `EPSG:32632`, `EPSG:26910+5703` or `IAU_2015:30100`.
    pub(in crate::elevation) fn of_text(text: &str) -> Option<Self> {
        let text = text.trim_start_matches('\u{feff}').trim();
        if let Some(system) = Self::of_authority(text) {
            return Some(system);
        }
        match Node::parse(text) {
            Some(node) => Self::of_node(&node, text),
            None => Self::of_arc_info(text),
        }
    }

    /// The system of a code with the name of its authority.
    fn of_authority(text: &str) -> Option<Self> {
        let upper = text.to_ascii_uppercase();
        let (authority, code) = upper.strip_prefix("URN:OGC:DEF:CRS:").unwrap_or(&upper).split_once(':')?;
        // A URN has the version between authority and code.
        let number = |code: &str| code.rsplit(':').next()?.trim().parse::<u32>().ok();
        match authority {
            "EPSG" => {
                let (code, vertical) = code.split_once('+').map_or((code, None), |(a, b)| (a, Some(b)));
                let code = match number(code)? {
                    // Web Mercator had this number before it had a code.
                    900_913 => 3857,
                    code => u16::try_from(code).ok().filter(|code| units::is_system(*code))?,
                };
                let mut system = Self::of_code(code);
                if let Some(vertical) = vertical {
                    let code = number(vertical).and_then(|code| u16::try_from(code).ok());
                    system.up = code.and_then(units::of_vertical);
                    if system.up.is_none() {
                        let reason = format!(
                            "its vertical system `{}` is unknown; heights in metres are assumed",
                            short(vertical)
                        );
                        system.notes.push(reason);
                    }
                    if code.is_some_and(units::is_depth) {
                        system.notes.push(DOWNWARDS.to_owned());
                    }
                }
                Some(system)
            }
            "IAU_2015" | "IAU" => Self::of_text(&bodies::text_of_iau(number(code)?)?),
            "ESRI" => match number(code)? {
                102_100 | 102_113 => Some(Self::of_code(3857)),
                code => Self::of_text(&bodies::text_of_esri(code)?),
            },
            _ => None,
        }
    }

    fn of_node(node: &Node, text: &str) -> Option<Self> {
        let mut system = Self::default();
        system.take(node, text, 0);
        (system.plane.is_some() || system.up.is_some() || !system.notes.is_empty()).then_some(system)
    }

    /// Takes what a system says itself, or what its component systems say.
    fn take(&mut self, node: &Node, text: &str, depth: usize) {
        // Bounded: the systems that programs write are nested less deeply.
        if depth > 4 {
            return;
        }
        match node.key.as_str() {
            "COMPD_CS" | "COMPOUNDCRS" => {
                node.children.iter().for_each(|child| self.take(child, text, depth + 1));
            }
            "BOUNDCRS" => {
                if let Some(source) = node.child(&["SOURCECRS"]) {
                    source.children.iter().for_each(|child| self.take(child, text, depth + 1));
                }
            }
            "PROJCS" | "PROJCRS" | "PROJECTEDCRS" => {
                let unit = self.length(node, "the map");
                self.ellipsoid = node.ellipsoid();
                self.projection = projection(node, self.ellipsoid.unwrap_or(EARTH), unit);
                if self.projection.is_none() && is_uneven(node) {
                    self.notes.push(stretch::UNEVEN.to_owned());
                }
                self.plane = Some(Plane::Lengths(unit));
                self.define(node, text);
            }
            "GEOGCS" | "GEOGCRS" | "GEOGRAPHICCRS" | "BASEGEOGCRS" | "GEODCRS" | "GEODETICCRS" => {
                self.ellipsoid = node.ellipsoid();
                self.plane = Some(Plane::Degrees(self.angle(node)));
                self.define(node, text);
            }
            "LOCAL_CS" | "ENGCRS" | "ENGINEERINGCRS" if node.unit(&["UNIT", "LENGTHUNIT"]).is_some() => {
                self.plane = Some(Plane::Lengths(self.length(node, "the map")));
                self.define(node, text);
            }
            "VERT_CS" | "VERTCS" | "VERTCRS" | "VERTICALCRS" => {
                if node.unit(&["UNIT", "LENGTHUNIT"]).is_some() {
                    self.up = Some(self.length(node, "the heights"));
                }
                if node.counts_downwards() {
                    self.notes.push(DOWNWARDS.to_owned());
                }
            }
            _ => {}
        }
        // ESRI writes the vertical system after the other.
        if depth == 0 {
            node.after.iter().for_each(|node| self.take(node, text, 1));
        }
    }

    /// Keeps the definition of a horizontal system: its code if it has one, or else its text.
    fn define(&mut self, node: &Node, text: &str) {
        if self.definition.is_none() {
            // The part of the text that is this system, without the vertical one.
            let text = || text.get(node.place.clone()).map(|text| Definition::Text(text.into()));
            self.definition = node.code().map(Definition::Code).or_else(text);
        }
    }

    fn length(&mut self, node: &Node, of: &str) -> Length {
        let Some((name, factor)) = node.unit(&["UNIT", "LENGTHUNIT"]) else {
            self.notes.push(format!("it gives no unit for {of}; metres are assumed"));
            return METRE;
        };
        // The number of metres after the name decides; the name may be in any language.
        let unit = factor.and_then(Length::of_metres).or_else(|| units::length_by_name(name));
        unit.unwrap_or_else(|| {
            self.notes.push(format!("its unit `{}` for {of} is unknown; metres are assumed", short(name)));
            METRE
        })
    }

    fn angle(&mut self, node: &Node) -> f64 {
        let Some((name, factor)) = node.unit(&["UNIT", "ANGLEUNIT"]) else { return 1.0 };
        let radians = factor.filter(|factor| factor.is_finite() && *factor > 0.0);
        let degrees = radians.map(|radians| units::exact_degrees(radians.to_degrees()));
        degrees.or_else(|| units::degrees_by_name(name)).unwrap_or_else(|| {
            self.notes.push(format!("its unit `{}` is unknown; degrees are assumed", short(name)));
            1.0
        })
    }

    /// Lines of a key and a value, as ArcInfo wrote them.
    fn of_arc_info(text: &str) -> Option<Self> {
        let value = |wanted: &str| {
            text.lines().take(200).find_map(|line| {
                let (key, value) = line.trim().split_once(char::is_whitespace)?;
                key.eq_ignore_ascii_case(wanted).then(|| value.trim().to_owned())
            })
        };
        let projection = value("projection")?.to_ascii_uppercase();
        let mut system = Self::default();
        let unit = value("units");
        if projection.starts_with("GEOGRAPHIC") {
            let degrees = unit.as_deref().map_or(Some(1.0), units::degrees_by_name);
            system.plane = Some(Plane::Degrees(degrees.unwrap_or_else(|| {
                let unit = short(unit.as_deref().unwrap_or_default());
                system.notes.push(format!("its unit `{unit}` is unknown; degrees are assumed"));
                1.0
            })));
            system.ellipsoid = arc_info_ellipsoid(&value);
            return Some(system);
        }
        // The number gives the units per metre.
        let length = |unit: &str| {
            let count = || unit.parse().ok().and_then(|count: f64| Length::of_metres(1.0 / count));
            units::length_by_name(unit).or_else(count)
        };
        let unit = unit.unwrap_or_default();
        let plane = length(&unit).unwrap_or_else(|| {
            let reason = format!("its unit `{}` for the map is unknown; metres are assumed", short(&unit));
            system.notes.push(reason);
            METRE
        });
        system.plane = Some(Plane::Lengths(plane));
        if let Some(unit) = value("zunits").filter(|unit| !unit.eq_ignore_ascii_case("no")) {
            system.up = length(&unit);
            if system.up.is_none() {
                let reason =
                    format!("its unit `{}` for the heights is unknown; metres are assumed", short(&unit));
                system.notes.push(reason);
            }
        }
        system.ellipsoid = arc_info_ellipsoid(&value);
        if projection.starts_with("MERCATOR") {
            let (axis, flattening) = system.ellipsoid.unwrap_or(EARTH);
            // Longitude and latitude in degrees, minutes and seconds, easting, northing.
            let lines = text.lines().skip_while(|line| {
                !line.trim_start().get(..10).is_some_and(|start| start.eq_ignore_ascii_case("parameters"))
            });
            let numbers = |line: &str| -> Vec<f64> {
                let line = line.split("/*").next().unwrap_or_default();
                line.split_whitespace().map_while(|word| word.parse().ok()).collect()
            };
            let parameters: Vec<Vec<f64>> = lines.skip(1).take(4).map(numbers).collect();
            let angle = |parts: &Vec<f64>| {
                let sign =
                    if parts.first().is_some_and(|degrees| degrees.is_sign_negative()) { -1.0 } else { 1.0 };
                let parts = parts.iter().take(3).zip([1.0, 60.0, 3600.0]);
                sign * parts.map(|(part, share)| part.abs() / share).sum::<f64>()
            };
            let parallel = parameters.get(1).map_or(0.0, angle);
            let north = parameters.get(3).and_then(|parts| parts.first()).copied().unwrap_or(0.0);
            system.projection = Some(Projection {
                kind: Stretch::Mercator,
                axis,
                flattening,
                parallel: parallel.clamp(-89.0, 89.0),
                scale: 1.0,
                false_easting: 0.0,
                false_northing: north * plane.metres,
            });
        } else if ["MILLER", "ROBINSON", "MOLLWEIDE", "SINUSOIDAL", "GNOMONIC", "ORTHOGRAPHIC"]
            .iter()
            .any(|name| projection.starts_with(name))
        {
            system.notes.push(stretch::UNEVEN.to_owned());
        }
        Some(system)
    }
}

/// Ellipsoids by the names that ArcInfo gives them or their datums, without blanks: semi-major axis in metres
/// and inverse flattening.
const ARC_INFO: [(&[&str], f64, f64); 11] = [
    (&["wgs84", "wgs1984"], EARTH.0, 298.257_223_563),
    (&["wgs72", "wgs1972"], 6_378_135.0, 298.26),
    (&["grs80", "grs1980", "nad83", "nar"], 6_378_137.0, 298.257_222_101),
    (&["clarke1866", "nad27", "nas"], 6_378_206.4, 294.978_698_213_898),
    (&["clarke1880"], 6_378_249.145, 293.465),
    (&["bessel", "bessel1841"], 6_377_397.155, 299.152_812_8),
    (&["international1909", "international1924", "international", "eur"], 6_378_388.0, 297.0),
    (&["airy", "airy1830"], 6_377_563.396, 299.324_964_6),
    (&["everest", "everest1830"], 6_377_276.345, 300.801_7),
    (&["krasovsky", "krassovsky", "krasovsky1940"], 6_378_245.0, 298.3),
    (&["sphere"], 6_370_997.0, 0.0),
];

/// The ellipsoid of an ArcInfo `.prj`: its axes as parameters, or by its name or that of its datum.
fn arc_info_ellipsoid(value: &impl Fn(&str) -> Option<String>) -> Option<(f64, f64)> {
    let axes: Vec<f64> = value("parameters")
        .unwrap_or_default()
        .split_whitespace()
        .map_while(|word| word.parse().ok())
        .collect();
    if let [major, rest @ ..] = axes.as_slice()
        && *major > 1000.0
        && major.is_finite()
    {
        let minor = rest.first().copied().filter(|minor| (0.5 * major..=*major).contains(minor));
        return Some((*major, minor.map_or(0.0, |minor| 1.0 - minor / major)));
    }
    let names = [value("spheroid"), value("datum")].map(|name| plain(&name.unwrap_or_default()));
    let by_name = |name: &String| ARC_INFO.iter().find(|(known, ..)| known.contains(&name.as_str()));
    let &(_, axis, inverse) = names.iter().find_map(by_name)?;
    Some((axis, if inverse > 0.0 { 1.0 / inverse } else { 0.0 }))
}

fn short(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(40).collect()
}

/// How the scale of a projected system depends on the latitude; `None` where it hardly does, as for the
/// transverse Mercator, whose scale is 1 within a thousandth.
fn projection(node: &Node, (axis, flattening): (f64, f64), unit: Length) -> Option<Projection> {
    if let Some(found) = node.code().and_then(Projection::of_code) {
        return Some(found);
    }
    let method = node.child(&["PROJECTION"]).or_else(|| node.child(&["CONVERSION"])?.child(&["METHOD"]));
    let name = plain(method?.words.first()?);
    let is_web = name.starts_with("popularvisualisationpseudomercator")
        || name.starts_with("mercatorauxiliarysphere")
        || name.starts_with("webmercator")
        // GDAL writes Web Mercator as Mercator, with a PROJ string that distinguishes it.
        || (name.starts_with("mercator") && node.mentions("+nadgrids=@null"))
        || node.words.first().is_some_and(|name| plain(name).contains("pseudomercator"));
    // The value of a parameter, and the factor of its own unit if it has one.
    let parameter = |wanted: &[&str]| {
        let own = node.children.iter();
        let of_conversion = node.child(&["CONVERSION"]).into_iter().flat_map(|node| &node.children);
        own.chain(of_conversion).find_map(|child| {
            let is_wanted =
                child.key == "PARAMETER" && wanted.contains(&plain(child.words.first()?).as_str());
            let number = *child.numbers.first().filter(|number| is_wanted && number.is_finite())?;
            let unit = child.child(&["UNIT", "ANGLEUNIT", "LENGTHUNIT"]);
            Some((number, unit.and_then(|unit| unit.numbers.first().copied())))
        })
    };
    // Angles without a unit of their own are in the unit of longitudes and latitudes.
    let geographic = node.child(&["GEOGCS", "GEOGCRS", "BASEGEOGCRS", "BASEGEODCRS"]);
    let of_angles = geographic.and_then(|node| node.unit(&["UNIT", "ANGLEUNIT"])?.1);
    let angle = |wanted: &[&str]| {
        let (number, own) = parameter(wanted)?;
        let radians = own.or(of_angles).filter(|radians| radians.is_finite() && *radians > 0.0);
        Some(number * radians.map_or(1.0, |radians| units::exact_degrees(radians.to_degrees())))
    };
    let length = |wanted: &[&str]| {
        let (number, own) = parameter(wanted)?;
        Some(number * own.unwrap_or(unit.metres))
    };
    let origin = || angle(&["latitudeoforigin", "latitudeofcenter", "latitudeofnaturalorigin"]);
    let is_polar = name.starts_with("polarstereographic")
        || ["stereographicnorthpole", "stereographicsouthpole"].contains(&name.as_str())
        || (name.starts_with("stereographic") && origin().is_some_and(|origin| origin.abs() > 89.99));
    let kind = if is_web || name.starts_with("mercator") {
        Stretch::Mercator
    } else if is_polar {
        Stretch::Polar
    } else if ["equirectangular", "equidistantcylindrical", "platecarree"]
        .iter()
        .any(|own| name.starts_with(own))
    {
        Stretch::Cylindrical
    } else {
        return None;
    };
    let scale = parameter(&["scalefactor", "scalefactoratnaturalorigin"]).map(|(scale, _)| scale);
    let parallel =
        angle(&["standardparallel1", "latitudeof1ststandardparallel", "latitudeofstandardparallel"]);
    let false_northing = length(&["falsenorthing"]).unwrap_or(0.0);
    let scale = scale.filter(|scale| *scale > 0.0).unwrap_or(1.0);
    if kind == Stretch::Polar {
        let of_name = if name.ends_with("southpole") { -90.0 } else { 90.0 };
        return Some(Projection {
            kind,
            axis,
            flattening,
            parallel: parallel.or_else(origin).unwrap_or(of_name).clamp(-90.0, 90.0),
            scale,
            false_easting: length(&["falseeasting"]).unwrap_or(0.0),
            false_northing,
        });
    }
    // Northings of the cylindrical projection begin at this latitude.
    let origin = origin().filter(|_| kind == Stretch::Cylindrical).unwrap_or(0.0);
    Some(Projection {
        kind,
        axis,
        flattening: if is_web { 0.0 } else { flattening },
        parallel: parallel.unwrap_or(0.0).clamp(-89.0, 89.0),
        scale,
        false_easting: 0.0,
        false_northing: false_northing - origin.to_radians() * axis,
    })
}

/// Whether the scale of a projected system differs from place to place in a way that isn't computed.
fn is_uneven(node: &Node) -> bool {
    let method = node.child(&["PROJECTION"]).or_else(|| node.child(&["CONVERSION"])?.child(&["METHOD"]));
    let name = method.and_then(|method| method.words.first()).map(|name| plain(name)).unwrap_or_default();
    let others = [
        "miller",
        "robinson",
        "vandergrinten",
        "gnomonic",
        "orthographic",
        "mollweide",
        "equalearth",
        "sinusoidal",
    ];
    name.contains("cylindricalequalarea") || others.iter().any(|other| name.starts_with(other))
}

/// A part of a WKT: `KEY["text", 1.5, CHILD[…]]`.
#[derive(Debug, Default)]
struct Node {
    /// In upper case.
    key: String,
    /// Its texts and bare words.
    words: Vec<String>,
    numbers: Vec<f64>,
    children: Vec<Node>,
    /// Its bytes in the text.
    place: Range<usize>,
    /// Systems after it, separated by a comma.
    after: Vec<Node>,
}

impl Node {
    /// The most levels of nesting: WKT has about eight.
    const DEEPEST: usize = 32;

    fn parse(text: &str) -> Option<Self> {
        let mut parser = Parser { bytes: text.as_bytes(), at: 0 };
        let mut first = parser.node(0)?;
        while parser.skip_blank() == Some(b',') {
            parser.at += 1;
            let Some(node) = parser.node(0) else { break };
            first.after.push(node);
        }
        Some(first)
    }

    fn child(&self, keys: &[&str]) -> Option<&Self> {
        self.children.iter().find(|child| keys.contains(&child.key.as_str()))
    }

    /// The name of a unit and its factor: its own, or that of its coordinate system or its first axis.
    fn unit(&self, keys: &[&str]) -> Option<(&str, Option<f64>)> {
        let axis = || self.child(&["AXIS"])?.child(keys);
        let of_system = || self.child(&["CS"])?.child(keys);
        let unit = self.child(keys).or_else(axis).or_else(of_system)?;
        Some((unit.words.first().map_or("", String::as_str), unit.numbers.first().copied()))
    }

    /// Its code of EPSG, if it gives one.
    fn code(&self) -> Option<u16> {
        let id = self.child(&["AUTHORITY", "ID"])?;
        let is_epsg = id.words.first().is_some_and(|name| name.eq_ignore_ascii_case("EPSG"));
        let number = || id.numbers.first().map(|number| number.to_string());
        let text = id.words.get(1).cloned().or_else(number).filter(|_| is_epsg)?;
        text.trim().parse().ok().filter(|code| units::is_system(*code))
    }

    /// Whether a vertical system counts downwards: by its axis, or by its direction, as ESRI has it.
    fn counts_downwards(&self) -> bool {
        let is_down = |word: &String| word.eq_ignore_ascii_case("down");
        let is_reversed = |node: &Self| {
            node.key == "PARAMETER"
                && node.words.first().is_some_and(|name| plain(name) == "direction")
                && node.numbers.first().is_some_and(|direction| *direction < 0.0)
        };
        self.child(&["AXIS"]).is_some_and(|axis| axis.words.iter().any(is_down))
            || self.children.iter().any(is_reversed)
    }

    /// Whether a text in it, at any depth, contains this.
    fn mentions(&self, text: &str) -> bool {
        self.words.iter().any(|word| word.contains(text))
            || self.children.iter().any(|node| node.mentions(text))
    }

    /// The first ellipsoid in it, at any depth.
    fn ellipsoid(&self) -> Option<(f64, f64)> {
        if matches!(self.key.as_str(), "SPHEROID" | "ELLIPSOID") {
            let &[radius, inverse, ..] = self.numbers.as_slice() else { return None };
            let metres = self.unit(&["LENGTHUNIT"]).and_then(|(_, factor)| factor).unwrap_or(1.0);
            // WKT writes an inverse of 0 for no flattening.
            let flattening = if inverse > 1.0 { 1.0 / inverse } else { 0.0 };
            let radius = radius * metres;
            return (radius.is_finite() && radius > 0.0).then_some((radius, flattening));
        }
        self.children.iter().find_map(Self::ellipsoid)
    }
}

struct Parser<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    /// The next byte that is not blank.
    fn skip_blank(&mut self) -> Option<u8> {
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        self.bytes.get(self.at).copied()
    }

    fn word(&mut self) -> String {
        let start = self.at;
        let goes_on = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'+' | b'-' | b'.');
        while self.bytes.get(self.at).is_some_and(goes_on) {
            self.at += 1;
        }
        String::from_utf8_lossy(&self.bytes[start..self.at]).into_owned()
    }

    fn node(&mut self, depth: usize) -> Option<Node> {
        self.skip_blank();
        let first = self.at;
        let key = self.word();
        // Bounded, because a made-up file could overflow the stack.
        if !matches!(self.skip_blank(), Some(b'[' | b'(')) || key.is_empty() || depth > Node::DEEPEST {
            return None;
        }
        self.at += 1;
        let mut node = Node { key: key.to_ascii_uppercase(), ..Node::default() };
        loop {
            match self.skip_blank()? {
                b']' | b')' => {
                    self.at += 1;
                    node.place = first..self.at;
                    return Some(node);
                }
                b',' => self.at += 1,
                b'"' => {
                    self.at += 1;
                    let length = self.bytes[self.at..].iter().position(|byte| *byte == b'"')?;
                    let text = &self.bytes[self.at..self.at + length];
                    node.words.push(String::from_utf8_lossy(text).into_owned());
                    self.at += length + 1;
                }
                _ => {
                    let start = self.at;
                    let word = self.word();
                    if word.is_empty() {
                        return None;
                    }
                    if matches!(self.skip_blank(), Some(b'[' | b'(')) {
                        self.at = start;
                        node.children.push(self.node(depth + 1)?);
                    } else if let Ok(number) = word.parse() {
                        node.numbers.push(number);
                    } else {
                        node.words.push(word);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOOT: f64 = 0.3048;
    const US_FOOT: f64 = 1200.0 / 3937.0;

    fn plane(text: &str) -> Option<Plane> {
        System::of_text(text).and_then(|system| system.plane)
    }

    /// Metres in a unit of lengths on the map.
    fn metres(text: &str) -> f64 {
        let Some(Plane::Lengths(unit)) = plane(text) else { panic!("{text}") };
        unit.metres
    }

    #[test]
    fn the_unit_of_a_map_is_its_own_and_not_that_of_its_ellipsoid() {
        let base = r#"GEOGCS["g",DATUM["d",SPHEROID["s",6378137.0,298.257222101]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]"#;
        let map = |unit: &str| format!(r#"PROJCS["p",{base},PROJECTION["Lambert_Conformal_Conic"],{unit}]"#);
        assert_eq!(metres(&map(r#"UNIT["Foot_US",0.3048006096012192]"#)), US_FOOT);
        assert_eq!(metres(&map(r#"UNIT["foot",0.3048,AUTHORITY["EPSG","9002"]]"#)), FOOT);
        assert_eq!(metres(&map(r#"UNIT["Meter",1.0]"#)), 1.0);
        assert_eq!(metres(&map(r#"UNIT["Kilometer"]"#)), 1000.0);
        assert_eq!(plane(base), Some(Plane::Degrees(1.0)));
        let grads = base.replace(r#"["Degree",0.0174532925199433]"#, r#"["Grad",0.01570796326794897]"#);
        assert_eq!(plane(&grads), Some(Plane::Degrees(0.9)));
    }

    #[test]
    fn newer_dialects_are_read() {
        let text = r#"PROJCRS["p",BASEGEOGCRS["g",DATUM["d",ELLIPSOID["e",6378137,298.25,LENGTHUNIT["metre",1]]]],
            CONVERSION["c",METHOD["Transverse Mercator"]],CS[Cartesian,2],AXIS["(E)",east,ORDER[1],
            LENGTHUNIT["US survey foot",0.304800609601219]]]"#;
        assert_eq!(metres(text), US_FOOT);
        let text = r#"COMPD_CS["c",PROJCS["p",GEOGCS["g",UNIT["degree",0.0174532925199433]],UNIT["metre",1]],
            VERT_CS["NAVD88",VERT_DATUM["n",2005],UNIT["foot",0.3048]]]"#;
        let system = System::of_text(text).unwrap();
        assert_eq!((metres(text), system.up.map(|unit| unit.metres)), (1.0, Some(FOOT)));
        // The vertical system is left out: written heights are in metres.
        let kept = system.definition.unwrap().line();
        assert!(kept.starts_with("PROJCS[") && kept.ends_with("]]") && !kept.contains("NAVD88"), "{kept}");
        let text = "Projection    UTM\r\nZone 33\r\nUnits FEET\r\nZunits METERS\r\n";
        assert_eq!(metres(text), FOOT);
        assert_eq!(System::of_text(text).unwrap().up.map(|unit| unit.metres), Some(1.0));
        assert_eq!(plane("Projection GEOGRAPHIC\nUnits DS\n"), Some(Plane::Degrees(1.0 / 3600.0)));
        assert_eq!(metres("EPSG:2277"), US_FOOT);
    }

    #[test]
    fn a_system_with_a_code_is_kept_by_it() {
        let text =
            r#"PROJCS["p",GEOGCS["g",AUTHORITY["EPSG","4258"]],UNIT["metre",1],AUTHORITY["EPSG","25832"]]"#;
        assert_eq!(System::of_text(text).unwrap().definition, Some(Definition::Code(25_832)));
        let text = r#"GEOGCRS["g",DATUM["d",ELLIPSOID["e",6378137,298.25]],ID["EPSG",4326]]"#;
        assert_eq!(System::of_text(text).unwrap().definition, Some(Definition::Code(4326)));
    }

    #[test]
    fn unknown_units_are_reported() {
        let system = System::of_text(r#"PROJCS["p",UNIT["cubit"]]"#).unwrap();
        assert_eq!(system.plane, Some(Plane::Lengths(METRE)));
        assert!(system.notes[0].contains("cubit"), "{:?}", system.notes);
        assert!(!System::of_text(r#"PROJCS["p"]"#).unwrap().notes.is_empty());
    }

    #[test]
    fn projections_with_a_scale_by_latitude_are_found() {
        let text = r#"PROJCS["WGS_1984_Web_Mercator_Auxiliary_Sphere",GEOGCS["g",DATUM["d",
            SPHEROID["WGS_1984",6378137.0,298.257223563]],UNIT["Degree",0.0174532925199433]],
            PROJECTION["Mercator_Auxiliary_Sphere"],PARAMETER["False_Northing",0.0],UNIT["Meter",1.0]]"#;
        let ground = |text: &str| {
            let projection = System::of_text(text).unwrap().projection;
            projection.map(|projection| projection.ground([0.0, 8_399_737.89]).1)
        };
        assert!((ground(text).unwrap()[0] - 0.5).abs() < 1e-6, "60° north");
        assert_eq!(ground(&text.replace("Mercator_Auxiliary_Sphere\"]", "Transverse_Mercator\"]")), None);
        let plate =
            ground(&text.replace("Mercator_Auxiliary_Sphere\"]", "Equidistant_Cylindrical\"]")).unwrap();
        assert!(plate[0] < 0.3 && plate[1] == 1.0, "{plate:?}");
    }

    /// Metres on the ground per metre on the map at a northing, from west to east.
    fn factor(text: &str, north: f64) -> f64 {
        System::of_text(text).unwrap().projection.unwrap().ground([0.0, north]).1[0]
    }

    #[test]
    fn codes_of_several_authorities_are_known() {
        let system = |text: &str| System::of_text(text).unwrap_or_else(|| panic!("{text}"));
        let compound = system("EPSG:26910+5703");
        assert_eq!((compound.up, compound.definition), (Some(METRE), Some(Definition::Code(26_910))));
        assert!(system("EPSG:26910+8228").up.is_some_and(|unit| unit.metres == FOOT));
        assert!(system("EPSG:26910+5715").notes[0].contains("downwards"));
        assert!(system("EPSG:26910+9").notes[0].contains("`9` is unknown"));
        for text in ["urn:ogc:def:crs:EPSG::3857", "epsg:3857", "EPSG:900913", "ESRI:102100"] {
            assert_eq!(system(text), System::of_code(3857), "{text}");
        }
        for (text, radius, polar) in [
            ("IAU_2015:19900", 2_440_530.0, 2_440_530.0),
            ("IAU_2015:19901", 2_440_530.0, 2_438_260.0),
            ("IAU_2015:29900", 6_051_800.0, 6_051_800.0),
            ("IAU_2015:30100", 1_737_400.0, 1_737_400.0),
            ("IAU:49900", 3_396_190.0, 3_396_190.0),
            ("IAU_2015:49902", 3_396_190.0, 3_376_200.0),
            ("ESRI:104905", 3_396_190.0, 3_376_200.0),
            ("urn:ogc:def:crs:IAU:2015:30100", 1_737_400.0, 1_737_400.0),
        ] {
            let (axis, flattening) = system(text).ellipsoid.unwrap();
            assert_eq!(plane(text), Some(Plane::Degrees(1.0)), "{text}");
            assert!(
                axis == radius && (axis * (1.0 - flattening) - polar).abs() < 1e-3,
                "{text}: {axis} {flattening}"
            );
            assert!(matches!(system(text).definition, Some(Definition::Text(_))), "{text}");
        }
        // On a cylinder around Mars, at 60° north, and 10° from the pole of the Moon.
        assert!((factor("IAU_2015:49910", 3_396_190.0 * 60f64.to_radians()) - 0.5).abs() < 1e-9);
        let from_pole = 2.0 * 1_737_400.0 * libm::tan(5f64.to_radians());
        let expected = 0.5 * (1.0 + libm::cos(10f64.to_radians()));
        assert!((factor("IAU_2015:30130", from_pole) - expected).abs() < 1e-9);
        assert_eq!(system("IAU_2015:30150").notes, [stretch::UNEVEN]);
        for text in
            ["EPSG:70000", "EPSG:x", "IAU_2015:1", "IAU_2015:30199", "ESRI:5", "OGC:CRS84x", ":", "EPSG:+"]
        {
            assert_eq!(System::of_text(text), None, "{text}");
        }
    }

    #[test]
    fn angles_of_projections_are_in_the_unit_of_their_system() {
        let text = r#"PROJCS["p",GEOGCS["g",DATUM["d",SPHEROID["s",6378137,0]],UNIT["grad",0.01570796326794897]],
            PROJECTION["Mercator_2SP"],PARAMETER["standard_parallel_1",50],UNIT["metre",1]]"#;
        assert!((factor(text, 0.0) - std::f64::consts::SQRT_2).abs() < 1e-9, "50 grads are 45°");
        let text = r#"PROJCRS["p",BASEGEOGCRS["g",DATUM["d",ELLIPSOID["e",6378137,0]]],CONVERSION["c",
            METHOD["Mercator (variant B)"],PARAMETER["Latitude of 1st standard parallel",50,ANGLEUNIT["grad",
            0.015707963267949]]],CS[Cartesian,2],LENGTHUNIT["metre",1]]"#;
        assert!((factor(text, 0.0) - std::f64::consts::SQRT_2).abs() < 1e-9);
    }

    #[test]
    fn polar_maps_of_every_dialect_are_the_same() {
        let base = r#"GEOGCS["g",DATUM["d",SPHEROID["WGS 84",6378137,298.257223563]],UNIT["degree",0.0174532925199433]]"#;
        let expected = factor("EPSG:3031", 3_000_000.0);
        assert!(expected < 0.98, "{expected}");
        for method in [
            r#"PROJECTION["Polar_Stereographic"],PARAMETER["latitude_of_origin",-71],PARAMETER["scale_factor",1]"#,
            r#"PROJECTION["Stereographic_South_Pole"],PARAMETER["Standard_Parallel_1",-71.0]"#,
            r#"CONVERSION["c",METHOD["Polar Stereographic (variant B)"],PARAMETER["Latitude of standard parallel",-71]]"#,
        ] {
            let found = factor(&format!(r#"PROJCS["p",{base},{method},UNIT["metre",1]]"#), 3_000_000.0);
            assert!((found - expected).abs() < 1e-12, "{method}: {found}");
        }
        let text = format!(
            r#"PROJCS["p",{base},PROJECTION["Stereographic"],PARAMETER["latitude_of_origin",90],
            PARAMETER["scale_factor",0.994],PARAMETER["false_northing",2000000],UNIT["metre",1]]"#
        );
        // EPSG's also has an easting of the pole.
        let of_code = Projection::of_code(32_661).unwrap().ground([2_000_000.0, 500_000.0]).1[0];
        assert!((of_code - factor(&text, 500_000.0)).abs() < 1e-12);
    }

    #[test]
    fn an_old_prj_says_which_ellipsoid_its_mercator_has() {
        let text = |lines: &str| format!("Projection MERCATOR\n{lines}\nUnits METERS\nParameters\n0 0 0.0\n");
        let at = 8_362_698.548_6;
        let earth = factor(&text("Datum WGS84\nSpheroid WGS84"), at);
        assert!((1.0 / earth - 1.994_972).abs() < 1e-4, "{earth}");
        let bessel = factor(&text("Spheroid BESSEL"), at);
        assert!((bessel / earth - 1.0).abs() > 1e-5);
        assert_eq!(factor(&text("Datum NAD27"), at), factor(&text("Spheroid CLARKE1866"), at));
        let moon = text("").replace("Parameters\n", "Parameters 1737400.0 1737400.0\n");
        assert_eq!(System::of_text(&moon).unwrap().ellipsoid, Some((1_737_400.0, 0.0)));
        // True to scale at 45°, the equator at 1000 m.
        let moon = moon.replace("0 0 0.0\n", "0 0 0.0 /* longitude\n45 0 0.0 /* latitude\n0.0\n1000.0\n");
        assert!((factor(&moon, 1000.0) - std::f64::consts::SQRT_2).abs() < 1e-9);
        let geographic = "Projection GEOGRAPHIC\nUnits DD\nParameters 3396190.0 3376200.0\n";
        assert!(System::of_text(geographic).unwrap().ellipsoid.is_some_and(|(axis, _)| axis == 3_396_190.0));
    }

    #[test]
    fn a_cylinder_whose_northings_begin_elsewhere_is_scaled_where_it_lies() {
        let text = |origin: f64| {
            format!(
                r#"PROJCS["p",GEOGCS["g",DATUM["d",SPHEROID["s",1737400,0]],UNIT["degree",0.0174532925199433]],
                PROJECTION["Equirectangular"],PARAMETER["latitude_of_origin",{origin}],
                PARAMETER["standard_parallel_1",0],UNIT["metre",1]]"#
            )
        };
        assert!((factor(&text(60.0), 0.0) - 0.5).abs() < 1e-9);
        assert!((factor(&text(0.0), 0.0) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn depths_are_reported() {
        for axis in [r#"AXIS["Depth",DOWN]"#, r#"PARAMETER["Direction",-1.0]"#] {
            let text = format!(r#"COMPD_CS["c",PROJCS["p",UNIT["m",1]],VERT_CS["v",{axis},UNIT["m",1]]]"#);
            assert_eq!(System::of_text(&text).unwrap().notes, [DOWNWARDS], "{axis}");
        }
        let text = r#"COMPD_CS["c",PROJCS["p",UNIT["m",1]],VERT_CS["v",AXIS["Up",UP],UNIT["m",1]]]"#;
        assert!(System::of_text(text).unwrap().notes.is_empty());
    }

    #[test]
    fn projections_that_distort_lengths_are_reported() {
        for method in ["Robinson", "Cylindrical_Equal_Area", "Mollweide", "Miller_Cylindrical", "Sinusoidal"]
        {
            let text = format!(r#"PROJCS["p",PROJECTION["{method}"],UNIT["m",1]]"#);
            assert_eq!(System::of_text(&text).unwrap().notes, [stretch::UNEVEN], "{method}");
        }
        let text = r#"PROJCS["p",PROJECTION["Albers_Conic_Equal_Area"],UNIT["m",1]]"#;
        assert!(System::of_text(text).unwrap().notes.is_empty());
        assert_eq!(System::of_code(6933).notes, [stretch::UNEVEN]);
    }

    #[test]
    fn damaged_texts_are_nothing() {
        let deep = "A[".repeat(100_000);
        for text in
            ["", "PROJCS", "PROJCS[", "PROJCS[\"a", "PROJCS[\"a\",UNIT[", "[]", "\u{1b}[2J", "A[$]", &deep]
        {
            assert_eq!(System::of_text(text), None, "{text:.20}");
        }
        let whole = r#"COMPD_CS["ü",PROJCS["p",GEOGCS["g",UNIT["°",0.017]],UNIT["m",1]],VERT_CS["v",UNIT["ft",0.3]]]"#;
        for (end, _) in whole.char_indices() {
            assert_eq!(System::of_text(&whole[..end]), None, "{end}");
        }
        assert!(System::of_text(whole).is_some());
    }
}

//! Coordinate systems as texts give them: well-known text (WKT).
//!
//! Reads WKT 1 (OGC 01-009), ESRI's dialect of it and the parts of WKT 2 (ISO 19162) that say what a
//! coordinate is in, and the older `.prj` files of ArcInfo (`Projection UTM`, `Units METERS`). Only units, the
//! ellipsoid and the scale of some projections are taken; nothing is projected.

use std::ops::Range;

use super::definition::Definition;
use super::stretch::{self, EARTH, Projection, Stretch};
use super::system::{Plane, System};
use super::units::{self, Length, METRE, plain};

impl System {
    /// Reads a `.prj` file or another text that describes a coordinate system. `None` when it is neither WKT
    /// nor ArcInfo's, nor a code such as `EPSG:32632`.
    pub(in crate::elevation) fn of_text(text: &str) -> Option<Self> {
        let text = text.trim_start_matches('\u{feff}').trim();
        if let Some(Definition::Code(code)) = Definition::of_line(text) {
            return Some(Self::of_code(code));
        }
        match Node::parse(text) {
            Some(node) => Self::of_node(&node, text),
            None => Self::of_arc_info(text),
        }
    }

    fn of_node(node: &Node, text: &str) -> Option<Self> {
        let mut system = Self::default();
        system.take(node, text, 0);
        (system.plane.is_some() || system.up.is_some() || !system.notes.is_empty()).then_some(system)
    }

    /// Takes what a system says: its own, or those of the systems that it is made of.
    fn take(&mut self, node: &Node, text: &str, depth: usize) {
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
            "LOCAL_CS" | "ENGCRS" | "ENGINEERINGCRS" => {
                if node.unit(&["UNIT", "LENGTHUNIT"]).is_some() {
                    self.plane = Some(Plane::Lengths(self.length(node, "the map")));
                    self.define(node, text);
                }
            }
            "VERT_CS" | "VERTCS" | "VERTCRS" | "VERTICALCRS" => {
                if node.unit(&["UNIT", "LENGTHUNIT"]).is_some() {
                    self.up = Some(self.length(node, "the heights"));
                }
                if node.counts_downwards() {
                    let note = "its vertical system counts downwards; heights are read as they are stored";
                    self.notes.push(note.to_owned());
                }
            }
            _ => {}
        }
        // ESRI puts the vertical system behind the other.
        if depth == 0 {
            node.after.iter().for_each(|node| self.take(node, text, 1));
        }
    }

    /// Keeps the definition of a horizontal system: its code where it has one, or else its text.
    fn define(&mut self, node: &Node, text: &str) {
        if self.definition.is_none() {
            let text = || text.get(node.place.clone()).map(|text| Definition::Text(text.into()));
            self.definition = node.code().map(Definition::Code).or_else(text);
        }
    }

    fn length(&mut self, node: &Node, of: &str) -> Length {
        let Some((name, factor)) = node.unit(&["UNIT", "LENGTHUNIT"]) else {
            self.notes.push(format!("it gives no unit for {of}, which is taken to be metres"));
            return METRE;
        };
        // The metres behind the name count; the name may be in any language.
        let unit = factor.and_then(Length::of_metres).or_else(|| units::length_by_name(name));
        unit.unwrap_or_else(|| {
            self.notes.push(format!("its unit `{}` for {of} is unknown and taken for metres", short(name)));
            METRE
        })
    }

    fn angle(&mut self, node: &Node) -> f64 {
        let Some((name, factor)) = node.unit(&["UNIT", "ANGLEUNIT"]) else { return 1.0 };
        let radians = factor.filter(|factor| factor.is_finite() && *factor > 0.0);
        let degrees = radians.map(|radians| units::exact_degrees(radians.to_degrees()));
        degrees.or_else(|| units::degrees_by_name(name)).unwrap_or_else(|| {
            self.notes.push(format!("its unit `{}` is unknown and taken for degrees", short(name)));
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
                system.notes.push(format!("its unit `{unit}` is unknown and taken for degrees"));
                1.0
            })));
            return Some(system);
        }
        // A number is how many units there are in a metre.
        let length = |unit: &str| {
            let count = || unit.parse().ok().and_then(|count: f64| Length::of_metres(1.0 / count));
            units::length_by_name(unit).or_else(count)
        };
        let unit = unit.unwrap_or_default();
        let plane = length(&unit).unwrap_or_else(|| {
            let reason = format!("its unit `{}` for the map is unknown and taken for metres", short(&unit));
            system.notes.push(reason);
            METRE
        });
        system.plane = Some(Plane::Lengths(plane));
        if let Some(unit) = value("zunits").filter(|unit| !unit.eq_ignore_ascii_case("no")) {
            system.up = length(&unit);
            if system.up.is_none() {
                let reason =
                    format!("its unit `{}` for the heights is unknown and taken for metres", short(&unit));
                system.notes.push(reason);
            }
        }
        if projection.starts_with("MERCATOR") {
            let (axis, flattening) = EARTH;
            let kind = Stretch::Mercator;
            let found = Projection { kind, axis, flattening, parallel: 0.0, scale: 1.0, false_northing: 0.0 };
            system.projection = Some(found);
        }
        Some(system)
    }
}

fn short(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(40).collect()
}

/// How the scale of a projected system depends on the latitude; `None` where it hardly does, as that of the
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
        // GDAL writes Web Mercator as Mercator, with a PROJ string that says more.
        || (name.starts_with("mercator") && node.mentions("+nadgrids=@null"))
        || node.words.first().is_some_and(|name| plain(name).contains("pseudomercator"));
    let kind = if is_web || name.starts_with("mercator") {
        Stretch::Mercator
    } else if ["equirectangular", "equidistantcylindrical", "platecarree"]
        .iter()
        .any(|own| name.starts_with(own))
    {
        Stretch::Cylindrical
    } else {
        return None;
    };
    let parameter = |wanted: &[&str]| {
        let own = node.children.iter();
        let of_conversion = node.child(&["CONVERSION"]).into_iter().flat_map(|node| &node.children);
        own.chain(of_conversion).find_map(|child| {
            let is_wanted =
                child.key == "PARAMETER" && wanted.contains(&plain(child.words.first()?).as_str());
            let number = *child.numbers.first().filter(|number| is_wanted && number.is_finite())?;
            Some(number)
        })
    };
    let scale = parameter(&["scalefactor", "scalefactoratnaturalorigin"]).filter(|scale| *scale > 0.0);
    let parallel = parameter(&["standardparallel1", "latitudeof1ststandardparallel"]).unwrap_or(0.0);
    // Northings of the cylindrical one begin at this latitude.
    let origin = parameter(&["latitudeoforigin", "latitudeofcenter", "latitudeofnaturalorigin"])
        .filter(|_| kind == Stretch::Cylindrical)
        .unwrap_or(0.0);
    let false_northing =
        parameter(&["falsenorthing"]).unwrap_or(0.0) * unit.metres - origin.to_radians() * axis;
    Some(Projection {
        kind,
        axis,
        flattening: if is_web { 0.0 } else { flattening },
        parallel: parallel.clamp(-89.0, 89.0),
        scale: scale.unwrap_or(1.0),
        false_northing,
    })
}

/// Whether the scale of a projected system differs from place to place, in a way that isn't computed.
fn is_uneven(node: &Node) -> bool {
    let method = node.child(&["PROJECTION"]).or_else(|| node.child(&["CONVERSION"])?.child(&["METHOD"]));
    let name = method.and_then(|method| method.words.first()).map(|name| plain(name)).unwrap_or_default();
    let others =
        ["miller", "robinson", "vandergrinten", "gnomonic", "orthographic", "mollweide", "equalearth"];
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
    /// Systems that follow it, separated by a comma.
    after: Vec<Node>,
}

impl Node {
    /// Parts within parts, at most: WKT has about eight.
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

    /// Whether a text in it, however deep, contains this.
    fn mentions(&self, text: &str) -> bool {
        self.words.iter().any(|word| word.contains(text))
            || self.children.iter().any(|node| node.mentions(text))
    }

    /// The first ellipsoid in it, however deep.
    fn ellipsoid(&self) -> Option<(f64, f64)> {
        if matches!(self.key.as_str(), "SPHEROID" | "ELLIPSOID") {
            let &[radius, inverse, ..] = self.numbers.as_slice() else { return None };
            let metres = self.unit(&["LENGTHUNIT"]).and_then(|(_, factor)| factor).unwrap_or(1.0);
            // No flattening is written as an inverse of 0.
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
            projection.map(|projection| projection.ground(8_399_737.89).1)
        };
        assert!((ground(text).unwrap()[0] - 0.5).abs() < 1e-6, "60° north");
        assert_eq!(ground(&text.replace("Mercator_Auxiliary_Sphere\"]", "Transverse_Mercator\"]")), None);
        let plate =
            ground(&text.replace("Mercator_Auxiliary_Sphere\"]", "Equidistant_Cylindrical\"]")).unwrap();
        assert!(plate[0] < 0.3 && plate[1] == 1.0, "{plate:?}");
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

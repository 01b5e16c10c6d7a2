//! Coordinate systems from the keys of a GeoTIFF (GeoTIFF 1.1, OGC 19-008r4).

use std::sync::Arc;

use super::definition::{Definition, Keys};
use super::stretch::{self, Projection, Stretch};
use super::system::{Plane, System};
use super::text::DOWNWARDS;
use super::units::{self, Length, METRE};

/// The tag for the values of keys that are floats, and the one for texts.
pub(in crate::elevation) const FLOATS: u16 = 34_736;
pub(in crate::elevation) const TEXTS: u16 = 34_737;

/// Key and code numbers of the GeoTIFF standard.
pub(super) mod key {
    pub(in crate::elevation::map) const MODEL_TYPE: u16 = 1024;
    pub(in crate::elevation::map) const MODEL_PROJECTED: u16 = 1;
    pub(in crate::elevation::map) const MODEL_GEOGRAPHIC: u16 = 2;
    pub(in crate::elevation::map) const RASTER_TYPE: u16 = 1025;
    pub(in crate::elevation::map) const RASTER_IS_AREA: u16 = 1;
    pub(in crate::elevation::map) const RASTER_IS_POINT: u16 = 2;
    pub(in crate::elevation::map) const CITATION: u16 = 1026;
    pub(in crate::elevation::map) const GEOGRAPHIC_TYPE: u16 = 2048;
    pub(in crate::elevation::map) const GEOGRAPHIC_CITATION: u16 = 2049;
    pub(in crate::elevation::map) const WGS_84: u16 = 4326;
    pub(in crate::elevation::map) const DATUM: u16 = 2050;
    pub(in crate::elevation::map) const GEOGRAPHIC_LINEAR_UNITS: u16 = 2052;
    pub(in crate::elevation::map) const GEOGRAPHIC_LINEAR_UNIT_SIZE: u16 = 2053;
    pub(in crate::elevation::map) const ANGULAR_UNITS: u16 = 2054;
    pub(in crate::elevation::map) const ANGULAR_UNIT_SIZE: u16 = 2055;
    pub(in crate::elevation::map) const DEGREE: u16 = 9102;
    pub(in crate::elevation::map) const SEMI_MAJOR_AXIS: u16 = 2057;
    pub(in crate::elevation::map) const SEMI_MINOR_AXIS: u16 = 2058;
    pub(in crate::elevation::map) const INVERSE_FLATTENING: u16 = 2059;
    pub(in crate::elevation::map) const MERIDIAN_LONGITUDE: u16 = 2061;
    pub(in crate::elevation::map) const PROJECTED_TYPE: u16 = 3072;
    pub(in crate::elevation::map) const PROJECTED_CITATION: u16 = 3073;
    pub(in crate::elevation::map) const PROJECTION_METHOD: u16 = 3075;
    pub(in crate::elevation::map) const METHOD_MERCATOR: u16 = 7;
    pub(in crate::elevation::map) const METHOD_STEREOGRAPHIC: u16 = 14;
    pub(in crate::elevation::map) const METHOD_POLAR_STEREOGRAPHIC: u16 = 15;
    pub(in crate::elevation::map) const METHOD_CYLINDRICAL: u16 = 17;
    /// Methods by number: gnomonic, Miller, orthographic, Robinson, van der Grinten, and GDAL's for
    /// equal-area cylinders.
    pub(in crate::elevation::map) const UNEVEN_METHODS: [u16; 6] = [19, 20, 21, 23, 25, 28];
    pub(in crate::elevation::map) const USER_DEFINED: u16 = 32_767;
    pub(in crate::elevation::map) const LINEAR_UNITS: u16 = 3076;
    pub(in crate::elevation::map) const LINEAR_UNIT_SIZE: u16 = 3077;
    pub(in crate::elevation::map) const STANDARD_PARALLEL: u16 = 3078;
    pub(in crate::elevation::map) const ORIGIN_LATITUDE: u16 = 3081;
    pub(in crate::elevation::map) const FALSE_EASTING: u16 = 3082;
    pub(in crate::elevation::map) const FALSE_NORTHING: u16 = 3083;
    pub(in crate::elevation::map) const CENTER_LATITUDE: u16 = 3089;
    pub(in crate::elevation::map) const SCALE_AT_ORIGIN: u16 = 3092;
    /// Keys from here on are about heights.
    pub(in crate::elevation::map) const VERTICAL_TYPE: u16 = 4096;
    pub(in crate::elevation::map) const VERTICAL_CITATION: u16 = 4097;
    pub(in crate::elevation::map) const VERTICAL_UNITS: u16 = 4099;
    pub(in crate::elevation::map) const METRE: u16 = 9001;
    pub(in crate::elevation::map) const WEB_MERCATOR: u16 = 3857;
}

/// The prefix by which ESRI's programs mark a citation that is well-known text. GDAL reads it, too.
const ESRI_TEXT: &str = "ESRI PE String = ";

impl Keys {
    /// The value of a key that is stored in the directory itself.
    pub(super) fn get(&self, wanted: u16) -> Option<u16> {
        self.entries.iter().find(|[key, place, ..]| *key == wanted && *place == 0).map(|key| key[3])
    }

    /// The value of a key that is a float.
    pub(super) fn float(&self, wanted: u16) -> Option<f64> {
        let entry = self.entries.iter().find(|[key, place, ..]| *key == wanted && *place == FLOATS)?;
        // `get`, since the index comes from the file.
        self.floats.get(usize::from(entry[3])).copied().filter(|number| number.is_finite())
    }

    /// The value of a key that is a text.
    fn text(&self, wanted: u16) -> Option<String> {
        let &[_, _, count, first] =
            self.entries.iter().find(|[key, place, ..]| *key == wanted && *place == TEXTS)?;
        let first = usize::from(first).min(self.texts.len());
        let end = (first + usize::from(count)).min(self.texts.len());
        Some(String::from_utf8_lossy(&self.texts[first..end]).trim_end_matches(['|', '\0', ' ']).to_owned())
    }

    /// Whether the places that tags give are those of the centres of cells.
    pub(in crate::elevation) fn are_points(&self) -> bool {
        self.get(key::RASTER_TYPE) == Some(key::RASTER_IS_POINT)
    }

    /// The EPSG code of the projected coordinate system, if it has one, and of the vertical system that it
    /// contains.
    fn projected(&self) -> (Option<u16>, Option<u16>) {
        let own = self.get(key::PROJECTED_TYPE).filter(|code| units::is_system(*code));
        let geographic = || self.get(key::GEOGRAPHIC_TYPE).filter(|code| units::is_system(*code));
        let compound = own.or_else(geographic).and_then(units::parts);
        match (own, compound) {
            (Some(_), Some((horizontal, vertical))) => (Some(horizontal), Some(vertical)),
            (own, compound) => (own, compound.map(|(_, vertical)| vertical)),
        }
    }

    /// The EPSG code of the horizontal system, if the code says all that the keys do.
    pub(in crate::elevation) fn code(&self) -> Option<u16> {
        let code = self.get(key::PROJECTED_TYPE).or(self.get(key::GEOGRAPHIC_TYPE))?;
        let code = Some(code).filter(|code| units::is_system(*code))?;
        let code = units::parts(code).map_or(code, |(horizontal, _)| horizontal);
        // Keys may contradict their own code; a code alone would then lose the unit.
        (System::of_keys(self).plane == System::of_code(code).plane).then_some(code)
    }

    /// Whether coordinates are lengths (`Some(true)`) or angles, if the keys say it.
    fn is_projected(&self) -> Option<bool> {
        match self.get(key::MODEL_TYPE) {
            Some(key::MODEL_PROJECTED) => Some(true),
            Some(key::MODEL_GEOGRAPHIC) => Some(false),
            _ if self.get(key::PROJECTED_TYPE).is_some_and(|code| code > 0) => Some(true),
            _ if self.get(key::GEOGRAPHIC_TYPE).is_some_and(|code| code > 0) => Some(false),
            // Local systems, which are neither, still give the unit of their lengths.
            _ if self.get(key::LINEAR_UNITS).is_some_and(|unit| unit > 0) => Some(true),
            _ => None,
        }
    }

    /// The unit of the heights.
    fn vertical(&self, notes: &mut Vec<String>) -> Option<Length> {
        let code = self.get(key::VERTICAL_TYPE).filter(|code| units::is_system(*code));
        let code = code.or(self.projected().1);
        if code.is_some_and(units::is_depth) {
            notes.push(DOWNWARDS.to_owned());
        }
        if let Some(unit) = self.get(key::VERTICAL_UNITS).filter(|&unit| unit > 0) {
            if let Some(found) = units::length(unit) {
                if let Some(code) = code
                    && let Some(other) = units::of_vertical(code)
                    && found.differs(other)
                {
                    notes.push(format!(
                        "its heights are in {} by their own key and in {} by EPSG:{code}, which is used, as by GDAL; \
                         give their unit if that is wrong",
                        found.name, other.name
                    ));
                    return Some(other);
                }
                return Some(found);
            }
            if unit != key::USER_DEFINED {
                notes.push(format!("the unit of its heights, EPSG:{unit}, is unknown; metres are assumed"));
                return None;
            }
        }
        if let Some(code) = code {
            if let Some(unit) = units::of_vertical(code) {
                return Some(unit);
            }
            // In the first version of the standard, ellipsoids had these codes: heights above them are in
            // metres.
            if !(5001..=5035).contains(&code) {
                notes.push(format!(
                    "its vertical system EPSG:{code} is unknown; heights in metres are assumed"
                ));
            }
        }
        let unit = units::length_in_citation(&self.text(key::VERTICAL_CITATION)?)?;
        if unit.differs(METRE) {
            notes.push(format!("the name of its vertical system says that heights are in {}", unit.name));
        }
        Some(unit)
    }

    /// The names of the coordinate system.
    fn citations(&self) -> String {
        let keys = [key::PROJECTED_CITATION, key::CITATION, key::GEOGRAPHIC_CITATION];
        keys.map(|key| self.text(key).unwrap_or_default()).join(" | ")
    }

    /// The first name of the coordinate system.
    pub(in crate::elevation) fn name(&self) -> Option<String> {
        let keys = [key::PROJECTED_CITATION, key::GEOGRAPHIC_CITATION, key::CITATION];
        keys.into_iter().find_map(|key| self.text(key).filter(|text| !text.is_empty()))
    }

    /// Well-known text in the citations.
    fn esri_text(&self) -> Option<String> {
        let citations = self.citations();
        let (_, text) = citations.split_once(ESRI_TEXT)?;
        Some(text.to_owned())
    }

    /// The unit of lengths on the map.
    pub(super) fn linear(&self, notes: &mut Vec<String>) -> Length {
        let code = self.projected().0;
        let by_code = code.and_then(units::of_projected);
        let unit = self.get(key::LINEAR_UNITS).filter(|&unit| unit > 0);
        let own = match unit {
            Some(key::USER_DEFINED) => self.float(key::LINEAR_UNIT_SIZE).and_then(Length::of_metres),
            Some(unit) => units::length(unit),
            None => None,
        };
        let named = || {
            // Last of all, because a name is only a text: codes and numbers come first.
            let citations = [key::PROJECTED_CITATION, key::CITATION];
            citations.iter().find_map(|&key| units::length_in_citation(&self.text(key)?))
        };
        match (own, by_code) {
            (Some(own), Some(other)) if own.differs(other) => {
                let code = code.unwrap_or_default();
                notes.push(format!(
                    "its lengths are in {} by their own key and in {} by EPSG:{code}; the key is used",
                    own.name, other.name
                ));
                own
            }
            (Some(own), _) => own,
            (None, Some(by_code)) => by_code,
            (None, None) => {
                if let Some(unit) = named() {
                    if unit.differs(METRE) {
                        notes.push(format!(
                            "the name of its coordinate system says that lengths are in {}",
                            unit.name
                        ));
                    }
                    return unit;
                }
                notes.push(match (unit, code) {
                    (Some(unit), _) => {
                        format!("its unit of length, EPSG:{unit}, is unknown; metres are assumed")
                    }
                    (None, Some(code)) => {
                        format!("its coordinate system EPSG:{code} is unknown; lengths in metres are assumed")
                    }
                    (None, None) => "it doesn't give the unit of its lengths; metres are assumed".to_owned(),
                });
                METRE
            }
        }
    }

    /// Semi-major axis in metres and flattening of the ellipsoid, if the keys give it.
    pub(super) fn ellipsoid(&self) -> Option<(f64, f64)> {
        let axis = self.float(key::SEMI_MAJOR_AXIS).filter(|&axis| axis > 0.0)?;
        let flattening = match (self.float(key::INVERSE_FLATTENING), self.float(key::SEMI_MINOR_AXIS)) {
            (Some(inverse), _) if inverse > 1.0 => 1.0 / inverse,
            (_, Some(minor)) if minor > 0.0 && minor <= axis => 1.0 - minor / axis,
            _ => 0.0,
        };
        let unit = match self.get(key::GEOGRAPHIC_LINEAR_UNITS) {
            Some(key::USER_DEFINED) => {
                self.float(key::GEOGRAPHIC_LINEAR_UNIT_SIZE).and_then(Length::of_metres)
            }
            code => code.and_then(units::length),
        };
        Some((axis * unit.unwrap_or(METRE).metres, flattening))
    }

    /// How the scale of the projection depends on the latitude.
    fn projection(&self, unit: Length) -> Option<Projection> {
        let citations = self.citations().to_ascii_lowercase().replace(['_', '-'], " ");
        // Web Mercator has no method of its own in GeoTIFF, so programs write it as Mercator with such a
        // name.
        let web = ["web mercator", "pseudo mercator", "popular visualisation", "google maps"];
        let code = match self.projected().0 {
            Some(3785) => Some(key::WEB_MERCATOR),
            None if web.iter().any(|name| citations.contains(name)) => Some(key::WEB_MERCATOR),
            code => code,
        };
        if let Some(code) = code {
            return Projection::of_code(code);
        }
        let (axis, flattening) = self.ellipsoid().unwrap_or(stretch::EARTH);
        let degrees = self.get(key::ANGULAR_UNITS).and_then(units::degrees).unwrap_or(1.0);
        let origin = || self.float(key::CENTER_LATITUDE).or(self.float(key::ORIGIN_LATITUDE)).unwrap_or(0.0);
        let kind = match self.get(key::PROJECTION_METHOD)? {
            key::METHOD_MERCATOR => Stretch::Mercator,
            key::METHOD_CYLINDRICAL => Stretch::Cylindrical,
            key::METHOD_POLAR_STEREOGRAPHIC => Stretch::Polar,
            // Around a pole, this method is the polar one.
            key::METHOD_STEREOGRAPHIC if (origin() * degrees).abs() > 89.99 => Stretch::Polar,
            _ => return None,
        };
        let scale = self.float(key::SCALE_AT_ORIGIN).filter(|&scale| scale > 0.0).unwrap_or(1.0);
        if kind == Stretch::Polar {
            let length = |key: u16| self.float(key).unwrap_or(0.0) * unit.metres;
            let parallel = self.float(key::STANDARD_PARALLEL).unwrap_or_else(origin) * degrees;
            let (false_easting, false_northing) = (length(key::FALSE_EASTING), length(key::FALSE_NORTHING));
            return Some(Projection {
                kind,
                axis,
                flattening,
                parallel,
                scale,
                false_easting,
                false_northing,
            });
        }
        // Northings of the one projection begin at that latitude, those of the other always at the equator.
        let origin =
            if kind == Stretch::Cylindrical { (origin() * degrees).to_radians() * axis } else { 0.0 };
        Some(Projection {
            kind,
            axis,
            flattening,
            parallel: self.float(key::STANDARD_PARALLEL).unwrap_or(0.0) * degrees,
            scale,
            false_easting: 0.0,
            false_northing: self.float(key::FALSE_NORTHING).unwrap_or(0.0) * unit.metres - origin,
        })
    }

    /// The degrees in the unit of angle.
    pub(super) fn angular(&self, notes: &mut Vec<String>) -> f64 {
        match self.get(key::ANGULAR_UNITS) {
            None | Some(0) => {
                let code = self.get(key::GEOGRAPHIC_TYPE).filter(|code| units::is_system(*code));
                code.and_then(units::of_geographic).unwrap_or(1.0)
            }
            Some(key::USER_DEFINED) => {
                let size = self.float(key::ANGULAR_UNIT_SIZE).filter(|size| *size > 0.0);
                size.map_or(1.0, |radians| units::exact_degrees(radians.to_degrees()))
            }
            Some(code) => units::degrees(code).unwrap_or_else(|| {
                notes.push(format!("its unit of angle, EPSG:{code}, is unknown; degrees are assumed"));
                1.0
            }),
        }
    }

    /// The definition of the horizontal system alone, with places as corners of cells.
    fn horizontal(&self) -> Definition {
        let system = self.get(key::PROJECTED_TYPE).or(self.get(key::GEOGRAPHIC_TYPE));
        if let Some((horizontal, _)) = system.and_then(units::parts) {
            return Definition::Code(horizontal);
        }
        let is_kept = |entry: &&[u16; 4]| entry[0] < key::VERTICAL_TYPE && entry[0] != key::RASTER_TYPE;
        let mut entries: Vec<[u16; 4]> = self.entries.iter().filter(is_kept).copied().collect();
        entries.push([key::RASTER_TYPE, 0, 1, key::RASTER_IS_AREA]);
        // The standard requires this order.
        entries.sort_unstable();
        let (floats, texts) = (self.floats.clone(), self.texts.clone());
        Definition::Keys(Arc::new(Self { entries, floats, texts }))
    }

    /// The keys for cells of degrees (`true`) or metres whose coordinate system is unknown.
    pub(in crate::elevation) fn unknown(in_degrees: bool) -> Self {
        Self::of(if in_degrees {
            vec![
                [key::MODEL_TYPE, 0, 1, key::MODEL_GEOGRAPHIC],
                [key::GEOGRAPHIC_TYPE, 0, 1, key::WGS_84],
                [key::ANGULAR_UNITS, 0, 1, key::DEGREE],
            ]
        } else {
            vec![
                [key::MODEL_TYPE, 0, 1, key::MODEL_PROJECTED],
                [key::PROJECTED_TYPE, 0, 1, key::USER_DEFINED],
                [key::LINEAR_UNITS, 0, 1, key::METRE],
            ]
        })
    }

    fn of(mut entries: Vec<[u16; 4]>) -> Self {
        entries.insert(1, [key::RASTER_TYPE, 0, 1, key::RASTER_IS_AREA]);
        Self { entries, ..Self::default() }
    }

    /// The keys that define a system.
    pub(in crate::elevation) fn defining(definition: &Definition) -> Self {
        match definition {
            Definition::Keys(keys) => Self::clone(keys),
            Definition::Code(code) => match units::of_projected(*code) {
                None => Self::of(vec![
                    [key::MODEL_TYPE, 0, 1, key::MODEL_GEOGRAPHIC],
                    [key::GEOGRAPHIC_TYPE, 0, 1, *code],
                ]),
                Some(unit) => {
                    let mut entries = vec![
                        [key::MODEL_TYPE, 0, 1, key::MODEL_PROJECTED],
                        [key::PROJECTED_TYPE, 0, 1, *code],
                    ];
                    entries.extend(units::code_of(unit).map(|unit| [key::LINEAR_UNITS, 0, 1, unit]));
                    Self::of(entries)
                }
            },
            Definition::Text(text) => Self::defining_text(text),
        }
    }

    fn defining_text(text: &str) -> Self {
        let is_plain = |letter: char| letter == ' ' || letter.is_ascii_graphic();
        let line: String = text.chars().filter(|letter| is_plain(*letter)).collect();
        let citation = format!("{ESRI_TEXT}{line}|");
        let Ok(length) = u16::try_from(citation.len()) else { return Self::unknown(false) };
        // GDAL reads the text only under this key, and only of a model that is neither projected nor
        // geographic; otherwise it would believe the other keys, which say less.
        let own = |system| {
            vec![
                [key::MODEL_TYPE, 0, 1, key::USER_DEFINED],
                [system, 0, 1, key::USER_DEFINED],
                [key::PROJECTED_CITATION, TEXTS, length, 0],
            ]
        };
        let mut floats = Vec::new();
        let entries = match System::of_text(text).and_then(|system| system.plane) {
            Some(Plane::Degrees(_)) => own(key::GEOGRAPHIC_TYPE),
            plane => {
                let mut entries = own(key::PROJECTED_TYPE);
                if let Some(Plane::Lengths(unit)) = plane {
                    let code = units::code_of(unit).unwrap_or(key::USER_DEFINED);
                    entries.push([key::LINEAR_UNITS, 0, 1, code]);
                    if code == key::USER_DEFINED {
                        entries.push([key::LINEAR_UNIT_SIZE, FLOATS, 1, 0]);
                        floats.push(unit.metres);
                    }
                }
                entries
            }
        };
        Self { floats, texts: citation.into_bytes(), ..Self::of(entries) }
    }
}

impl System {
    /// The system of the keys of a GeoTIFF.
    pub(in crate::elevation) fn of_keys(keys: &Keys) -> Self {
        let mut notes = Vec::new();
        let up = keys.vertical(&mut notes);
        // Its text says more than the keys, if there is one and no code.
        let text = keys.esri_text().filter(|_| keys.projected().0.is_none());
        if let Some(mut system) =
            text.and_then(|text| Self::of_text(&text)).filter(|text| text.plane.is_some())
        {
            system.up = up.or(system.up);
            system.notes.append(&mut notes);
            return system;
        }
        let Some(is_projected) = keys.is_projected() else {
            return Self { up, notes, ..Self::default() };
        };
        let (plane, projection) = if is_projected {
            let unit = keys.linear(&mut notes);
            let is_uneven = match (keys.projected().0, keys.get(key::PROJECTION_METHOD)) {
                (Some(code), _) => stretch::is_uneven(code),
                (None, method) => method.is_some_and(|method| key::UNEVEN_METHODS.contains(&method)),
            };
            if is_uneven {
                notes.push(stretch::UNEVEN.to_owned());
            }
            (Plane::Lengths(unit), keys.projection(unit))
        } else {
            (Plane::Degrees(keys.angular(&mut notes)), None)
        };
        let is_known = |code: Option<u16>| code.is_some_and(|code| code > 0 && code != key::USER_DEFINED);
        let is_named = is_known(keys.get(key::PROJECTED_TYPE)) || is_known(keys.get(key::GEOGRAPHIC_TYPE));
        let is_defined = is_named
            || keys.get(key::PROJECTION_METHOD).is_some()
            || keys.float(key::SEMI_MAJOR_AXIS).is_some()
            || keys.citations().chars().any(char::is_alphanumeric);
        Self {
            plane: Some(plane),
            up,
            ellipsoid: keys.ellipsoid(),
            projection,
            // Metres without a known system need no definition.
            definition: (is_defined || plane != Plane::Lengths(METRE)).then(|| keys.horizontal()),
            notes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_keys_define_they_are_read_as() {
        let feet = r#"PROJCS["own",GEOGCS["g",DATUM["d",SPHEROID["s",6378137,298.25]]],PROJECTION["Lambert_Conformal_Conic"],UNIT["Foot_US",0.3048006096012192]]"#;
        let rods = r#"PROJCS["own",PROJECTION["x"],UNIT["rod",5.0292]]"#;
        for definition in [
            Definition::Code(32_632),
            Definition::Code(2277),
            Definition::Code(4258),
            Definition::Text(feet.into()),
            Definition::Text(rods.into()),
        ] {
            let system = System::of_definition(definition.clone());
            let back = System::of_keys(&Keys::defining(&definition));
            assert_eq!((back.plane, &back.notes), (system.plane, &Vec::new()), "{definition:?}");
            match definition {
                // Keys stay keys, which give the code.
                Definition::Code(code) => {
                    let Some(Definition::Keys(keys)) = back.definition else { panic!("{code}") };
                    let given = keys.get(key::PROJECTED_TYPE).or(keys.get(key::GEOGRAPHIC_TYPE));
                    assert_eq!(given, Some(code));
                }
                text => assert_eq!(back.definition, Some(text)),
            }
        }
        let metres = System::of_keys(&Keys::unknown(false));
        assert_eq!((metres.plane, metres.definition), (Some(Plane::Lengths(METRE)), None));
    }

    #[test]
    fn keys_of_heights_are_not_kept() {
        // Texas Central in feet, and NAVD88 heights in feet.
        let entries = vec![[1024, 0, 1, 1], [1025, 0, 1, 2], [3072, 0, 1, 2277], [4096, 0, 1, 6360]];
        let system = System::of_keys(&Keys { entries, ..Keys::default() });
        assert!(system.up.is_some_and(|unit| unit.name == "US survey foot"));
        let Some(Definition::Keys(kept)) = system.definition else { panic!() };
        assert_eq!(kept.entries, [[1024, 0, 1, 1], [1025, 0, 1, 1], [3072, 0, 1, 2277]]);
    }
}

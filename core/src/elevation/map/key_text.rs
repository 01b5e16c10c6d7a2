//! The text of coordinate systems that the keys of a GeoTIFF define by themselves, without a code: well-known
//! text 1 (OGC 01-009), for files that cannot hold keys.

use super::definition::Keys;
use super::keys::key;
use super::units::{self, METRE};

/// Metres and radians are written with this name where the keys only give a size.
const OWN_UNIT: &str = "unknown";

/// A parameter of a projection: its name in a text, and the keys that may give it, the usual one first.
type Parameter = (&'static str, &'static [u16]);

const EASTING: Parameter = ("false_easting", &[3082, 3086, 3090]);
const NORTHING: Parameter = ("false_northing", &[3083, 3087, 3091]);
const SCALE: Parameter = ("scale_factor", &[3092, 3093]);
const PARALLEL_1: Parameter = ("standard_parallel_1", &[3078]);
const PARALLEL_2: Parameter = ("standard_parallel_2", &[3079]);
const LATITUDE: Parameter = ("latitude_of_origin", &[3081, 3085, 3089]);
const MERIDIAN: Parameter = ("central_meridian", &[3080, 3084, 3088]);
const LATITUDE_OF_CENTRE: Parameter = ("latitude_of_center", &[3089, 3085, 3081]);
const LONGITUDE_OF_CENTRE: Parameter = ("longitude_of_center", &[3088, 3084, 3080]);

/// Projection methods by their numbers in GeoTIFF, their names in a text, and their parameters. Mercator
/// projections by a parallel that is true to scale are in [`MERCATOR_BY_PARALLEL`].
const METHODS: [(u16, &str, &[Parameter]); 10] = [
    (1, "Transverse_Mercator", &[LATITUDE, MERIDIAN, SCALE, EASTING, NORTHING]),
    (7, "Mercator_1SP", &[MERIDIAN, SCALE, EASTING, NORTHING]),
    (8, "Lambert_Conformal_Conic_2SP", &[PARALLEL_1, PARALLEL_2, LATITUDE, MERIDIAN, EASTING, NORTHING]),
    (9, "Lambert_Conformal_Conic_1SP", &[LATITUDE, MERIDIAN, SCALE, EASTING, NORTHING]),
    (10, "Lambert_Azimuthal_Equal_Area", &[LATITUDE_OF_CENTRE, LONGITUDE_OF_CENTRE, EASTING, NORTHING]),
    (
        11,
        "Albers_Conic_Equal_Area",
        &[PARALLEL_1, PARALLEL_2, LATITUDE_OF_CENTRE, LONGITUDE_OF_CENTRE, EASTING, NORTHING],
    ),
    (14, "Stereographic", &[LATITUDE, MERIDIAN, SCALE, EASTING, NORTHING]),
    (15, "Polar_Stereographic", &[LATITUDE, ("central_meridian", &[3095, 3080]), SCALE, EASTING, NORTHING]),
    (17, "Equirectangular", &[PARALLEL_1, LATITUDE_OF_EQUIRECTANGULAR, MERIDIAN, EASTING, NORTHING]),
    (24, "Sinusoidal", &[LONGITUDE_OF_CENTRE, EASTING, NORTHING]),
];
const LATITUDE_OF_EQUIRECTANGULAR: Parameter = ("latitude_of_origin", &[3089, 3081]);
const MERCATOR_BY_PARALLEL: (u16, &str, &[Parameter]) =
    (7, "Mercator_2SP", &[PARALLEL_1, MERIDIAN, EASTING, NORTHING]);

impl Keys {
    /// Well-known text of the horizontal system; `None` where the keys don't give an ellipsoid, or where the
    /// method of the projection isn't one of those above.
    pub(in crate::elevation) fn well_known_text(&self) -> Option<String> {
        let geographic = self.geographic_text()?;
        match self.get(key::MODEL_TYPE)? {
            // In the order in which GeoTIFF has them.
            key::MODEL_GEOGRAPHIC => geographic
                .strip_suffix(']')
                .map(|open| format!("{open},AXIS[\"Latitude\",NORTH],AXIS[\"Longitude\",EAST]]")),
            key::MODEL_PROJECTED => {
                let method = self.get(key::PROJECTION_METHOD)?;
                let of_parallel = |_: &f64| MERCATOR_BY_PARALLEL.0 == method;
                let (_, name, parameters) = match self.float(key::STANDARD_PARALLEL).filter(of_parallel) {
                    Some(_) => MERCATOR_BY_PARALLEL,
                    None => *METHODS.iter().find(|(number, ..)| *number == method)?,
                };
                let parameters: String = parameters
                    .iter()
                    .filter_map(|(name, keys)| {
                        let value = keys.iter().find_map(|key| self.float(*key))?;
                        Some(format!("PARAMETER[\"{name}\",{value}],"))
                    })
                    .collect();
                let unit = self.linear(&mut Vec::new());
                let unit_name = if unit.differs(METRE) { unit.name } else { "metre" };
                let title = self.title();
                Some(format!(
                    "PROJCS[\"{title}\",{geographic},PROJECTION[\"{name}\"],{parameters}UNIT[\"{unit_name}\",{}]]",
                    unit.metres
                ))
            }
            _ => None,
        }
    }

    fn geographic_text(&self) -> Option<String> {
        let (axis, flattening) = self.ellipsoid()?;
        // Texts say 0 for a sphere.
        let inverse = match self.float(key::INVERSE_FLATTENING) {
            Some(inverse) if inverse > 1.0 => inverse,
            _ if flattening > 0.0 => 1.0 / flattening,
            _ => 0.0,
        };
        let authority = |code: Option<u16>| {
            let code = code.filter(|code| units::is_system(*code));
            code.map(|code| format!(",AUTHORITY[\"EPSG\",\"{code}\"]")).unwrap_or_default()
        };
        let datum = authority(self.get(key::DATUM));
        let longitude = self.float(key::MERIDIAN_LONGITUDE).unwrap_or(0.0);
        let meridian = match (longitude == 0.0, datum.is_empty()) {
            // That of another planet isn't Greenwich.
            (true, true) => "Reference meridian",
            (true, false) => "Greenwich",
            (false, _) => OWN_UNIT,
        };
        let degrees = self.angular(&mut Vec::new());
        let unit = if degrees == 1.0 {
            // As it is written everywhere.
            "UNIT[\"degree\",0.0174532925199433]".to_owned()
        } else {
            format!("UNIT[\"{OWN_UNIT}\",{}]", degrees.to_radians())
        };
        Some(format!(
            "GEOGCS[\"unknown\",DATUM[\"unknown\",SPHEROID[\"unknown\",{axis},{inverse}]{datum}],\
             PRIMEM[\"{meridian}\",{longitude}],{unit}]"
        ))
    }

    /// The name of the system, without characters that would end it.
    fn title(&self) -> String {
        let name = self.name().unwrap_or_default();
        let name: String =
            name.chars().filter(|letter| !letter.is_control() && *letter != '"').take(80).collect();
        if name.trim().is_empty() { "unknown".to_owned() } else { name }
    }
}

#[cfg(test)]
mod tests {
    use super::super::System;
    use super::*;

    fn keys(entries: &[[u16; 2]], floats: &[(u16, f64)]) -> Keys {
        let own = entries.iter().map(|&[key, value]| [key, 0, 1, value]);
        let of_floats = floats
            .iter()
            .enumerate()
            .map(|(index, (key, _))| [*key, super::super::keys::FLOATS, 1, index as u16]);
        Keys {
            entries: own.chain(of_floats).collect(),
            floats: floats.iter().map(|(_, value)| *value).collect(),
            texts: Vec::new(),
        }
    }

    #[test]
    fn texts_of_keys_mean_what_the_keys_do() {
        let moon = [(2057, 1_737_400.0), (2058, 1_737_400.0)];
        let earth = [(2057, 6_378_137.0), (2059, 298.257_222_101)];
        let with = |ellipsoid: &[(u16, f64)], more: &[(u16, f64)]| [ellipsoid, more].concat();
        for keys in [
            keys(&[[1024, 2], [2048, 32_767], [2054, 9102]], &moon),
            keys(&[[1024, 2], [2048, 32_767], [2054, 9105]], &earth),
            keys(
                &[[1024, 1], [2050, 6269], [3072, 32_767], [3075, 1], [3076, 9003]],
                &with(&earth, &[(3080, -110.0), (3081, 31.0), (3092, 0.9999)]),
            ),
            keys(
                &[[1024, 1], [3072, 32_767], [3075, 17], [3076, 9001]],
                &with(&moon, &[(3078, 40.0), (3088, 0.0), (3083, 12.5)]),
            ),
            keys(
                &[[1024, 1], [3072, 32_767], [3075, 7], [3076, 9001]],
                &with(&earth, &[(3078, 10.0), (3080, 7.0)]),
            ),
            keys(
                &[[1024, 1], [3072, 32_767], [3075, 7], [3076, 9001]],
                &with(&earth, &[(3092, 0.9), (3080, 7.0)]),
            ),
            keys(
                &[[1024, 1], [3072, 32_767], [3075, 15], [3076, 9001]],
                &with(&earth, &[(3081, -90.0), (3095, 0.0), (3092, 0.994)]),
            ),
        ] {
            let text = keys.well_known_text().unwrap();
            let (of_keys, of_text) = (System::of_keys(&keys), System::of_text(&text).unwrap());
            assert_eq!(of_text.plane, of_keys.plane, "{text}");
            assert_eq!(of_text.ellipsoid, of_keys.ellipsoid, "{text}");
            assert_eq!(of_text.projection, of_keys.projection, "{text}");
            assert_eq!(of_text.notes, of_keys.notes, "{text}");
        }
    }

    #[test]
    fn keys_that_leave_something_open_have_no_text() {
        assert_eq!(Keys::unknown(false).well_known_text(), None);
        assert_eq!(Keys::unknown(true).well_known_text(), None);
        let earth = [(2057, 6_378_137.0), (2059, 298.257_222_101)];
        assert_eq!(keys(&[[1024, 1], [3072, 32_767], [3075, 23]], &earth).well_known_text(), None);
        assert_eq!(keys(&[[1024, 1], [3072, 32_767]], &earth).well_known_text(), None);
        assert_eq!(keys(&[], &earth).well_known_text(), None);
    }

    #[test]
    fn names_cannot_end_the_text() {
        let mut named = keys(&[[1024, 1], [3072, 32_767], [3075, 24]], &[(2057, 3_396_190.0)]);
        named.texts = b"a\"],UNIT[\"x\x1b|".to_vec();
        named.entries.push([3073, super::super::keys::TEXTS, named.texts.len() as u16, 0]);
        let text = named.well_known_text().unwrap();
        assert!(text.starts_with("PROJCS[\"a],UNIT[x\",GEOGCS["), "{text}");
    }
}

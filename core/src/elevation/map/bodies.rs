//! Codes of coordinate systems of bodies other than the Earth: those of the IAU, such as `IAU_2015:30100`,
//! the Moon's, and the few of ESRI that are in use. Radii by the IAU's working group (Archinal et al., 2018),
//! as in PROJ.

/// Bodies: number, name, equatorial and polar radius in metres.
#[rustfmt::skip]
const BODIES: [(u32, &str, f64, f64); 13] = [
    (199, "Mercury", 2_440_530.0, 2_438_260.0),
    (299, "Venus", 6_051_800.0, 6_051_800.0),
    (301, "Moon", 1_737_400.0, 1_737_400.0),
    (499, "Mars", 3_396_190.0, 3_376_200.0),
    (501, "Io", 1_821_490.0, 1_821_490.0),
    (502, "Europa", 1_560_800.0, 1_560_800.0),
    (503, "Ganymede", 2_631_200.0, 2_631_200.0),
    (504, "Callisto", 2_410_300.0, 2_410_300.0),
    (602, "Enceladus", 252_100.0, 252_100.0),
    (606, "Titan", 2_575_000.0, 2_575_000.0),
    (901, "Charon", 606_000.0, 606_000.0),
    (999, "Pluto", 1_188_300.0, 1_188_300.0),
    (2_000_001, "Ceres", 487_300.0, 446_000.0),
];

/// Codes of ESRI, and those of the IAU for the same body.
const OF_ESRI: [(u32, u32); 5] =
    [(104_900, 19_900), (104_902, 29_900), (104_903, 30_100), (104_905, 49_901), (104_971, 49_900)];

/// Well-known text for a code of the IAU: longitude and latitude, or a projection, which the last two digits
/// number from 10 on. `None` for codes that aren't known here.
pub(super) fn text_of_iau(code: u32) -> Option<String> {
    // The IAU's codes are the body's number followed by two digits for the kind.
    let (_, body, radius, polar) = BODIES.into_iter().find(|(number, ..)| *number == code / 100)?;
    let kind = code % 100;
    // Spheres end in 0 or 5, ellipsoids in one or two more.
    let is_sphere = kind.is_multiple_of(5);
    let (name, inverse) = if is_sphere || radius == polar {
        (format!("{body} (2015) - Sphere"), 0.0)
    } else {
        (format!("{body} (2015)"), radius / (radius - polar))
    };
    let geographic = format!(
        "GEOGCS[\"{name}\",DATUM[\"{name}\",SPHEROID[\"{name}\",{radius},{inverse}]],\
         PRIMEM[\"Reference Meridian\",0],UNIT[\"degree\",0.0174532925199433]]"
    );
    let (method, parameters) = match kind {
        0..=4 => return Some(geographic),
        10..=19 => ("Equirectangular", "PARAMETER[\"standard_parallel_1\",0]"),
        20..=29 => ("Sinusoidal", ""),
        30..=34 => ("Polar_Stereographic", "PARAMETER[\"latitude_of_origin\",90]"),
        35..=39 => ("Polar_Stereographic", "PARAMETER[\"latitude_of_origin\",-90]"),
        40..=49 => ("Mollweide", ""),
        50..=59 => ("Robinson", ""),
        60..=64 => ("Transverse_Mercator", ""),
        65..=74 => ("Orthographic", ""),
        75..=79 => ("Lambert_Conformal_Conic_2SP", ""),
        80..=84 => ("Lambert_Azimuthal_Equal_Area", ""),
        85..=89 => ("Albers_Conic_Equal_Area", ""),
        90..=94 => ("Mercator_1SP", ""),
        _ => return None,
    };
    let parameters = if parameters.is_empty() { String::new() } else { format!("{parameters},") };
    Some(format!(
        "PROJCS[\"IAU_2015:{code}\",{geographic},PROJECTION[\"{method}\"],{parameters}UNIT[\"metre\",1]]"
    ))
}

/// Well-known text for a code of ESRI's for another body.
pub(super) fn text_of_esri(code: u32) -> Option<String> {
    let (_, iau) = OF_ESRI.into_iter().find(|(own, _)| *own == code)?;
    text_of_iau(iau)
}

//! Projections whose scale depends on the latitude alone, so that lengths on the map differ from lengths on
//! the ground: Mercator, Web Mercator among them, equidistant cylindrical, and polar stereographic. Formulas
//! as in Snyder, *Map Projections: A Working Manual* (USGS 1395, 1987), sections 7, 12 and 21.

use super::epsg;
pub(in crate::elevation) use super::projection_kind::Stretch;

/// Semi-major axis in metres and flattening of WGS 84.
pub(in crate::elevation) const EARTH: (f64, f64) = (6_378_137.0, 1.0 / 298.257_223_563);
/// The highest latitude at which such maps have land, degrees.
const MOST: f64 = 89.9;

/// The note for maps whose scale differs from place to place in a way that isn't computed here.
pub(super) const UNEVEN: &str = "its projection does not preserve lengths: cells are assumed to be as long on the ground as on \
                                 the map; give their size, or project it again, as `gdalwarp -t_srs` does";

/// Whether an EPSG code is that of such a map: equal-area cylinders and the Equal Earth.
pub(super) fn is_uneven(code: u16) -> bool {
    matches!(code, 3410 | 3975 | 6933 | 8857..=8859)
}

/// See the module.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::elevation) struct Projection {
    pub(in crate::elevation) kind: Stretch,
    /// Semi-major axis, in metres.
    pub(in crate::elevation) axis: f64,
    pub(in crate::elevation) flattening: f64,
    /// Latitude of true scale, in degrees; its sign is that of the pole of a polar map.
    pub(in crate::elevation) parallel: f64,
    /// Scale at that latitude.
    pub(in crate::elevation) scale: f64,
    /// Easting of the pole of a polar map, in metres.
    pub(in crate::elevation) false_easting: f64,
    /// Northing of the equator, or of the pole of a polar map, in metres.
    pub(in crate::elevation) false_northing: f64,
}

impl Projection {
    /// The projection of an EPSG code, if its scale depends on the latitude alone.
    pub(in crate::elevation) fn of_code(code: u16) -> Option<Self> {
        // Web Mercator had this code before.
        let code = if code == 3785 { 3857 } else { code };
        let flattening = |inverse: f64| if inverse > 0.0 { 1.0 / inverse } else { 0.0 };
        let found = epsg::STRETCHED.iter().find(|(own, ..)| *own == code);
        let found = found.map(|&(_, kind, axis, inverse, parallel, scale, false_northing)| {
            let (flattening, false_easting) = (flattening(inverse), 0.0);
            Self { kind, axis, flattening, parallel, scale, false_easting, false_northing }
        });
        let polar = || epsg::POLAR.iter().find(|(own, ..)| *own == code);
        found.or_else(|| {
            polar().map(|&(_, axis, inverse, parallel, scale, false_easting, false_northing)| {
                let (kind, flattening) = (Stretch::Polar, flattening(inverse));
                Self { kind, axis, flattening, parallel, scale, false_easting, false_northing }
            })
        })
    }

    /// The latitude in degrees at an easting and a northing in metres, and the factors from lengths on the
    /// map to lengths on the ground there: from west to east, and from south to north.
    pub(in crate::elevation) fn ground(&self, [east, north]: [f64; 2]) -> (f64, [f64; 2]) {
        // e² = f (2 − f).
        let squared = self.flattening * (2.0 - self.flattening);
        // The radius of a parallel, in semi-major axes.
        let radius = |latitude: f64| {
            let sin = libm::sin(latitude);
            // N cos φ / a, with N = a / √(1 − e² sin² φ).
            libm::cos(latitude) / (1.0 - squared * sin * sin).sqrt()
        };
        let most = MOST.to_radians();
        // Where the map is true to scale; short of a pole, at which the radius would be 0.
        let true_radius = radius(self.parallel.to_radians().clamp(-most, most)) * self.scale;
        let (east, north) = (east - self.false_easting, north - self.false_northing);
        let distance = libm::hypot(east, north);
        let north = north / self.axis;
        match self.kind {
            Stretch::Polar => self.polar(distance),
            Stretch::Mercator => {
                let along = libm::exp(north / true_radius);
                let of = |factor: f64| 2.0 * libm::atan(along * factor) - std::f64::consts::FRAC_PI_2;
                let eccentricity = squared.max(0.0).sqrt();
                // Snyder's equation 7-9 (1987), a fixed point; each round is more exact by about 1/e²
                // ≈ 150, so eight are plenty.
                let latitude = (0..8).fold(of(1.0), |latitude, _| {
                    let e = eccentricity * libm::sin(latitude);
                    of(libm::pow((1.0 + e) / (1.0 - e), eccentricity / 2.0))
                });
                let latitude = latitude.clamp(-most, most);
                // Conformal: the same factor in both directions.
                (latitude.to_degrees(), [radius(latitude) / true_radius; 2])
            }
            Stretch::Cylindrical => {
                let latitude = north.clamp(-most, most);
                (latitude.to_degrees(), [radius(latitude) / true_radius, 1.0])
            }
        }
    }

    /// As [`ground`](Self::ground), at a distance from the pole on the map.
    fn polar(&self, distance: f64) -> (f64, [f64; 2]) {
        let squared = self.flattening * (2.0 - self.flattening);
        let eccentricity = squared.max(0.0).sqrt();
        let radius = |latitude: f64| {
            let sin = libm::sin(latitude);
            libm::cos(latitude) / (1.0 - squared * sin * sin).sqrt()
        };
        // What the ellipsoid adds to the tangent of half the distance from the pole.
        let along = |latitude: f64| {
            let e = eccentricity * libm::sin(latitude);
            libm::pow((1.0 - e) / (1.0 + e), eccentricity / 2.0)
        };
        let parallel = self.parallel.abs().to_radians();
        let (quarter, half) = (std::f64::consts::FRAC_PI_4, std::f64::consts::FRAC_PI_2);
        // Distance on the map, in semi-major axes, for a tangent of 1.
        let at_one = if self.parallel.abs() > MOST {
            // Snyder's equation 21-33: at the pole the limit of the general formula, which would be 0/0.
            let of = |e: f64| libm::pow(1.0 + e, 1.0 + e) * libm::pow(1.0 - e, 1.0 - e);
            2.0 * self.scale / of(eccentricity).sqrt()
        } else {
            // Snyder's equation 21-34, ρ = a m t / tc, with m the radius of the parallel that is true to
            // scale.
            radius(parallel) * self.scale * along(parallel) / libm::tan(quarter - parallel / 2.0)
        };
        // At the pole itself, both the distance and the radius of the parallel are 0, so their ratio would be
        // NaN.
        let distance = distance.max(1.0) / self.axis;
        let tangent = distance / at_one;
        let of = |factor: f64| half - 2.0 * libm::atan(tangent * factor);
        let latitude = (0..8).fold(of(1.0), |latitude, _| of(along(latitude)));
        let latitude = latitude.max(-MOST.to_radians());
        (latitude.to_degrees().copysign(self.parallel), [radius(latitude) / distance; 2])
    }
}

/// Metres in a degree of longitude and of latitude, at a latitude in degrees on an ellipsoid.
pub(in crate::elevation) fn metres_per_degree(axis: f64, flattening: f64, latitude: f64) -> [f64; 2] {
    let squared = flattening * (2.0 - flattening);
    let latitude = latitude.to_radians();
    let sin = libm::sin(latitude);
    // 1 − e² sin² φ; across is N, and N (1 − e²) / under is M, the radius of the meridian.
    let under = 1.0 - squared * sin * sin;
    let across = axis / under.sqrt();
    [across * libm::cos(latitude), across * (1.0 - squared) / under].map(f64::to_radians)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_on_the_ground_are_those_that_proj_gives() {
        let mercator = Projection {
            kind: Stretch::Mercator,
            axis: EARTH.0,
            flattening: 0.0,
            parallel: 0.0,
            scale: 1.0,
            false_easting: 0.0,
            false_northing: 0.0,
        };
        // proj +proj=merc +a=6378137 +b=6378137: 60° north lies at 8399737.89.
        let (latitude, ground) = mercator.ground([0.0, 8_399_737.89]);
        assert!((latitude - 60.0).abs() < 1e-6 && (ground[0] - 0.5).abs() < 1e-7, "{latitude} {ground:?}");
        // proj +proj=merc +ellps=WGS84: 60° north lies at 8362698.5486; its scale there is 1.9950…
        let (latitude, ground) =
            Projection { flattening: EARTH.1, ..mercator }.ground([0.0, 8_362_698.548_6]);
        assert!(
            (latitude - 60.0).abs() < 1e-6 && (1.0 / ground[0] - 1.994_972).abs() < 1e-4,
            "{latitude} {ground:?}"
        );
        let (latitude, ground) = Projection { parallel: 60.0, ..mercator }.ground([0.0, 8_399_737.89 / 2.0]);
        assert!((latitude - 60.0).abs() < 1e-6 && (ground[0] - 1.0).abs() < 1e-7);
        let (latitude, ground) =
            Projection { kind: Stretch::Cylindrical, ..mercator }.ground([0.0, -6_679_169.447]);
        assert!((latitude + 60.0).abs() < 1e-6 && (ground[0] - 0.5).abs() < 1e-7 && ground[1] == 1.0);
        for north in [f64::MAX, -f64::MAX, f64::NAN] {
            let (_, ground) = mercator.ground([0.0, north]);
            assert!(north.is_nan() || ground[0] > 0.0, "{ground:?}");
        }
    }

    #[test]
    fn polar_maps_are_longer_far_from_their_pole() {
        // pyproj, EPSG:3413: 75° north, 45° west lies at (0, -1632728.49) with a scale of 0.986660…, by
        // k = ρ / (a m), with m = cos φ / √(1 − e² sin² φ).
        for code in [3413, 3031, 32_661, 3032] {
            let projection = Projection::of_code(code).unwrap();
            for latitude in [89.0f64, 80.0, 71.0, 60.0, 40.0] {
                let (squared, phi) = (EARTH.1 * (2.0 - EARTH.1), latitude.to_radians());
                let e = squared.sqrt();
                let radius =
                    |phi: f64| libm::cos(phi) / (1.0 - squared * libm::sin(phi) * libm::sin(phi)).sqrt();
                let t = |phi: f64| {
                    let sin = e * libm::sin(phi);
                    libm::tan(std::f64::consts::FRAC_PI_4 - phi / 2.0)
                        / libm::pow((1.0 - sin) / (1.0 + sin), e / 2.0)
                };
                let parallel = projection.parallel.abs().to_radians();
                let distance = match code {
                    32_661 => {
                        2.0 * 0.994 * t(phi)
                            / (libm::pow(1.0 + e, 1.0 + e) * libm::pow(1.0 - e, 1.0 - e)).sqrt()
                    }
                    _ => radius(parallel) * t(phi) / t(parallel),
                };
                let scale = distance / radius(phi);
                let place = [projection.false_easting + distance * EARTH.0, projection.false_northing];
                let (found, ground) = projection.ground(place);
                assert!((found - latitude.copysign(projection.parallel)).abs() < 1e-6, "{code} {found}");
                assert!(
                    (ground[0] * scale - 1.0).abs() < 1e-9 && ground[0] == ground[1],
                    "{code} {latitude}"
                );
            }
            let (_, ground) = projection.ground([projection.false_easting, projection.false_northing]);
            assert!((0.95..1.1).contains(&ground[0]), "{code}: {ground:?}");
            for far in [f64::MAX, f64::NAN] {
                assert!(projection.ground([far, far]).1[0] >= 0.0);
            }
        }
        let (_, ground) = Projection::of_code(3413).unwrap().ground([0.0, -3_300_000.0]);
        assert!((0.9..0.97).contains(&ground[0]), "about 60° north: {ground:?}");
    }

    #[test]
    fn a_degree_is_shorter_on_a_smaller_body() {
        let [x, z] = metres_per_degree(1_737_400.0, 0.0, 60.0);
        assert!((z - 30_323.35).abs() < 0.1 && (x - z / 2.0).abs() < 0.1, "{x} {z}");
        let [x, z] = metres_per_degree(EARTH.0, EARTH.1, 45.0);
        assert!((x - 78_846.8).abs() < 0.5 && (z - 111_131.8).abs() < 0.5, "{x} {z}");
    }
}

//! What is known of a coordinate system, from whatever source, and the size of cells on the ground that
//! follows from it.

use super::definition::Definition;
use super::geographic;
use super::place::{MapPlace, UprightPlace};
use super::stretch::{self, EARTH, Projection};
use super::units::{self, Length, METRE, MapUnit};
use crate::elevation::raster::{CellSize, Origin};

/// See the module.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::elevation) struct System {
    /// The unit of coordinates on the map; `None` where nothing says it.
    pub(in crate::elevation) plane: Option<Plane>,
    /// The unit of the heights, if it gives one.
    pub(in crate::elevation) up: Option<Length>,
    /// Semi-major axis of the ellipsoid in metres, and its flattening in [0, 1).
    pub(in crate::elevation) ellipsoid: Option<(f64, f64)>,
    /// How the scale of the map depends on the latitude; `None` where it is 1 or nearly so.
    pub(in crate::elevation) projection: Option<Projection>,
    /// As the file defines it.
    pub(in crate::elevation) definition: Option<Definition>,
    /// Guesses, a line each.
    pub(in crate::elevation) notes: Vec<String>,
}

/// The unit of coordinates on a map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::elevation) enum Plane {
    /// Longitude and latitude; degrees in a unit.
    Degrees(f64),
    /// Lengths.
    Lengths(Length),
}

/// Bodies whose radius differs by a larger share than this are not the Earth.
const OTHER_BODY: f64 = 0.005;
/// Length factors that differ by a larger share than this within a map are reported. Within a tile of one
/// degree below 80° north they differ less.
const CHANGES: f64 = 0.05;

impl System {
    /// The system of an EPSG code.
    pub(in crate::elevation) fn of_code(code: u16) -> Self {
        let (horizontal, vertical) = units::parts(code).map_or((code, None), |(code, up)| (code, Some(up)));
        let lengths = units::of_projected(horizontal).map(Plane::Lengths);
        let plane = lengths.or_else(|| units::of_geographic(horizontal).map(Plane::Degrees));
        let notes = match plane {
            None => vec![format!("its coordinate system EPSG:{code} is unknown")],
            Some(_) if stretch::is_uneven(horizontal) => vec![stretch::UNEVEN.to_owned()],
            Some(_) => Vec::new(),
        };
        Self {
            plane,
            notes,
            up: vertical.and_then(units::of_vertical),
            projection: Projection::of_code(horizontal),
            definition: Some(Definition::Code(horizontal)),
            ..Self::default()
        }
    }

    /// The system of a definition.
    pub(in crate::elevation) fn of_definition(definition: Definition) -> Self {
        match definition {
            Definition::Code(code) => Self::of_code(code),
            Definition::Text(text) => Self::of_text(&text).unwrap_or_default(),
            Definition::Keys(keys) => Self::of_keys(&keys),
        }
    }

    /// Replaces the file's unit by a requested one.
    pub(in crate::elevation) fn with_unit(mut self, unit: Option<MapUnit>) -> Self {
        match unit {
            None => return self,
            Some(MapUnit::Degrees) if matches!(self.plane, Some(Plane::Degrees(_))) => {}
            Some(MapUnit::Degrees) => (self.plane, self.projection) = (Some(Plane::Degrees(1.0)), None),
            Some(MapUnit::Metres(metres)) => {
                if matches!(self.plane, Some(Plane::Degrees(_))) {
                    self.projection = None;
                }
                self.plane = Length::of_metres(metres).map(Plane::Lengths).or(self.plane);
            }
        }
        // A definition that contradicts the requested unit would be read back with the wrong unit, so it is
        // dropped.
        let is_right = |definition: &Definition| {
            let of_code = definition.code().and_then(|code| Self::of_code(code).plane);
            of_code.is_some_and(|plane| Some(plane) == self.plane)
        };
        self.definition = self.definition.filter(is_right);
        self.notes.clear();
        self
    }

    /// The size on the ground of the cells of land of `land` samples. Guesses and conversions are written to
    /// `notes`. The size is not checked.
    pub(in crate::elevation) fn ground(
        &self,
        placed: &UprightPlace,
        land: [usize; 2],
        notes: &mut Vec<String>,
    ) -> CellSize {
        match self.plane {
            Some(Plane::Lengths(unit)) => self.by_lengths(placed, unit, notes),
            Some(Plane::Degrees(unit)) => self.by_degrees(placed, unit, notes),
            None => guessed(placed, land, notes),
        }
    }

    /// Where land with cells of this size on the ground lies: in the map's units where its definition is
    /// kept, or else in those of the cell, if that is possible.
    pub(in crate::elevation) fn place(&self, placed: &UprightPlace, cell: CellSize) -> Option<MapPlace> {
        if self.definition.is_some() {
            return placed.on_map(self.definition.clone());
        }
        let (CellSize::Metres { x, z } | CellSize::Degrees { x, z, .. }) = cell else { return None };
        let factors = [x / placed.cell[0], z / placed.cell[1]];
        // Factors are quotients of products, which round.
        let is_one = |factor: f64| (factor - 1.0).abs() < 1e-12;
        if is_one(factors[0]) && is_one(factors[1]) {
            return placed.on_map(None);
        }
        // A factor that is the same everywhere is only a unit; any other depends on the place.
        let is_a_unit = self.projection.is_none() && is_one(factors[0] / factors[1]);
        if is_a_unit { placed.scaled(factors[0]).on_map(None) } else { None }
    }

    fn by_lengths(&self, placed: &UprightPlace, unit: Length, notes: &mut Vec<String>) -> CellSize {
        let [x, z] = placed.cell.map(|side| side * unit.metres);
        if unit.differs(METRE) {
            let Length { metres, name } = unit;
            notes.push(format!("lengths on its map are converted to metres: a {name} is {metres} m"));
        }
        let Some(projection) = self.projection else { return CellSize::Metres { x, z } };
        let Some(middle) = placed.middle else {
            notes.push("the scale of its map depends on the latitude, which it doesn't give".to_owned());
            return CellSize::Metres { x, z };
        };
        let at = |place: [f64; 2]| projection.ground(place.map(|along| along * unit.metres));
        let (latitude, [east, south]) = at(middle);
        if [east, south].iter().any(|factor| (factor - 1.0).abs() > 1e-3) {
            notes.push(format!(
                "its map is stretched: at latitude {latitude:.2}° a metre on it is {east:.4} m from west to east and \
                 {south:.4} m from north to south on the ground, which cells are converted to"
            ));
        }
        if let Some(edges) = placed.edges {
            notes.extend(changing([east, at(edges[0]).1[0], at(edges[1]).1[0]]));
        }
        let [x, z] = placed.multiplied([unit.metres * east, unit.metres * south]);
        CellSize::Metres { x, z }
    }

    fn by_degrees(&self, placed: &UprightPlace, unit: f64, notes: &mut Vec<String>) -> CellSize {
        let [x, z] = placed.cell.map(|side| side * unit);
        let middle = placed.middle.map(|middle| middle[1] * unit);
        if let Some(latitude) = middle.filter(|latitude| !(-91.0..=91.0).contains(latitude)) {
            notes.push(format!(
                "its coordinate system is in degrees, but its middle lies at {latitude}°; its coordinates are taken \
                 for metres"
            ));
            let [x, z] = placed.cell;
            return CellSize::Metres { x, z };
        }
        if middle.is_none() {
            notes.push("it doesn't say at which latitude it lies; the equator is assumed".to_owned());
        }
        let latitude = middle.unwrap_or(0.0).clamp(-90.0, 90.0);
        let (axis, flattening) = self.ellipsoid.unwrap_or(EARTH);
        // Short of the poles, where a degree of longitude has no length.
        let at = |latitude: f64| stretch::metres_per_degree(axis, flattening, latitude.clamp(-89.9, 89.9));
        if let Some(edges) = placed.edges {
            let [south, north] = edges.map(|[_, north]| at(north * unit)[0]);
            notes.extend(changing([at(latitude)[0], south, north]));
        }
        let in_metres = || {
            let [x, z] = placed.multiplied(at(latitude).map(|metres| metres * unit));
            CellSize::Metres { x, z }
        };
        if (axis / EARTH.0 - 1.0).abs() > OTHER_BODY {
            notes.push(format!(
                "its degrees are those of a body with a radius of {} km; cells are converted to metres at latitude \
                 {latitude:.2}°",
                axis / 1000.0
            ));
            return in_metres();
        }
        if placed.angle.is_some() {
            // Along a rotated row, a step is partly one of longitude and partly one of latitude.
            return in_metres();
        }
        CellSize::Degrees { x, z, latitude }
    }
}

/// A note where the length factors change much between the middle and the edges of a map, because one factor
/// is used for all of it.
fn changing([middle, south, north]: [f64; 3]) -> Option<String> {
    let by = [south, north].map(|edge| (edge / middle - 1.0).abs());
    let most = by[0].max(by[1]);
    (most > CHANGES).then(|| {
        let percent = 100.0 * most;
        format!(
            "it reaches so far that lengths on its map differ by {percent:.0} % between its middle and its edges on the \
             ground; those of its middle are used everywhere: cut a part out, or project it again, as `gdalwarp -t_srs` \
             does"
        )
    })
}

/// The size of cells whose unit nothing gives.
fn guessed(placed: &UprightPlace, [width, depth]: [usize; 2], notes: &mut Vec<String>) -> CellSize {
    let [x, z] = placed.cell;
    let Some([west, south]) = placed.corner else {
        notes.push("nothing says what its cells are measured in; metres are assumed".to_owned());
        return CellSize::Metres { x, z };
    };
    let cell = geographic::cell_from_place(Origin { west, south }, width, depth, x, z);
    let is_turned = placed.angle.is_some();
    let assumed = match cell {
        CellSize::Degrees { .. } => "degrees are assumed, since they lie on the globe",
        _ => "metres are assumed",
    };
    let north = south + depth as f64 * z;
    notes.push(format!(
        "nothing says what its coordinates are in (from {west} east, {south} to {north} north); {assumed}"
    ));
    match cell {
        CellSize::Degrees { .. } if is_turned => System::default().by_degrees(placed, 1.0, notes),
        cell => cell,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elevation::map::Affine;

    fn placed(cell: f64, west: f64, south: f64) -> UprightPlace {
        Affine::north_up([cell; 2], Some(Origin { west, south }), 10).placed([10, 10]).unwrap()
    }

    #[test]
    fn a_guess_is_reported_and_a_given_unit_needs_none() {
        let placed = placed(0.1, 10.0, 20.0);
        let read = |unit: Option<MapUnit>| {
            let mut notes = Vec::new();
            let cell = System::default().with_unit(unit).ground(&placed, [10, 10], &mut notes);
            (cell, notes.len())
        };
        assert!(matches!(read(None), (CellSize::Degrees { x: 0.1, .. }, 1)));
        assert!(matches!(read(Some(MapUnit::Degrees)), (CellSize::Degrees { x: 0.1, .. }, 0)));
        assert_eq!(read(Some(MapUnit::Metres(1.0))), (CellSize::Metres { x: 0.1, z: 0.1 }, 0));
    }

    #[test]
    fn a_unit_that_is_given_replaces_that_of_the_system() {
        let feet = System::of_code(2277);
        assert_eq!(feet.clone().with_unit(Some(MapUnit::Metres(1200.0 / 3937.0))), feet);
        let metres = feet.with_unit(Some(MapUnit::Metres(1.0)));
        assert_eq!((metres.plane, metres.definition), (Some(Plane::Lengths(METRE)), None));
        let degrees = System::of_code(3857).with_unit(Some(MapUnit::Degrees));
        assert_eq!((degrees.plane, degrees.projection), (Some(Plane::Degrees(1.0)), None));
    }

    #[test]
    fn web_mercator_is_known_by_its_former_code() {
        let [old, new] = [3785, 3857].map(|code| System::of_code(code).projection);
        assert!(old.is_some() && old == new);
    }

    #[test]
    fn degrees_beyond_the_poles_are_metres() {
        let mut notes = Vec::new();
        let cell = System::of_code(4326).ground(&placed(25.0, 5e5, 5e6), [10, 10], &mut notes);
        assert_eq!((cell, notes.len()), (CellSize::Metres { x: 25.0, z: 25.0 }, 1));
    }
}

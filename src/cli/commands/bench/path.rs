//! The paths of flights, and whether there is ground all around.

use std::collections::HashSet;

use glam::{DVec2, DVec3};

use crate::stream::{Chunk, ChunkPart, DrawnChunk, LandShape, QUADS, Residency};

/// The properties of a flight.
pub(super) struct Flight {
    pub(super) name: String,
    pub(super) scene: &'static str,
    pub(super) altitude: Altitude,
    /// Metres per second.
    pub(super) speed: f64,
    /// Whether the land is edited every second.
    pub(super) edits: bool,
}

/// The altitude of a flight.
#[derive(Clone, Copy)]
pub(super) enum Altitude {
    Near,
    Mid,
    Far,
}

impl Altitude {
    pub(super) const ALL: [Self; 3] = [Self::Near, Self::Mid, Self::Far];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Near => "near",
            Self::Mid => "mid",
            Self::Far => "far",
        }
    }

    /// Metres above the ground.
    pub(super) fn metres(self) -> f64 {
        match self {
            Self::Near => 10.0,
            Self::Mid => 300.0,
            Self::Far => 5000.0,
        }
    }
}

/// The position of a flight. Places are in metres from the land's sample (0, 0).
pub(super) struct Path {
    place: DVec2,
    height: f64,
}

impl Path {
    /// The direction of all flights.
    pub(super) const AHEAD: DVec3 = DVec3::new(0.9, 0.0, 0.435_889_894_354_067_3);

    /// The start of all flights over a land.
    pub(super) fn new(shape: &LandShape) -> Self {
        let middle = |extent: DVec2| extent * DVec2::new(0.3, 0.45);
        Self { place: shape.extent().map_or(DVec2::new(1234.0, -4321.0), middle), height: 3000.0 }
    }

    /// The position of the eye.
    pub(super) fn position(&self) -> DVec3 {
        DVec3::new(self.place.x, self.height, self.place.y)
    }

    /// Flies on; over bounded land it returns at the opposite side.
    pub(super) fn move_on(&mut self, residency: &Residency, altitude: Altitude, metres: f64) {
        self.place += DVec2::new(Self::AHEAD.x, Self::AHEAD.z) * metres;
        if let Some(extent) = residency.shape().extent() {
            self.place = DVec2::new(self.place.x.rem_euclid(extent.x), self.place.y.rem_euclid(extent.y));
        }
        let wanted = self.ground(residency) + altitude.metres();
        // Climbs immediately, and sinks gently.
        self.height = wanted.max(self.height - metres.max(2.0));
    }

    /// Moves to its height over the known ground.
    pub(super) fn settle(&mut self, residency: &Residency, altitude: Altitude) {
        self.height = self.ground(residency) + altitude.metres();
    }

    /// Whether it is at its height.
    pub(super) fn is_settled(&self, residency: &Residency, altitude: Altitude) -> bool {
        (self.height - self.ground(residency) - altitude.metres()).abs() < 1.0
    }

    /// The height of the finest known ground below.
    fn ground(&self, residency: &Residency) -> f64 {
        residency.ground_at(self.place.x, self.place.y).map_or(0.0, |ground| ground.height.into())
    }
}

/// Whether each of many places around the eye, near and up to `far` metres away, lies in exactly one chunk.
pub(super) fn covers(shape: &LandShape, eye: DVec2, far: f64, chunks: &HashSet<DrawnChunk>) -> bool {
    let mut places = (0..24).flat_map(|direction| {
        let angle = f64::from(direction) * std::f64::consts::TAU / 24.0;
        // Distances double, as chunks do, so that some places lie in each level.
        (0..16).map(move |step| DVec2::from_angle(angle) * 1.5 * 2f64.powi(step))
    });
    places.all(|away| {
        let place = eye + away;
        let is_land =
            shape.extent().is_none_or(|extent| place.cmpge(DVec2::ZERO).all() && place.cmplt(extent).all());
        let is_in = |level: i32| {
            let side = f64::from(shape.cell_at(level)) * f64::from(QUADS);
            // By quarters, since a chunk may be drawn by some of its quarters only.
            let [column, row] = [place.x, place.y].map(|place| (2.0 * place / side).floor() as i32);
            let quarter = Chunk { level: level - 1, column, row };
            let chunk = quarter.parent();
            let is_drawn = |part| chunks.contains(&DrawnChunk { chunk, part });
            let parts = chunk.children().into_iter().zip(ChunkPart::QUARTERS);
            is_drawn(ChunkPart::Whole)
                || parts.into_iter().any(|(child, part)| child == quarter && is_drawn(part))
        };
        !is_land
            || away.length() > far
            || (shape.finest..=shape.coarsest_drawn()).filter(|level| is_in(*level)).count() == 1
    })
}

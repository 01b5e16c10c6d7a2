//! How far away the roads of a land are: from their lines, and so the same at every level and in every
//! window.

use glam::DVec2;

use super::Road;
use super::line::{Block, CentreLine, NearLine};
use crate::grid::Domain;

/// The roads of a land.
#[derive(Clone, Debug, Default)]
pub(crate) struct Roads {
    lines: Vec<RoadLine>,
}

#[derive(Clone, Debug)]
struct RoadLine {
    line: CentreLine,
    blocks: Vec<Block>,
    /// Half the width of its carriageway, metres.
    half: f64,
}

/// Roads as far as they lie near a rectangle.
pub(crate) struct NearRoads<'a> {
    lines: Vec<(NearLine<'a>, f64)>,
}

impl Roads {
    pub(crate) fn of<'a>(roads: impl IntoIterator<Item = &'a Road>, domain: &Domain) -> Self {
        let lines = roads.into_iter().map(|road| {
            let line = road.line(domain);
            let blocks = line.blocks().collect();
            RoadLine { line, blocks, half: f64::from(road.width) / 2.0 }
        });
        Self { lines: lines.collect() }
    }

    /// Those that may lie within `reach` metres of places in a rectangle, in metres from the land's sample
    /// (0, 0).
    pub(crate) fn near(&self, low: DVec2, high: DVec2, reach: f64) -> NearRoads<'_> {
        let lines = self.lines.iter().map(|road| {
            let blocks = road.blocks.iter().copied();
            (road.line.near_of(blocks, low, high, reach + road.half), road.half)
        });
        NearRoads { lines: lines.filter(|(line, _)| !line.is_empty()).collect() }
    }
}

impl NearRoads<'_> {
    /// Metres from a place to the edge of the nearest carriageway, 0 on one; `None` if none is within reach.
    pub(crate) fn distance(&self, place: DVec2) -> Option<f64> {
        let distances = self.lines.iter().filter_map(|(line, half)| {
            let nearest = line.nearest(place)?;
            // On the carriageway the distance is 0, not negative: rules measure how far away a road is.
            Some((nearest.distance - half).max(0.0))
        });
        distances.min_by(f64::total_cmp)
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec2;

    use super::*;
    use crate::Grid;

    #[test]
    fn the_distance_is_that_from_the_edge_of_the_nearest_road_wherever_one_looks_from() {
        let domain = Domain::of(Grid::new(101, 101, 10.0).unwrap());
        let road = |z: f32, width: f32| Road {
            points: vec![Vec2::new(0.0, z), Vec2::new(1.0, z)],
            width,
            ..Road::default()
        };
        // Shares that are exact in f32.
        let roads = Roads::of([&road(0.25, 8.0), &road(0.5, 20.0)], &domain);
        let everywhere = roads.near(DVec2::ZERO, DVec2::splat(1000.0), 400.0);
        for (z, expected) in
            [(250.0, 0.0), (253.5, 0.0), (254.5, 0.5), (290.0, 36.0), (480.0, 10.0), (900.0, 390.0)]
        {
            let place = DVec2::new(333.3, z);
            let found = everywhere.distance(place).unwrap();
            assert!((found - expected).abs() < 1e-9, "{z}: {found}");
            let here = roads.near(place, place, 400.0).distance(place);
            assert_eq!(here, Some(found), "the same bits");
        }
        assert_eq!(everywhere.distance(DVec2::new(500.0, 915.0)), None);
        assert_eq!(Roads::default().near(DVec2::ZERO, DVec2::ONE, 1e3).distance(DVec2::ONE), None);
        let alone = Road { points: vec![Vec2::splat(0.5)], ..Road::default() };
        assert_eq!(
            Roads::of([&alone], &domain).near(DVec2::ZERO, DVec2::ONE, 1e3).distance(DVec2::ONE),
            None
        );
    }
}

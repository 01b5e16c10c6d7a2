//! A platform: level or sloping ground for a building, a yard or an airfield, by cut and fill.

use glam::{DVec2, Vec2};
use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::layer::ROAD;
use crate::grid::{Domain, Grid, Heightfield};
use crate::params::{choice, params};
use crate::steps::filter::earthworks::cut_and_fill::{Slopes, at_least};
use crate::steps::filter::earthworks::place;
use crate::steps::number::{brief, sum};
use crate::steps::{Ground, Operation, Reach, estimate, step};

choice! {
    /// The outline of platforms.
    pub enum PlatformShape {
        /// A rectangle around every point.
        Rectangle = "rectangle",
        /// A disc around every point.
        Disc = "disc",
        /// One platform, whose corners are the points.
        Polygon = "polygon",
    }
}

choice! {
    /// What the height of a platform is counted from.
    pub enum PlatformHeight {
        /// The mean height of the land under it: cut and fill are in balance.
        Ground = "ground",
        /// Height 0.
        Fixed = "fixed",
    }
}

params! {
    /// Levels the ground for a building, a yard or an airfield: what is higher is cut, what is lower filled
    /// up, with slopes around it. It writes the layer `road`, as roads do: 1 on made ground. Moved later it
    /// leaves no trace.
    pub struct Platform {
        /// Its outline.
        pub shape: PlatformShape = PlatformShape::Rectangle;
        /// Where, as shares of the land's sides from its north-west corner; on endless land in units from the
        /// origin.
        pub points: Vec<Vec2> = vec![Vec2::splat(0.5)], "" in -1000.0..=1000.0;
        /// Length of a rectangle, from north to south before it is turned.
        pub length: f32 = 60.0, "m" in 0.5..=20000.0, log;
        /// Width of a rectangle, from west to east before it is turned.
        pub width: f32 = 40.0, "m" in 0.5..=20000.0, log;
        /// Radius of a disc.
        pub radius: f32 = 30.0, "m" in 0.5..=10000.0, log;
        /// How far a rectangle is turned clockwise, as seen from above.
        pub turn: f32 = 0.0, "°" in -360.0..=360.0;
        /// What its height is counted from.
        pub from: PlatformHeight = PlatformHeight::Ground;
        /// Height of its middle above that.
        pub height: f32 = 0.0, "m" in -12000.0..=12000.0;
        /// How much it slopes.
        pub grade: f32 = 0.0, "%" in 0.0..=100.0;
        /// Compass bearing towards which it falls.
        pub bearing: f32 = 180.0, "°" in 0.0..=360.0;
        /// Slope of the sides where it cuts into the land.
        pub cut: f32 = 45.0, "°" in 5.0..=85.0;
        /// Slope of the sides where it is filled up.
        pub fill: f32 = 34.0, "°" in 5.0..=85.0;
        /// Farthest that the sides reach: over the last quarter of it they become steeper, to meet the land.
        pub reach: f32 = 60.0, "m" in 1.0..=2000.0, log;
    }
}

/// Places along a side of the lattice on which the land under a platform is looked at.
const LATTICE: usize = 12;

impl Operation for Platform {
    step!("platform", "Platform", Filter);

    fn formula(&self) -> Option<String> {
        let [cut, fill] = [self.cut, self.fill].map(brief);
        let ground = if self.from == PlatformHeight::Ground { 1.0 } else { 0.0 };
        let way = (-self.grade / 100.0, " · ", "(way towards the bearing)");
        let height = sum(&[(ground, "", "mean h"), (self.height, "", ""), way]);
        Some(format!(
            "e = {height};  on it h′ = e\n\
             beyond by b:  h′ = min(max(h, e − b tan {fill}°), e + b tan {cut}°)"
        ))
    }

    fn seconds(&self, grid: Grid) -> f64 {
        // An upper bound: as if every point were near every sample.
        estimate::of_samples(grid, 20.0 + 20.0 * self.points.len() as f64)
    }

    fn reach(&self, _domain: Domain) -> Reach {
        Reach::Point
    }

    fn uses(&self, name: &str) -> bool {
        match name {
            "length" | "width" | "turn" => self.shape == PlatformShape::Rectangle,
            "radius" => self.shape == PlatformShape::Disc,
            "bearing" => self.grade > 0.0,
            _ => true,
        }
    }

    fn places(&self, domain: &Domain) -> Vec<DVec2> {
        match self.from {
            PlatformHeight::Ground => self.pads(domain).iter().flat_map(Pad::lattice).collect(),
            PlatformHeight::Fixed => Vec::new(),
        }
    }

    fn reads(&self) -> Vec<&str> {
        vec![ROAD]
    }

    fn writes(&self) -> Vec<&str> {
        vec![ROAD]
    }

    fn apply(&self, ground: &mut Ground, _seed: u64, work: &Work) -> Result<()> {
        let (region, grid) = (*ground.region(), ground.grid());
        let domain = region.domain();
        let mut pads = self.pads(&domain);
        if self.from == PlatformHeight::Ground {
            // In the order of `places`, so each pad takes as many heights as its lattice has places.
            let under = ground.heights_at(&self.places(&domain))?;
            let mut under = under.as_slice();
            for pad in &mut pads {
                let (own, rest) = under.split_at(pad.lattice().count());
                // `height` is relative to the ground's mean here.
                pad.height += own.iter().map(|height| f64::from(*height)).sum::<f64>() / own.len() as f64;
                under = rest;
            }
        }
        let slopes = Slopes::new(self.cut, self.fill, self.reach);
        let fall = self.fall();
        // A copy: the layer is written while the share before it is read.
        let before = ground.layers().get(ROAD).cloned();
        let mut layer = before.clone().unwrap_or_else(|| Heightfield::flat(grid, 0.0));
        work.stage("platform", grid.depth);
        let heights = ground.heights.heights_mut().par_chunks_mut(grid.width);
        let rows = heights.zip(layer.heights_mut().par_chunks_mut(grid.width)).enumerate();
        rows.try_for_each(|(row, (heights, layer))| {
            work.check()?;
            work.advance(1);
            let z = region.z_in_metres(row);
            let near: Vec<&Pad> = pads.iter().filter(|pad| pad.is_near(z, slopes.reach)).collect();
            if near.is_empty() {
                return Ok(());
            }
            for (column, height) in heights.iter_mut().enumerate() {
                let p = DVec2::new(region.x_in_metres(column), z);
                // The nearest of several; of those that overlap the first.
                let away = near.iter().map(|pad| (pad, pad.outside(p)));
                // Inside counts as 0, so that overlapping pads are equal there, and `min_by` takes the first
                // of equals.
                let Some((pad, away)) = away.min_by(|a, b| a.1.max(0.0).total_cmp(&b.1.max(0.0))) else {
                    continue;
                };
                if away >= slopes.reach {
                    continue;
                }
                // Beyond its edge the plane of the platform does not go on.
                let made = pad.height - (pad.nearest(p, away) - pad.middle).dot(fall);
                *height = match away <= 0.0 {
                    true => made as f32,
                    false => slopes.meet(f64::from(*height), made, away) as f32,
                };
                if away <= 0.0 {
                    layer[column] = at_least(before.as_ref(), [column, row], 1.0);
                }
            }
            Ok::<_, Error>(())
        })?;
        ground.write_layer(ROAD, layer);
        Ok(())
    }
}

impl Platform {
    /// Fall per metre east and south.
    fn fall(&self) -> DVec2 {
        let (sine, cosine) = libm::sincos(f64::from(self.bearing).to_radians());
        // A bearing counts clockwise from the north, and z grows to the south.
        DVec2::new(sine, -cosine) * f64::from(self.grade) / 100.0
    }

    fn pads(&self, domain: &Domain) -> Vec<Pad> {
        let points: Vec<DVec2> = self.points.iter().map(|point| place::in_metres(domain, *point)).collect();
        let height = f64::from(self.height);
        let half = 0.5 * DVec2::new(self.width.into(), self.length.into());
        let (sine, cosine) = libm::sincos(f64::from(self.turn).to_radians());
        let east = DVec2::new(cosine, sine) * half.x;
        let south = DVec2::new(-sine, cosine) * half.y;
        match self.shape {
            PlatformShape::Polygon if points.len() < 3 => Vec::new(),
            PlatformShape::Polygon => vec![Pad::polygon(points, height)],
            PlatformShape::Rectangle => {
                let corners =
                    |p: &DVec2| vec![p - east - south, p + east - south, p + east + south, p - east + south];
                points.iter().map(|point| Pad::polygon(corners(point), height)).collect()
            }
            PlatformShape::Disc => {
                let radius = f64::from(self.radius);
                let pad = |point: &DVec2| Pad {
                    middle: *point,
                    outline: Outline::Disc(radius),
                    low: point - radius,
                    high: point + radius,
                    height,
                };
                points.iter().map(pad).collect()
            }
        }
    }
}

/// The made ground itself.
struct Pad {
    middle: DVec2,
    outline: Outline,
    low: DVec2,
    high: DVec2,
    /// Of its middle, metres.
    height: f64,
}

enum Outline {
    /// Radius.
    Disc(f64),
    /// Corners in order.
    Polygon(Vec<DVec2>),
}

impl Pad {
    fn polygon(corners: Vec<DVec2>, height: f64) -> Self {
        let (low, high) = corners
            .iter()
            .fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(low, high), p| (low.min(*p), high.max(*p)));
        Self { middle: 0.5 * (low + high), outline: Outline::Polygon(corners), low, high, height }
    }

    // By the row alone, since the row decides once for all of its samples.
    fn is_near(&self, z: f64, reach: f64) -> bool {
        self.low.y - reach <= z && self.high.y + reach >= z
    }

    /// Places on it, evenly; its middle where none of the lattice are.
    fn lattice(&self) -> impl Iterator<Item = DVec2> + use<> {
        let side = self.high - self.low;
        // In the middles of equal cells, so that the mean is not weighted towards the outline.
        let share = |index: usize| (index as f64 + 0.5) / LATTICE as f64;
        let places = (0..LATTICE * LATTICE)
            .map(|index| self.low + side * DVec2::new(share(index % LATTICE), share(index / LATTICE)));
        let mut on_it: Vec<DVec2> = places.filter(|p| self.outside(*p) <= 0.0).collect();
        if on_it.is_empty() {
            // A sliver may lie between all places of the lattice, and a mean needs a height.
            on_it.push(self.middle);
        }
        on_it.into_iter()
    }

    /// How far outside its outline a place lies, metres: 0 or less within.
    fn outside(&self, p: DVec2) -> f64 {
        match &self.outline {
            Outline::Disc(radius) => p.distance(self.middle) - radius,
            Outline::Polygon(corners) => {
                let (mut squared, mut is_within) = (f64::INFINITY, false);
                for (from, to) in sides(corners) {
                    squared = squared.min(p.distance_squared(nearest_on(from, to, p)));
                    // Even–odd rule: a way to the east crosses the outline an odd number of times from
                    // within. The test is strict at one end only, so a corner at this height counts for one
                    // of its sides, never for both.
                    if (from.y > p.y) != (to.y > p.y) {
                        let cross = (to.x - from.x) * (p.y - from.y) / (to.y - from.y) + from.x;
                        is_within ^= p.x < cross;
                    }
                }
                if is_within { -squared.sqrt() } else { squared.sqrt() }
            }
        }
    }

    /// The place of it nearest to one that lies so far outside.
    fn nearest(&self, p: DVec2, outside: f64) -> DVec2 {
        if outside <= 0.0 {
            return p;
        }
        match &self.outline {
            // `radius + outside` is the distance from the middle, and above 0 because `outside` is.
            Outline::Disc(radius) => self.middle + (p - self.middle) * (radius / (radius + outside)),
            Outline::Polygon(corners) => {
                let mut nearest = self.middle;
                let mut squared = f64::INFINITY;
                for (from, to) in sides(corners) {
                    let on = nearest_on(from, to, p);
                    if p.distance_squared(on) < squared {
                        (nearest, squared) = (on, p.distance_squared(on));
                    }
                }
                nearest
            }
        }
    }
}

fn sides(corners: &[DVec2]) -> impl Iterator<Item = (DVec2, DVec2)> {
    (0..corners.len()).map(|index| (corners[index], corners[(index + 1) % corners.len()]))
}

fn nearest_on(from: DVec2, to: DVec2, p: DVec2) -> DVec2 {
    let along = to - from;
    let length = along.length_squared();
    // Two equal corners make a side of no length.
    let share = if length > 0.0 { ((p - from).dot(along) / length).clamp(0.0, 1.0) } else { 0.0 };
    from + along * share
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;

    /// A slope that rises by a fifth to the east.
    fn slope() -> Heightfield {
        Heightfield::from_fn(Grid::new(201, 201, 1.0).unwrap(), |column, _| column as f32 * 0.2)
    }

    fn made(platform: &Platform) -> Ground {
        let mut ground = Ground::new(slope());
        platform.apply(&mut ground, 0, &Work::new()).unwrap();
        ground
    }

    #[test]
    fn it_is_level_where_it_is_and_the_land_is_as_it_was_far_away() {
        let base = Platform { length: 40.0, width: 30.0, radius: 20.0, reach: 40.0, ..Platform::default() };
        let corners = vec![Vec2::new(0.4, 0.4), Vec2::new(0.6, 0.4), Vec2::new(0.5, 0.65)];
        let polygon = Platform { shape: PlatformShape::Polygon, points: corners, ..base.clone() };
        for platform in [
            base.clone(),
            Platform { turn: 30.0, ..base.clone() },
            Platform { shape: PlatformShape::Disc, ..base.clone() },
            polygon,
        ] {
            let ground = made(&platform);
            let on = ground.layer(ROAD).unwrap();
            let heights: Vec<f32> = (0..201 * 201)
                .filter(|index| on.heights()[*index] == 1.0)
                .map(|index| ground.heights.heights()[index])
                .collect();
            assert!(heights.len() > 400);
            assert!(heights.iter().all(|height| *height == heights[0]));
            // The mean of the land under it.
            assert!((heights[0] - 20.0).abs() < 0.5, "{}", heights[0]);
            for (column, row) in [(0, 0), (200, 100), (100, 0), (20, 190)] {
                assert_eq!(ground.heights.at(column, row), slope().at(column, row));
            }
        }
    }

    #[test]
    fn it_slopes_towards_its_bearing_and_its_sides_as_asked() {
        let platform = Platform {
            from: PlatformHeight::Fixed,
            height: 30.0,
            grade: 10.0,
            bearing: 90.0,
            cut: 45.0,
            fill: 45.0,
            reach: 80.0,
            ..Platform::default()
        };
        let ground = made(&platform).heights;
        assert_eq!((ground.at(100, 100), ground.at(110, 100), ground.at(90, 100)), (30.0, 29.0, 31.0));
        // West of it, 20 m from the middle, the land lies at 16 m: filled up with a slope of 1.
        assert!((ground.at(75, 100) - (32.0 - 5.0)).abs() < 1e-4);
        assert!(ground.at(50, 100) <= ground.at(75, 100));
        assert_eq!(ground.at(25, 100), 5.0);
    }

    #[test]
    fn too_few_corners_make_nothing() {
        let points = vec![Vec2::ZERO, Vec2::ONE];
        let line = Platform { shape: PlatformShape::Polygon, points, ..Platform::default() };
        assert_eq!(made(&line).heights, slope());
        assert_eq!(made(&Platform { points: Vec::new(), ..Platform::default() }).heights, slope());
    }
}

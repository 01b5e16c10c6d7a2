//! A road across the land: a curve through points, made passable by cut and fill.
//!
//! Its profile follows from the heights of the land along its line alone, at the land's own level: so it is
//! the same in every window, and finer windows have a finer road. After Galin, Peytavie, Maréchal and
//! Guérin, "Procedural Generation of Roads" (2010), whose roads are excavated and embanked alike; the
//! profile is ours.

mod away;
mod crossings;
mod grade;
mod line;
mod rivers;
mod route;

use glam::{DVec2, Vec2};
use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::layer::ROAD;
use crate::grid::{Domain, Grid, Heightfield, Region};
use crate::params::params;
use crate::steps::filter::earthworks::cut_and_fill::{Slopes, at_least, made_share};
use crate::steps::filter::earthworks::place;
use crate::steps::number::{brief, narrow, sum};
use crate::steps::water::RiverBed;
use crate::steps::{Ground, HeightsAt, Operation, Reach, Site, estimate, step};

pub(crate) use away::{NearRoads, Roads};
use crossings::Crossings;
use grade::Grade;
use line::{CentreLine, NearLine};
use rivers::{NearRivers, Rivers};
use route::{RouteLand, RouteLimits};

params! {
    /// A road that is never steeper than its grade: it cuts through what is higher and is filled up over what
    /// is lower. Both ends lie on the ground where the grade allows it, so that roads can begin on others. It
    /// writes the layer `road`, on which rules and terrain types can depend. Moved later it leaves no trace.
    /// Where it crosses a river of an earlier step it leaves the bed open, and a bridge carries it.
    pub struct Road {
        /// Points that it goes through, as shares of the land's sides from its north-west corner; on endless
        /// land in units from the origin. A single point makes no road. Without points it finds an easy route
        /// when the land is built: along the longer side, over ground above `lowest`, from border to border
        /// or from shore to shore, round inlets, never across itself, and across a river only where the way
        /// round is long. It may cross inlets narrower than a 256th of the longer side on dams. On endless land it finds none.
        pub points: Vec<Vec2> = vec![
            Vec2::new(0.1, 0.45),
            Vec2::new(0.35, 0.4),
            Vec2::new(0.65, 0.6),
            Vec2::new(0.9, 0.55),
        ], "" in -1000.0..=1000.0;
        /// Width of the carriageway.
        pub width: f32 = 7.0, "m" in 0.5..=200.0, log;
        /// Width of the level ground on either side of it.
        pub shoulder: f32 = 1.5, "m" in 0.0..=100.0;
        /// Steepest rise along the road.
        pub max_grade: f32 = 8.0, "%" in 0.5..=100.0, log;
        /// Fall from the middle of the road to its sides, so that water runs off.
        pub camber: f32 = 2.0, "%" in 0.0..=20.0;
        /// Slope of the sides where it cuts into the land.
        pub cut: f32 = 45.0, "°" in 5.0..=85.0;
        /// Slope of the sides where it is filled up.
        pub fill: f32 = 34.0, "°" in 5.0..=85.0;
        /// Farthest that the sides reach: over the last quarter of it they become steeper, to meet the land.
        pub reach: f32 = 60.0, "m" in 1.0..=2000.0, log;
        /// Length over which bumps of the land are evened out, and crests and sags rounded.
        pub ease: f32 = 40.0, "m" in 0.0..=2000.0;
        /// From 0, as little filled up as the grade allows, to 1, as little cut.
        pub balance: f32 = 0.5, "" in 0.0..=1.0;
        /// Lowest height of the road, to keep it above the sea, for example. At the lowest value there is no
        /// limit.
        pub lowest: f32 = -12000.0, "m" in -12000.0..=12000.0, unlimited below;
    }
}

/// The value of `lowest` that means no limit.
const NO_LIMIT: f32 = -12000.0;

/// How far above the sea a newly added road is kept, metres.
const ABOVE_THE_SEA: f32 = 2.0;

/// About how many points a found route has, for the estimate of time.
const POINTS_OF_ROUTE: usize = 16;

/// Length of the line's segments as a share of the carriageway's width, and its limits in metres.
const SEGMENT: f64 = 0.25;
const SEGMENTS: std::ops::RangeInclusive<f64> = 0.5..=5.0;

impl Operation for Road {
    step!("road", "Road", Filter);

    fn note(&self, cell: f32) -> Option<String> {
        narrow(self.width + 2.0 * self.shoulder, cell, "a road with its shoulders")
    }

    fn formula(&self) -> Option<String> {
        let [half, edge] = [self.width / 2.0, self.width / 2.0 + self.shoulder].map(brief);
        let surface = sum(&[(1.0, "", "p"), (-self.camber / 100.0, " ", "r")]);
        let [grade, cut, fill] = [self.max_grade / 100.0, self.cut, self.fill].map(brief);
        Some(format!(
            "p: profile, |p′| ≤ {grade};  r: distance from the line, road to {half} m\n\
             r ≤ {edge} m:  h′ = e(r) = {surface},  beyond by b = r − {edge}:\n\
             h′ = min(max(h, e({edge}) − b tan {fill}°), e({edge}) + b tan {cut}°)"
        ))
    }

    fn seconds(&self, grid: Grid) -> f64 {
        let points = if self.points.is_empty() { POINTS_OF_ROUTE } else { self.points.len() };
        estimate::of_samples(grid, 60.0 + 2.0 * points as f64)
    }

    /// Wide enough for the samples to show it, above the sea, and on a route of its own unless the land is
    /// endless.
    fn suit(&mut self, site: &Site) {
        let usual = Self::default();
        // A route leads from border to border, and endless land has none.
        if !site.is_endless {
            self.points = Vec::new();
        }
        // With its shoulders at least two samples wide: narrower ones have ragged edges.
        self.width = usual.width.max(2.0 * site.cell - 2.0 * usual.shoulder).min(200.0);
        // A wider road has longer curves and sides that reach farther.
        let times = self.width / usual.width;
        self.reach = (usual.reach * times).min(2000.0);
        self.ease = (usual.ease * times).min(2000.0);
        self.lowest = Self::lowest_above(site.sea_level);
    }

    fn reach(&self, _domain: Domain) -> Reach {
        Reach::Point
    }

    /// The points of its line; for a road that finds its own route those whose heights decide where it runs.
    fn places(&self, domain: &Domain) -> Vec<DVec2> {
        if self.finds_route() { route::places(domain) } else { self.line(domain).points }
    }

    fn places_after(
        &self,
        domain: &Domain,
        heights: &[f32],
        heights_at: &HeightsAt,
        work: &Work,
    ) -> Result<Vec<DVec2>> {
        let points = self.found_points(domain, heights, heights_at, &[], work)?;
        Ok(points.map_or(Vec::new(), |points| self.places_through(&points, domain)))
    }

    fn reads(&self) -> Vec<&str> {
        vec![ROAD]
    }

    fn writes(&self) -> Vec<&str> {
        vec![ROAD]
    }

    fn apply(&self, ground: &mut Ground, _seed: u64, work: &Work) -> Result<()> {
        let region = *ground.region();
        let line = self.line_on(ground, work)?;
        let mut land: Vec<f64> = ground.heights_at(&line.points)?.into_iter().map(f64::from).collect();
        work.check()?;
        let rivers = Rivers::of(&ground.rivers_before());
        let crossings = Crossings::of(rivers.beds_along(&line, self.edge()), &line);
        let banks = crossings.level(&line, &mut land);
        // The same lowest height for the route and the profile, or the road would leave its own route.
        let grade = Grade {
            most: f64::from(self.max_grade) / 100.0,
            ease: self.ease.into(),
            fill: self.balance.into(),
            lowest: self.route_limits().lowest,
        };
        let profile = grade.profile(&line.along, &land, &banks);
        let (low, high) = corners(&region);
        let near = line.near(low, high, self.edge() + f64::from(self.reach));
        let roadway = Roadway {
            road: self,
            profile: &profile,
            rivers: rivers.near(low, high, 0.0),
            slopes: Slopes::new(self.cut, self.fill, self.reach),
            edge: self.edge(),
        };
        roadway.lay(ground, &near, work)?;
        if region.level() == 0 && region.is_whole() {
            ground.bridges.extend(crossings.bridges(&line, &profile, 2.0 * self.edge() as f32));
        }
        Ok(())
    }
}

impl Road {
    /// Whether it finds its own route.
    pub(crate) fn finds_route(&self) -> bool {
        self.points.is_empty()
    }

    /// The `lowest` that keeps a road above a sea.
    pub(crate) fn lowest_above(sea_level: Option<f32>) -> f32 {
        sea_level.map_or(NO_LIMIT, |sea| (sea + ABOVE_THE_SEA).clamp(NO_LIMIT, -NO_LIMIT))
    }

    /// Half its width with its shoulders, metres.
    fn edge(&self) -> f64 {
        f64::from(self.width) / 2.0 + f64::from(self.shoulder)
    }

    /// The points of its route if it finds that itself, given the heights at its
    /// [`places`](Operation::places), at any others through `heights_at`, and the rivers of earlier steps. `None`
    /// where there is no route.
    ///
    /// # Errors
    /// Those of `heights_at`, and [`Error::Cancelled`].
    pub(crate) fn found_points(
        &self,
        domain: &Domain,
        heights: &[f32],
        heights_at: &HeightsAt,
        rivers: &[RiverBed],
        work: &Work,
    ) -> Result<Option<Vec<Vec2>>> {
        if !self.finds_route() {
            return Ok(None);
        }
        let curve = |points: &[Vec2]| self.through(points, domain);
        let rivers = &Rivers::of(rivers);
        route::easiest(self.route_limits(), &RouteLand { domain, heights, heights_at, rivers }, curve, work)
    }

    /// The points of its line, if these were its own points.
    pub(crate) fn places_through(&self, points: &[Vec2], domain: &Domain) -> Vec<DVec2> {
        self.through(points, domain).0.points
    }

    /// The limits of a route that is found for it.
    fn route_limits(&self) -> RouteLimits {
        let lowest = if self.lowest > NO_LIMIT { f64::from(self.lowest) } else { f64::NEG_INFINITY };
        RouteLimits { lowest, grade: f64::from(self.max_grade) / 100.0, edge: self.edge() }
    }

    /// Its line through its own points.
    fn line(&self, domain: &Domain) -> CentreLine {
        self.through(&self.points, domain).0
    }

    /// Its line, on the land before it if it finds its own route.
    fn line_on(&self, ground: &Ground, work: &Work) -> Result<CentreLine> {
        let domain = ground.region().domain();
        if !self.finds_route() {
            return Ok(self.line(&domain));
        }
        // A recipe that builds a window has found the line already.
        if let Some(points) = ground.further_places() {
            return Ok(CentreLine::of_points(points));
        }
        let heights = ground.heights_at(&route::places(&domain))?;
        let heights_at = |places: &[DVec2]| ground.heights_at(places);
        let points = self.found_points(&domain, &heights, &heights_at, &ground.river_beds(), work)?;
        Ok(points.map_or(CentreLine::default(), |points| self.through(&points, &domain).0))
    }

    /// The line through points, and which of its points each of them is.
    fn through(&self, points: &[Vec2], domain: &Domain) -> (CentreLine, Vec<usize>) {
        let nodes = points.iter().map(|point| place::in_metres(domain, *point)).collect();
        let spacing = (f64::from(self.width) * SEGMENT).clamp(*SEGMENTS.start(), *SEGMENTS.end());
        CentreLine::through(nodes, spacing)
    }
}

/// The places of a region's first and last sample, metres.
pub(super) fn corners(region: &Region) -> (DVec2, DVec2) {
    let [width, depth] = [region.grid().width, region.grid().depth];
    let at = |column: usize, row: usize| DVec2::new(region.x_in_metres(column), region.z_in_metres(row));
    (at(0, 0), at(width - 1, depth - 1))
}

/// A road with its profile.
struct Roadway<'a> {
    road: &'a Road,
    /// The height of the line at every point of it, metres.
    profile: &'a [f64],
    rivers: NearRivers<'a>,
    slopes: Slopes,
    /// Distance of the outer edge of the shoulder from the line, metres.
    edge: f64,
}

impl Roadway<'_> {
    /// Changes the ground, and writes where the road lies.
    fn lay(&self, ground: &mut Ground, near: &NearLine, work: &Work) -> Result<()> {
        let (region, grid) = (*ground.region(), ground.grid());
        let before = ground.layers().get(ROAD).cloned();
        // Only where the layer is wanted: a second field costs memory and time.
        let mut layer = ground.wants(ROAD).then(|| before.clone().unwrap_or(Heightfield::flat(grid, 0.0)));
        work.stage("road", grid.depth);
        if !near.is_empty() {
            let row_of = |(row, heights, mut layer): (usize, &mut [f32], Option<&mut [f32]>)| {
                work.check()?;
                work.advance(1);
                let z = region.z_in_metres(row);
                let near = near.in_row(z);
                if near.is_empty() {
                    return Ok(());
                }
                let rivers = self.rivers.in_row(z);
                for (column, height) in heights.iter_mut().enumerate() {
                    let place = DVec2::new(region.x_in_metres(column), z);
                    let Some((made, share)) = self.at(&near, place, *height) else { continue };
                    // A road would dam the river.
                    if rivers.is_in_bed(place, 0.0) {
                        continue;
                    }
                    *height = made;
                    if let Some(layer) = layer.as_deref_mut().filter(|_| share > 0.0) {
                        layer[column] = at_least(before.as_ref(), [column, row], share);
                    }
                }
                Ok::<_, Error>(())
            };
            let rows = ground.heights.heights_mut().par_chunks_mut(grid.width).enumerate();
            // Two forms, since rayon can't zip with nothing.
            match &mut layer {
                None => rows.try_for_each(|(row, heights)| row_of((row, heights, None)))?,
                Some(layer) => {
                    let layers = layer.heights_mut().par_chunks_mut(grid.width);
                    rows.zip(layers)
                        .try_for_each(|((row, heights), layer)| row_of((row, heights, Some(layer))))?;
                }
            }
        }
        if let Some(layer) = layer {
            ground.write_layer(ROAD, layer);
        }
        Ok(())
    }

    /// The height of the ground at a place where it was `land` high, and how much of a road is there.
    fn at(&self, near: &NearLine, p: DVec2, land: f32) -> Option<(f32, f32)> {
        let nearest = near.nearest(p)?;
        let [from, to] = [self.profile[nearest.index], self.profile[nearest.index + 1]];
        let middle = from + (to - from) * nearest.share;
        let camber = f64::from(self.road.camber) / 100.0;
        // Over the shoulder the camber goes on, so water leaves the road.
        let made = middle - camber * nearest.distance.min(self.edge);
        let beyond = nearest.distance - self.edge;
        let height = if beyond <= 0.0 { made } else { self.slopes.meet(land.into(), made, beyond) };
        let half = f64::from(self.road.width) / 2.0;
        Some((height as f32, made_share(nearest.distance - half, self.road.shoulder.into())))
    }
}

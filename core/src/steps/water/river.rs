//! A river across the land: a spline through nodes on a straight line that are displaced sideways at
//! random, or through points drawn by hand.
//!
//! After "Spectral synthesis and water": a spline through collinear nodes, two of them on the land's edges
//! and two outside, is displaced at random, and the land is dug away along it. The meanders in metres, the
//! nodes between, those drawn by hand, the way down the valleys, the cross-section, the rough banks and the
//! bed that never rises are ours.

use glam::Vec2;

use super::{Carve, Channel, Course, valley};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield};
use crate::noise::{hash, signed_unit};
use crate::params::{choice, params};
use crate::steps::number::{brief, narrow};
use crate::steps::{Ground, Operation, Site, estimate, step};

choice! {
    /// Where a river runs that has no points.
    pub enum RiverCourse {
        /// From one side of the land to the other along its bearing, whatever is in its way.
        Across = "across",
        /// Down the valleys of the land, from high ground to the sea or over the border.
        Valleys = "valleys",
    }
}

choice! {
    /// The direction in which a river flows.
    pub enum Flow {
        /// Towards the end of its course where the land is lower.
        Downhill = "downhill",
        /// Towards its bearing, or from the first to the last of its points, even if it has to cut a
        /// canyon.
        Bearing = "bearing",
    }
}

params! {
    /// A river that winds across the land and digs a bed that never rises downstream. Steps after it may
    /// cover the bed, so let rivers come last. Where its course misses the land, nothing changes. With
    /// `points` it follows these, and not its bearing. On an island let its course be `valleys`: one that
    /// begins on the floor of the sea stays below it, because a bed never rises.
    pub struct River {
        /// Width from edge to edge.
        pub width: f32 = 60.0, "m" in 0.0..=5000.0;
        /// Depth of the middle of the bed below the edges.
        pub depth: f32 = 8.0, "m" in 0.0..=1000.0;
        /// Depth of the water as a share of `depth`.
        pub fill: f32 = 0.7, "" in 0.0..=1.0;
        /// Distance from the edge to where the sides of the valley reach the original land.
        pub bank: f32 = 60.0, "m" in 0.0..=5000.0;
        /// Largest deviation of either edge from its smooth line, as a share of the width; 0 leaves it
        /// smooth.
        pub roughness: f32 = 0.0, "" in 0.0..=0.5;
        /// Points that the river goes through, as shares of the land's sides: (0, 0) is the north-west
        /// corner, (1, 1) the south-east one; points outside the land are allowed. A single point digs
        /// nothing.
        pub points: Vec<Vec2> = Vec::new(), "" in -1.0..=2.0;
        /// Where it runs without points.
        pub course: RiverCourse = RiverCourse::Across;
        /// Height of the water in which a river down the valleys ends. Lower ground is sea if it reaches the
        /// land's border, and otherwise a lake; rivers into lakes come last. At the lowest value there is no
        /// sea.
        pub sea: f32 = 0.0, "m" in -12000.0..=12000.0, unlimited below;
        /// Which of the rivers down the valleys it is, 1 for the largest. Nothing is dug if the land has
        /// fewer.
        pub rank: u32 = 1, "" in 1.0..=100.0;
        /// Compass bearing along which it crosses the land.
        pub bearing: f32 = 180.0, "°" in 0.0..=360.0;
        /// The direction in which it flows.
        pub flow: Flow = Flow::Downhill;
        /// Where it crosses: −1 and 1 are the sides of the land to the left and right of the bearing.
        pub offset: f32 = 0.0, "" in -1.0..=1.0;
        /// Largest deviation of the course to either side.
        pub meander: f32 = 150.0, "m" in 0.0..=20000.0;
        /// Number of nodes that bend the course between the land's edges.
        pub bends: u32 = 6, "" in 0.0..=40.0;
    }
}

impl River {
    /// The value of `sea` at which no ground is sea.
    pub(crate) const NO_SEA: f32 = -12_000.0;

    /// Whether it finds its own way down the valleys.
    pub(crate) fn runs_down(&self) -> bool {
        self.points.is_empty() && self.course == RiverCourse::Valleys
    }

    /// Why it has no bed, and what helps.
    fn digs_nothing(&self) -> String {
        let Self { rank, sea, .. } = *self;
        match (self.runs_down(), rank) {
            (false, _) => {
                "digs nothing: its course misses the land, or lies in a larger river; give it other points"
                    .to_owned()
            }
            (true, ..=1) => format!(
                "digs nothing: no ground above {} m, which is sea to it, falls towards that or the border; set `sea`, or \
                 give it points",
                brief(sea)
            ),
            (true, _) => format!(
                "digs nothing: the land has fewer than {rank} rivers, or it lies in a larger one; lower its rank"
            ),
        }
    }

    /// Its curve, before it is known which end is the mouth.
    fn curve(&self, field: &Heightfield, seed: u64, work: &Work) -> Result<Course> {
        let grid = field.grid();
        let Self { width, depth, bank, fill, roughness, .. } = *self;
        let channel = Channel { width, depth, bank, fill };
        let course = if self.runs_down() {
            Course::through(&valley::nodes(field, self.sea, self.rank, work)?, channel, grid, work)?
        } else if self.points.is_empty() {
            Course::through_even(&self.nodes(grid, seed), channel, grid, work)?
        } else {
            let nodes: Vec<Vec2> = self.points.iter().map(|share| share * grid.extent()).collect();
            Course::through(&nodes, channel, grid, work)?
        };
        Ok(course.with_rough_banks(roughness, seed))
    }

    /// The nodes of its spline, in metres from the north-west corner: one on either edge of the land,
    /// `bends` between, and two beyond each edge, because the curve begins at the second node.
    fn nodes(&self, grid: Grid, seed: u64) -> Vec<Vec2> {
        let (sin, cos) = libm::sincosf(self.bearing.to_radians());
        let (along, right) = (Vec2::new(sin, -cos), Vec2::new(cos, sin));
        let half = grid.extent() / 2.0;
        let (half_length, half_across) = (half.dot(along.abs()), half.dot(right.abs()));
        let spacing = 2.0 * half_length / (self.bends + 1) as f32;
        let middle = half + right * (self.offset * half_across);
        (-1..=i64::from(self.bends) + 2)
            .map(|number| {
                // Hashed by the node's number, so that the course is the same on every grid.
                let sideways = signed_unit(hash(seed, number, 0)) * self.meander;
                middle + along * (number as f32 * spacing - half_length) + right * sideways
            })
            .collect()
    }
}

impl Carve for River {
    fn course(&self, field: &Heightfield, seed: u64, work: &Work) -> Result<Course> {
        let mut course = self.curve(field, seed, work)?;
        course.flows_downhill = self.flow == Flow::Downhill && !self.runs_down();
        course.turned_downhill(work, |column, row, _| field.at(column, row))
    }

    fn note_on(&self, course: &Course, field: &Heightfield, sea: Option<f32>) -> Option<String> {
        let mut bed = course.bed().peekable();
        if bed.peek().is_none() {
            return Some(self.digs_nothing());
        }
        let (sea, Channel { depth, fill, .. }) = (sea?, course.channel());
        bed.all(|(column, row)| field.at(column, row) + fill * depth <= sea).then(|| {
            "all of its bed lies below the sea, so that no water of it is seen: it begins there, and no bed rises; \
             set `course` to `valleys`, or give it points that begin on high ground"
                .to_owned()
        })
    }
}

impl Operation for River {
    step!("river", "River", Waterway);

    /// Runs down the valleys, into the sea if there is one, and is no narrower than samples can show.
    fn suit(&mut self, site: &Site) {
        let usual = Self::default();
        // Its deepest is 1000 m, where it would be wider than it can be.
        let times = (3.0 * site.cell / usual.width).clamp(1.0, 5000.0 / usual.width);
        self.width = usual.width * times;
        self.depth = usual.depth * times;
        self.bank = usual.bank * times;
        self.course = RiverCourse::Valleys;
        self.sea = site.sea_level.unwrap_or(Self::NO_SEA);
        self.rank = (site.alike + 1).min(100);
    }

    fn formula(&self) -> Option<String> {
        let [half, far, depth, bank, eased] = [
            self.width / 2.0,
            self.width / 2.0 + self.bank,
            self.depth,
            self.bank,
            self.width + 2.0 * self.bank,
        ]
        .map(brief);
        let bed = format!("bed b: least h − {depth} from the source on, eased over {eased} m");
        if self.bank == 0.0 || self.width == 0.0 {
            return Some(bed);
        }
        Some(format!(
            "{bed};  r: distance\n\
             r ≤ {half} m:  h′ = min(h, b + {depth} S(r / {half})),  S(t) = 3t² − 2t³\n\
             r ≤ {far} m:  h′ = min(h, e + (h − e) S((r − {half}) / {bank})),  e = b + {depth}"
        ))
    }

    fn seconds(&self, grid: Grid) -> f64 {
        // One down the valleys looks for them on a lattice of its own.
        let found = if self.runs_down() { 5e6 } else { 0.0 };
        estimate::in_seconds(found) + estimate::of_samples(grid, 15.0)
    }

    fn note(&self, cell: f32) -> Option<String> {
        narrow(self.width, cell, "a river")
    }

    fn uses(&self, name: &str) -> bool {
        match name {
            "course" => self.points.is_empty(),
            "sea" | "rank" => self.runs_down(),
            "flow" => !self.runs_down(),
            "bearing" | "offset" | "meander" | "bends" => self.points.is_empty() && !self.runs_down(),
            _ => true,
        }
    }

    /// Digs this waterway alone; [`dig`](super::dig) joins those of several steps.
    fn apply(&self, ground: &mut Ground, seed: u64, work: &Work) -> Result<()> {
        let course = self.carve(&mut ground.heights, seed, work)?;
        ground.rivers.push(course);
        Ok(())
    }

    fn as_waterway(&self) -> Option<&dyn Carve> {
        Some(self)
    }
}

//! Holes: ground that is taken away, for mine shafts, the mouths of caves and sinkholes.
//!
//! Heights stay as they are. The layer [`HOLE`] says how far a place lies inside a shape, as a share: 0.5 on
//! its edge, so that the edge between samples is that of the shape, not a staircase of cells. Shapes are
//! signed distances, as in J. Hart, "Sphere Tracing" (1996).

use glam::{DVec2, DVec3, Vec2, Vec3Swizzles};
use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::layer::HOLE;
use crate::grid::{Domain, Grid, Heightfield};
use crate::params::{choice, params};
use crate::steps::filter::earthworks::place;
use crate::steps::number::brief;
use crate::steps::{Ground, Operation, Reach, estimate, step};

choice! {
    /// The shape of holes.
    pub enum HoleShape {
        /// A disc around every point: a shaft.
        Disc = "disc",
        /// A rectangle around every point.
        Rectangle = "rectangle",
        /// A ball around every point at a height: where it cuts a slope is the mouth of a cave.
        Ball = "ball",
        /// A band along the line through the points, as a brush leaves it.
        Line = "line",
        /// Everywhere between the heights: the step's mask alone says where.
        Everywhere = "everywhere",
    }
}

choice! {
    /// What the heights of holes are counted from.
    pub enum HoleHeight {
        /// Height 0.
        Fixed = "fixed",
        /// The land at the hole's own point; of a line, at its points and straight between them.
        Ground = "ground",
    }
}

params! {
    /// Takes the ground away where its shapes are, and leaves the heights as they are: there is then nothing
    /// to see, to stand on or to hit. Shapes add up with those of other steps. The step's mask and amount
    /// limit it: there is a hole where more than half is left.
    pub struct Hole {
        /// What is taken away around the points.
        pub shape: HoleShape = HoleShape::Disc;
        /// Where, as shares of the land's sides from its north-west corner; on endless land in units from the
        /// origin.
        pub points: Vec<Vec2> = vec![Vec2::splat(0.5)], "" in -1000.0..=1000.0;
        /// Radius of a disc or a ball, and half of the width of a line.
        pub radius: f32 = 8.0, "m" in 0.05..=10000.0, log;
        /// Length of a rectangle, from north to south before it is turned.
        pub length: f32 = 20.0, "m" in 0.1..=20000.0, log;
        /// Width of a rectangle, from west to east before it is turned.
        pub width: f32 = 10.0, "m" in 0.1..=20000.0, log;
        /// How far a rectangle is turned clockwise, as seen from above.
        pub turn: f32 = 0.0, "°" in -360.0..=360.0;
        /// What the heights are counted from.
        pub from: HoleHeight = HoleHeight::Fixed;
        /// Height of the middle of a ball above that.
        pub height: f32 = 0.0, "m" in -12000.0..=12000.0;
        /// Ground below this height stays. At the lowest value there is no limit.
        pub bottom: f32 = -12000.0, "m" in -12000.0..=12000.0, unlimited below;
        /// Ground above this height stays. At the highest value there is no limit.
        pub top: f32 = 12000.0, "m" in -12000.0..=12000.0, unlimited above;
        /// Closes holes of earlier steps in place of making them.
        pub fill: bool = false;
    }
    law limits;
    follow push;
}

/// A limit that is moved past the other one takes it along.
fn push(hole: &mut Hole, changed: &str) {
    // The limit that was just changed stays, and pushes the other.
    match changed {
        "bottom" => hole.top = hole.top.max(hole.bottom),
        "top" => hole.bottom = hole.bottom.min(hole.top),
        _ => {}
    }
}

fn limits(hole: &Hole) -> std::result::Result<(), String> {
    if hole.bottom <= hole.top {
        return Ok(());
    }
    Err(format!("`bottom`, {} m, is above `top`, {} m; swap them", hole.bottom, hole.top))
}

/// The heights that mean no limit.
const LOWEST: f32 = -12000.0;
const HIGHEST: f32 = 12000.0;

/// Metres over which the layer rises where heights alone are the limit.
const RISE: f64 = 1.0;

impl Operation for Hole {
    step!("hole", "Hole in the ground", Filter);

    fn formula(&self) -> Option<String> {
        let [radius, length, width, height] = [self.radius, self.length, self.width, self.height].map(brief);
        let inside = match self.shape {
            HoleShape::Disc => format!("{radius} − |p − p₀|,  p = (x, z)"),
            HoleShape::Ball => {
                let ground = if self.from == HoleHeight::Ground { "h(p₀) + " } else { "" };
                format!("{radius} − |p − p₀|,  p = (x, h, z),  h₀ = {ground}{height}")
            }
            HoleShape::Line => format!("{radius} − distance to the line"),
            HoleShape::Rectangle => format!("distance from the sides of {width} × {length}"),
            HoleShape::Everywhere => "∞".to_owned(),
        };
        let holds = if self.fill { "min(hole, 1 − s)" } else { "max(hole, s)" };
        Some(format!("hole′ = {holds},  s = ½ + d / 2r\nd = {inside}"))
    }

    fn seconds(&self, grid: Grid) -> f64 {
        // An upper bound: as if every point were near every sample.
        estimate::of_samples(grid, 20.0 + 5.0 * self.points.len() as f64)
    }

    fn reach(&self, _domain: Domain) -> Reach {
        Reach::Point
    }

    fn uses(&self, name: &str) -> bool {
        use HoleShape::*;
        match name {
            "points" => self.shape != Everywhere,
            "from" => self.shape != Everywhere && (self.shape == Ball || self.has_limits()),
            "radius" => matches!(self.shape, Disc | Ball | Line),
            "length" | "width" | "turn" => self.shape == Rectangle,
            "height" => self.shape == Ball,
            _ => true,
        }
    }

    fn places(&self, domain: &Domain) -> Vec<DVec2> {
        match self.stands_on_ground() {
            true => self.points.iter().map(|point| place::in_metres(domain, *point)).collect(),
            false => Vec::new(),
        }
    }

    fn reads(&self) -> Vec<&str> {
        vec![HOLE]
    }

    fn writes(&self) -> Vec<&str> {
        vec![HOLE]
    }

    /// # Errors
    /// When `bottom` is above `top`.
    fn apply(&self, ground: &mut Ground, _seed: u64, work: &Work) -> Result<()> {
        limits(self).map_err(|reason| Error::parameter("bottom", reason))?;
        if !ground.wants(HOLE) {
            return work.check();
        }
        let region = *ground.region();
        let domain = region.domain();
        let under = ground.heights_at(&self.places(&domain))?;
        let shapes = Shapes::new(self, &domain, &under);
        let before = ground.layers().get(HOLE);
        let grid = ground.grid();
        let mut layer = Heightfield::flat(grid, 0.0);
        work.stage("hole", grid.depth);
        layer.heights_mut().par_chunks_mut(grid.width).enumerate().try_for_each(|(row, values)| {
            work.check()?;
            let z = region.z_in_metres(row);
            let near = shapes.near(z);
            for (column, value) in values.iter_mut().enumerate() {
                // The ball and the limits need the height; other shapes ignore it.
                let height = ground.heights.at(column, row);
                let p = DVec3::new(region.x_in_metres(column), f64::from(height), z);
                let share = shapes.share(&near, p);
                let before = before.map_or(0.0, |before| before.at(column, row));
                // Filling takes its shape away from earlier holes, cutting adds it: at its own place the last
                // step wins.
                *value = if self.fill { before.min(1.0 - share) } else { before.max(share) };
            }
            work.advance(1);
            Ok::<_, Error>(())
        })?;
        ground.write_layer(HOLE, layer);
        Ok(())
    }

    /// Copies nothing: the heights stay as they are.
    fn applied(&self, ground: &Ground, seed: u64, work: &Work) -> Result<Ground> {
        let mut changed = ground.clone();
        self.apply(&mut changed, seed, work)?;
        Ok(changed)
    }
}

impl Hole {
    fn has_limits(&self) -> bool {
        self.bottom > LOWEST || self.top < HIGHEST
    }

    /// Whether the land at its points has to be known.
    fn stands_on_ground(&self) -> bool {
        self.from == HoleHeight::Ground && self.uses("from")
    }
}

/// The shapes on a land, in metres.
struct Shapes<'a> {
    hole: &'a Hole,
    /// The points, each with the height that others are counted from.
    points: Vec<DVec3>,
    /// How far from its points a shape has any effect.
    reach: f64,
    /// The layer rises to 1 over this many metres inwards from the edge, and falls to 0 over as many
    /// outwards. It is the distance of the innermost place from the edge, so that the edge is right between
    /// coarse samples too.
    rise: f64,
    /// Sine and cosine of a rectangle's turn.
    turn: (f64, f64),
}

impl<'a> Shapes<'a> {
    /// The shapes of a hole. `under` are the heights of the land at its points; it is empty where they have
    /// no effect.
    fn new(hole: &'a Hole, domain: &Domain, under: &[f32]) -> Self {
        // Zeros for points whose ground isn't asked for: `height` is absolute then.
        let under = under.iter().map(|height| f64::from(*height)).chain(std::iter::repeat(0.0));
        let points = hole.points.iter().map(|point| place::in_metres(domain, *point)).zip(under);
        let points = points.map(|(point, height)| DVec3::new(point.x, height, point.y)).collect();
        let [radius, length, width] = [hole.radius, hole.length, hole.width].map(f64::from);
        let (rise, extent) = match hole.shape {
            HoleShape::Disc | HoleShape::Ball | HoleShape::Line => (radius, radius),
            HoleShape::Rectangle => (0.5 * length.min(width), 0.5 * (length * length + width * width).sqrt()),
            HoleShape::Everywhere => (RISE, 0.0),
        };
        let turn = f64::from(hole.turn).to_radians();
        Self { hole, points, reach: extent + rise, rise, turn: libm::sincos(turn) }
    }

    /// The points, or the lines from one to the next, that have an effect in a row.
    // By row only: a row is asked once, and few shapes lie next to each other.
    fn near(&self, z: f64) -> Vec<[DVec3; 2]> {
        let is_near = |[a, b]: &[DVec3; 2]| a.z.min(b.z) <= z + self.reach && a.z.max(b.z) >= z - self.reach;
        let points = self.points.iter().map(|point| [*point; 2]);
        match self.hole.shape {
            HoleShape::Everywhere => Vec::new(),
            HoleShape::Line if self.points.len() > 1 => {
                let lines = self.points.windows(2).map(|pair| [pair[0], pair[1]]);
                lines.filter(is_near).collect()
            }
            _ => points.filter(is_near).collect(),
        }
    }

    /// The layer at a place: 0.5 on the edge.
    fn share(&self, near: &[[DVec3; 2]], p: DVec3) -> f32 {
        let inside = match self.hole.shape {
            HoleShape::Everywhere => self.between(p.y),
            // The union of shapes has the largest of their depths, so their common edge has no seam.
            _ => near.iter().map(|shape| self.inside(*shape, p)).fold(f64::NEG_INFINITY, f64::max),
        };
        // ½ lies on the edge, where the mesh is cut.
        (0.5 + inside / (2.0 * self.rise)).clamp(0.0, 1.0) as f32
    }

    /// How far a height lies inside those that are the limits, metres; below 0 outside.
    fn between(&self, height: f64) -> f64 {
        let Hole { bottom, top, .. } = *self.hole;
        let above = if bottom > LOWEST { height - f64::from(bottom) } else { f64::INFINITY };
        let below = if top < HIGHEST { f64::from(top) - height } else { f64::INFINITY };
        above.min(below)
    }

    /// How far inside a shape a place lies, metres; below 0 outside.
    fn inside(&self, [from, to]: [DVec3; 2], p: DVec3) -> f64 {
        let radius = f64::from(self.hole.radius);
        let away = (p - from).xz();
        // Above what heights are counted from.
        let mut height = p.y - from.y;
        let inside = match self.hole.shape {
            HoleShape::Everywhere => f64::INFINITY,
            HoleShape::Disc => radius - away.length(),
            HoleShape::Ball => radius - away.extend(height - f64::from(self.hole.height)).length(),
            HoleShape::Line => {
                let along = (to - from).xz();
                let length = along.length_squared();
                let share = if length > 0.0 { (away.dot(along) / length).clamp(0.0, 1.0) } else { 0.0 };
                // A line's limits follow the ground between its two points.
                height -= (to.y - from.y) * share;
                radius - away.distance(along * share)
            }
            HoleShape::Rectangle => {
                let (sine, cosine) = self.turn;
                // Clockwise from above, where x is east and z south.
                let turned = DVec2::new(cosine * away.x + sine * away.y, cosine * away.y - sine * away.x);
                let half = 0.5 * DVec2::new(self.hole.width.into(), self.hole.length.into());
                let out = turned.abs() - half;
                // The signed distance of a box: outside from the nearest edge or corner, inside from the
                // nearest side.
                -out.max(DVec2::ZERO).length() - out.max_element().min(0.0)
            }
        };
        // The intersection of two shapes has the smaller depth.
        inside.min(self.between(height))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recipe;
    use crate::grid::{Grid, is_hole};
    use crate::params::{self, Params, Value};

    /// The layer that a step makes of level ground, 100 m wide with a sample every metre.
    fn layer(hole: &Hole) -> Heightfield {
        let mut ground = Ground::level(Grid::new(101, 101, 1.0).unwrap());
        hole.apply(&mut ground, 0, &Work::new()).unwrap();
        ground.layer(HOLE).unwrap().clone()
    }

    fn count(hole: &Hole) -> usize {
        layer(hole).heights().iter().filter(|share| is_hole(**share)).count()
    }

    #[test]
    fn shapes_have_their_areas() {
        let disc = Hole { radius: 20.0, ..Hole::default() };
        let area = std::f32::consts::PI * 400.0;
        assert!((count(&disc) as f32 - area).abs() < 0.02 * area, "{}", count(&disc));
        let turned =
            |turn| Hole { shape: HoleShape::Rectangle, width: 30.0, length: 50.0, turn, ..Hole::default() };
        for turn in [0.0, 30.0, 90.0, -45.0] {
            assert!(
                (count(&turned(turn)) as f32 - 1500.0).abs() < 100.0,
                "{turn}°: {}",
                count(&turned(turn))
            );
        }
        // Turned a little clockwise its north end lies in the east.
        assert!(layer(&turned(30.0)).at(60, 30) > 0.5 && layer(&turned(30.0)).at(40, 30) < 0.5);
        let points = vec![Vec2::new(0.2, 0.5), Vec2::new(0.8, 0.5)];
        let line = Hole { shape: HoleShape::Line, radius: 5.4, points, ..Hole::default() };
        let area = 648.0 + std::f32::consts::PI * 5.4 * 5.4;
        assert!((count(&line) as f32 - area).abs() < 0.1 * area, "{}", count(&line));
        // A ball whose middle lies 12 m under the ground cuts it in a disc of 16 m.
        let ball = Hole { shape: HoleShape::Ball, radius: 20.0, height: -12.0, ..Hole::default() };
        assert_eq!(count(&ball), count(&Hole { radius: 16.0, ..Hole::default() }));
    }

    #[test]
    fn limits_that_are_the_wrong_way_round_are_refused_and_dragged_ones_go_along() {
        let text = |limits: &str| {
            format!("(version: 1, name: \"Land\", size: (3, 3), cell: 1, steps: [hole({limits})])")
        };
        let said = Recipe::from_ron(&text("bottom: 9, top: 3"), "land.ron").unwrap_err().to_string();
        assert!(said.contains("`bottom`, 9 m, is above `top`, 3 m; swap them"), "{said}");
        let mut recipe = Recipe::from_ron(&text("bottom: 3, top: 3"), "land.ron").unwrap();
        let limits = |recipe: &Recipe| {
            let hole = recipe.steps[0].operation_as::<Hole>().unwrap();
            (hole.bottom, hole.top)
        };
        let drag = |recipe: &mut Recipe, name: &str, to: f32| {
            params::each_mut(&mut recipe.steps[0], &mut |path, _, value| {
                if let Value::Float(number) = value
                    && path == name
                {
                    *number = to;
                }
            });
            recipe.steps[0].follow(name);
        };
        drag(&mut recipe, "bottom", 5.0);
        assert_eq!(limits(&recipe), (5.0, 5.0));
        drag(&mut recipe, "top", 1.0);
        assert_eq!(limits(&recipe), (1.0, 1.0));
        drag(&mut recipe, "radius", 2.0);
        assert_eq!((limits(&recipe), recipe.check().is_ok()), ((1.0, 1.0), true));
    }

    #[test]
    fn the_edge_between_samples_is_that_of_the_shape() {
        let layer = layer(&Hole { radius: 17.3, ..Hole::default() });
        // Along the row through the middle.
        let row = layer.row(50);
        let last = (50..101).take_while(|column| is_hole(row[*column])).last().unwrap();
        let share = (row[last] - 0.5) / (row[last] - row[last + 1]);
        assert!(((last - 50) as f32 + share - 17.3).abs() < 1e-3, "{last} {share}");
    }

    #[test]
    fn heights_limit_it_and_what_is_filled_is_ground_again() {
        let everywhere = Hole { shape: HoleShape::Everywhere, ..Hole::default() };
        assert_eq!(count(&everywhere), 101 * 101);
        assert_eq!(count(&Hole { bottom: 0.1, ..everywhere.clone() }), 0);
        assert_eq!(count(&Hole { top: -0.1, ..everywhere.clone() }), 0);
        assert_eq!(count(&Hole { bottom: -1.0, top: 1.0, ..everywhere.clone() }), 101 * 101);
        let mut ground = Ground::level(Grid::new(101, 101, 1.0).unwrap());
        let fill = Hole { radius: 20.0, fill: true, ..Hole::default() };
        for step in [&everywhere, &fill] {
            step.apply(&mut ground, 0, &Work::new()).unwrap();
        }
        let left = ground.layer(HOLE).unwrap().heights().iter().filter(|share| is_hole(**share)).count();
        let disc = count(&Hole { radius: 20.0, ..Hole::default() });
        // On the edge itself there is ground in both.
        assert!(left <= 101 * 101 - disc && left + disc + 12 >= 101 * 101, "{left} {disc}");
        let wrong = Hole { bottom: 5.0, top: 4.0, ..everywhere };
        let said = wrong.apply(&mut ground, 0, &Work::new()).unwrap_err().to_string();
        assert_eq!(said, "bottom: `bottom`, 5 m, is above `top`, 4 m; swap them");
    }

    #[test]
    fn heights_are_counted_from_the_land_at_the_point_where_that_is_asked_for() {
        let grid = Grid::new(101, 101, 1.0).unwrap();
        // A slope that rises by half a metre on each towards the east, at 300 m in its middle.
        let slope = Heightfield::from_fn(grid, |column, _| 275.0 + 0.5 * column as f32);
        let layer = |hole: &Hole| {
            let mut ground = Ground::level(grid);
            ground.heights = slope.clone();
            hole.apply(&mut ground, 0, &Work::new()).unwrap();
            ground.layer(HOLE).unwrap().clone()
        };
        let from = HoleHeight::Ground;
        let ball = Hole { shape: HoleShape::Ball, radius: 9.0, height: -3.0, ..Hole::default() };
        assert_eq!(layer(&Hole { from, ..ball.clone() }), layer(&Hole { height: 297.0, ..ball.clone() }));
        assert!(layer(&ball).heights().iter().all(|share| !is_hole(*share)), "there is no land so low");

        // What is lower than 2 m above the land at the point: 4 m towards the rise.
        let mouth = Hole {
            shape: HoleShape::Rectangle,
            width: 40.0,
            length: 40.0,
            top: 2.0,
            from,
            ..Hole::default()
        };
        let row = layer(&mouth).row(50).to_vec();
        assert!(is_hole(row[53]) && !is_hole(row[55]) && is_hole(row[31]) && !is_hole(row[29]), "{row:?}");
        assert_eq!(layer(&mouth), layer(&Hole { top: 302.0, from: HoleHeight::Fixed, ..mouth.clone() }));

        // A line has at each place the land below its middle: here all that is up to 1 m higher.
        let points = vec![Vec2::new(0.2, 0.5), Vec2::new(0.8, 0.5)];
        let line = Hole { shape: HoleShape::Line, radius: 6.0, top: 1.0, points, from, ..Hole::default() };
        let layer = layer(&line);
        assert!(
            [25, 50, 75]
                .iter()
                .all(|column| is_hole(layer.at(*column, 53)) && is_hole(layer.at(*column, 47)))
        );
    }
}

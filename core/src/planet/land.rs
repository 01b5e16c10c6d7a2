//! The land of a planet: the heights of a recipe's endless land, blended around the sphere.

use std::f64::consts::FRAC_PI_2;

use glam::{DVec2, DVec3};

use super::cube::{CubePoint, DEEPEST, Node, QUADS};
use super::patches::{self, PATCHES};
use crate::analysis::Land;
use crate::build::Cache;
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::{Heightfield, LEVELS, Region, Window};
use crate::recipe::Recipe;
use crate::texture::{Baked, GroundCover};

/// Accepted radii of planets, metres: on smaller ones hills would reach into one another's sky, on larger
/// ones positions of a node's samples would no longer be whole numbers of the land's finest levels.
pub const RADII: std::ops::RangeInclusive<f64> = 10_000.0..=20_000_000.0;

/// The most samples around a node that can be requested.
const MOST_BORDER: u32 = 1024;

/// Metres between samples of the finest nodes, about.
const FINEST: f64 = 0.5;

/// Nodes whose samples lie at most this far apart, metres, get the weights of terrain types: from farther
/// away the types' ground textures cannot be seen.
const COVERED: f64 = 48.0;

/// A recipe's land around a sphere.
#[derive(Clone, Debug)]
pub struct PlanetLand {
    recipe: Recipe,
    cache: Cache,
    radius: f64,
    /// The land's level at depth 0.
    level: i32,
    deepest: u8,
    /// The mean height of the land, metres.
    mean: f64,
    /// The lowest and the highest height of the whole faces' samples, metres.
    range: (f32, f32),
}

impl PlanetLand {
    /// The land of `recipe` around a sphere of `radius` metres, in [`RADII`]: its height 0 is at the radius.
    /// The distance between samples changes by a factor of √2 at most, so that a face has 2^n of them along
    /// its side. If the recipe has a size, its steps count and its border doesn't.
    ///
    /// # Errors
    /// When the radius is outside [`RADII`]; when a step needs to know all of the land, like erosion, because
    /// there is no border within which it could; and those of the recipe's steps.
    pub fn new(recipe: &Recipe, radius: f64, work: &Work) -> Result<Self> {
        if !RADII.contains(&radius) {
            let reason = format!(
                "{radius} m is outside {} to {} m; the Earth's is 6371000",
                RADII.start(),
                RADII.end()
            );
            return Err(Error::parameter("radius", reason));
        }
        let mut recipe = recipe.clone();
        let unit = recipe.domain()?.unit();
        // Without a border the unit would no longer follow from the size; it stays what it was.
        recipe.unit = Some(unit);
        recipe.check_reach().map_err(|error| {
            let step = match error {
                Error::Parameter { name, .. } => name,
                other => other.to_string(),
            };
            let reason = "needs to know all of the land, and a planet's has no border; mute the \
                          step, or take endless land";
            Error::parameter(step, reason)
        })?;
        // The sun moves, and the renderer lights the land.
        if recipe.texture.fade().textures.iter().any(|texture| texture.light.is_some()) {
            recipe.texture = recipe.texture.with(&|texture| texture.light = None);
        }
        // A face spans a quarter of a great circle.
        let side = radius * FRAC_PI_2;
        let quads = libm::log2(f64::from(QUADS)) as i32;
        // Rounded, so that the spacing changes by √2 at most.
        let doublings = libm::log2(side / f64::from(recipe.cell)).round() as i32;
        let doublings = doublings.clamp(quads, quads + LEVELS.end());
        recipe.cell = libm::ldexp(side, -doublings) as f32;
        let deepest = libm::log2(side / f64::from(QUADS) / FINEST).round() as i32;
        let level = doublings - quads;
        // Neither finer than the land has levels, nor deeper than nodes can be numbered.
        let deepest = deepest.clamp(0, (level - LEVELS.start()).min(i32::from(DEEPEST))) as u8;
        recipe.check_land()?;
        let cache = Cache::default();
        let mut land = Self { recipe, cache, radius, level, deepest, mean: 0.0, range: (0.0, 0.0) };
        land.survey(work)?;
        Ok(land)
    }

    /// Measures the land at the whole faces' samples.
    fn survey(&mut self, work: &Work) -> Result<()> {
        let (mut sum, mut count) = (0.0, 0);
        let (mut low, mut high) = (f32::INFINITY, f32::NEG_INFINITY);
        for root in Node::roots() {
            let heights = self.window(self.window_of_face(root, 0), work)?;
            sum += heights.heights().iter().map(|height| f64::from(*height)).sum::<f64>();
            count += heights.heights().len();
            let (lowest, highest) = heights.range();
            (low, high) = (low.min(lowest), high.max(highest));
        }
        (self.mean, self.range) = (sum / count as f64, (low, high));
        Ok(())
    }

    /// The radius of height 0, metres.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The depth of the finest nodes.
    pub fn deepest(&self) -> u8 {
        self.deepest
    }

    /// Height of the sea's surface, metres; `None` without a sea.
    pub fn sea_level(&self) -> Option<f32> {
        self.recipe.sea_level()
    }

    /// The lowest and the highest height, metres, of a survey: single peaks can be higher.
    pub fn range(&self) -> (f32, f32) {
        self.range
    }

    /// Metres between the samples of nodes at a depth, in the middle of a face.
    pub fn cell_at(&self, depth: u8) -> f64 {
        f64::from(self.recipe.cell) * libm::ldexp(1.0, self.level - i32::from(depth))
    }

    /// Whether a node's mesh has weights of terrain types.
    pub fn is_covered(&self, node: Node) -> bool {
        self.cell_at(node.depth) <= COVERED
    }

    /// The position of a node's first sample on its face: metres along the columns and rows from the face's
    /// first sample, at the scale of the face's middle. Ground textures are placed by this. It is exact, so
    /// that they continue from node to node.
    pub fn place_of(&self, node: Node) -> DVec2 {
        let first = [node.column, node.row].map(|place| f64::from(place) * f64::from(QUADS));
        DVec2::from(first) * self.cell_at(node.depth)
    }

    /// The terrain types of the land and their materials, in the order of the weights of
    /// [`NodeMesh`](super::NodeMesh).
    ///
    /// # Errors
    /// Those of the recipe's steps and of painting, and [`Error::Cancelled`].
    pub fn ground_cover(&self, work: &Work) -> Result<GroundCover> {
        let [root, ..] = Node::roots();
        let window = self.window_of_face(root, 0);
        let field = Heightfield::new(
            self.recipe.domain()?.region(window)?.grid(),
            self.window(window, work)?.heights().to_vec(),
        )?;
        let land = Land { sea_level: self.sea_level(), ..Land::dry(&field) };
        GroundCover::of(&self.recipe.texture.fade(), land, None, self.recipe.seed, work)
    }

    /// The position of a point with a height in metres, from the sphere's centre, metres.
    pub fn position(&self, point: CubePoint, height: f32) -> DVec3 {
        point.direction() * (self.radius + f64::from(height))
    }

    /// The height of the land in a direction, metres: that of the nearest of the finest samples.
    ///
    /// # Errors
    /// Those of the recipe's steps, and [`Error::Cancelled`].
    pub fn height_towards(&self, direction: DVec3, work: &Work) -> Result<f32> {
        let steps = i64::from(QUADS) << self.deepest;
        let point = CubePoint::towards(direction, steps);
        Ok(self.blend(&[point], self.deepest, work)?[0])
    }

    /// The heights of a node's samples in metres, row by row, with `border` more on every side.
    ///
    /// # Errors
    /// When the node does not exist, or is deeper than [`deepest`](Self::deepest); when `border` is above
    /// 1024; those of the recipe's steps; and [`Error::Cancelled`].
    pub fn heights(&self, node: Node, border: u32, work: &Work) -> Result<Vec<f32>> {
        if node.depth > self.deepest {
            let reason = format!("a depth of {} is beyond the finest nodes', {}", node.depth, self.deepest);
            return Err(Error::parameter("node", reason));
        }
        if !node.exists() {
            return Err(Error::parameter("node", format!("{node:?} lies on no face of the cube")));
        }
        if border > MOST_BORDER {
            let reason = format!("{border} samples are too many around a node; give at most {MOST_BORDER}");
            return Err(Error::parameter("border", reason));
        }
        let (first, last) = (-i64::from(border), i64::from(QUADS + border));
        let points: Vec<CubePoint> = (first..=last)
            .flat_map(|row| (first..=last).map(move |column| node.point(column, row)))
            .collect();
        self.blend(&points, node.depth, work)
    }

    /// The heights at points of a depth's lattice. A blend of lands would be smoother than each of them, so
    /// their variance is restored: after Heitz and Neyret, "High-Performance By-Example Noise using a
    /// Histogram-Preserving Blending Operator" (2018).
    fn blend(&self, points: &[CubePoint], depth: u8, work: &Work) -> Result<Vec<f32>> {
        let mut sums = vec![(0.0f64, 0.0f64); points.len()];
        // Always in the patches' order, so that a sum has the same bits from whichever face it is made.
        for patch in 0..PATCHES {
            let here = points.iter().enumerate().filter_map(|(index, &point)| {
                let weight = patches::weight(patch, point);
                (weight > 0.0).then(|| (index, weight, patches::place(patch, point)))
            });
            let here: Vec<(usize, f64, [i64; 2])> = here.collect();
            let Some(window) = window_around(self.level - i32::from(depth), here.iter().map(|&(.., at)| at))
            else {
                continue;
            };
            let heights = self.window(window, work)?;
            for (index, weight, at) in here {
                let [column, row] = [0, 1].map(|axis| (at[axis] - window.first[axis]) as usize);
                let (sum, squares) = &mut sums[index];
                // The deviations from the mean are blended. For independent lands with weights wᵢ, the
                // variance of their sum is Σwᵢ², hence the division by its root.
                *sum += weight * (f64::from(heights.at(column, row)) - self.mean);
                *squares += weight * weight;
            }
        }
        Ok(sums.into_iter().map(|(sum, squares)| (self.mean + sum / squares.sqrt()) as f32).collect())
    }

    fn window(&self, window: Window, work: &Work) -> Result<Heightfield> {
        Ok(self.recipe.build_window(window, &self.cache, work)?.heights)
    }

    /// A window for a node, with a border, in its face's patch: noise in colours continues from node to node.
    /// For a whole face it is the patch.
    fn window_of_face(&self, node: Node, border: u32) -> Window {
        let patch = patches::of_face(node.face);
        let first = patches::place(patch, CubePoint::on_face(node.face, node.quads_of_face(), 0, 0));
        let at = [node.column, node.row].map(|place| i64::from(place) * i64::from(QUADS));
        Window {
            level: self.level - i32::from(node.depth),
            first: [0, 1].map(|axis| first[axis] + at[axis] - i64::from(border)),
            size: [QUADS + 1 + 2 * border; 2],
        }
    }

    /// The colours of the cells of a node and its border, sRGB, and with `weights` the terrain types there,
    /// for heights that [`heights`](Self::heights) has made.
    ///
    /// # Errors
    /// Those of painting, and [`Error::Cancelled`].
    pub(super) fn painted(&self, node: Node, border: u32, heights: Vec<f32>, work: &Work) -> Result<Baked> {
        let window = self.window_of_face(node, border);
        let region: Region = self.recipe.domain()?.region(window)?;
        let field = Heightfield::new(region.grid(), heights)?;
        self.recipe.paint_field(&field, &region, self.range, self.is_covered(node), &self.cache, work)
    }
}

/// The window around samples; `None` without any.
fn window_around(level: i32, samples: impl Iterator<Item = [i64; 2]>) -> Option<Window> {
    let (mut low, mut high) = ([i64::MAX; 2], [i64::MIN; 2]);
    for at in samples {
        for axis in [0, 1] {
            (low[axis], high[axis]) = (low[axis].min(at[axis]), high[axis].max(at[axis]));
        }
    }
    let size = [0, 1].map(|axis| high[axis].checked_sub(low[axis]).map(|last| (last + 1) as u32));
    Some(Window { level, first: low, size: [size[0]?, size[1]?] })
}

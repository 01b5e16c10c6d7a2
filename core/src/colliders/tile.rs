//! A square of ground in the form of a physics engine.

use std::sync::Arc;

use glam::{DVec2, Vec3};
use half::f16;

use super::place::{COLLIDER_CELLS, ColliderPlace};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::{HOLE_FROM, is_hole};
use crate::stream::{Relief, TileSource};

/// A square of ground: heights on a grid of samples, and how far the ground lies from the samples.
///
/// Each cell is two triangles; the diagonal runs from the north-east to the south-west corner, as in the
/// drawn ground.
#[derive(Clone, Debug, PartialEq)]
pub struct ColliderTile {
    place: ColliderPlace,
    spacing: f32,
    /// Metres from sample (0, 0).
    north_west: DVec2,
    size: DVec2,
    cells: [usize; 2],
    heights: Arc<[f32]>,
    shifts: Arc<[[f16; 2]]>,
    /// Empty if it has no hole.
    holes: Arc<[f16]>,
}

/// The triangles of a tile.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ColliderMesh {
    /// Metres east of the tile's middle, upwards, and south of it.
    pub vertices: Vec<[f32; 3]>,
    /// Anticlockwise as seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl ColliderTile {
    /// Makes the tile of a place.
    ///
    /// # Errors
    /// Those of the source; when there is no land.
    pub fn make(source: &dyn TileSource, place: ColliderPlace, work: &Work) -> Result<Self> {
        let shape = source.shape();
        if !place.has_land(&shape) {
            return Err(Error::parameter("collider", format!("{place:?} is not on the land")));
        }
        let spacing = shape.cell_at(place.level);
        let (north_west, corner) = place.rectangle(&shape);
        let south_east = shape.extent().map_or(corner, |end| corner.min(end));
        let size = south_east - north_west;
        // There are fewer at the border of the land; at a coarse level the last one is narrower.
        let cells =
            // A little less before rounding up: the quotient of a whole number of cells may be a bit above
            // it.
            (size / f64::from(spacing) - 1e-6).ceil().clamp(DVec2::ONE, DVec2::splat(COLLIDER_CELLS as f64));
        let cells = [cells.x as usize, cells.y as usize];
        let mut window = place.window();
        window.size = cells.map(|cells| cells as u32 + 1);
        let Relief { heights, shifts, mut holes, .. } = source.relief(window, work)?;
        // Most tiles of land with holes have none themselves; without the layer they can be a heightfield.
        if !holes.iter().any(|share| is_hole(share.to_f32())) {
            holes.clear();
        }
        let (heights, shifts, holes) = (heights.into(), shifts.into(), holes.into());
        Ok(Self { place, spacing, north_west, size, cells, heights, shifts, holes })
    }

    /// Its square of the land.
    pub fn place(&self) -> ColliderPlace {
        self.place
    }

    /// Metres between its samples.
    pub fn spacing(&self) -> f32 {
        self.spacing
    }

    /// Its middle, in metres east and south of the land's sample (0, 0).
    pub fn middle(&self) -> DVec2 {
        self.north_west + 0.5 * self.size
    }

    /// Metres along its sides.
    pub fn size(&self) -> DVec2 {
        self.size
    }

    /// Cells along x and z.
    pub fn cells(&self) -> [usize; 2] {
        self.cells
    }

    /// Heights in metres, one more along each side than cells: row by row from the north-west.
    pub fn heights(&self) -> &[f32] {
        &self.heights
    }

    /// Whether there is a hole in it.
    pub fn has_hole(&self) -> bool {
        !self.holes.is_empty()
    }

    /// Whether its cells all have one size, lie on their samples and have no holes, so that a heightfield
    /// describes it.
    pub fn is_grid(&self) -> bool {
        let whole = DVec2::from(self.cells.map(|cells| cells as f64)) * f64::from(self.spacing);
        self.shifts.is_empty()
            && self.holes.is_empty()
            && (whole - self.size).abs().max_element() < 1e-6 * f64::from(self.spacing)
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> usize {
        4 * (self.heights.len() + self.shifts.len()) + 2 * self.holes.len()
    }

    /// Its triangles. Those at the edge of a hole are cut along it, as they are drawn.
    pub fn mesh(&self) -> ColliderMesh {
        let [columns, rows] = self.cells;
        let half = 0.5 * self.size;
        let along = |index: usize, half: f64, size: f64| {
            ((index as f64 * f64::from(self.spacing)).min(size) - half) as f32
        };
        let xs: Vec<f32> = (0..=columns).map(|column| along(column, half.x, self.size.x)).collect();
        let zs: Vec<f32> = (0..=rows).map(|row| along(row, half.y, self.size.y)).collect();
        let vertices = self.heights.iter().enumerate().map(|(index, height)| {
            let [east, south] = self.shifts.get(index).map_or([0.0; 2], |shift| shift.map(f16::to_f32));
            [xs[index % (columns + 1)] + east, *height, zs[index / (columns + 1)] + south]
        });
        let mut triangles = Vec::with_capacity(2 * columns * rows);
        for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
            let at = |column: usize, row: usize| (row * (columns + 1) + column) as u32;
            let (north_east, south_west) = (at(column + 1, row), at(column, row + 1));
            triangles.push([at(column, row), south_west, north_east]);
            triangles.push([south_west, at(column + 1, row + 1), north_east]);
        }
        let mut mesh = ColliderMesh { vertices: vertices.collect(), triangles: Vec::new() };
        if self.holes.is_empty() {
            mesh.triangles = triangles
        } else {
            triangles.into_iter().for_each(|corners| self.add_cut(corners, &mut mesh))
        }
        mesh
    }
}

impl ColliderTile {
    /// Adds the part of a triangle that a hole leaves.
    fn add_cut(&self, corners: [u32; 3], mesh: &mut ColliderMesh) {
        let share = |corner: u32| self.holes[corner as usize].to_f32();
        let is_open = corners.map(|corner| is_hole(share(corner)));
        if is_open == [true; 3] {
            return;
        }
        let mut left = Vec::with_capacity(4);
        for side in 0..3 {
            let (from, to) = (corners[side], corners[(side + 1) % 3]);
            if !is_open[side] {
                left.push(from);
            }
            if is_open[side] != is_open[(side + 1) % 3] {
                // In the same order for both triangles at an edge, so that they agree to the bit.
                let (a, b) = (from.min(to), from.max(to));
                let along = (HOLE_FROM - share(a)) / (share(b) - share(a));
                let [p, q] = [a, b].map(|corner| Vec3::from(mesh.vertices[corner as usize]));
                left.push(mesh.vertices.len() as u32);
                mesh.vertices.push(p.lerp(q, along).to_array());
            }
        }
        // The rest is convex, so it can be divided into a fan around its first corner.
        mesh.triangles.extend((2..left.len()).map(|last| [left[0], left[last - 1], left[last]]));
    }
}

impl ColliderMesh {
    /// The heights at which a vertical line through a point meets its triangles, from the highest down; the
    /// point is in metres east and south of the tile's middle.
    pub fn heights_at(&self, x: f32, z: f32) -> Vec<f32> {
        let mut heights: Vec<f32> =
            self.triangles.iter().filter_map(|corners| self.height_on(*corners, x, z)).collect();
        heights.sort_by(|a, b| b.total_cmp(a));
        heights
    }

    fn height_on(&self, corners: [u32; 3], x: f32, z: f32) -> Option<f32> {
        let [a, b, c] = corners.map(|corner| Vec3::from(self.vertices[corner as usize]).as_dvec3());
        let (p, u, v) = (DVec2::new(f64::from(x) - a.x, f64::from(z) - a.z), b - a, c - a);
        let area = u.z * v.x - u.x * v.z;
        let to_b = (p.y * v.x - p.x * v.z) / area;
        let to_c = (u.z * p.x - u.x * p.y) / area;
        // A little wider than the triangle, so that a point on an edge is found on at least one of its two
        // triangles.
        let edge = -1e-9;
        let is_inside = to_b >= edge && to_c >= edge && to_b + to_c <= 1.0 - edge;
        is_inside.then_some((a.y + u.y * to_b + v.y * to_c) as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::Cache;
    use crate::recipe::Recipe;
    use crate::recipe::preset::Preset;
    use crate::sculpt::{Sculpture, Stroke, Strokes, Tool};
    use crate::stream::{Channels, LandscapeSource, RecipeSource, SculptedSource};

    fn source(recipe: Recipe) -> RecipeSource {
        RecipeSource::new(recipe, &Cache::default(), 0.25, Vec::new(), &Work::new()).unwrap()
    }

    fn preset(name: &str, side: Option<u32>) -> RecipeSource {
        let recipe = Preset::find(name).unwrap().recipe().unwrap();
        source(side.map_or(recipe.clone(), |side| recipe.with_longer_side(side)))
    }

    /// Compares places of a tile: its surface must be the ground that queries return there. Returns the
    /// steepest slope, metres per metre.
    fn compare(source: &dyn TileSource, place: ColliderPlace, count: usize) -> f32 {
        let tile = ColliderTile::make(source, place, &Work::new()).unwrap();
        let mesh = tile.mesh();
        let mut steepest = 0.0f32;
        for number in 0..count {
            let share =
                DVec2::new((number * 37 % 101) as f64, (number * 53 % 97) as f64) / DVec2::new(101.0, 97.0);
            let p = (share - 0.5) * tile.size();
            let exact = source.ground(tile.middle() + p, &Work::new()).unwrap().ground;
            let heights = mesh.heights_at(p.x as f32, p.y as f32);
            // Ground of a neighbouring tile may lie above it.
            let is_there = heights.iter().any(|height| (height - exact.height).abs() < 2e-3);
            assert!(is_there || source.is_shifted(), "{p}: {heights:?} for {}", exact.height);
            steepest = steepest.max(exact.normal.truncate().length() / exact.normal.y.abs());
        }
        steepest
    }

    #[test]
    fn its_surface_is_the_ground_that_queries_answer_with() {
        let endless = preset("endless-highlands", None);
        let shape = endless.shape();
        let mut steepest = 0.0f32;
        for (x, z) in [(0.0, 0.0), (3900.0, -5200.0), (-48_000.5, 7.25), (1.2e6, -3e5)] {
            let place = ColliderPlace::at(&shape, endless.finest_ground(), x, z);
            steepest = steepest.max(compare(&endless, place, 60));
        }
        assert!(steepest > 0.5, "{steepest}");
        let bounded = preset("foothills", Some(129));
        let place = ColliderPlace::at(&bounded.shape(), bounded.finest_ground(), 900.0, 700.0);
        compare(&bounded, place, 60);
    }

    #[test]
    fn a_landscape_needs_no_more_tiles_than_it_has_triangles() {
        let recipe = Preset::find("downs").unwrap().recipe().unwrap().with_longer_side(129);
        let land = Arc::new(recipe.build(&Work::new()).unwrap());
        let source =
            LandscapeSource::painted(land.clone(), &land.colour, None, &Channels::default(), -3).unwrap();
        assert!(source.shape().finest < -2 && source.finest_ground() == 0);
        compare(&source, ColliderPlace { level: 0, column: 1, row: 0 }, 200);
    }

    #[test]
    fn tiles_end_where_the_land_does() {
        let mut recipe = Preset::find("downs").unwrap().recipe().unwrap();
        (recipe.size, recipe.cell) = ((101, 70), 8.0);
        let source = source(recipe);
        let at = |level: i32, column, row| {
            ColliderTile::make(&source, ColliderPlace { level, column, row }, &Work::new())
        };
        let corner = at(0, 1, 1).unwrap();
        assert_eq!((corner.cells(), corner.size()), ([36, 5], DVec2::new(36.0, 5.0) * 8.0));
        assert!(corner.is_grid());
        assert_eq!(corner.middle(), DVec2::new(82.0, 66.5) * 8.0);
        let mesh = corner.mesh();
        assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (37 * 6, 2 * 36 * 5));
        assert!(at(0, 2, 0).unwrap_err().to_string().contains("not on the land"));
        // The last cell of a coarse level is narrower, which heights alone would not show.
        let mut recipe = Preset::find("downs").unwrap().recipe().unwrap();
        (recipe.size, recipe.cell) = ((203, 140), 8.0);
        let place = ColliderPlace { level: 1, column: 1, row: 1 };
        let coarse = ColliderTile::make(&self::source(recipe), place, &Work::new()).unwrap();
        assert_eq!((coarse.cells(), coarse.size()), ([37, 6], DVec2::new(74.0, 11.0) * 8.0));
        assert!(!coarse.is_grid());
        let farthest = coarse.mesh().vertices.last().map(|[x, _, z]| [*x, *z]);
        assert_eq!(farthest, Some([296.0, 44.0]));
    }

    #[test]
    fn holes_are_empty_and_all_ground_up_to_their_edge_exists() {
        let land = |steps: &str| {
            let text = format!("(version: 1, name: \"Shaft\", size: (129, 129), cell: 2, steps: {steps})");
            Arc::new(source(Recipe::from_ron(&text, "shaft.ron").unwrap()))
        };
        let holed =
            land("[fbm(height: 60, frequency: 9), hole(radius: 7.3, points: [(0.5, 0.5), (0.53, 0.51)])]");
        there_is_nothing_in_holes_of(&*holed);
        // The same holes, cut by strokes.
        let middle = 0.5 * holed.shape().extent().unwrap();
        let holes = [[0.0, 0.0], [7.68, 2.56]]
            .map(|by| Stroke::at(Tool::Hole {}, (middle + DVec2::from(by)).to_array(), 7.3));
        let bare = land("[fbm(height: 60, frequency: 9)]");
        let sculpture = Sculpture::new(bare.shape().domain(), &Strokes::of(holes.to_vec()).unwrap());
        there_is_nothing_in_holes_of(&SculptedSource::new(bare, Arc::new(sculpture)));
        // A tile that is entirely a hole.
        let void = land("[flat(height: 3), hole(shape: everywhere)]");
        let place = ColliderPlace { level: 0, column: 0, row: 0 };
        assert!(ColliderTile::make(&*void, place, &Work::new()).unwrap().mesh().triangles.is_empty());
    }

    fn there_is_nothing_in_holes_of(source: &dyn TileSource) {
        let middle = 0.5 * source.shape().extent().unwrap() + 1.0;
        for level in [source.finest_ground(), 0] {
            let place = ColliderPlace::at(&source.shape(), level, middle.x, middle.y);
            let tile = ColliderTile::make(source, place, &Work::new()).unwrap();
            assert!(tile.has_hole() && !tile.is_grid());
            let mesh = tile.mesh();
            let inside = |p: DVec2| !mesh.heights_at(p.x as f32, p.y as f32).is_empty();
            // Only places that lie on no edge.
            let is_clear = |p: DVec2| {
                let around =
                    [DVec2::X, DVec2::NEG_X, DVec2::Y, DVec2::NEG_Y].map(|way| inside(p + 1e-3 * way));
                around.into_iter().all(|around| around == inside(p))
            };
            let mut found = [0, 0];
            for number in 0..400 {
                let share = DVec2::new(f64::from(number * 37 % 401), f64::from(number * 53 % 397)) / 401.0;
                // The holes are in the tile's north-western corner.
                let p = middle + share * 14.0 - tile.middle();
                if level != source.finest_ground() || !is_clear(p) {
                    found[usize::from(inside(p))] += 1;
                    continue;
                }
                match source.ground(tile.middle() + p, &Work::new()) {
                    Ok(exact) => {
                        let heights = mesh.heights_at(p.x as f32, p.y as f32);
                        let first = heights.first().copied().unwrap_or(f32::NAN);
                        assert!(
                            (first - exact.ground.height).abs() < 2e-3,
                            "{p} of {place:?}: {first}, {}",
                            exact.ground.height
                        );
                        found[1] += 1;
                    }
                    Err(_) => {
                        assert!(!inside(p), "{p} lies in a hole");
                        found[0] += 1;
                    }
                }
            }
            assert!(found[0] > 5 && found[1] > 5, "{found:?}");
        }
    }

    #[test]
    fn overhanging_ground_is_complete_and_faces_outwards() {
        let recipe = Preset::find("hoodoos").unwrap().recipe().unwrap().with_longer_side(257);
        let source = source(recipe);
        let shape = source.shape();
        assert!(source.is_shifted() && source.most_shifted() < 40.0);
        let middle = 0.5 * shape.extent().unwrap();
        let level = source.finest_ground();
        // A square of tiles: the highest ground of all of them over a place is the one that queries return.
        let centre = ColliderPlace::at(&shape, level, middle.x, middle.y);
        let tiles: Vec<ColliderTile> = (-2..=2)
            .flat_map(|row| (-2..=2).map(move |column| (column, row)))
            .map(|(column, row)| {
                let place = ColliderPlace { column: centre.column + column, row: centre.row + row, ..centre };
                ColliderTile::make(&source, place, &Work::new()).unwrap()
            })
            .collect();
        assert!(tiles.iter().all(|tile| !tile.is_grid()));
        let meshes: Vec<ColliderMesh> = tiles.iter().map(ColliderTile::mesh).collect();
        let (low, high) = centre.rectangle(&shape);
        let mut several = 0;
        for number in 0..60 {
            let share = DVec2::new(f64::from(number * 37 % 101), f64::from(number * 53 % 97)) / 101.0;
            let p = low + share * (high - low);
            let exact = source.ground(p, &Work::new()).unwrap().ground;
            let mut heights: Vec<f32> = Vec::new();
            for (tile, mesh) in tiles.iter().zip(&meshes) {
                let p = (p - tile.middle()).as_vec2();
                heights.extend(mesh.heights_at(p.x, p.y));
            }
            let highest = heights.iter().copied().max_by(f32::total_cmp).unwrap();
            assert!((highest - exact.height).abs() < 1e-2, "{p}: {highest} for {}", exact.height);
            several += usize::from(heights.len() > 2);
        }
        assert!(several > 0, "it overhangs somewhere");
        // Seen from above, most triangles run anticlockwise.
        let mesh = &meshes[12];
        let up = mesh.triangles.iter().filter(|corners| {
            let [a, b, c] = corners.map(|corner| Vec3::from(mesh.vertices[corner as usize]));
            (b - a).cross(c - a).y > 0.0
        });
        assert!(up.count() > mesh.triangles.len() / 2);
    }
}

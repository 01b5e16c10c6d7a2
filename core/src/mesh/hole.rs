//! Holes in meshes: triangles are cut along the line at which the layer of holes is 0.5.
//!
//! To have the same line as the drawn ground, every cell that the line crosses is in the mesh as the two
//! triangles with which it is drawn. Elsewhere triangles may be of any size: each is all ground or all hole.

use std::collections::hash_map::Entry;

use glam::{Vec2, Vec3};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Mesh, Triangulation};
use crate::error::{Error, Result};
use crate::grid::{Grid, HOLE_FROM, Heightfield, drawn_hole, is_hole};

/// The edges of a field's holes.
pub(super) struct Edges<'a> {
    holes: &'a Heightfield,
}

impl<'a> Edges<'a> {
    /// The holes of a field on this grid.
    ///
    /// # Errors
    /// When they lie on another grid.
    pub(super) fn of(holes: &'a Heightfield, grid: Grid) -> Result<Self> {
        if holes.grid() == grid {
            return Ok(Self { holes });
        }
        let Grid { width, depth, .. } = holes.grid();
        let reason = format!("has {width}×{depth} samples, the heights {}×{}", grid.width, grid.depth);
        Err(Error::parameter("hole", reason))
    }

    fn is_hole(&self, [column, row]: [u32; 2]) -> bool {
        is_hole(self.at([column, row]))
    }

    fn at(&self, [column, row]: [u32; 2]) -> f32 {
        drawn_hole(self.holes.at(column as usize, row as usize))
    }

    /// Whether the edge of a hole crosses a cell; false beyond the field.
    pub(super) fn cross(&self, [column, row]: [i64; 2]) -> bool {
        let grid = self.holes.grid();
        let is_cell =
            column >= 0 && row >= 0 && column + 1 < grid.width as i64 && row + 1 < grid.depth as i64;
        is_cell && {
            let [column, row] = [column as u32, row as u32];
            let first = self.is_hole([column, row]);
            [[1, 0], [0, 1], [1, 1]]
                .into_iter()
                .any(|[east, south]| self.is_hole([column + east, row + south]) != first)
        }
    }

    /// The samples at the corners of all cells that edges cross, row by row.
    pub(super) fn corners(&self) -> Vec<[u32; 2]> {
        let grid = self.holes.grid();
        let mut corners = Vec::new();
        for row in 0..grid.depth as u32 - 1 {
            for column in 0..grid.width as u32 - 1 {
                if self.cross([column, row].map(i64::from)) {
                    corners.extend(
                        [[0, 0], [1, 0], [0, 1], [1, 1]].map(|[east, south]| [column + east, row + south]),
                    );
                }
            }
        }
        corners.sort_unstable_by_key(|&[column, row]| (row, column));
        corners.dedup();
        corners
    }
}

impl Triangulation {
    /// Gives the cells that edges of holes cross the diagonal with which they are drawn: from the north-east
    /// to the south-west.
    pub(super) fn turn_diagonals(&mut self, edges: &Edges) {
        // Triangles with the other diagonal, by their cell: the corner that each lacks.
        let mut corners: FxHashMap<[u32; 2], u32> = FxHashMap::default();
        let mut turned = Vec::new();
        for (number, triangle) in self.triangles.iter().enumerate() {
            let places = triangle.map(|corner| self.points[corner as usize]);
            let first = [0, 1].map(|axis| places[0][axis].min(places[1][axis]).min(places[2][axis]));
            let is_half_cell =
                places.iter().all(|place| place[0] - first[0] <= 1 && place[1] - first[1] <= 1);
            if !is_half_cell || !edges.cross(first.map(i64::from)) {
                continue;
            }
            for (corner, place) in triangle.iter().zip(places) {
                corners.insert(place, *corner);
            }
            let north_east = [first[0] + 1, first[1]];
            let south_west = [first[0], first[1] + 1];
            if !places.contains(&north_east) || !places.contains(&south_west) {
                turned.push((number, first, !places.contains(&north_east)));
            }
        }
        for (number, [column, row], lacks_north_east) in turned {
            let at = |east: u32, south: u32| corners.get(&[column + east, row + south]).copied();
            let (Some(north_west), Some(north_east), Some(south_west), Some(south_east)) =
                (at(0, 0), at(1, 0), at(0, 1), at(1, 1))
            else {
                continue;
            };
            self.triangles[number] = if lacks_north_east {
                [north_west, south_west, north_east]
            } else {
                [south_east, north_east, south_west]
            };
        }
    }
}

impl Mesh {
    /// The mesh without its parts in holes. `holes` is the layer `hole` at the samples of the
    /// `triangulation`, which must have been made [with it](Triangulation::with_holes) and belong to this
    /// mesh. Triangles that an edge crosses are cut along it.
    ///
    /// # Errors
    /// When the layer lies on another grid, or the mesh is not that of the triangulation.
    pub fn without_holes(mut self, triangulation: &Triangulation, holes: &Heightfield) -> Result<Self> {
        let edges = Edges::of(holes, triangulation.grid)?;
        if self.positions.len() != triangulation.points.len() || self.triangles != triangulation.triangles {
            let reason = "is not that of the triangulation; cut holes before adding anything else to it";
            return Err(Error::parameter("mesh", reason));
        }
        let shares: Vec<f32> = triangulation.points.iter().map(|point| edges.at(*point)).collect();
        let mut cuts: FxHashMap<[u32; 2], u32> = FxHashMap::default();
        let mut kept = Vec::with_capacity(self.triangles.len());
        for triangle in std::mem::take(&mut self.triangles) {
            let is_out = triangle.map(|corner| is_hole(shares[corner as usize]));
            // Rotate the triangle so that the corner that is alone on its side of the edge comes first.
            let alone = match is_out {
                [false, false, false] => {
                    kept.push(triangle);
                    continue;
                }
                [true, true, true] => continue,
                [a, b, c] if b == c && a != b => 0,
                [a, b, c] if a == c && b != a => 1,
                _ => 2,
            };
            let [a, b, c] = [0, 1, 2].map(|corner| triangle[(alone + corner) % 3]);
            let mut cut = |from: u32, to: u32| self.cut([from, to], &shares, &mut cuts);
            let (to_b, to_c) = (cut(a, b), cut(a, c));
            let parts = if is_out[alone] { [[to_b, b, c], [to_b, c, to_c]] } else { [[a, to_b, to_c]; 2] };
            let count = if is_out[alone] { 2 } else { 1 };
            // Where the edge passes through a corner, one part has no area.
            let has_area = |[a, b, c]: &[u32; 3]| a != b && b != c && c != a;
            kept.extend(parts.into_iter().take(count).filter(has_area));
        }
        self.triangles = kept;
        self.drop_unused();
        Ok(self)
    }

    /// The vertex where the edge of a hole crosses a side.
    fn cut(&mut self, side: [u32; 2], shares: &[f32], cuts: &mut FxHashMap<[u32; 2], u32>) -> u32 {
        // The same for both triangles at the side.
        let [from, to] = [side[0].min(side[1]), side[0].max(side[1])];
        match cuts.entry([from, to]) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let (from, to) = (from as usize, to as usize);
                let share = (HOLE_FROM - shares[from]) / (shares[to] - shares[from]);
                let position = self.positions[from].lerp(self.positions[to], share);
                // A cut that rounds to an end uses that end's vertex, so that the mesh stays closed.
                for end in [from, to] {
                    if position == self.positions[end] {
                        return *new.insert(end as u32);
                    }
                }
                self.positions.push(position);
                let normal = self.normals[from].lerp(self.normals[to], share);
                self.normals.push(normal.normalize_or(Vec3::Y));
                self.uvs.push(self.uvs[from].lerp(self.uvs[to], share));
                *new.insert(self.positions.len() as u32 - 1)
            }
        }
    }

    /// Drops vertices that no triangle uses.
    fn drop_unused(&mut self) {
        const NONE: u32 = u32::MAX;
        let mut numbers = vec![NONE; self.positions.len()];
        self.triangles.as_flattened().iter().for_each(|corner| numbers[*corner as usize] = 0);
        for (count, number) in (0..).zip(numbers.iter_mut().filter(|number| **number != NONE)) {
            *number = count;
        }
        let mut vertex = 0;
        let mut is_used = || {
            vertex += 1;
            numbers[vertex - 1] != NONE
        };
        self.positions.retain(|_| is_used());
        let mut used = numbers.iter().map(|number| *number != NONE);
        self.normals.retain(|_| used.next().unwrap_or(false));
        let mut used = numbers.iter().map(|number| *number != NONE);
        self.uvs.retain(|_| used.next().unwrap_or(false));
        for corner in self.triangles.as_flattened_mut() {
            *corner = numbers[*corner as usize];
        }
    }

    /// As [`with_skirt`](Mesh::with_skirt), for a mesh with holes: the holes pass through the floor, too,
    /// with walls around them, so that every edge is shared by exactly two triangles.
    ///
    /// # Errors
    /// As [`with_skirt`](Mesh::with_skirt).
    pub fn with_skirt_and_shafts(mut self, depth: f32) -> Result<Self> {
        let floor = self.floor(depth)?;
        let ground = self.triangles.clone();
        let sides = || ground.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        let all: FxHashSet<[u32; 2]> = sides().collect();
        // A side whose reverse belongs to no triangle is on the border of the ground.
        for [from, to] in sides().filter(|[from, to]| !all.contains(&[*to, *from])) {
            self.wall([from, to], floor);
        }
        // The floor is the ground again, facing down.
        let first = self.positions.len() as u32;
        let used = ground.as_flattened().iter().max().map_or(0, |last| last + 1);
        for vertex in 0..used as usize {
            let (p, uv): (Vec3, Vec2) = (self.positions[vertex], self.uvs[vertex]);
            self.vertex(Vec3::new(p.x, floor, p.z), Vec3::NEG_Y, uv);
        }
        self.triangles.extend(ground.into_iter().map(|[a, b, c]| [first + a, first + c, first + b]));
        Ok(self)
    }
}

//! Ground as triangles with areas, for crates that make navigation meshes.

use glam::{DVec2, Vec3};

use super::map::{CostMap, too_small};
use crate::error::Result;

/// The default costs of a metre at which one area ends and the next begins.
pub const AREA_COSTS: [f32; 5] = [1.25, 1.75, 2.5, 4.0, 8.0];

/// The most areas: Recast's are numbered up to 63.
const MOST_AREAS: usize = 62;

/// The ground of a [`CostMap`] as triangles, two for each cell, as it is drawn. Each belongs to an area: 0
/// where it is off-limits, otherwise a number from 1 on, higher where ground costs more.
#[derive(Clone, Debug, PartialEq)]
pub struct Walkable {
    /// The origin of positions: metres east and south of the land's sample (0, 0).
    pub origin: DVec2,
    /// Metres east of the origin, up, and south of it: one for each sample, row by row.
    pub positions: Vec<Vec3>,
    /// Corners of the triangles, counterclockwise as seen from above.
    pub triangles: Vec<[u32; 3]>,
    /// The area of each triangle.
    pub areas: Vec<u8>,
    /// The mean cost of a metre in each area: for area 0 infinity.
    pub costs: Vec<f32>,
}

impl CostMap {
    /// The ground as triangles. A triangle is off-limits if one of its corners is; otherwise its area is one
    /// more than the number of `areas`, in ascending order, that the mean cost of a metre at its corners
    /// reaches. At most 62 of them are used. [`AREA_COSTS`] are suitable values.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::agents::{AREA_COSTS, CostMap, CostRules};
    /// use upland::{Cache, Preset, Work};
    ///
    /// let land = Preset::find("high-range").unwrap().recipe()?.with_longer_side(65);
    /// let (rules, cache, work) = (CostRules::default(), Cache::default(), Work::new());
    /// let map = CostMap::of_recipe(&land, "0:0,0,65x65".parse()?, &rules, &cache, &work)?;
    /// let ground = map.walkable(&AREA_COSTS)?;
    /// assert_eq!((ground.positions.len(), ground.triangles.len()), (65 * 65, 2 * 64 * 64));
    /// assert!(ground.areas.contains(&0) && ground.open().count() < ground.triangles.len());
    /// # Ok::<(), upland::Error>(())
    /// ```
    ///
    /// # Errors
    /// When the map has no cell.
    pub fn walkable(&self, areas: &[f32]) -> Result<Walkable> {
        let grid = self.grid();
        if grid.width < 2 || grid.depth < 2 {
            return Err(too_small(self.window()));
        }
        let areas = &areas[..areas.len().min(MOST_AREAS)];
        let position = |index: usize| {
            let (column, row) = (index % grid.width, index / grid.width);
            Vec3::new(column as f32 * grid.cell, self.heights().at(column, row), row as f32 * grid.cell)
        };
        let mut walkable = Walkable {
            origin: self.origin(),
            positions: (0..grid.count()).map(position).collect(),
            triangles: Vec::new(),
            areas: Vec::new(),
            costs: Vec::new(),
        };
        let mut sums = vec![(0.0f64, 0usize); areas.len() + 2];
        for row in 0..grid.depth - 1 {
            for column in 0..grid.width - 1 {
                let nw = (row * grid.width + column) as u32;
                let [ne, sw, se] = [nw + 1, nw + grid.width as u32, nw + grid.width as u32 + 1];
                for corners in [[nw, sw, ne], [ne, sw, se]] {
                    let costs = corners.map(|corner| self.costs()[corner as usize]);
                    let mean = costs.iter().sum::<f32>() / 3.0;
                    let area = if costs.iter().any(|cost| *cost < 0.0) {
                        0
                    } else {
                        1 + areas.iter().take_while(|limit| mean >= **limit).count()
                    };
                    sums[area] = (sums[area].0 + f64::from(mean), sums[area].1 + 1);
                    walkable.triangles.push(corners);
                    walkable.areas.push(area as u8);
                }
            }
        }
        let mean = |(sum, count): &(f64, usize)| if *count > 0 { (sum / *count as f64) as f32 } else { 1.0 };
        walkable.costs = sums.iter().map(mean).collect();
        walkable.costs[0] = f32::INFINITY;
        Ok(walkable)
    }
}

impl Walkable {
    /// The triangles that agents may walk on, with their areas.
    pub fn open(&self) -> impl Iterator<Item = ([u32; 3], u8)> + '_ {
        let all = self.triangles.iter().copied().zip(self.areas.iter().copied());
        all.filter(|(_, area)| *area > 0)
    }
}

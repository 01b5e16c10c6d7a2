//! The temperate set through the year: the snow line, the leaves and the grass.

use crate::texture::types::{ElevationUnit, Limits, TerrainType, Texture};

use super::ready_made::{bed, kind, shore};

const HIGHEST: f32 = Limits::ANY_ELEVATION.max;

/// What differs between quarters of the year. Heights are shares of the land's height.
struct Quarter {
    bed: &'static str,
    shore: &'static str,
    ice: &'static str,
    meadow: &'static str,
    leaves: &'static str,
    other_leaves: &'static str,
    needles: &'static str,
    alpine: &'static str,
    dry: &'static str,
    scree: &'static str,
    rock: &'static str,
    /// Snow lies above this elevation.
    snow_line: f32,
    /// How much higher the snow line is on slopes that face south, and lower on those that face north.
    skew: f32,
    /// How far above and below the water's edge the shore is frozen.
    frozen: f32,
}

const SPRING: Quarter = Quarter {
    bed: "#35423c",
    shore: "#a8966e",
    ice: "#a8966e",
    meadow: "#69763f",
    leaves: "#4f6236",
    other_leaves: "#667540",
    needles: "#2e3c2a",
    alpine: "#6b7047",
    dry: "#7d7852",
    scree: "#807a6f",
    rock: "#6a645b",
    snow_line: 0.50,
    skew: 0.13,
    frozen: 0.0,
};

const SUMMER: Quarter = Quarter {
    bed: "#35423c",
    shore: "#b09c70",
    ice: "#b09c70",
    meadow: "#5e6b3c",
    leaves: "#3f4f2d",
    other_leaves: "#4a5832",
    needles: "#2c3a27",
    alpine: "#646c40",
    dry: "#77714a",
    scree: "#80796d",
    rock: "#6a645b",
    snow_line: 0.84,
    skew: 0.08,
    frozen: 0.0,
};

const AUTUMN: Quarter = Quarter {
    bed: "#35423c",
    shore: "#a08d68",
    ice: "#a08d68",
    meadow: "#727a46",
    leaves: "#82572a",
    other_leaves: "#a08d3c",
    needles: "#33442c",
    alpine: "#7b7348",
    dry: "#83714c",
    scree: "#7d756a",
    rock: "#68625a",
    snow_line: 0.66,
    skew: 0.05,
    frozen: 0.0,
};

const WINTER: Quarter = Quarter {
    bed: "#3a4a4c",
    shore: "#b9bcb8",
    ice: "#cfdde4",
    meadow: "#b4b3a6",
    leaves: "#6b5a4b",
    other_leaves: "#7b6c5b",
    needles: "#3a443b",
    alpine: "#c3c6c4",
    dry: "#c9cbc9",
    scree: "#a9aaab",
    rock: "#6f6c68",
    snow_line: 0.10,
    skew: 0.05,
    frozen: 0.004,
};

/// The quarters of the year, and the first again.
const YEAR: [Quarter; 5] = [SPRING, SUMMER, AUTUMN, WINTER, SPRING];

impl Texture {
    /// The temperate set at a time of the year: 0 is the middle of spring, 0.25 of summer, 0.5 of autumn,
    /// 0.75 of winter, 1 is spring again, and so on beyond. Between these the snow line, the borders and the
    /// colours of its types move evenly.
    ///
    /// Spring is fresh green below snowy heights, where sunny slopes are the first to be bare; summer leaves
    /// snow only on the peaks; in autumn the leafy forest turns; in winter snow lies far down, the leafy
    /// forest is bare and the shore is frozen.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::texture::Texture;
    /// let snow_line = |season| Texture::season(season).types.last().map(|snow| snow.elevation.min);
    /// assert!(snow_line(0.75) < snow_line(0.0) && snow_line(0.0) < snow_line(0.25));
    /// ```
    pub fn season(season: f32) -> Self {
        // A year is a circle.
        let season = if season.is_finite() { season.rem_euclid(1.0) } else { 0.0 };
        // Rounding may give 4 just before the year's end.
        let first = ((season * 4.0) as usize).min(3);
        let [before, after] = [&YEAR[first], &YEAR[first + 1]].map(Quarter::texture);
        let share = season * 4.0 - first as f32;
        // All quarters have the same types, so this never fails.
        before.towards(&after, share).unwrap_or(before)
    }
}

impl Quarter {
    fn texture(&self) -> Texture {
        let types = vec![
            bed(self.bed),
            shore(self.shore),
            TerrainType {
                roughen: 0.003,
                variation: 0.1,
                ..kind(
                    "ice",
                    self.ice,
                    [-1.5 * self.frozen, self.frozen, 0.25 * self.frozen],
                    [0.0, 30.0, 10.0],
                )
            },
            TerrainType {
                roughen: 0.003,
                variation: 0.45,
                ..kind("meadow", self.meadow, [0.006, 0.16, 0.08], [0.0, 7.0, 6.0])
            },
            TerrainType {
                roughen: 0.003,
                variation: 0.5,
                ..kind("leafy forest", self.leaves, [0.008, 0.16, 0.08], [7.0, 37.0, 5.0])
            },
            TerrainType {
                roughen: 0.16,
                variation: 0.5,
                ..kind("grove", self.other_leaves, [0.05, 0.10, 0.02], [7.0, 32.0, 6.0])
            },
            TerrainType {
                skew: -0.05,
                roughen: 0.08,
                variation: 0.5,
                ..kind("dark forest", self.needles, [0.20, 0.42, 0.04], [6.0, 37.0, 5.0])
            },
            TerrainType {
                roughen: 0.08,
                variation: 0.45,
                ..kind("alpine meadow", self.alpine, [0.18, 0.46, 0.05], [0.0, 7.0, 5.0])
            },
            TerrainType {
                roughen: 0.08,
                variation: 0.4,
                ..kind("dry grass", self.dry, [0.42, 0.56, 0.05], [0.0, 33.0, 6.0])
            },
            kind("scree", self.scree, [0.54, HIGHEST, 0.08], [0.0, 36.0, 5.0]),
            TerrainType {
                variation: 0.4,
                ..kind("rock", self.rock, [0.0, HIGHEST, 0.02], [38.0, 90.0, 5.0])
            },
            TerrainType {
                skew: self.skew,
                skew_bearing: 180.0,
                variation: 0.05,
                roughen: 0.07,
                ..kind("snow", "#eef2f6", [self.snow_line, HIGHEST, 0.03], [0.0, 40.0, 6.0])
            },
        ];
        Texture { elevation_unit: ElevationUnit::Share, types, ..Texture::default() }
    }
}

//! How much land there is of each height and of each slope: what the sliders of limits lie over.

use bevy::prelude::*;
use bevy::tasks::{AsyncComputeTaskPool, Task, block_on, poll_once};

use crate::grid::Heightfield;
use crate::plugin::TerrainGround;

/// Parts that a range is divided into.
const BINS: usize = 96;
/// Samples that are looked at, at most.
const SAMPLES: usize = 1 << 20;

/// How the samples of a field spread over a range, in equal parts.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::viewer::panel) struct Histogram {
    /// Where the first part begins and the last ends.
    pub range: (f32, f32),
    /// Share of the samples in each part relative to the fullest: from 0 to 1.
    pub parts: Vec<f32>,
}

/// The heights in metres and the slopes in degrees of a terrain's land; there soon after the land is.
#[derive(Component, Clone, Debug, PartialEq)]
pub(in crate::viewer::panel) struct GroundHistogram {
    /// Heights, from the lowest to the highest of the land.
    pub height: Histogram,
    /// Slopes, from 0 to 90 degrees.
    pub slope: Histogram,
}

/// Adds what keeps each terrain's [`GroundHistogram`] up to date, off the frame.
pub(super) fn add(app: &mut App) {
    app.add_systems(Update, (start, finish).chain());
}

/// Which heights a terrain's histogram is of, and the one that is being made.
#[derive(Component)]
struct Measured {
    heights: AssetId<Image>,
    task: Option<Task<GroundHistogram>>,
}

fn start(
    mut commands: Commands,
    grounds: Query<(Entity, &TerrainGround, Option<&Measured>), Changed<TerrainGround>>,
) {
    for (entity, ground, measured) in &grounds {
        // New colours on the same heights change nothing.
        let heights = ground.textures.heights.id();
        if measured.is_some_and(|measured| measured.heights == heights) {
            continue;
        }
        let landscape = ground.landscape.clone();
        let task =
            AsyncComputeTaskPool::get().spawn(async move { GroundHistogram::of(&landscape.heightfield) });
        commands.entity(entity).insert(Measured { heights, task: Some(task) });
    }
}

fn finish(mut commands: Commands, mut measured: Query<(Entity, &mut Measured)>) {
    for (entity, mut measured) in &mut measured {
        let Some(task) = &mut measured.bypass_change_detection().task else { continue };
        if let Some(histogram) = block_on(poll_once(task)) {
            measured.task = None;
            commands.entity(entity).insert(histogram);
        }
    }
}

impl GroundHistogram {
    /// Counts every sample of a field, or, of a large one, about a million of them.
    fn of(field: &Heightfield) -> Self {
        let grid = field.grid();
        let step = (1..).find(|step| (grid.width / step) * (grid.depth / step) <= SAMPLES).unwrap_or(1);
        let range = field.range();
        let mut height = Counts::new(range);
        let mut slope = Counts::new((0.0, 90.0));
        for row in (0..grid.depth).step_by(step) {
            for column in (0..grid.width).step_by(step) {
                height.count(field.at(column, row));
                slope.count(field.slope_at(column, row));
            }
        }
        Self { height: height.finish(), slope: slope.finish() }
    }
}

struct Counts {
    range: (f32, f32),
    parts_per_unit: f32,
    counts: [u32; BINS],
}

impl Counts {
    fn new((low, high): (f32, f32)) -> Self {
        // Level land has one height; it is counted in the first part.
        let parts_per_unit = if high > low { BINS as f32 / (high - low) } else { 0.0 };
        Self { range: (low, high), parts_per_unit, counts: [0; BINS] }
    }

    fn count(&mut self, value: f32) {
        let part = ((value - self.range.0) * self.parts_per_unit) as usize;
        self.counts[part.min(BINS - 1)] += 1;
    }

    fn finish(self) -> Histogram {
        let fullest = self.counts.iter().copied().max().unwrap_or(0).max(1) as f32;
        let parts = self.counts.iter().map(|&count| count as f32 / fullest).collect();
        Histogram { range: self.range, parts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Grid;

    fn of(width: usize, depth: usize, height: impl Fn(usize, usize) -> f32 + Sync) -> GroundHistogram {
        GroundHistogram::of(&Heightfield::from_fn(Grid::new(width, depth, 1.0).unwrap(), height))
    }

    #[test]
    fn a_ramp_has_every_height_alike_and_one_slope() {
        let ramp = of(960, 5, |column, _| column as f32);
        assert_eq!(ramp.height.range, (0.0, 959.0));
        assert!(ramp.height.parts.iter().all(|&part| part > 0.9), "{:?}", ramp.height.parts);
        let steep: Vec<usize> = (0..BINS).filter(|&part| ramp.slope.parts[part] > 0.0).collect();
        assert_eq!(steep, [BINS / 2], "45 degrees");
    }

    #[test]
    fn level_land_is_all_of_one_height() {
        let level = of(7, 7, |_, _| 12.0);
        assert_eq!((level.height.range, level.height.parts[0]), ((12.0, 12.0), 1.0));
        assert_eq!(level.height.parts[1..], [0.0; BINS - 1]);
        assert_eq!(level.slope.parts[0], 1.0);
    }

    #[test]
    fn of_a_large_field_a_part_stands_for_the_whole() {
        let height = |column: usize, row: usize| ((column * 7919 + row * 104_729) % 1000) as f32;
        let large = of(2100, 2100, height);
        assert!(large.height.parts.iter().all(|&part| part > 0.7), "{:?}", large.height.parts);
    }
}

//! Histograms of the land's heights and slopes, behind the sliders of limits.

use std::sync::{Arc, Weak};

use bevy::prelude::*;
use bevy::tasks::{AsyncComputeTaskPool, Task, block_on, poll_once};

use crate::Landscape;
use crate::grid::Heightfield;
use crate::plugin::TerrainGround;

/// Number of bins.
const BINS: usize = 96;
/// The maximum number of samples counted.
const SAMPLES: usize = 1 << 20;

/// The distribution of a field's samples over a range, in equal bins.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::viewer::panel) struct Histogram {
    /// Start of the first bin and end of the last.
    pub range: (f32, f32),
    /// Number of samples in each bin relative to the largest, in [0, 1].
    pub parts: Vec<f32>,
}

/// The heights in metres and slopes in degrees of a terrain's land; computed soon after the land.
#[derive(Component, Clone, Debug, PartialEq)]
pub(in crate::viewer::panel) struct GroundHistogram {
    /// Heights, from the lowest to the highest of the land, metres.
    pub height: Histogram,
    /// Slopes, from 0 to 90 degrees.
    pub slope: Histogram,
}

/// Adds the systems that keep each terrain's [`GroundHistogram`] up to date in the background.
pub(super) fn add(app: &mut App) {
    app.add_systems(Update, (start, finish).chain());
}

/// The heights that a terrain's histogram is about, and the job that computes it.
#[derive(Component)]
struct Measurement {
    landscape: Weak<Landscape>,
    task: Option<Task<GroundHistogram>>,
}

fn start(
    mut commands: Commands,
    grounds: Query<(Entity, &TerrainGround, Option<&Measurement>), Changed<TerrainGround>>,
) {
    for (entity, ground, measured) in &grounds {
        // A repaint keeps the heights, so nothing changes.
        let landscape = ground.landscape.clone();
        if measured.is_some_and(|measured| measured.landscape.ptr_eq(&Arc::downgrade(&landscape))) {
            continue;
        }
        let of = Arc::downgrade(&landscape);
        let task =
            AsyncComputeTaskPool::get().spawn(async move { GroundHistogram::of(&landscape.heightfield) });
        commands.entity(entity).try_insert(Measurement { landscape: of, task: Some(task) });
    }
}

fn finish(mut commands: Commands, mut measured: Query<(Entity, &mut Measurement)>) {
    for (entity, mut measured) in &mut measured {
        let Some(task) = &mut measured.bypass_change_detection().task else { continue };
        if let Some(histogram) = block_on(poll_once(task)) {
            measured.task = None;
            commands.entity(entity).try_insert(histogram);
        }
    }
}

impl GroundHistogram {
    /// Counts every sample of a field, or about a million of a larger one.
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
        // On level land everything is in the first bin.
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
    fn a_ramp_has_all_heights_equally_and_one_slope() {
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
    fn a_large_field_is_sampled() {
        let height = |column: usize, row: usize| ((column * 7919 + row * 104_729) % 1000) as f32;
        let large = of(2100, 2100, height);
        assert!(large.height.parts.iter().all(|&part| part > 0.7), "{:?}", large.height.parts);
    }
}

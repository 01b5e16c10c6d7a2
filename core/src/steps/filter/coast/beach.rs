//! The sand of each reach, as it lies on samples: its volume, and where the shore is that holds a volume.

use rayon::prelude::*;

use super::drift::Beach;
use super::reaches::Reaches;
use super::state::State;
use crate::compute::work::Work;
use crate::error::Result;

/// The farthest that a shore moves in a round because of its sand: samples, and at least these metres.
const FARTHEST: [f32; 2] = [4.0, 40.0];

/// How often the interval in which the right place lies is halved.
const HALVES: usize = 12;

fn farthest(cell: f32) -> f32 {
    (FARTHEST[0] * cell).max(FARTHEST[1])
}

/// The samples on which sand of each reach may lie.
pub(super) struct Samples {
    at: Vec<u32>,
    first: Vec<usize>,
    /// The sand that lies on them, m³.
    pub volume: Vec<f64>,
    /// By how much that grows where the shore moves out by a metre, m².
    pub each_metre: Vec<f64>,
}

impl Samples {
    /// Sorts the samples by their reaches; `nodes` is the nearest node to each.
    pub fn of(state: &State, reaches: &Reaches, nodes: &[u32], work: &Work) -> Result<Self> {
        let (cell, width, count) = (state.cell(), state.before.grid().width, reaches.count());
        let mut of_node = vec![0u32; *reaches.first.last().unwrap_or(&0)];
        for (reach, pair) in (0..).zip(reaches.first.windows(2)) {
            of_node[pair[0]..pair[1]].fill(reach);
        }
        let seaward = state.surf.profile.seaward() + 2.0 * farthest(cell);
        let (shore, rock) = (state.shore.heights(), state.rock.heights());
        let reach_of = |at: usize| {
            let holds_sand = shore[at] > -seaward && rock[at] < 2.0 * cell;
            if holds_sand { of_node.get(nodes[at] as usize).map(|reach| *reach as usize) } else { None }
        };
        let mut first = vec![0; count + 1];
        let rows = || (0..nodes.len()).step_by(width).map(|begin| begin..begin + width);
        for row in rows() {
            work.check()?;
            row.filter_map(reach_of).for_each(|reach| first[reach + 1] += 1);
        }
        for reach in 0..count {
            first[reach + 1] += first[reach];
        }
        let (mut at, mut next) = (vec![0; first[count]], first.clone());
        for row in rows() {
            work.check()?;
            for sample in row {
                if let Some(reach) = reach_of(sample) {
                    at[next[reach]] = sample as u32;
                    next[reach] += 1;
                }
            }
        }
        let mut samples = Self { at, first, volume: Vec::new(), each_metre: Vec::new() };
        let out = 0.5 * cell;
        let measured = (0..count).into_par_iter().map(|reach| {
            work.check()?;
            let heights = samples.heights(state, reach);
            let now = state.surf.volume(&heights, 0.0, cell);
            Ok([now, (state.surf.volume(&heights, out, cell) - now) / f64::from(out)])
        });
        let measured = measured.collect::<Result<Vec<[f64; 2]>>>()?;
        samples.volume = measured.iter().map(|measured| measured[0]).collect();
        samples.each_metre = measured.iter().map(|measured| measured[1]).collect();
        Ok(samples)
    }

    /// Distance to the shore, distance to the rock's shore and height of the rock, of a reach's samples.
    fn heights(&self, state: &State, reach: usize) -> Vec<[f32; 3]> {
        let of = |at: &u32| {
            let at = *at as usize;
            [state.shore.heights()[at], state.rock.heights()[at], state.rock_at(at)]
        };
        self.at[self.first[reach]..self.first[reach + 1]].iter().map(of).collect()
    }

    /// How far the shore of each reach moves out so that its sand lies on its samples, metres.
    pub fn gains(&self, state: &State, beach: &[Beach], work: &Work) -> Result<Vec<f32>> {
        let cell = state.cell();
        let gain = |(reach, beach): (usize, &Beach)| {
            work.check()?;
            let heights = self.heights(state, reach);
            let (mut low, mut high) = (-farthest(cell), farthest(cell));
            for _ in 0..HALVES {
                let middle = 0.5 * (low + high);
                if state.surf.volume(&heights, middle, cell) < beach.sand {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            Ok(0.5 * (low + high))
        };
        beach.par_iter().enumerate().map(gain).collect()
    }
}

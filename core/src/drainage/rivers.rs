//! The rivers of a land: where enough water comes together, how long they are, and the integral χ along them.
//!
//! χ after Perron and Royden, "An integral approach to bedrock river profile analysis" (2013): it is the
//! distance along a river, stretched so that rivers in balance with uplift and of one rock are straight lines
//! in a plot of height over χ. The slope of that line is the channel steepness k_sn.

use std::cmp::Reverse;

use rayon::prelude::*;

use super::Drainage;
use super::areas::counted_donors;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::memory;

/// The samples of rivers, as a network. Lists that belong to it have an entry for each of its samples, in
/// the same order: by drainage area, the largest first, so that each comes after the one that it drains to.
#[derive(Clone, Debug)]
pub struct Rivers<'a> {
    drainage: &'a Drainage,
    samples: Vec<u32>,
    /// The place in `samples` of the sample that each drains to; [`NONE`] where a river ends.
    next: Vec<u32>,
    /// The place in `samples` of the largest of those that drain to each; [`NONE`] at a source.
    largest: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Drainage {
    /// The rivers of the land: the samples of which `is_river` says so, and all that lies downstream of
    /// them. Of samples through which at least n drain: `|sample| areas[sample] >= n`.
    ///
    /// # Errors
    /// [`Error::Size`](crate::Error::Size) if there is too little memory, and
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn rivers(&self, is_river: impl Fn(usize) -> bool, work: &Work) -> Result<Rivers<'_>> {
        let (width, count) = (self.ways.grid.width, self.ways.of.len());
        // A place of every sample, and at most four bytes three times over of the samples of rivers.
        memory::require(self.ways.grid, 16 * count as u64)?;
        // The place of each sample in the list, once that is known; until then, whether it is in it.
        let mut places = vec![NONE; count];
        let mut samples = Vec::new();
        for row in 0..self.ways.grid.depth {
            work.check()?;
            for first in (row * width..(row + 1) * width).filter(|sample| is_river(*sample)) {
                let mut here = first;
                while places[here] == NONE {
                    places[here] = 0;
                    samples.push(here as u32);
                    let Some(there) = self.receiver(here) else { break };
                    here = there;
                }
            }
        }
        samples.par_sort_unstable_by_key(|&sample| (Reverse(self.areas[sample as usize]), sample));
        work.check()?;
        for (place, &sample) in samples.iter().enumerate() {
            places[sample as usize] = place as u32;
        }
        let to = |sample: &u32| self.receiver(*sample as usize).map_or(NONE, |there| places[there]);
        let next: Vec<u32> = samples.iter().map(to).collect();
        let mut largest = vec![NONE; samples.len()];
        for (place, &next) in next.iter().enumerate().filter(|(_, next)| **next != NONE) {
            let largest = &mut largest[next as usize];
            *largest = (*largest).min(place as u32);
        }
        work.check()?;
        Ok(Rivers { drainage: self, samples, next, largest })
    }

    /// The length of the longest way on which water reaches each sample, in metres from where it begins, row
    /// by row.
    ///
    /// # Errors
    /// [`Error::Size`](crate::Error::Size) if there is too little memory, and
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn lengths(&self, work: &Work) -> Result<Vec<f64>> {
        /// In place of a number of donors: nothing drains here.
        const SPRING: u8 = u8::MAX;
        let width = self.ways.grid.width;
        memory::require(self.ways.grid, 9 * self.ways.of.len() as u64)?;
        let mut missing = counted_donors(&self.ways, work)?;
        missing.iter_mut().filter(|donors| **donors == 0).for_each(|donors| *donors = SPRING);
        let mut lengths = vec![0.0_f64; missing.len()];
        for spring in 0..missing.len() {
            if spring % width == 0 {
                work.check()?;
            }
            if missing[spring] != SPRING {
                continue;
            }
            let mut here = spring;
            while let Some(there) = self.receiver(here) {
                lengths[there] = lengths[there].max(lengths[here] + self.step(here, there));
                missing[there] -= 1;
                if missing[there] > 0 {
                    break;
                }
                here = there;
            }
        }
        Ok(lengths)
    }

    /// The distance between two neighbours, metres.
    fn step(&self, here: usize, there: usize) -> f64 {
        let grid = self.ways.grid;
        let is_diagonal = here % grid.width != there % grid.width && here / grid.width != there / grid.width;
        let cell = f64::from(grid.cell);
        if is_diagonal { cell * std::f64::consts::SQRT_2 } else { cell }
    }
}

impl Rivers<'_> {
    /// The samples of the rivers.
    pub fn samples(&self) -> &[u32] {
        &self.samples
    }

    /// The place in the lists of the sample that the one at `place` drains to; `None` where a river ends.
    pub fn next(&self, place: usize) -> Option<usize> {
        let next = self.next[place];
        (next != NONE).then_some(next as usize)
    }

    /// Where rivers end, the one that drains most first: places in the lists.
    pub fn ends(&self) -> impl Iterator<Item = usize> {
        (0..self.samples.len()).filter(|place| self.next[*place] == NONE)
    }

    /// The area that drains through the sample at `place`, itself included, m².
    pub fn area(&self, place: usize) -> f64 {
        let cell = f64::from(self.drainage.ways.grid.cell);
        f64::from(self.drainage.areas[self.samples[place] as usize]) * cell * cell
    }

    /// The height of the water at `place`, metres: of the river's bed, the lake's level or the sea's.
    pub fn level(&self, place: usize) -> f64 {
        f64::from(self.drainage.surface.heights()[self.samples[place] as usize].max(self.drainage.sea))
    }

    /// From a place upstream along the river that drains most, to its source.
    pub fn trunk(&self, from: usize) -> Vec<usize> {
        let up = |place: &usize| {
            let up = self.largest[*place];
            (up != NONE).then_some(up as usize)
        };
        std::iter::successors(Some(from), up).collect()
    }

    /// The places that drain to a trunk and don't belong to it, the one that drains most first.
    pub fn tributaries(&self, trunk: &[usize]) -> Vec<usize> {
        let mut sorted = trunk.to_vec();
        sorted.sort_unstable();
        let has = |place: usize| sorted.binary_search(&place).is_ok();
        (0..self.samples.len()).filter(|place| self.next(*place).is_some_and(has) && !has(*place)).collect()
    }

    /// Which of [`ends`](Self::ends) each sample drains to, counted from 0.
    pub fn basins(&self) -> Vec<u32> {
        let mut ends = 0;
        let mut basins = Vec::with_capacity(self.samples.len());
        for place in 0..self.samples.len() {
            let basin = match self.next(place) {
                Some(next) => basins[next],
                None => {
                    ends += 1;
                    ends - 1
                }
            };
            basins.push(basin);
        }
        basins
    }

    /// The distance to where the river ends, along the river, metres.
    pub fn distances(&self) -> Vec<f64> {
        self.integrated(|_| 1.0)
    }

    /// χ = ∫ (A₀/A)^θ dx along the river from where it ends, metres, by the trapezium rule from sample to
    /// sample: `concavity` is θ, `reference` is A₀ in m².
    pub fn chi(&self, concavity: f64, reference: f64) -> Vec<f64> {
        self.integrated(|place| libm::pow(reference / self.area(place), concavity))
    }

    /// The total length of all rivers, metres.
    pub fn length(&self) -> f64 {
        self.steps().sum()
    }

    /// The distance from each sample to the next, metres; 0 where a river ends.
    fn steps(&self) -> impl Iterator<Item = f64> {
        (0..self.samples.len()).map(|place| match self.next(place) {
            Some(next) => self.drainage.step(self.samples[place] as usize, self.samples[next] as usize),
            None => 0.0,
        })
    }

    /// The integral of a quantity along the river.
    fn integrated(&self, of: impl Fn(usize) -> f64) -> Vec<f64> {
        let of: Vec<f64> = (0..self.samples.len()).map(of).collect();
        let mut sums: Vec<f64> = Vec::with_capacity(self.samples.len());
        for (place, step) in self.steps().enumerate() {
            let sum = match self.next(place) {
                Some(next) => sums[next] + 0.5 * (of[place] + of[next]) * step,
                None => 0.0,
            };
            sums.push(sum);
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drainage::DrainageRules;
    use crate::grid::{Grid, Heightfield};

    fn drainage(land: &Heightfield) -> Drainage {
        Drainage::of(land, &DrainageRules::default(), &Work::new()).unwrap()
    }

    /// The land of `scripts/reference/rivers.py`: a cone with waves, in steps of 1/64 m.
    fn cone() -> Heightfield {
        Heightfield::from_fn(Grid::new(61, 61, 20.0).unwrap(), |column, row| {
            let (x, z) = (column as f64 - 30.0, row as f64 - 30.0);
            let height =
                900.0 - 8.0 * x.hypot(z) + 5.0 * libm::sin(0.7 * x) * libm::cos(0.5 * z) + 0.3 * x - 0.5 * z;
            ((height * 64.0).round_ties_even() / 64.0) as f32
        })
    }

    /// Numbers that `scripts/reference/rivers` prints: those of numpy, with which Landlab's `ChiFinder`
    /// agrees.
    #[test]
    fn chi_and_lengths_are_those_of_landlab() {
        let land = cone();
        let drainage = drainage(&land);
        let rivers = drainage.rivers(|_| true, &Work::new()).unwrap();
        let chi = rivers.chi(0.45, 1e6);
        let lengths = drainage.lengths(&Work::new()).unwrap();
        let is_near = |found: f64, expected: f64| (found - expected).abs() < 1e-6 * expected.max(1.0);
        assert!(is_near(chi.iter().sum(), 9_126_177.999_124), "{}", chi.iter().sum::<f64>());
        assert!(is_near(lengths.iter().sum(), 714_180.508_758), "{}", lengths.iter().sum::<f64>());
        for (sample, area, expected, length) in [
            (1861, 1, 9_206.407_895_301, 0.0),
            (1265, 14, 3_657.597_245_474, 229.705_627_485),
            (439, 13, 1_905.906_155_893, 339.411_254_970),
            (3710, 139, 0.0, 737.401_153_702),
            (3648, 131, 105.218_535_143, 709.116_882_454),
            (3586, 130, 212.024_460_514, 680.832_611_207),
        ] {
            let place = rivers.samples().iter().position(|other| *other == sample).unwrap();
            assert_eq!(drainage.areas()[sample as usize], area);
            assert!(is_near(chi[place], expected), "χ of {sample} is {}", chi[place]);
            assert!(
                is_near(lengths[sample as usize], length),
                "{sample} is {} m long",
                lengths[sample as usize]
            );
        }
    }

    /// A ditch of one row: n samples drain through the n-th from its source.
    #[test]
    fn chi_of_a_ditch_is_the_sum_that_the_formula_gives() {
        let ditch = Heightfield::from_fn(Grid::new(300, 1, 10.0).unwrap(), |column, _| column as f32);
        let drainage = drainage(&ditch);
        let rivers = drainage.rivers(|sample| drainage.areas()[sample] >= 20, &Work::new()).unwrap();
        assert_eq!(rivers.samples().len(), 281);
        for concavity in [0.0, 0.3, 0.5, 1.0] {
            let integrand = |n: usize| (5e4 / (100.0 * n as f64)).powf(concavity);
            let mut expected = 0.0;
            for (place, chi) in rivers.chi(concavity, 5e4).into_iter().enumerate() {
                // From the mouth, through which 300 samples drain, upwards.
                if place > 0 {
                    expected += 5.0 * (integrand(300 - place) + integrand(301 - place));
                }
                assert!((chi - expected).abs() < 1e-9 * expected.max(1.0), "{chi}, not {expected}");
            }
        }
        assert_eq!(rivers.distances()[280], 2800.0);
        assert_eq!(rivers.length(), 2800.0);
    }

    #[test]
    fn a_trunk_takes_the_larger_branch_and_tributaries_join_it() {
        let land = cone();
        let drainage = drainage(&land);
        let rivers = drainage.rivers(|sample| drainage.areas()[sample] >= 5, &Work::new()).unwrap();
        let basins = rivers.basins();
        for (number, end) in rivers.ends().enumerate() {
            let trunk = rivers.trunk(end);
            assert!(trunk.windows(2).all(|two| rivers.next(two[1]) == Some(two[0])));
            assert!(trunk.iter().all(|place| basins[*place] as usize == number));
            for two in trunk.windows(2) {
                let donors = (0..basins.len()).filter(|place| rivers.next(*place) == Some(two[0]));
                assert!(donors.into_iter().all(|donor| rivers.area(donor) <= rivers.area(two[1])));
            }
            for mouth in rivers.tributaries(&trunk) {
                assert!(trunk.contains(&rivers.next(mouth).unwrap()) && !trunk.contains(&mouth));
            }
        }
        let samples: f64 = rivers.ends().map(|end| rivers.area(end) / 400.0).sum();
        assert!(samples <= 61.0 * 61.0 && rivers.ends().all(|end| rivers.area(end) >= 2000.0));
    }

    /// A river goes on to its end, even where it no longer meets its own condition.
    #[test]
    fn a_river_that_has_begun_goes_on() {
        let ditch = Heightfield::from_fn(Grid::new(50, 1, 10.0).unwrap(), |column, _| column as f32);
        let drainage = drainage(&ditch);
        let rivers = drainage.rivers(|sample| sample == 30, &Work::new()).unwrap();
        assert_eq!(rivers.samples(), (0..=30).collect::<Vec<u32>>());
        let none = drainage.rivers(|_| false, &Work::new()).unwrap();
        assert_eq!((none.samples().len(), none.length(), none.ends().count()), (0, 0.0, 0));
    }
}

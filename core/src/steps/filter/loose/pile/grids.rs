//! From one grid of a [`Pile`] to the next coarser one, whose samples are blocks of two by two, and back.
//!
//! The last column or row of an odd number lies in no block: the coarser grids end there.

use rayon::prelude::*;

use super::Pile;
use super::moves::{BAND, WALL};
use crate::compute::work::Work;
use crate::error::Result;

impl Pile {
    /// Hands the loose material of all samples that give something away to the coarser grid. Everything else
    /// is solid ground there. Beyond the first of the coarser grids there is a wall around blocks of which
    /// every sample moves.
    pub(super) fn hand_to(&self, coarser: &mut Self, work: &Work) -> Result<()> {
        let width = coarser.width;
        let rows = coarser.surface.par_chunks_mut(width).zip(coarser.solid.par_chunks_mut(width)).enumerate();
        rows.try_for_each(|(row, (surface, solid))| {
            work.check()?;
            for (column, (surface, solid)) in surface.iter_mut().zip(solid).enumerate() {
                let places = places(self.width, column, 2 * row);
                let block = Block::of(places, &self.surface, &self.next);
                let is_first = self.before.is_empty();
                (*solid, *surface) = match is_first || block.all_move() {
                    // Four of the highest surfaces together still fit.
                    true => {
                        let solid = block.base.iter().sum::<i32>() >> 2;
                        (solid, solid + block.moving() / 4)
                    }
                    false => (WALL, WALL),
                };
            }
            Ok::<_, crate::Error>(())
        })?;
        coarser.before.copy_from_slice(&coarser.surface);
        coarser.changed.fill(1);
        Ok(())
    }

    /// Takes the loose material back. Each block gets what has come into it.
    pub(super) fn pour_from(&mut self, coarser: &Self, work: &Work) -> Result<()> {
        let (width, across) = (self.width, self.tiles_across());
        let fields = self.surface.par_chunks_mut(BAND * width).zip(self.next.par_chunks_mut(BAND * width));
        let bands = fields.zip(self.changed.par_chunks_mut(across)).enumerate();
        bands.try_for_each(|(band, ((surface, base), changed))| {
            for pair in 0..surface.len() / (2 * width) {
                let row = band * (BAND / 2) + pair;
                work.check()?;
                let [now, solid] = [coarser.surface_of_row(row), coarser.solid_of_row(row)];
                for column in 0..width / 2 {
                    if solid[column] == WALL {
                        continue;
                    }
                    let places = places(width, column, 2 * pair);
                    let block = Block::of(places, surface, base);
                    let (whole, now) = (block.moving(), now[column] - solid[column]);
                    if now == whole / 4 {
                        continue;
                    }
                    changed[2 * column / super::STRETCH] = 1;
                    let rise = match whole {
                        0 => coarser.leans(column, row),
                        _ => coarser.has_risen(column, row),
                    };
                    // What the division by four left over has stayed here.
                    let poured = block.poured(4 * now + whole % 4, rise);
                    for (number, place) in places.into_iter().enumerate() {
                        surface[place] = block.base[number] + poured[number];
                    }
                }
            }
            Ok(())
        })
    }

    /// By how much the surface has risen more to the east and to the south over half a sample, since material
    /// was handed over: the gentler of the slopes to both sides, and 0 where they face each other.
    fn has_risen(&self, column: usize, row: usize) -> [i32; 2] {
        let here = row * self.width + column;
        let risen = |place: usize| self.surface[place] - self.before[place];
        self.beside(column, row).map(|[before, after]| {
            // As beside high ground to which nothing comes.
            let [before, after] = [before, after].map(|there| there.map_or(0, risen));
            let [before, after] = [risen(here) - before, after - risen(here)];
            if (before > 0) != (after > 0) {
                return 0;
            }
            (if before.abs() < after.abs() { before } else { after }) / 2
        })
    }

    /// By how much material that has come to a sample rises to the east and to the south over half a sample:
    /// towards the higher ground that it came from, up to the angle of repose.
    fn leans(&self, column: usize, row: usize) -> [i32; 2] {
        let own = self.surface[row * self.width + column];
        let most = self.repose.rises[0] as i32;
        self.beside(column, row).map(|sides| {
            let [before, after] = sides.map(|there| match there.map(|there| self.surface[there]) {
                None | Some(WALL) => 0,
                Some(there) => (there - own).clamp(0, most),
            });
            (if before > after { -before } else { after }) / 2
        })
    }

    /// The samples to the west and to the east, and those to the north and to the south.
    fn beside(&self, column: usize, row: usize) -> [[Option<usize>; 2]; 2] {
        let here = row * self.width + column;
        let of = |is_there: bool, step: isize| is_there.then(|| here.wrapping_add_signed(step));
        let stride = self.width as isize;
        [
            [of(column > 0, -1), of(column + 1 < self.width, 1)],
            [of(row > 0, -stride), of(row + 1 < self.depth, stride)],
        ]
    }
}

/// The places of the four samples of a block whose first row is this one.
fn places(width: usize, column: usize, row: usize) -> [usize; 4] {
    let first = row * width + 2 * column;
    [first, first + 1, first + width, first + width + 1]
}

/// Two by two samples: north-west, north-east, south-west, south-east.
struct Block {
    /// The ground on which what moves lies.
    base: [i32; 4],
    /// What moves.
    loose: [i32; 4],
}

impl Block {
    /// Of the surface at four places, and of that without what moves.
    fn of(places: [usize; 4], surface: &[i32], base: &[i32]) -> Self {
        Self {
            base: places.map(|place| base[place]),
            loose: places.map(|place| surface[place] - base[place]),
        }
    }

    fn all_move(&self) -> bool {
        self.loose.iter().all(|loose| *loose > 0)
    }

    fn moving(&self) -> i32 {
        self.loose.iter().sum()
    }

    /// The parts of `volume` on each sample. Where material lay before, its surface rises or sinks as that of
    /// the coarser grid did; where none did, it leans on the ground that it came from.
    fn poured(&self, volume: i32, [east, south]: [i32; 2]) -> [i32; 4] {
        let rise = [-east - south, east - south, south - east, east + south].map(|rise| rise / 2);
        let lay_before = self.moving() > 0;
        let plane: [i32; 4] =
            std::array::from_fn(|at| rise[at] + if lay_before { self.base[at] + self.loose[at] } else { 0 });
        // How high each sample's ground is above the plane.
        let above: [i32; 4] = std::array::from_fn(|number| self.base[number] - plane[number]);
        let mut lowest_first = [0usize, 1, 2, 3];
        lowest_first.sort_unstable_by_key(|number| (above[*number], *number));
        let mut poured = [0; 4];
        let mut below = 0i64;
        for (index, number) in lowest_first.into_iter().enumerate() {
            below += i64::from(above[number]);
            let covered = index as i64 + 1;
            let level = (i64::from(volume) + below).div_euclid(covered);
            let next = lowest_first.get(index + 1).map(|next| i64::from(above[*next]));
            if next.is_none_or(|next| level <= next) {
                let left_over = (i64::from(volume) + below).rem_euclid(covered);
                for (order, number) in lowest_first[..=index].iter().enumerate() {
                    let more = i64::from((order as i64) < left_over);
                    poured[*number] = (level - i64::from(above[*number]) + more) as i32;
                }
                break;
            }
        }
        poured
    }
}

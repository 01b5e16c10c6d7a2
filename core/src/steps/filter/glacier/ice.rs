//! Flowing ice: the shallow-ice approximation, one implicit step in time after another.
//!
//! Ice flows down the slope of its own surface, at a rate that grows with the fifth power of its thickness
//! (Glen's law, n = 3): the flux is (Γ H⁵ + Σ H³) |∇s|² ∇s, with Γ = 2A(ρg)³/5 for ice that deforms, and Σ for
//! ice that slides on its bed at the speed Σ H² |∇s|³ (Budd, Keage and Blundy 1979: the pressure on the bed
//! grows with H).
//!
//! A step is linearly implicit: (1 − Δt J) δ = Δt (balance − div flux), with J the derivatives of the fluxes
//! by the thickness, also of that which they carry. The columns of the matrix sum to 1, and nothing off its
//! diagonal is positive: so no ice is lost or made, whatever Δt is. It is solved by a fixed number of
//! red-black relaxations; what they leave over is added to δ, so that the volume is exact all the same.
//! (Rows and then columns, by Thomas's elimination, would be cheaper, but pile ice up in valleys that run
//! across both.) The thickness that a flux carries is that of the sample that it leaves, as Jarosch, Schoof
//! and Anslow (2013) find necessary on steep beds.

use rayon::prelude::*;

use super::bed::rows_of_task;
use super::flow::{Balance, Flow};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::Grid;

/// The steepest surface for which the law of flow is evaluated: thin ice on steeper walls breaks off.
const STEEPEST: f64 = 1.0;

/// Ice doesn't leave over the border faster than this, metres a year.
const MOST_OUT: f64 = 100.0;

/// Relaxations of a step.
const RELAXATIONS: usize = 12;

/// Volumes, in metres · samples: what a step has added to the ice and taken from it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Ledger {
    /// Snow that became ice.
    pub(super) gained: f64,
    /// Ice that melted, or left over the border.
    pub(super) lost: f64,
}

/// The flux through one face, from the sample before it to the one behind it, and its derivatives by the
/// thickness at both.
#[derive(Clone, Copy, Default)]
struct Face {
    flux: f64,
    by_before: f64,
    by_behind: f64,
}

/// Ice on a bed.
pub(super) struct Ice {
    grid: Grid,
    /// Height of the bed, metres, row by row.
    pub(super) bed: Vec<f64>,
    /// Thickness of the ice, metres.
    pub(super) thickness: Vec<f64>,
    /// Ice that left a sample though it wasn't there, metres: the next snow pays for it.
    owed: Vec<f64>,
    /// Factor of what falls as snow: less stays on steep ground.
    pub(super) snow: Vec<f64>,
    /// The faces behind every sample: to the east, and to the south.
    faces: [Vec<Face>; 2],
    /// Slopes of the surface to the east and to the south, squared.
    slopes: Vec<[f64; 2]>,
    /// Every sample's equation: δ, and its parts by those to the west, east, north and south.
    equations: Vec<[f32; 5]>,
    /// The first column of each row with an equation, and the one after the last.
    spans: Vec<[usize; 2]>,
    /// δ of the samples whose column and row have an even sum, and of the others.
    change: [Vec<f32>; 2],
    after: Vec<f64>,
    owed_after: Vec<f64>,
    ledger: Vec<Ledger>,
}

impl Ice {
    /// No ice yet on this bed.
    pub(super) fn on(grid: Grid, bed: Vec<f64>) -> Self {
        let count = grid.count();
        let half = grid.width.div_ceil(2) * grid.depth;
        Self {
            grid,
            bed,
            thickness: vec![0.0; count],
            owed: vec![0.0; count],
            snow: vec![1.0; count],
            faces: [vec![Face::default(); count], vec![Face::default(); count]],
            slopes: vec![[0.0; 2]; count],
            equations: vec![[0.0; 5]; count],
            spans: vec![[0; 2]; grid.depth],
            change: [vec![0.0; half], vec![0.0; half]],
            after: vec![0.0; count],
            owed_after: vec![0.0; count],
            ledger: vec![Ledger::default(); grid.depth],
        }
    }

    /// Metres between the samples.
    fn cell(&self) -> f64 {
        f64::from(self.grid.cell)
    }

    /// The grid of its samples.
    pub(super) fn grid(&self) -> Grid {
        self.grid
    }

    /// Height of the ice's surface, or of the bare bed.
    pub(super) fn surface(&self, at: usize) -> f64 {
        self.bed[at] + self.thickness[at]
    }

    /// The slope of the surface at a sample, metres per metre, as of the last step.
    pub(super) fn slope(&self, at: usize) -> f64 {
        let [x, z] = self.slopes[at];
        (x + z).min(STEEPEST * STEEPEST).sqrt()
    }

    /// The fluxes of ice to the east and to the south of a sample, m² a year, as of the last step.
    pub(super) fn fluxes(&self, at: usize) -> [f64; 2] {
        [self.faces[0][at].flux, self.faces[1][at].flux]
    }

    /// One step of `years`.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(super) fn step(
        &mut self,
        flow: &Flow,
        balance: Option<&Balance>,
        years: f64,
        work: &Work,
    ) -> Result<Ledger> {
        self.measure_slopes(work)?;
        self.measure_fluxes(0, flow, work)?;
        self.measure_fluxes(1, flow, work)?;
        self.set_up(balance, years, work)?;
        for _ in 0..RELAXATIONS {
            self.relax(0, work)?;
            self.relax(1, work)?;
        }
        self.change_thickness(balance, years, work)
    }

    /// Slopes of the surface. Bare walls above the ice don't count: ice doesn't flow from them.
    fn measure_slopes(&mut self, work: &Work) -> Result<()> {
        let Grid { width, depth, .. } = self.grid;
        let half = 0.5 / self.cell();
        let (bed, thickness) = (&self.bed, &self.thickness);
        self.slopes.par_chunks_mut(width).enumerate().with_min_len(rows_of_task(width)).try_for_each(
            |(row, slopes)| {
                work.check()?;
                for (column, slope) in slopes.iter_mut().enumerate() {
                    let at = row * width + column;
                    let own = bed[at] + thickness[at];
                    let seen = |there: usize| {
                        let other = bed[there] + thickness[there];
                        if thickness[there] > 0.0 || other < own { other } else { own }
                    };
                    let west = if column > 0 { seen(at - 1) } else { own };
                    let east = if column + 1 < width { seen(at + 1) } else { own };
                    let north = if row > 0 { seen(at - width) } else { own };
                    let south = if row + 1 < depth { seen(at + width) } else { own };
                    let [x, z] = [half * (east - west), half * (south - north)];
                    *slope = [x * x, z * z];
                }
                Ok::<_, Error>(())
            },
        )
    }

    /// The fluxes along rows (axis 0) or columns (axis 1).
    fn measure_fluxes(&mut self, axis: usize, flow: &Flow, work: &Work) -> Result<()> {
        let Grid { width, depth, .. } = self.grid;
        let (count, step) = [(width, 1), (depth, width)][axis];
        let per_cell = 1.0 / self.cell();
        let (bed, thickness, slopes) = (&self.bed, &self.thickness, &self.slopes);
        let face = |before: usize, behind: usize| {
            let along = (bed[before] + thickness[before] - bed[behind] - thickness[behind]) * per_cell;
            let carried = if along > 0.0 { thickness[before] } else { thickness[behind] };
            if carried <= 1e-6 {
                return Face::default();
            }
            let capped = along.clamp(-STEEPEST, STEEPEST);
            let across = 0.5 * (slopes[before][1 - axis] + slopes[behind][1 - axis]);
            let squared = capped * capped + across.min(STEEPEST * STEEPEST - capped * capped);
            let thick = carried * carried * carried;
            let (deforms, slides) = (flow.deformation * thick * carried * carried, flow.sliding * thick);
            // Per metre of slope; the flux if nothing held it back, and what is left of it.
            let mobility = (deforms + slides) * squared;
            let free = mobility * along;
            let held = 1.0 / (1.0 + free.abs() / (flow.fastest * carried));
            let by_slope =
                if capped == along { 1.0 + 2.0 * capped * capped / squared.max(1e-30) } else { 1.0 };
            // Where it is held back, the flux falls more steeply towards no slope than its derivative says.
            let by_slope = mobility * per_cell * held * (by_slope * held).max(1.0);
            let by_carried = (5.0 * deforms + 3.0 * slides) / carried * squared * along;
            // Of F / (1 + F / (u H)), by H.
            let by_carried =
                (by_carried + free * free.abs() / (flow.fastest * carried * carried)) * held * held;
            let (from_before, from_behind) = if along > 0.0 { (by_carried, 0.0) } else { (0.0, by_carried) };
            Face { flux: free * held, by_before: by_slope + from_before, by_behind: from_behind - by_slope }
        };
        self.faces[axis].par_chunks_mut(width).enumerate().with_min_len(rows_of_task(width)).try_for_each(
            |(row, faces)| {
                work.check()?;
                for (column, out) in faces.iter_mut().enumerate() {
                    let (at, place) = (row * width + column, [column, row][axis]);
                    *out = if place + 1 < count {
                        face(at, at + step)
                    } else if count > 1 {
                        // Ice leaves over the border as fast as it arrives there.
                        outwards(face(at - step, at), thickness[at])
                    } else {
                        Face::default()
                    };
                }
                Ok::<_, Error>(())
            },
        )
    }

    /// The face before the first sample of a row (axis 0) or of a column (axis 1): ice leaves here too.
    fn before_first(&self, first: usize, axis: usize) -> Face {
        let inner = self.faces[axis][first];
        if [self.grid.width, self.grid.depth][axis] == 1 {
            return Face::default();
        }
        let turned = Face { flux: -inner.flux, ..Face::default() };
        let out = outwards(turned, self.thickness[first]);
        Face { flux: -out.flux, by_before: 0.0, by_behind: -out.by_before }
    }

    /// The faces to the west, the east, the north and the south of a sample.
    fn faces_of(&self, column: usize, row: usize) -> [Face; 4] {
        let at = row * self.grid.width + column;
        let west = if column > 0 { self.faces[0][at - 1] } else { self.before_first(at, 0) };
        let north = if row > 0 { self.faces[1][at - self.grid.width] } else { self.before_first(at, 1) };
        [west, self.faces[0][at], north, self.faces[1][at]]
    }

    /// Writes the equations of all samples, solved for their own δ.
    fn set_up(&mut self, balance: Option<&Balance>, years: f64, work: &Work) -> Result<()> {
        let width = self.grid.width;
        let scale = years / self.cell();
        let mut equations = std::mem::take(&mut self.equations);
        let mut spans = std::mem::take(&mut self.spans);
        let this = &*self;
        let rows =
            equations.par_chunks_mut(width).zip(&mut spans).enumerate().with_min_len(rows_of_task(width));
        let done = rows.try_for_each(|(row, (equations, span))| {
            work.check()?;
            *span = [width, 0];
            for (column, equation) in equations.iter_mut().enumerate() {
                let gain = balance.map_or(0.0, |balance| this.gain(balance, years, row * width + column));
                let faces @ [west, east, north, south] = this.faces_of(column, row);
                let leaves = east.by_before - west.by_behind + south.by_before - north.by_behind;
                let known = gain + scale * (west.flux - east.flux + north.flux - south.flux);
                if known == 0.0 && faces.iter().all(|face| face.flux == 0.0) {
                    *equation = [0.0; 5];
                    continue;
                }
                *span = [span[0].min(column), column + 1];
                let own = 1.0 / (1.0 + scale * leaves);
                let by = [west.by_before, -east.by_behind, north.by_before, -south.by_behind];
                let [west, east, north, south] = by.map(|by| (scale * by * own) as f32);
                *equation = [(known * own) as f32, west, east, north, south];
            }
            Ok::<_, Error>(())
        });
        (self.equations, self.spans) = (equations, spans);
        done?;
        self.change.iter_mut().for_each(|colour| colour.fill(0.0));
        Ok(())
    }

    /// Solves the equations of the samples of one colour for the δ of the others.
    fn relax(&mut self, colour: usize, work: &Work) -> Result<()> {
        let Grid { width, depth, .. } = self.grid;
        let half = width.div_ceil(2);
        let mut own = std::mem::take(&mut self.change[colour]);
        let (equations, spans, others) = (&self.equations, &self.spans, &self.change[1 - colour]);
        let done = own.par_chunks_mut(half).enumerate().with_min_len(rows_of_task(width)).try_for_each(
            |(row, own)| {
                work.check()?;
                let parity = (row + colour) % 2;
                let [from, to] = spans[row];
                let equations = &equations[row * width..][..width];
                let there = |row: usize| &others[row * half..][..half];
                let (beside, north, south) =
                    (there(row), there(row.saturating_sub(1)), there((row + 1).min(depth - 1)));
                for (index, own) in own.iter_mut().enumerate().take(to.div_ceil(2)).skip(from / 2) {
                    let column = 2 * index + parity;
                    let Some([known, by_west, by_east, by_north, by_south]) = equations.get(column) else {
                        break;
                    };
                    // The neighbours to the west and the east have these indices among the other colour.
                    let (west, east) =
                        if parity == 0 { (index.wrapping_sub(1), index) } else { (index, index + 1) };
                    let west = beside.get(west).map_or(0.0, |west| by_west * west);
                    let east = beside.get(east).map_or(0.0, |east| by_east * east);
                    *own = known + west + east + by_north * north[index] + by_south * south[index];
                }
                Ok::<_, Error>(())
            },
        );
        self.change[colour] = own;
        done
    }

    /// The δ of a sample; 0 outside.
    fn change_at(&self, column: usize, row: usize) -> f64 {
        let Grid { width, depth, .. } = self.grid;
        if column >= width || row >= depth {
            return 0.0;
        }
        f64::from(self.change[(column + row) % 2][row * width.div_ceil(2) + column / 2])
    }

    /// What some years add at a sample: part of the snow where that slides off, and no more melt than there
    /// is ice.
    fn gain(&self, balance: &Balance, years: f64, at: usize) -> f64 {
        let gain = years * balance.at(self.surface(at));
        if gain > 0.0 { gain * self.snow[at] - self.owed[at] } else { gain.max(-self.thickness[at]) }
    }

    /// Adds what arrives at each sample: the fluxes, linear in δ, have the same value on both sides of a
    /// face, so the volume is exact even where δ isn't.
    fn change_thickness(&mut self, balance: Option<&Balance>, years: f64, work: &Work) -> Result<Ledger> {
        let Grid { width, depth, .. } = self.grid;
        let scale = years / self.cell();
        let (mut after, mut owed) = (std::mem::take(&mut self.after), std::mem::take(&mut self.owed_after));
        let mut ledgers = std::mem::take(&mut self.ledger);
        let this = &*self;
        let lines = after.par_chunks_mut(width).zip(owed.par_chunks_mut(width)).zip(&mut ledgers);
        let done = lines.enumerate().with_min_len(rows_of_task(width)).try_for_each(
            |(row, ((after, owed), ledger))| {
                work.check()?;
                *ledger = Ledger::default();
                let [from, to] = this.spans[row];
                for (column, (after, owed)) in after.iter_mut().zip(owed).enumerate() {
                    let at = row * width + column;
                    (*after, *owed) = (this.thickness[at], this.owed[at]);
                    if column < from || column >= to {
                        continue;
                    }
                    let fluxes = this.fluxes_at_end(column, row);
                    let gain = balance.map_or(0.0, |balance| this.gain(balance, years, at));
                    let snows = balance.is_some_and(|balance| balance.at(this.surface(at)) > 0.0);
                    // Snow is counted in full: what it pays for has flowed away already.
                    let snow = if snows { gain + *owed } else { 0.0 };
                    let [west, east, north, south] = fluxes;
                    let changed = *after + gain + scale * (west - east + north - south);
                    let melt = if snows { 0.0 } else { -gain };
                    let missing = (-changed).max(0.0);
                    // No more melts than there is.
                    let unmelted = missing.min(melt);
                    ledger.gained += snow;
                    ledger.lost += melt - unmelted;
                    *owed = if snows { 0.0 } else { *owed } + missing - unmelted;
                    let over_border = [
                        (column == 0, -west),
                        (column + 1 == width, east),
                        (row == 0, -north),
                        (row + 1 == depth, south),
                    ];
                    ledger.lost +=
                        scale * over_border.iter().filter(|side| side.0).map(|side| side.1).sum::<f64>();
                    *after = changed.max(0.0);
                }
                Ok::<_, Error>(())
            },
        );
        (self.after, self.owed_after, self.ledger) = (after, owed, ledgers);
        done?;
        std::mem::swap(&mut self.thickness, &mut self.after);
        std::mem::swap(&mut self.owed, &mut self.owed_after);
        // In the order of the rows.
        Ok(self.ledger.iter().fold(Ledger::default(), |sum, row| Ledger {
            gained: sum.gained + row.gained,
            lost: sum.lost + row.lost,
        }))
    }

    /// The fluxes through the faces to the west, the east, the north and the south at the end of a step.
    fn fluxes_at_end(&self, column: usize, row: usize) -> [f64; 4] {
        let own = self.change_at(column, row);
        let [west, east, north, south] = self.faces_of(column, row);
        let to_west = self.change_at(column.wrapping_sub(1), row);
        let to_north = self.change_at(column, row.wrapping_sub(1));
        [
            west.flux + west.by_before * to_west + west.by_behind * own,
            east.flux + east.by_before * own + east.by_behind * self.change_at(column + 1, row),
            north.flux + north.by_before * to_north + north.by_behind * own,
            south.flux + south.by_before * own + south.by_behind * self.change_at(column, row + 1),
        ]
    }

    /// The volume of the ice, without what is owed, metres · samples.
    #[cfg(test)]
    pub(super) fn volume(&self) -> f64 {
        self.thickness.iter().zip(&self.owed).map(|(thickness, owed)| thickness - owed).sum()
    }
}

/// The flux out over the border behind a sample of this thickness, like that through the face before it.
fn outwards(inner: Face, thickness: f64) -> Face {
    let flux = inner.flux.max(0.0).min(MOST_OUT * thickness);
    if thickness <= 1e-6 || flux == 0.0 {
        return Face::default();
    }
    Face { flux, by_before: 5.0 * flux / thickness.max(1e-9), by_behind: 0.0 }
}

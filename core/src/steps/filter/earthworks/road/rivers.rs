//! The rivers that a road meets: it avoids them, and leaves their beds open where it crosses them.

use std::ops::RangeInclusive;

use glam::DVec2;

use super::line::{Block, CentreLine, NearLine, is_crossed};
use crate::steps::water::RiverBed;

/// The beds of rivers with water, in metres from sample (0, 0).
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Rivers {
    lines: Vec<RiverLine>,
}

#[derive(Clone, Debug, PartialEq)]
struct RiverLine {
    line: CentreLine,
    /// How far the bed reaches from its line at most, metres.
    half: f64,
    /// Metres from the edge of the bed to the end of the bank.
    bank: f64,
}

/// The rivers that may lie near a rectangle.
pub(super) struct NearRivers<'a> {
    rivers: Vec<NearRiver<'a>>,
}

struct NearRiver<'a> {
    line: NearLine<'a>,
    half: f64,
    bank: f64,
}

impl Rivers {
    pub(super) fn of(beds: &[RiverBed]) -> Self {
        let lines = beds.iter().map(|bed| {
            let points: Vec<DVec2> = bed.line.iter().map(|point| point.as_dvec2()).collect();
            RiverLine { line: CentreLine::of_points(&points), half: bed.half.into(), bank: bed.bank.into() }
        });
        Self { lines: lines.filter(|river| river.line.points.len() > 1).collect() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Those that may lie within `reach` metres of a rectangle.
    pub(super) fn near(&self, low: DVec2, high: DVec2, reach: f64) -> NearRivers<'_> {
        let rivers = self.lines.iter().map(|river| {
            let line = river.line.near(low, high, reach + river.half + river.bank);
            NearRiver { line, half: river.half, bank: river.bank }
        });
        NearRivers { rivers: rivers.filter(|river| !river.line.is_empty()).collect() }
    }

    /// The points of a road's line in or at most `margin` metres from a bed, one range for each time that it
    /// goes through one.
    pub(super) fn beds_along(&self, line: &CentreLine, margin: f64) -> Vec<RangeInclusive<usize>> {
        let mut beds: Vec<RangeInclusive<usize>> = Vec::new();
        if self.is_empty() {
            return beds;
        }
        for block in line.blocks() {
            let (low, high) = block.corners();
            let near = self.near(low, high, margin);
            if near.is_empty() {
                continue;
            }
            for point in block.points() {
                if near.is_in_bed(line.points[point], margin) {
                    match beds.last_mut() {
                        // Blocks share a point.
                        Some(bed) if point <= bed.end() + 1 => *bed = *bed.start()..=point,
                        _ => beds.push(point..=point),
                    }
                }
            }
        }
        beds
    }
}

impl NearRivers<'_> {
    pub(super) fn is_empty(&self) -> bool {
        self.rivers.is_empty()
    }

    /// The part of them that may lie near a row.
    pub(super) fn in_row(&self, z: f64) -> Self {
        let rivers = self.rivers.iter().map(|river| NearRiver { line: river.line.in_row(z), ..*river });
        Self { rivers: rivers.filter(|river| !river.line.is_empty()).collect() }
    }

    /// Whether a place lies in a bed, or at most `margin` metres from one.
    pub(super) fn is_in_bed(&self, p: DVec2, margin: f64) -> bool {
        let is_in = |river: &NearRiver| {
            river.line.nearest(p).is_some_and(|nearest| nearest.distance <= river.half + margin)
        };
        self.rivers.iter().any(is_in)
    }

    /// Whether a place lies in a bed or on a bank, or at most `margin` metres from one.
    pub(super) fn is_on_bank(&self, p: DVec2, margin: f64) -> bool {
        let is_on = |river: &NearRiver| {
            let nearest = river.line.nearest(p);
            nearest.is_some_and(|nearest| nearest.distance <= river.half + river.bank + margin)
        };
        self.rivers.iter().any(is_on)
    }

    /// How far the widest bed reaches from its line, metres.
    pub(super) fn widest(&self) -> f64 {
        self.rivers.iter().map(|river| river.half).fold(0.0, f64::max)
    }

    /// How many of the rivers a straight line crosses.
    pub(super) fn crossed(&self, segment: [DVec2; 2]) -> usize {
        let low = segment[0].min(segment[1]);
        let high = segment[0].max(segment[1]);
        let is_near = |block: &Block| {
            let (from, to) = block.corners();
            from.cmple(high).all() && to.cmpge(low).all()
        };
        let crosses =
            |river: &&NearRiver| river.line.segments(is_near).any(|of_river| is_crossed(segment, of_river));
        self.rivers.iter().filter(crosses).count()
    }
}

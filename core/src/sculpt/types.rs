//! Terrain types that strokes paint: the share of each at a place.

use std::sync::Arc;

use super::brush::Brush;
use super::stroke::{Stroke, Tool};

/// The strokes of a list that paint terrain types.
#[derive(Clone, Debug, Default)]
#[doc(hidden)]
pub struct PaintedTypes {
    /// The names of the types.
    names: Vec<String>,
    strokes: Vec<PaintStroke>,
    /// The origin from which places are counted, metres from the land's sample (0, 0).
    corner: [f64; 2],
}

#[derive(Clone, Debug)]
struct PaintStroke {
    stroke: Arc<Stroke>,
    /// West, north, east, south, metres.
    bounds: [f64; 4],
    kind: usize,
}

/// The paint on a run of places.
#[derive(Debug, Default)]
pub(crate) struct PaintedRow<const N: usize> {
    /// For each name, its share of each place; the shares of a place add up to at most 1.
    pub(crate) shares: Vec<[f32; N]>,
}

impl PaintedTypes {
    /// The paint of some strokes; `None` if none of them paints.
    pub(super) fn of(strokes: impl Iterator<Item = Arc<Stroke>>) -> Option<Self> {
        let mut types = Self::default();
        for stroke in strokes {
            let Tool::Paint { kind: name } = &stroke.tool else { continue };
            let known = types.names.iter().position(|known| known == name);
            let kind = known.unwrap_or_else(|| {
                types.names.push(name.clone());
                types.names.len() - 1
            });
            let [low, high] = stroke.bounds();
            types.strokes.push(PaintStroke { bounds: [low.x, low.y, high.x, high.y], kind, stroke });
        }
        (!types.strokes.is_empty()).then_some(types)
    }

    /// The paint of `self`, then that of `others`.
    pub(crate) fn and(mut self, others: &Self) -> Self {
        for painted in &others.strokes {
            let name = &others.names[painted.kind];
            let kind = self.names.iter().position(|known| known == name).unwrap_or_else(|| {
                self.names.push(name.clone());
                self.names.len() - 1
            });
            self.strokes.push(PaintStroke { kind, ..painted.clone() });
        }
        self
    }

    /// The same with places counted from this one, metres from the land's sample (0, 0).
    pub(crate) fn seen_from(self, corner: [f64; 2]) -> Self {
        Self { corner, ..self }
    }

    /// The names of the types that are painted.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// Reads the paint on places from west to east, metres; false if there is none.
    pub(crate) fn read<const N: usize>(&self, x: [f64; N], z: f64, out: &mut PaintedRow<N>) -> bool {
        let (x, z) = (x.map(|x| x + self.corner[0]), z + self.corner[1]);
        let mut is_painted = false;
        for PaintStroke { stroke, bounds, kind } in &self.strokes {
            // Runs ascend along x, so the first and the last place bound them.
            if !(bounds[1] <= z && z <= bounds[3] && bounds[0] <= x[N - 1] && x[0] <= bounds[2]) {
                continue;
            }
            let brush = Brush::new(stroke);
            let row = brush.row(z);
            for (index, &x) in x.iter().enumerate() {
                let Some(touch) = brush.touch(&row, x) else { continue };
                let share = stroke.share(touch.apart);
                if share <= 0.0 {
                    continue;
                }
                // Cleared only when needed: most runs have no paint.
                if !is_painted {
                    is_painted = true;
                    out.shares.clear();
                    out.shares.resize(self.names.len(), [0.0; N]);
                }
                // Paint covers earlier paint.
                for (number, shares) in out.shares.iter_mut().enumerate() {
                    let there = &mut shares[index];
                    // Shares of all kinds sum up to 1 at most, whatever the strengths.
                    *there = if number == *kind {
                        *there + (1.0 - *there) * share
                    } else {
                        *there * (1.0 - share)
                    };
                }
            }
        }
        is_painted
    }
}

//! Reaches: a few nodes of a shore each, between which sand moves.

use super::shoreline::{Chain, Shoreline};

/// Nodes in a reach: shorter ones would follow the samples.
const LENGTH: usize = 4;

/// Lengths over which waves are alike, around the largest island on which no sand stays.
const ISLET: f64 = 8.0;

/// All reaches of a shore. A chain's reaches follow one another as its nodes do.
pub(super) struct Reaches {
    pub chains: Vec<Chain>,
    /// The first node of each, and the number of nodes at the end.
    pub first: Vec<usize>,
    /// The length of each, metres.
    pub metres: Vec<f64>,
    /// The node in the middle of each, in samples.
    pub middles: Vec<[f32; 2]>,
}

/// Unit vectors along the shore, with the land on the left, and out to sea.
pub(super) type Directions = [[f32; 2]; 2];

impl Reaches {
    /// The reaches of a shore on samples `cell` metres apart.
    pub fn of(lines: &Shoreline, cell: f32) -> Self {
        let (mut chains, mut first, mut lengths) = (Vec::new(), Vec::new(), Vec::new());
        for chain in &lines.chains {
            let begin = first.len();
            let metres = metres(lines, *chain, cell);
            let count = metres.len().div_ceil(LENGTH);
            for number in 0..count {
                let [from, to] = [number, number + 1].map(|number| number * metres.len() / count);
                first.push(chain.first + from);
                lengths.push(metres[from..to].iter().sum());
            }
            chains.push(Chain { first: begin, end: first.len(), is_closed: chain.is_closed });
        }
        first.push(lines.nodes.len());
        let middles = first.windows(2).map(|pair| lines.nodes[(pair[0] + pair[1]) / 2]).collect();
        Self { chains, first, metres: lengths, middles }
    }

    pub fn count(&self) -> usize {
        self.metres.len()
    }

    /// Whether a chain surrounds an island, or a pond, so small that no sand stays there.
    pub fn is_islet(&self, chain: Chain, alike: f64) -> bool {
        chain.is_closed && self.metres[chain.first..chain.end].iter().sum::<f64>() < ISLET * alike
    }

    /// The directions at each reach.
    pub fn directions(&self, lines: &Shoreline) -> Vec<Directions> {
        let mut directions = Vec::with_capacity(self.count());
        for chain in &self.chains {
            for reach in chain.first..chain.end {
                let (before, after) = if chain.end - chain.first < 3 {
                    // A rock, or a corner of the land.
                    let (first, end) = (self.first[chain.first], self.first[chain.end]);
                    (lines.nodes[first], lines.nodes[(first + end - 1) / 2])
                } else {
                    let (before, after) = chain.beside(reach);
                    (self.middles[before.unwrap_or(reach)], self.middles[after.unwrap_or(reach)])
                };
                let (dx, dz) = (after[0] - before[0], after[1] - before[1]);
                let length = (dx * dx + dz * dz).sqrt();
                let along = if length > 0.0 { [dx / length, dz / length] } else { [1.0, 0.0] };
                directions.push([along, [-along[1], along[0]]]);
            }
        }
        directions
    }

    /// Values of the reaches at the nodes: linear between the reaches' middles.
    pub fn at_nodes(&self, values: &[f32]) -> Vec<f32> {
        let mut at_nodes = Vec::with_capacity(*self.first.last().unwrap_or(&0));
        for chain in &self.chains {
            for reach in chain.first..chain.end {
                let (before, after) = chain.beside(reach);
                let count = self.first[reach + 1] - self.first[reach];
                for node in 0..count {
                    let share = (node as f32 + 0.5) / count as f32 - 0.5;
                    let other = values[if share < 0.0 { before } else { after }.unwrap_or(reach)];
                    at_nodes.push(values[reach] + (other - values[reach]) * share.abs());
                }
            }
        }
        at_nodes
    }
}

/// Distances from each node of a chain to the next one, metres; at least a tenth of a sample, since others
/// are divided by them.
fn metres(lines: &Shoreline, chain: Chain, cell: f32) -> Vec<f64> {
    let (nodes, cell) = (&lines.nodes[chain.first..chain.end], f64::from(cell));
    let to_next = |at: usize| {
        let ([x, z], [to_x, to_z]) = (nodes[at], nodes[(at + 1) % nodes.len()]);
        let (dx, dz) = (f64::from(to_x - x), f64::from(to_z - z));
        // From an open chain's last node no line leads to the first one.
        let length = if chain.is_closed || at + 1 < nodes.len() { (dx * dx + dz * dz).sqrt() } else { 0.5 };
        length.max(0.1) * cell
    };
    (0..nodes.len()).map(to_next).collect()
}

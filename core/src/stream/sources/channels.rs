//! The terrain types of each channel of a tile's splat weights.

/// For each channel of a tile's splat weights, the terrain types, by their indices in the texture, whose
/// weights it sums. Four channels are a layer.
///
/// Channels that are drawn come first. The others only answer queries for the ground cover, and are never
/// uploaded to the GPU.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Channels {
    sums: Vec<Vec<usize>>,
    drawn: usize,
}

impl Channels {
    /// Channels that are drawn, and others that only answer queries.
    pub fn new(drawn: Vec<Vec<usize>>, told: Vec<Vec<usize>>) -> Self {
        let count = drawn.len();
        Self { sums: [drawn, told].concat(), drawn: count }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.sums.is_empty()
    }

    /// The types of all channels.
    pub fn sums(&self) -> &[Vec<usize>] {
        &self.sums
    }

    /// The types of the drawn channels.
    pub fn drawn(&self) -> &[Vec<usize>] {
        &self.sums[..self.drawn]
    }

    /// How many layers are drawn. The last of them may hold channels that are not drawn.
    pub fn drawn_layers(&self) -> usize {
        self.drawn.div_ceil(4)
    }

    /// The types of each layer's channels, of which there are up to four.
    pub(crate) fn layers(&self) -> impl ExactSizeIterator<Item = &[Vec<usize>]> {
        self.sums.chunks(4)
    }
}

/// Channels of which all are drawn.
impl From<Vec<Vec<usize>>> for Channels {
    fn from(drawn: Vec<Vec<usize>>) -> Self {
        Self::new(drawn, Vec::new())
    }
}

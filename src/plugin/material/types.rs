//! The terrain types that a land's tiles weigh, drawn or not.

use std::sync::Arc;

use crate::stream::Channels;
use crate::texture::GroundCover;

/// The terrain types of a land, and which channel of its tiles' splat weights is which.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct WeighedTypes {
    channels: Channels,
    /// In the order of the texture.
    types: Arc<[WeighedType]>,
    names: Arc<[Arc<str>]>,
}

#[derive(Clone, Debug, PartialEq)]
struct WeighedType {
    /// Its number among those of the texture.
    index: usize,
    channel: usize,
}

impl WeighedTypes {
    /// The types of a cover that lie anywhere, by the total weight of each, or, with `all`, those that lie
    /// nowhere too. Each channel of `drawn` sums types that look the same; a type that is not alone in one
    /// gets another one, which is not drawn.
    pub(crate) fn new(cover: &GroundCover, totals: &[u64], drawn: Vec<Vec<usize>>, all: bool) -> Self {
        let mut told = Vec::new();
        let mut channel_of = |index: usize| {
            // A channel that sums several types does not say how much of each there is, so queries need one
            // for each of them.
            drawn.iter().position(|members| *members == [index]).unwrap_or_else(|| {
                told.push(vec![index]);
                drawn.len() + told.len() - 1
            })
        };
        let exists = |index: &usize| all || totals[*index] > 0;
        let types: Arc<[WeighedType]> = (0..cover.types.len())
            .filter(exists)
            .map(|index| WeighedType { index, channel: channel_of(index) })
            .collect();
        let names = types.iter().map(|kind| cover.types[kind.index].name.as_str().into()).collect();
        Self { channels: Channels::new(drawn, told), types, names }
    }

    /// The channels of the tiles' weights.
    pub(crate) fn channels(&self) -> &Channels {
        &self.channels
    }

    /// The types' names, in their order.
    pub(crate) fn names(&self) -> &Arc<[Arc<str>]> {
        &self.names
    }

    /// How much each covers, in \[0, 1\], of the weights of all channels.
    pub(crate) fn shares(&self, weights: &[u8]) -> impl Iterator<Item = f32> {
        let weight = |kind: &WeighedType| weights.get(kind.channel).copied().unwrap_or_default();
        self.types.iter().map(move |kind| f32::from(weight(kind)) / 255.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texture::{CoverType, WeightMap};

    #[test]
    fn each_type_has_a_channel_of_its_own_and_those_that_are_drawn_come_first() {
        let kind = |name: &str| CoverType { name: name.to_owned(), colour: None, tiling: None };
        let cover = GroundCover {
            types: ["rock", "moss", "scree", "snow", "sand"].map(kind).to_vec(),
            weights: WeightMap::default(),
        };
        // Rock and scree look the same, moss and sand have no picture, and there is no sand.
        let drawn = vec![vec![0, 2], vec![3]];
        let some = WeighedTypes::new(&cover, &[3, 1, 2, 5, 0], drawn.clone(), false);
        assert_eq!(some.channels().drawn(), drawn);
        assert_eq!(some.channels().sums()[2..], [vec![0], vec![1], vec![2]]);
        assert_eq!(some.channels().drawn_layers(), 1);
        assert_eq!(
            some.names().iter().map(|name| &**name).collect::<Vec<_>>(),
            ["rock", "moss", "scree", "snow"]
        );
        let shares: Vec<f32> = some.shares(&[102, 51, 51, 102, 51]).collect();
        assert_eq!(shares, [51.0, 102.0, 51.0, 51.0].map(|share| share / 255.0));
        let all = WeighedTypes::new(&cover, &[0; 5], drawn, true);
        assert_eq!(all.names().len(), 5);
        assert_eq!(all.channels().sums().len(), 6);
        // Tiles that lack weights cover nothing.
        assert_eq!(all.shares(&[]).sum::<f32>(), 0.0);
    }
}

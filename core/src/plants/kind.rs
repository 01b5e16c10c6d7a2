//! The kinds of plants by name, with their default parameters.

use super::*;

/// Plants that can be grown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Norway spruce.
    Spruce,
    /// European beech.
    Beech,
    /// Silver birch.
    Birch,
    /// Coconut palm.
    Palm,
    /// Common hazel, a bush.
    Hazel,
    /// Common juniper, a bush.
    Juniper,
    /// A tuft of grass.
    Grass,
    /// A patch of meadow flowers.
    Flowers,
    /// A boulder.
    Boulder,
    /// A group of stones.
    Stone,
    /// A fallen trunk.
    DeadWood,
}

impl Kind {
    /// All kinds: trees, bushes, small plants, rocks, dead wood.
    pub const ALL: [Self; 11] = [
        Self::Spruce,
        Self::Beech,
        Self::Birch,
        Self::Palm,
        Self::Hazel,
        Self::Juniper,
        Self::Grass,
        Self::Flowers,
        Self::Boulder,
        Self::Stone,
        Self::DeadWood,
    ];

    /// Its name, such as `spruce` or `dead-wood`.
    pub fn name(self) -> &'static str {
        const NAMES: [&str; 11] = [
            "spruce",
            "beech",
            "birch",
            "palm",
            "hazel",
            "juniper",
            "grass",
            "flowers",
            "boulder",
            "stone",
            "dead-wood",
        ];
        NAMES[self as usize]
    }

    /// The kind with this name.
    ///
    /// # Errors
    /// When there is none; the message lists all kinds.
    pub fn of(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            crate::Error::parameter("kind", format!("there is no plant `{name}`; there are {names}"))
        })
    }

    /// Whether seasons change it.
    pub fn has_seasons(self) -> bool {
        matches!(self, Self::Spruce | Self::Beech | Self::Birch | Self::Hazel | Self::Grass | Self::Flowers)
    }

    /// Grows one with default parameters.
    pub fn grow(self, seed: u64, season: Season) -> Plant {
        let form = match self {
            Self::Spruce => Spruce::default().form(seed, season),
            Self::Beech => Beech::default().form(seed, season),
            Self::Birch => Birch::default().form(seed, season),
            Self::Palm => Palm::default().form(seed, season),
            Self::Hazel => Hazel::default().form(seed, season),
            Self::Juniper => Juniper::default().form(seed, season),
            Self::Grass => Grass::default().form(seed, season),
            Self::Flowers => Flowers::default().form(seed, season),
            Self::Boulder => Boulder::default().form(seed, season),
            Self::Stone => Stone::default().form(seed, season),
            Self::DeadWood => DeadWood::default().form(seed, season),
        };
        Plant { form }
    }
}

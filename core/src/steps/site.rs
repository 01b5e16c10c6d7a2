//! The land that a step is added to.

/// Facts about a land to which a step is added: enough to choose numbers that suit it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Site {
    /// Metres between samples.
    pub cell: f32,
    /// Height of the sea, metres, if there is one.
    pub sea_level: Option<f32>,
    /// The lowest and the highest height of the land before the step, metres; `None` where they are not known
    /// or there is no land yet.
    pub range: Option<(f32, f32)>,
    /// How many steps of the same kind the land has already.
    pub alike: u32,
    /// Whether the land is endless.
    pub is_endless: bool,
}

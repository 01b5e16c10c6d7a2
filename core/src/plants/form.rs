//! A plant before it becomes triangles: stems, sprays of leaves, and solids. A form doesn't know levels of
//! detail; each of them makes its own triangles from the same form.

use glam::Vec3;

use super::atlas::Patch;

/// What a surface is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Material {
    /// Bark of stems and twigs, or bare wood.
    Bark,
    /// Leaves, needles and blades: thin, seen from both sides, cut out by alpha.
    Leaf,
    /// Petals: as leaves.
    Petal,
    /// Stone.
    Rock,
}

/// A stem, branch or twig: a polyline with a radius at each of its points.
pub struct Stem {
    pub(super) points: Vec<Vec3>,
    /// Metres.
    pub(super) radii: Vec<f32>,
    /// Linear colours, one for each point.
    pub(super) colours: Vec<Vec3>,
    /// Growth on the upper side, such as moss: its linear colour.
    pub(super) moss: Option<Vec3>,
    pub(super) bark: Patch,
    /// How much its first and its last point move in wind.
    pub(super) sway: [f32; 2],
    pub(super) phase: f32,
    /// Whether its end is a flat face, as of a sawn or broken trunk.
    pub(super) cut: bool,
    /// Stems of a higher order are left out first.
    pub(super) order: u32,
}

/// How sprays are merged where fewer have to suffice.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Merge {
    /// One grows in length and width.
    Both,
    /// One becomes wider.
    Width,
}

/// A card with leaves, needles or blades on it.
#[derive(Clone)]
pub struct Spray {
    pub(super) foot: Vec3,
    /// From the foot to the tip, metres.
    pub(super) along: Vec3,
    /// From the middle to the edge, metres.
    pub(super) across: Vec3,
    /// The hang of the tip beyond `along`, metres; other than zero, the card bends in three parts.
    pub(super) bend: Vec3,
    pub(super) patch: Patch,
    pub(super) material: Material,
    /// Linear colour that the atlas is multiplied by.
    pub(super) colour: Vec3,
    pub(super) sway: [f32; 2],
    pub(super) phase: f32,
    pub(super) merge: Merge,
}

/// A closed body at three resolutions, finest first.
pub struct Solid {
    pub(super) levels: [Body; 3],
    pub(super) patch: Patch,
    pub(super) material: Material,
}

#[derive(Default)]
pub struct Body {
    pub(super) positions: Vec<Vec3>,
    pub(super) normals: Vec<Vec3>,
    pub(super) colours: Vec<Vec3>,
    pub(super) triangles: Vec<[u32; 3]>,
}

#[derive(Default)]
pub struct Form {
    pub(super) stems: Vec<Stem>,
    pub(super) sprays: Vec<Spray>,
    pub(super) solids: Vec<Solid>,
    /// Share of the triangles that stems may take, by level.
    pub(super) share_of_stems: [f32; 3],
    /// Triangles at each level.
    pub(super) budget: [usize; 3],
    /// How much the normals of sprays follow the crown, in [0, 1]; the rest follows the card.
    pub(super) roundness: f32,
}

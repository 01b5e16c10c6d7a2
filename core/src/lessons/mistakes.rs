//! Mistakes of naive versions of the algorithms, next to the right version: one recipe each, and the settings
//! that spoil it.
//!
//! Where a mistake is a possible choice, such as bilinear interpolation, the settings choose it. Where it is
//! a bug in programs, a parameter of the step reproduces it: `seam` of diamond-square, `beyond` of faults,
//! `weight` of the hybrid multifractal.

use crate::error::Result;
use crate::recipe::Recipe;

/// A classic mistake, why it fails, its cure, and two recipes that show it.
///
/// ```
/// # use upland_core as upland;
/// use upland::Mistake;
///
/// let mistake = Mistake::find("fault-cliffs").unwrap();
/// assert_ne!(mistake.wrong()?, mistake.right()?);
/// # Ok::<(), upland::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mistake {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its title, for people.
    pub title: &'static str,
    /// Why it fails, in two sentences.
    pub why: &'static str,
    /// The remedy, in one or two sentences.
    pub cure: &'static str,
    /// The right recipe, from `assets/mistakes/`.
    pub text: &'static str,
    /// The settings that make it wrong: paths and values for [`Recipe::set`].
    pub spoils: &'static [(&'static str, &'static str)],
}

macro_rules! mistakes {
    ($($name:literal: $title:literal, why: $why:literal, cure: $cure:literal, spoils: $spoils:expr;)+) => {
        &[$(Mistake {
            name: $name,
            title: $title,
            why: $why,
            cure: $cure,
            text: include_str!(concat!("../../assets/mistakes/", $name, ".ron")),
            spoils: $spoils,
        },)+]
    };
}

static MISTAKES: &[Mistake] = mistakes![
    "seams": "Seams that don't match",
        why: "A square of 2^n + 1 points that wraps has its first and its last column twice, and a program that counts \
              modulo 2^n + 1 gives each of the two random numbers of its own. The means look round the border, so the \
              code seems right, and yet copies of the land laid side by side meet in a cliff.",
        cure: "Count modulo 2^n: opposite borders are one line of points, which is made once.",
        spoils: &[("steps.0.seam", "unequal")];
    "creases": "Creases of diamond-square",
        why: "Points of a coarse level stay where they are while finer levels displace the ground between them, so that \
              slopes break along the lines of the coarse squares. The smoother the land is meant to be, the less there \
              is to hide these straight creases.",
        cure: "Sum octaves of a smooth noise, which has no lines that stay; or blur the ground between the levels, as \
               Miller proposed in 1986.",
        spoils: &[("steps.0.on", "true"), ("steps.1.on", "false")];
    "fault-cliffs": "Cliffs beside smooth faults",
        why: "The slope of a sine fault ends at its full displacement, and a program that adds nothing farther away lets \
              the ground fall back to 0 there. Each fault that should have been a smooth step leaves two cliffs as high \
              as its displacement.",
        cure: "Clamp the distance before the sine is taken: beyond its slope a fault keeps raising one side and \
               lowering the other.",
        spoils: &[("steps.0.beyond", "nothing")];
    "black-lowlands": "Black lowlands",
        why: "The weights of overlapping height bands add up to 1 only between the lowest and the highest centre. Below \
              the lowest they fall to 0, and ground without any weight is painted black.",
        cure: "Let the lowest and the highest band go on outwards with full weight.",
        spoils: &[("texture.bands.extend", "false")];
    "hybrid-most": "Rough valleys of a hybrid multifractal",
        why: "An octave's weight is the product of the octaves before it, and has to be kept at 1 or below. A program \
              that takes the maximum with 1 in place of the minimum lets all weights through, so that valleys are as \
              rough as summits: plain fractional Brownian motion, and higher than its bound.",
        cure: "Take the minimum: low ground then keeps its small weight, and fine octaves die out there.",
        spoils: &[("steps.0.weight", "most")];
    "box-filter": "Edges of a box filter",
        why: "A mean over a square counts the farthest sample as much as the nearest and the next one not at all. So a \
              cliff becomes a flat ramp with a sharp edge above and below, a single summit becomes a square, and some fine \
              waves come out upside down.",
        cure: "Weigh by a Gaussian, or by a row of Pascal's triangle, which is nearly one: weights that fade to nothing \
               leave no edges.",
        spoils: &[("steps.1.on", "false"), ("steps.2.on", "true")];
    "bilinear": "Creases between the pixels of a bitmap",
        why: "Bilinear interpolation joins heights by straight lines, so that slopes break at every pixel of the bitmap. \
              Light shows slopes rather than heights, which is why the squares of the bitmap are seen on every hill.",
        cure: "Interpolate by a cubic B-spline, whose slope and curvature are continuous; or by Catmull-Rom, which stays \
               closer to the pixels and keeps the slope continuous.",
        spoils: &[("steps.0.resize", "bilinear")];
];

impl Mistake {
    /// All mistakes.
    pub fn all() -> &'static [Self] {
        MISTAKES
    }

    /// The mistake called `name`.
    pub fn find(name: &str) -> Option<&'static Self> {
        MISTAKES.iter().find(|mistake| mistake.name == name)
    }

    /// The right recipe.
    ///
    /// # Errors
    /// None as long as the tests pass, which parse all of them.
    pub fn right(&self) -> Result<Recipe> {
        Recipe::from_ron(self.text, &format!("mistake {}", self.name))
    }

    /// The same recipe with the mistake; its name says so.
    ///
    /// # Errors
    /// None as long as the tests pass, which make all of them.
    pub fn wrong(&self) -> Result<Recipe> {
        let mut recipe = self.right()?;
        recipe.name += ", wrong";
        for (path, value) in self.spoils {
            recipe.set(path, value)?;
        }
        Ok(recipe)
    }
}

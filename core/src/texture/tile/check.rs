//! Properties of a tile that follow from its texels: its mean colour, and whether it tiles.

use crate::texture::colour::srgb::{LINEAR, level_from_linear};

use super::tiling::Tile;

/// The step across the border may be this much larger than the largest inside.
const TOLERANCE: f32 = 1.05;

/// The two axes along which a tile has to match itself.
#[derive(Clone, Copy)]
enum Along {
    /// The last column meets the first.
    East,
    /// The last row meets the first.
    South,
}

/// How far colours step from each column (or row) to the next, as the mean of the absolute
/// differences of all channels, in levels of 255.
struct Steps {
    inside_mean: f32,
    inside_largest: f32,
    across_border: f32,
}

impl Tile {
    /// The mean of its colours, in linear light.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::texture::Tile;
    /// let black_and_white = [[0; 3], [255; 3]].to_vec();
    /// let tile = Tile { width: 2, depth: 1, colours: black_and_white, normals: vec![], roughness: vec![] };
    /// assert_eq!(tile.mean_colour(), [0.5; 3]);
    /// ```
    pub fn mean_colour(&self) -> [f32; 3] {
        self.mean_light().map(|light| light as f32)
    }

    /// As [`mean_colour`](Self::mean_colour), with the precision of the sum.
    pub(crate) fn mean_light(&self) -> [f64; 3] {
        // Counted by level, so that a large tile takes 256 multiplications and not millions, and in f64, so
        // that the mean does not depend on the order.
        let mut counts = [[0u64; 256]; 3];
        for colour in &self.colours {
            (0..3).for_each(|channel| counts[channel][usize::from(colour[channel])] += 1);
        }
        counts.map(|counts| {
            let sum: f64 =
                counts.iter().zip(&*LINEAR).map(|(&count, &light)| count as f64 * f64::from(light)).sum();
            sum / self.colours.len().max(1) as f64
        })
    }

    /// The mean of its colours as a colour with the same light: sRGB-encoded levels of 255.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::texture::Tile;
    /// let black_and_white = [[0; 3], [255; 3]].to_vec();
    /// let tile = Tile { width: 2, depth: 1, colours: black_and_white, normals: vec![], roughness: vec![] };
    /// assert_eq!(tile.mean_level(), [188; 3]);
    /// ```
    pub fn mean_level(&self) -> [u8; 3] {
        self.mean_colour().map(level_from_linear)
    }

    /// Doubts about it, as sentences that follow its name: that it is a single texel, or that it doesn't
    /// tile. It tiles when colours step no more across its border than from one column (or row) to the next
    /// somewhere inside. A tile that is laid `mirrored` always does.
    /// ```
    /// # use upland_core as upland;
    /// use upland::texture::Tile;
    /// let ramp = (0..=255).map(|level| [level; 3]).collect();
    /// let tile = Tile { width: 256, depth: 1, colours: ramp, normals: vec![], roughness: vec![] };
    /// assert!(tile.warnings(false)[0].starts_with("does not tile: across its east and west border"));
    /// assert!(tile.warnings(true).is_empty());
    /// ```
    pub fn warnings(&self, mirrored: bool) -> Vec<String> {
        if (self.width, self.depth) == (1, 1) {
            let reason = "is a single texel, an even colour; give the type a `colour` instead";
            return vec![reason.into()];
        }
        // A mirrored tile meets itself at every border.
        if mirrored {
            return Vec::new();
        }
        let borders = [(Along::East, "east and west"), (Along::South, "north and south")];
        let warning = |(along, border): (Along, &str)| {
            let steps = self.steps(along)?;
            // Compared to the largest step, not the mean: a picture with hard edges may have one at its
            // border, too.
            (steps.across_border > TOLERANCE * steps.inside_largest).then(|| {
                format!(
                    "does not tile: across its {border} border colours step by {:.1} levels, inside by {:.1} on \
                     average and by {:.1} at most; lay it mirrored (`mirror: true`), or give a picture that tiles",
                    steps.across_border, steps.inside_mean, steps.inside_largest,
                )
            })
        };
        borders.into_iter().filter_map(warning).collect()
    }

    /// `None` where there are fewer than three columns (or rows), too few to decide.
    fn steps(&self, along: Along) -> Option<Steps> {
        let (lines, others) = match along {
            Along::East => (self.width, self.depth),
            Along::South => (self.depth, self.width),
        };
        // Fewer lines have no step inside to compare with.
        if lines < 3 {
            return None;
        }
        let texel = |line: usize, other: usize| match along {
            Along::East => self.colours[other * self.width + line],
            Along::South => self.colours[line * self.width + other],
        };
        let step = |line: usize| {
            let next = (line + 1) % lines;
            let difference = |other: usize| -> u64 {
                let (a, b) = (texel(line, other), texel(next, other));
                (0..3).map(|channel| u64::from(a[channel].abs_diff(b[channel]))).sum()
            };
            (0..others).map(difference).sum::<u64>() as f32 / (3 * others) as f32
        };
        let inside: Vec<f32> = (0..lines - 1).map(step).collect();
        Some(Steps {
            inside_mean: inside.iter().sum::<f32>() / inside.len() as f32,
            inside_largest: inside.iter().copied().fold(0.0, f32::max),
            across_border: step(lines - 1),
        })
    }
}

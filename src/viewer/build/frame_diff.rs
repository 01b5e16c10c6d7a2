//! What one frame of a build changes: as colours, as numbers, and as a small picture of the whole land.

use bevy::prelude::*;
use bevy_egui::egui;

use crate::grid::{Grid, Heightfield};
use crate::render::compare::colour_of_difference;
use crate::render::short_numbers::short;
use crate::texture::ColourMap;

/// The picture has at most this many pixels along its longer side.
const PICTURE: usize = 128;

/// The colour of lines along which the change jumps: faults, edges of clipped land. sRGB.
const LINE: [u8; 3] = [30, 33, 38];

/// A jump is at least this share of the range of all changes, and the ground on both sides of it is changed
/// evenly to within this share of the jump.
const LEAP: f32 = 0.2;
const EVEN: f32 = 0.05;

/// This many samples around a jump, at least this many others must belong to jumps, because a single jump is
/// not a line.
const AROUND: usize = 2;
const COMPANY: usize = 7;

/// Changes below this share of the largest are rounding errors.
const ROUNDING: f32 = 1e-4;

/// The difference between a land and the next.
pub(crate) struct FrameChange {
    grid: Grid,
    /// By how much each sample was raised, metres.
    heights: Vec<f32>,
    /// The largest change of any sample, up or down, metres; above 0.
    most: f32,
    /// The samples that were raised, and those that were lowered.
    raised: ChangedPart,
    lowered: ChangedPart,
}

/// The part of the land that was raised, or lowered.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct ChangedPart {
    /// Share of all samples, in [0, 1].
    share: f64,
    /// The mean and the largest change, metres.
    mean: f64,
    most: f64,
}

impl ChangedPart {
    /// A description that follows "raises" or "lowers"; `None` if the part is empty.
    fn describe(&self) -> Option<String> {
        let share = match self.share {
            0.0 => return None,
            ..0.01 => "less than 1 % of the land".to_owned(),
            1.0 => "all of the land".to_owned(),
            0.99.. => "more than 99 % of the land".to_owned(),
            share => format!("{:.0} % of the land", 100.0 * share),
        };
        let (mean, most) = (short(self.mean), short(self.most));
        Some(if mean == most {
            format!("{share} by {mean} m")
        } else {
            format!("{share} by {mean} m on average, {most} m at most")
        })
    }
}

impl FrameChange {
    /// The difference from the land before, or from level ground. Both may have different distances between
    /// samples.
    pub fn between(before: Option<&Heightfield>, now: &Heightfield) -> Self {
        let grid = now.grid();
        let Grid { width, depth, cell } = grid;
        let change = |column: usize, row: usize| {
            let was = match before {
                Some(before) if before.grid() == grid => before.at(column, row),
                Some(before) => before.sample(Vec2::new(column as f32, row as f32) * cell),
                None => 0.0,
            };
            now.at(column, row) - was
        };
        let all = (0..depth).flat_map(|row| (0..width).map(move |column| (column, row)));
        let heights: Vec<f32> = all.map(|(column, row)| change(column, row)).collect();
        let most = heights.iter().fold(0.0f32, |most, change| most.max(change.abs())).max(f32::MIN_POSITIVE);
        let part = |sign: f32| {
            let changed =
                heights.iter().map(|change| change * sign).filter(|change| *change > ROUNDING * most);
            let (count, sum, most) = changed.fold((0usize, 0.0, 0.0f64), |(count, sum, most), change| {
                (count + 1, sum + f64::from(change), most.max(f64::from(change)))
            });
            let share = count as f64 / heights.len().max(1) as f64;
            ChangedPart { share, mean: sum / count.max(1) as f64, most }
        };
        let (raised, lowered) = (part(1.0), part(-1.0));
        Self { grid, heights, most, raised, lowered }
    }

    /// Blue where the ground was lowered, red where it was raised, white where it stayed, and dark lines
    /// where the change jumps.
    pub fn colours(&self) -> ColourMap {
        let Grid { width, depth, .. } = self.grid;
        let lines = self.lines();
        let texel = |(change, is_line): (&f32, &bool)| {
            let [r, g, b] = if *is_line { LINE } else { self.colour(*change) };
            [r, g, b, 255]
        };
        ColourMap { width, depth, texels: self.heights.iter().zip(&lines).map(texel).collect() }
    }

    /// A small picture of the whole land in these colours, north at the top. Each pixel shows the largest
    /// change of the samples under it, or a line if there is one.
    pub fn picture(&self) -> egui::ColorImage {
        let Grid { width, depth, .. } = self.grid;
        let lines = self.lines();
        let longer = width.max(depth).max(1);
        let side = |samples: usize| (samples * PICTURE.min(longer) / longer).max(1);
        let (columns, rows) = (side(width), side(depth));
        let under = |pixel: usize, pixels: usize, samples: usize| {
            pixel * samples / pixels..((pixel + 1) * samples / pixels).max(pixel * samples / pixels + 1)
        };
        let mut texels = Vec::with_capacity(4 * columns * rows);
        for row in 0..rows {
            for column in 0..columns {
                let (mut change, mut is_line) = (0.0f32, false);
                for z in under(row, rows, depth) {
                    for at in under(column, columns, width).map(|x| z * width + x) {
                        is_line |= lines[at];
                        if self.heights[at].abs() > change.abs() {
                            change = self.heights[at];
                        }
                    }
                }
                let [r, g, b] = if is_line { LINE } else { self.colour(change) };
                texels.extend([r, g, b, 255]);
            }
        }
        egui::ColorImage::from_rgba_unmultiplied([columns, rows], &texels)
    }

    /// How much of the land was raised, with the colour for that, and how much was lowered; empty if nothing
    /// changed.
    pub fn describe(&self) -> Vec<([u8; 3], String)> {
        let part = |verb: &str, part: &ChangedPart, change: f32| {
            Some((self.colour(change), format!("{verb} {}", part.describe()?)))
        };
        let raised = part("raises", &self.raised, self.most);
        let lowered = part("lowers", &self.lowered, -self.most);
        raised.into_iter().chain(lowered).collect()
    }

    /// By how many metres the sample at these shares of the land's sides was raised.
    pub fn at(&self, share: Vec2) -> f32 {
        let Grid { width, depth, .. } = self.grid;
        let of = |share: f32, count: usize| ((share * count as f32).max(0.0) as usize).min(count - 1);
        self.heights[of(share.y, depth) * width + of(share.x, width)]
    }

    /// Length of the land's sides, metres.
    pub fn extent(&self) -> Vec2 {
        let Grid { width, depth, cell } = self.grid;
        Vec2::new((width - 1) as f32, (depth - 1) as f32) * cell
    }

    fn colour(&self, change: f32) -> [u8; 3] {
        // Most changes are small compared with the largest; the square root makes them visible too.
        colour_of_difference((change / self.most).abs().sqrt().copysign(change))
    }

    /// Marks samples at a jump between two areas of even change. At a fault, the colours of either side alone
    /// would look as if that side had changed by itself.
    fn lines(&self) -> Vec<bool> {
        let Grid { width, depth, .. } = self.grid;
        let heights = &self.heights;
        let (low, high) =
            heights.iter().fold((0.0f32, 0.0f32), |all, change| (all.0.min(*change), all.1.max(*change)));
        let least = (LEAP * (high - low)).max(f32::MIN_POSITIVE);
        let mut leaps = vec![false; heights.len()];
        for (along, step, across, beside) in [(width, 1, depth, width), (depth, width, width, 1)] {
            for first in (0..across).map(|number| number * beside) {
                for number in 1..along.saturating_sub(2) {
                    let at = first + number * step;
                    let [a, b, c, d] = [at - step, at, at + step, at + 2 * step].map(|at| heights[at]);
                    let leap = (c - b).abs();
                    if leap >= least && (b - a).abs() < EVEN * leap && (d - c).abs() < EVEN * leap {
                        (leaps[at], leaps[at + step]) = (true, true);
                    }
                }
            }
        }
        let has_company = |at: usize| {
            let (column, row) = (at % width, at / width);
            let rows = row.saturating_sub(AROUND)..(row + AROUND + 1).min(depth);
            let columns = column.saturating_sub(AROUND)..(column + AROUND + 1).min(width);
            let around = rows.flat_map(|row| columns.clone().map(move |column| row * width + column));
            // The sample counts itself, hence the comparison with `>`.
            around.filter(|at| leaps[*at]).count() > COMPANY
        };
        (0..leaps.len()).map(|at| leaps[at] && has_company(at)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::work::Work;
    use crate::{Recipe, RecordingOptions};

    fn grid(width: usize, depth: usize) -> Grid {
        Grid::new(width, depth, 1.0).unwrap()
    }

    /// The change that the first fault makes, in a recipe with faults only.
    fn fault() -> FrameChange {
        let text = r#"(version: 1, name: "Land", seed: 3, size: (65, 65), cell: 20,
            steps: [fault(faults: 10, start: 12, end: 12, lines: points)])"#;
        let recipe = Recipe::from_ron(text, "land.ron").unwrap();
        let recording = recipe.record(&RecordingOptions::default(), &Work::new()).unwrap();
        FrameChange::between(None, &recording.frames()[0].heights)
    }

    fn is_red([r, _, b, _]: [u8; 4]) -> bool {
        r > b.saturating_add(20)
    }

    fn is_blue([r, _, b, _]: [u8; 4]) -> bool {
        b > r.saturating_add(20)
    }

    fn is_line([r, g, b, _]: [u8; 4]) -> bool {
        [r, g, b] == LINE
    }

    #[test]
    fn raised_land_is_red_lowered_land_blue_and_the_rest_white() {
        let grid = grid(3, 1);
        let before = Heightfield::flat(grid, 10.0);
        let now = Heightfield::from_fn(grid, |column, _| 10.0 + (column as f32 - 1.0) * 4.0);
        let change = FrameChange::between(Some(&before), &now);
        let [low, same, high] = change.colours().texels[..] else { panic!() };
        assert!(low[2] > low[0] && high[0] > high[2] && same[0] == same[2]);
        let texts: Vec<_> = change.describe().into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts, ["raises 33 % of the land by 4.0 m", "lowers 33 % of the land by 4.0 m"]);
        assert_eq!((change.at(Vec2::ZERO), change.at(Vec2::ONE)), (-4.0, 4.0));
        // A coarser land is interpolated between its samples.
        let coarse = Heightfield::flat(Grid::new(2, 1, 2.0).unwrap(), 10.0);
        assert_eq!(FrameChange::between(Some(&coarse), &now).colours(), change.colours());
    }

    #[test]
    fn a_fault_is_red_on_one_side_blue_on_the_other_with_a_line_between() {
        let change = fault();
        let colours = change.colours();
        let count = |is: fn([u8; 4]) -> bool| colours.texels.iter().filter(|texel| is(**texel)).count();
        let (red, blue, line) = (count(is_red), count(is_blue), count(is_line));
        assert_eq!(red + blue + line, 65 * 65);
        assert!(red > 100 && blue > 100 && (20..400).contains(&line), "{red} {blue} {line}");
        // The two sides never meet without a line between them, except near the edge of the land.
        let is_apart = |at: usize| {
            let [here, east] = [at, at + 1].map(|at| colours.texels[at]);
            !(is_red(here) && is_blue(east) || is_blue(here) && is_red(east))
        };
        assert!((3..62).all(|row| (3..61).all(|column| is_apart(row * 65 + column))));
        let texts = change.describe();
        assert!(
            texts[0].1.starts_with("raises") && texts[0].1.ends_with("% of the land by 12 m"),
            "{texts:?}"
        );
        assert!(
            texts[1].1.starts_with("lowers") && texts[1].1.ends_with("% of the land by 12 m"),
            "{texts:?}"
        );
        // The picture contains the whole land.
        let picture = change.picture();
        assert_eq!(picture.size, [65, 65]);
        let pixels = picture.pixels.iter().map(|pixel| pixel.to_array());
        assert!(pixels.eq(colours.texels));
    }

    #[test]
    fn noise_has_no_lines_and_its_zero_is_white() {
        let text =
            r#"(version: 1, name: "Land", seed: 3, size: (129, 129), cell: 20, steps: [fbm(octaves: 4)])"#;
        let recipe = Recipe::from_ron(text, "land.ron").unwrap();
        let recording = recipe.record(&RecordingOptions::default(), &Work::new()).unwrap();
        for frame in 0..recording.frames().len() {
            let before = recording.before(frame).map(|frame| &*frame.heights);
            let change = FrameChange::between(before, &recording.frames()[frame].heights);
            assert!(!change.lines().contains(&true), "{frame}");
            assert_eq!(change.colour(0.0), colour_of_difference(0.0));
        }
    }

    #[test]
    fn a_picture_of_large_land_is_small_and_shows_narrow_changes() {
        let river = |column: usize, _: usize| if column == 301 { -3.0 } else { 0.0 };
        let change = FrameChange::between(None, &Heightfield::from_fn(grid(1025, 257), river));
        let picture = change.picture();
        assert_eq!(picture.size, [128, 32]);
        let blue = |pixel: &egui::Color32| is_blue(pixel.to_array());
        assert!(picture.pixels.chunks(128).all(|row| row.iter().filter(|pixel| blue(pixel)).count() == 1));
        assert_eq!(change.describe().len(), 1);
        assert_eq!(change.describe()[0].1, "lowers less than 1 % of the land by 3.0 m");
        let none = FrameChange::between(None, &Heightfield::flat(grid(5, 5), 0.0));
        assert!(none.describe().is_empty() && none.colours().texels.iter().all(|texel| texel[0] == texel[2]));
        let all = FrameChange::between(None, &Heightfield::flat(grid(5, 5), 2.0));
        assert_eq!(all.describe()[0].1, "raises all of the land by 2.0 m");
    }
}

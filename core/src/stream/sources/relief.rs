//! The ground of a window of samples, without the data that only drawing needs.

use half::f16;

use crate::error::{Error, Result};
use crate::grid::Window;
use crate::stream::shape::LandShape;
use crate::stream::tile::TILE_CELLS;

/// The most samples of a window: 64 MiB of heights.
const MOST: u64 = 1 << 24;

/// The ground of a window of samples: row by row from the north-west.
#[derive(Clone, Debug, PartialEq)]
pub struct Relief {
    /// Which samples.
    pub window: Window,
    /// Heights, metres.
    pub heights: Vec<f32>,
    /// How far the ground lies east and south of each sample, metres; empty where all ground lies on its
    /// samples.
    pub shifts: Vec<[f16; 2]>,
    /// The layer `hole`, 0 to 1: there is no ground where it is above [`HOLE_FROM`](crate::grid::HOLE_FROM),
    /// interpolated on the triangles with which cells are drawn. Empty for land without holes.
    pub holes: Vec<f16>,
}

impl Relief {
    /// The ground of a window.
    ///
    /// # Errors
    /// When there are not as many values as samples, or one is not a number.
    pub fn new(window: Window, heights: Vec<f32>, shifts: Vec<[f16; 2]>, holes: Vec<f16>) -> Result<Self> {
        let count: usize = window.size.iter().map(|side| *side as usize).product();
        let refused = |reason: String| Err(Error::parameter("relief", reason));
        let fits = |length: usize| length == 0 || length == count;
        if heights.len() != count || !fits(shifts.len()) || !fits(holes.len()) {
            let lengths = [heights.len(), shifts.len(), holes.len()];
            let [heights, shifts, holes] = lengths;
            return refused(format!(
                "has {heights} heights, {shifts} shifts and {holes} holes in place of {count}"
            ));
        }
        if let Some(height) = heights.iter().find(|height| !height.is_finite()) {
            return refused(format!("has a height of {height}"));
        }
        if let Some(shift) = shifts.as_flattened().iter().find(|shift| !shift.is_finite()) {
            return refused(format!("has a shift of {shift}"));
        }
        if let Some(hole) = holes.iter().find(|hole| !hole.is_finite()) {
            return refused(format!("has a hole of {hole}"));
        }
        Ok(Self { window, heights, shifts, holes })
    }
}

/// Refuses a window of which tiles have no samples.
pub(in crate::stream) fn checked(shape: &LandShape, window: Window) -> Result<()> {
    let Window { level, first, size } = window;
    if !(shape.finest..=shape.coarsest).contains(&level) {
        let reason = format!("level {level} is outside {} to {}", shape.finest, shape.coarsest);
        return Err(Error::parameter("window", reason));
    }
    let count = u64::from(size[0]) * u64::from(size[1]);
    let is_counted = first.iter().all(|first| first.unsigned_abs() < (1 << 30) * TILE_CELLS as u64);
    if count == 0 || count > MOST || !is_counted {
        return Err(Error::parameter("window", format!("{window} is empty, too large or too far away")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::build::Cache;
    use crate::compute::work::Work;
    use crate::grid::is_hole;
    use crate::recipe::Recipe;
    use crate::sculpt::{Sculpture, Stroke, Strokes, Tool};
    use crate::stream::{
        Channels, LandTile, LandscapeSource, MadeTile, RecipeSource, SculptedSource, TileSource,
    };

    /// A source of which only the tiles are used.
    struct Tiles<'a>(&'a dyn TileSource);

    impl TileSource for Tiles<'_> {
        fn shape(&self) -> LandShape {
            self.0.shape()
        }

        fn is_shifted(&self) -> bool {
            self.0.is_shifted()
        }

        fn has_holes(&self) -> bool {
            self.0.has_holes()
        }

        fn make(&self, tile: LandTile, work: &Work) -> Result<MadeTile> {
            self.0.make(tile, work)
        }
    }

    const STEPS: [&str; 3] = [
        "[fbm(height: 80, frequency: 9), ledges(thickness: 9, octaves: 3, slope_min: 8)]",
        "[fbm(height: 60, frequency: 9), undercut(depth: 7, level: -20, height: 40, slope_min: 10)]",
        "[fbm(height: 60, frequency: 9), hole(shape: everywhere, mask: noise, mask_frequency: 40)]",
    ];

    fn source(size: &str, steps: &str) -> RecipeSource {
        let text = format!("(version: 1, name: \"Land\", seed: 8, size: {size}, cell: 2, steps: {steps})");
        let recipe = Recipe::from_ron(&text, "land.ron").unwrap();
        RecipeSource::new(recipe, &Cache::default(), 0.5, Vec::new(), &Work::new()).unwrap()
    }

    fn windows(level: i32) -> impl Iterator<Item = Window> {
        let firsts = [[-3, 5], [120, 250], [500, 127], [128, 128], [9000, -9000]];
        let sizes = [[2, 2], [65, 65], [1, 300], [140, 9], [33, 40]];
        firsts.into_iter().zip(sizes).map(move |(first, size)| Window { level, first, size })
    }

    #[test]
    fn the_relief_of_a_window_has_the_bits_of_the_tiles() {
        for size in ["(300, 200)", "endless"] {
            for steps in STEPS {
                let source = source(size, steps);
                for level in [-2, 0, 1] {
                    for window in windows(level) {
                        let made = source.relief(window, &Work::new()).unwrap();
                        let cut = Tiles(&source).relief(window, &Work::new()).unwrap();
                        assert_eq!(made.shifts.is_empty(), !source.is_shifted());
                        assert_eq!(made.holes.is_empty(), !source.has_holes());
                        assert!(made == cut, "{window} of {size} land with {steps}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_relief_of_a_landscape_is_that_of_its_tiles() {
        for steps in STEPS {
            let text = format!("(version: 1, name: \"Land\", size: (300, 200), cell: 2, steps: {steps})");
            let recipe = Recipe::from_ron(&text, "land.ron").unwrap();
            let land = Arc::new(recipe.build(&Work::new()).unwrap());
            let source =
                LandscapeSource::painted(land.clone(), &land.colour, None, &Channels::default(), -2).unwrap();
            assert!(source.shape().finest <= -2 && source.finest_ground() == 0);
            for window in (-2..=1).flat_map(windows) {
                let made = source.relief(window, &Work::new()).unwrap();
                assert!(made == Tiles(&source).relief(window, &Work::new()).unwrap(), "{window}");
            }
        }
    }

    /// A source with strokes, one of which looks at the ground around, at a corner of the land.
    fn sculpted(land: Arc<dyn TileSource>) -> SculptedSource {
        let mut strokes = Strokes::default();
        for (tool, place, radius) in [
            (Tool::Raise { by: 12.0 }, [250.0, 240.0], 70.0),
            (Tool::Lower { by: 7.0 }, [2.0, 5.0], 40.0),
            (Tool::Smooth {}, [260.0, 255.0], 60.0),
            (Tool::Hole {}, [254.0, 258.0], 20.0),
            (Tool::Close {}, [266.0, 250.0], 9.0),
        ] {
            strokes.push(Stroke::at(tool, place, radius)).unwrap();
        }
        let sculpture = Arc::new(Sculpture::new(land.shape().domain(), &strokes));
        SculptedSource::new(land, sculpture)
    }

    #[test]
    fn the_relief_of_sculpted_land_has_the_strokes_of_its_tiles() {
        for size in ["(300, 200)", "endless"] {
            let land = Arc::new(source(size, STEPS[0]));
            let source = sculpted(land.clone());
            let (mut changed, mut open) = (0, 0);
            for window in [-1, 0, 1].into_iter().flat_map(windows) {
                let made = source.relief(window, &Work::new()).unwrap();
                assert!(
                    made == Tiles(&source).relief(window, &Work::new()).unwrap(),
                    "{window} of {size} land"
                );
                let bare = land.relief(window, &Work::new()).unwrap();
                changed += usize::from(made.heights != bare.heights);
                assert!(source.has_holes() && made.holes.len() == made.heights.len());
                open += made.holes.iter().filter(|share| is_hole(share.to_f32())).count();
            }
            assert!(open > 20, "{open}");
            assert!(changed > 2, "{changed}");
        }
    }

    #[test]
    fn strokes_are_finer_than_the_samples_of_a_landscape() {
        let text = format!("(version: 1, name: \"Land\", size: (300, 200), cell: 2, steps: {})", STEPS[0]);
        let land = Arc::new(Recipe::from_ron(&text, "land.ron").unwrap().build(&Work::new()).unwrap());
        let land = Arc::new(
            LandscapeSource::painted(land.clone(), &land.colour, None, &Channels::default(), -2).unwrap(),
        );
        let none = Arc::new(Sculpture::new(land.shape().domain(), &Strokes::default()));
        assert_eq!(SculptedSource::new(land.clone(), none).finest_ground(), 0);
        let finest = land.shape().finest;
        assert!(finest <= -2);
        assert_eq!(sculpted(land).finest_ground(), finest);
    }

    #[test]
    fn windows_without_tiles_are_refused() {
        let source = source("(300, 200)", STEPS[0]);
        let refused = |level, first, size| {
            let window = Window { level, first, size };
            source.relief(window, &Work::new()).unwrap_err().to_string()
        };
        assert!(refused(-5, [0, 0], [2, 2]).contains("level -5 is outside -2 to 2"));
        assert!(refused(0, [0, 0], [0, 2]).contains("is empty"));
        assert!(refused(0, [0, 0], [1 << 20, 1 << 20]).contains("too large"));
        assert!(refused(0, [i64::MIN, 0], [2, 2]).contains("too far away"));
        let window = Window { level: 0, first: [0, 0], size: [2, 1] };
        assert!(
            Relief::new(window, vec![0.0], Vec::new(), Vec::new())
                .unwrap_err()
                .to_string()
                .contains("1 heights")
        );
        let error = Relief::new(window, vec![0.0, f32::NAN], Vec::new(), Vec::new()).unwrap_err().to_string();
        assert!(error.contains("NaN"), "{error}");
    }
}

//! A recording of a build: what steps hand out on their way, to be played and looked through.

use std::sync::{Arc, Mutex, PoisonError};

use crate::compute::frames::{Frame, Moment, Observer};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::Heightfield;
use crate::recipe::Recipe;
use crate::steps::Kind;

/// The limits of a recording.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecordingOptions {
    /// Samples along the longer side of the land that is built, 3 to 1025. Land that must have 2^n + 1
    /// samples gets the recipe's own number where that is smaller.
    pub samples: u32,
    /// Memory for all frames, in bytes. Where there are more frames, evenly spread ones of each step are
    /// kept.
    pub bytes: u64,
}

impl Default for RecordingOptions {
    /// 257 samples, 192 MiB.
    fn default() -> Self {
        Self { samples: 257, bytes: 192 << 20 }
    }
}

/// The frames of a build, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    frames: Vec<RecordedFrame>,
    steps: Vec<RecordedStep>,
}

/// The land at a moment of a build.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedFrame {
    /// After which round of which step.
    pub moment: Moment,
    /// The heights, which may lie farther apart than those of the finished land.
    pub heights: Arc<Heightfield>,
}

/// The frames of one step.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedStep {
    /// Its index in the recipe.
    pub index: usize,
    /// Its title, for people.
    pub title: &'static str,
    /// Indices of its first frame and of the one after its last.
    pub frames: std::ops::Range<usize>,
    /// Whether its frames, but for the result, show what it makes alone, as those of generators do; those of
    /// other steps show the land that they work on.
    pub is_alone: bool,
}

impl Recording {
    /// All frames.
    pub fn frames(&self) -> &[RecordedFrame] {
        &self.frames
    }

    /// The steps that have frames, in order.
    pub fn steps(&self) -> &[RecordedStep] {
        &self.steps
    }

    /// The step that a frame belongs to.
    pub fn step_of(&self, frame: usize) -> Option<&RecordedStep> {
        self.steps.iter().find(|step| step.frames.contains(&frame))
    }

    /// The frame that one is compared with to see what it changes: the one before it; for a step's result the
    /// land before the step. `None` where there was only level ground: for the first frame of what a step
    /// makes alone, and for the result of the first step.
    pub fn before(&self, frame: usize) -> Option<&RecordedFrame> {
        let step = self.step_of(frame)?;
        let before = match () {
            () if self.frames[frame].moment.what == Moment::RESULT => {
                // A group's own steps come before its result, and have higher indices.
                let first = self.steps.iter().find(|inner| inner.index > step.index);
                let begun = first.map_or(step.frames.start, |first| first.frames.start);
                begun.min(step.frames.start).checked_sub(1)?
            }
            () if step.is_alone && frame == step.frames.start => return None,
            () => frame.checked_sub(1)?,
        };
        self.frames.get(before)
    }
}

impl Recipe {
    /// Builds the land with few samples and keeps what its steps hand out: each octave, level, fault, pass,
    /// burst or iteration, and each step's result as it is blended into the land. These are the steps
    /// themselves at work, not copies made to be watched. For endless land one unit is built.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::{Recipe, RecordingOptions, Work};
    ///
    /// let text = r#"(version: 1, name: "Hills", size: (65, 65), cell: 10, steps: [fbm(octaves: 4), gaussian()])"#;
    /// let recipe = Recipe::from_ron(text, "hills.ron")?;
    /// let recording = recipe.record(&RecordingOptions::default(), &Work::new())?;
    /// let of_fbm = &recording.frames()[recording.steps()[0].frames.clone()];
    /// let moments: Vec<_> = of_fbm.iter().map(|frame| frame.moment.to_string()).collect();
    /// assert_eq!(moments, ["octave 1 of 4", "octave 2 of 4", "octave 3 of 4", "octave 4 of 4", "result"]);
    /// assert_eq!(*recording.frames().last().unwrap().heights, recipe.build_heightfield(&Work::new())?);
    /// # Ok::<(), upland::Error>(())
    /// ```
    ///
    /// # Errors
    /// When `samples` is out of range, those of the steps, and [`Error::Cancelled`].
    pub fn record(&self, options: &RecordingOptions, work: &Work) -> Result<Recording> {
        if !(3..=1025).contains(&options.samples) {
            let reason = format!("{} are not accepted; give 3 to 1025", options.samples);
            return Err(Error::parameter("samples", reason));
        }
        let small = self.of_one_unit(options.samples)?;
        let (width, depth) = small.size;
        let of_frame = 4 * u64::from(width) * u64::from(depth);
        let steps = small.done().count().max(1) as u64;
        // The result of a step comes in addition. There is one frame at least, however small the budget.
        let of_step = (options.bytes / of_frame / steps).saturating_sub(1).clamp(1, 4096) as usize;
        let kept = Arc::new(FrameStore { of_step, frames: Mutex::default() });
        small.build_ground(&work.clone().observed_by(FrameKeeper(kept.clone())))?;
        let frames = std::mem::take(&mut *kept.frames.lock().unwrap_or_else(PoisonError::into_inner));
        let mut steps: Vec<RecordedStep> = Vec::new();
        for (number, frame) in frames.iter().enumerate() {
            let Some((index, _)) = frame.moment.step else { continue };
            match steps.last_mut().filter(|step| step.index == index) {
                Some(step) => step.frames.end = number + 1,
                None => {
                    let step = small.steps.get(index);
                    let title = step.map_or("", |step| step.title());
                    let is_alone = step.is_some_and(|step| step.operation.kind() == Kind::Generator);
                    steps.push(RecordedStep { index, title, frames: number..number + 1, is_alone });
                }
            }
        }
        Ok(Recording { frames, steps })
    }
}

struct FrameStore {
    /// Frames of each step, besides its result.
    of_step: usize,
    frames: Mutex<Vec<RecordedFrame>>,
}

struct FrameKeeper(Arc<FrameStore>);

impl Observer for FrameKeeper {
    fn wants(&self, moment: &Moment) -> bool {
        moment.step.is_some() && (moment.what == Moment::RESULT || moment.is_one_of(self.0.of_step))
    }

    fn see(&self, frame: &Frame<'_>) {
        let heights = Arc::new(frame.to_heightfield());
        let mut frames = self.0.frames.lock().unwrap_or_else(PoisonError::into_inner);
        frames.push(RecordedFrame { moment: frame.moment, heights });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::Cache;
    use crate::recipe::preset::Preset;

    fn recipe(steps: &str) -> Recipe {
        let text =
            format!(r#"(version: 1, name: "Land", seed: 3, size: (65, 65), cell: 20, steps: [{steps}])"#);
        Recipe::from_ron(&text, "land.ron").unwrap()
    }

    fn record(recipe: &Recipe, bytes: u64) -> Recording {
        recipe.record(&RecordingOptions { samples: 65, bytes }, &Work::new()).unwrap()
    }

    #[test]
    fn every_step_ends_with_its_result_and_the_last_is_the_land() {
        let recipe = recipe(
            "diamond_square(wrap: false), fault(faults: 20, blend: add), terrace(on: false), gaussian()",
        );
        let recording = record(&recipe, 1 << 30);
        let indices: Vec<usize> = recording.steps().iter().map(|step| step.index).collect();
        assert_eq!(indices, [0, 1, 3], "what is off is not recorded");
        for step in recording.steps() {
            let last = &recording.frames()[step.frames.end - 1];
            assert_eq!(last.moment.what, Moment::RESULT);
            assert_eq!(recording.step_of(step.frames.start), Some(step));
        }
        assert_eq!(recording.steps()[1].frames.len(), 21);
        let last = recording.frames().last().unwrap();
        assert_eq!(*last.heights, recipe.build_heightfield(&Work::new()).unwrap());
    }

    #[test]
    fn the_result_of_a_group_comes_after_its_steps_and_is_compared_with_the_land_before_it() {
        let recipe = recipe("fbm(octaves: 2), group(amount: 0.5), scale(bias: 30), terrace(), end(), mean()");
        let recording = record(&recipe, 1 << 30);
        let indices: Vec<usize> = recording.steps().iter().map(|step| step.index).collect();
        assert_eq!(indices, [0, 2, 3, 1, 5]);
        let of_group = &recording.steps()[3];
        let before = recording.before(of_group.frames.start).unwrap();
        assert_eq!(before.moment.step, Some((0, "fbm")));
        let [before, result] =
            [before, &recording.frames()[of_group.frames.start]].map(|frame| &frame.heights);
        assert!(before.heights().iter().zip(result.heights()).any(|(before, result)| before != result));
        let last = recording.frames().last().unwrap();
        assert_eq!(*last.heights, recipe.build_heightfield(&Work::new()).unwrap());
    }

    #[test]
    fn a_frame_is_compared_with_what_it_changes() {
        let recording = record(&recipe("fbm(octaves: 4), fault(faults: 3, blend: add), mean()"), 1 << 30);
        let before = |frame: usize| {
            let found = recording.before(frame)?;
            recording.frames().iter().position(|other| std::ptr::eq(other, found))
        };
        let [noise, faults, filter] = [0, 1, 2].map(|step: usize| recording.steps()[step].frames.clone());
        assert_eq!((noise.end, faults.end, filter.end), (5, 9, 12));
        // Octaves follow upon each other; all of them together were level ground before.
        assert_eq!([0, 1, 3, 4].map(before), [None, Some(0), Some(2), None]);
        // The first fault is none of the noise; the result of all is the noise with them.
        assert_eq!([5, 6, 8].map(before), [None, Some(5), Some(4)]);
        // A filter begins with the land.
        assert_eq!([9, 10, 11].map(before), [Some(8), Some(9), Some(8)]);
        assert_eq!(before(12), None);
    }

    #[test]
    fn few_bytes_keep_evenly_spread_frames() {
        let recipe = recipe("fault(faults: 100), gaussian()");
        let of_frame = 4 * 65 * 65;
        let recording = record(&recipe, 2 * 11 * of_frame);
        let numbers: Vec<usize> = recording.frames().iter().map(|frame| frame.moment.number).collect();
        assert_eq!(numbers[..10], [10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
        assert!(record(&recipe, 0).frames().len() >= 4, "at least one frame and the result of each step");
    }

    #[test]
    fn a_unit_of_endless_land_is_that_land() {
        let mut endless = recipe("fbm(height: 400), ridged(blend: add)");
        endless.unit = Some(3200.0);
        let recording =
            endless.record(&RecordingOptions { samples: 65, bytes: 1 << 30 }, &Work::new()).unwrap();
        let last = &recording.frames().last().unwrap().heights;
        // 3200 m are 160 cells of 20 m, and 64 of 50 m: every 320 m both have a sample.
        let window = "0:0,0,161x161".parse().unwrap();
        let land = endless.build_window(window, &Cache::default(), &Work::new()).unwrap().heights;
        for (row, column) in [(0, 0), (4, 10), (40, 24), (60, 60)] {
            let (small, large) = (last.at(column, row), land.at(column * 5 / 2, row * 5 / 2));
            assert!((small - large).abs() < 0.5, "{small} {large} at {column}, {row}");
        }
    }

    #[test]
    fn every_preset_can_be_recorded() {
        for preset in Preset::all() {
            let recipe = preset.recipe().unwrap();
            let options = RecordingOptions { samples: 65, bytes: 4 << 20 };
            let recording = recipe.record(&options, &Work::new());
            let recording = recording.unwrap_or_else(|error| panic!("{}: {error}", preset.name));
            assert!(!recording.frames().is_empty(), "{}", preset.name);
        }
        let refused = recipe("").record(&RecordingOptions { samples: 2, bytes: 1 }, &Work::new());
        assert!(refused.unwrap_err().to_string().contains("3 to 1025"));
        assert!(record(&recipe(""), 1 << 20).frames().is_empty(), "there is nothing to see");
    }
}

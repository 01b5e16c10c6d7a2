//! Looking at a build: what each step made of one sample, and a recording of the steps at work.

mod mask_equation;
mod probe;
mod recording;

pub use probe::{Probe, ProbedStep};
pub use recording::{RecordedFrame, RecordedStep, Recording, RecordingOptions};

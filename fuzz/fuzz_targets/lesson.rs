//! The text of a lesson: read, its sliders moved, its answers shown.
#![no_main]

libfuzzer_sys::fuzz_target!(init: upland_fuzz::init(), |bytes: &[u8]| upland_fuzz::guarded(|| {
    if let Ok(text) = std::str::from_utf8(bytes) {
        upland_fuzz::land::read_lesson(text);
    }
}));

//! `--set NAME=VALUE`, one a line, on a recipe of the steps that the first line names.
#![no_main]

libfuzzer_sys::fuzz_target!(init: upland_fuzz::init(), |bytes: &[u8]| upland_fuzz::guarded(|| {
    if let Ok(text) = std::str::from_utf8(bytes) {
        upland_fuzz::land::set(text);
    }
}));

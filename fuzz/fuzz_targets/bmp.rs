//! Elevation from BMP.
#![no_main]

libfuzzer_sys::fuzz_target!(init: upland_fuzz::init(), |bytes: &[u8]| upland_fuzz::guarded(|| {
    upland_fuzz::read_elevation("bmp", bytes)
}));

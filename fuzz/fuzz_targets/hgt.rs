//! Elevation from SRTM tiles: of arbitrary length, and of the right one under an arbitrary name.
#![no_main]

libfuzzer_sys::fuzz_target!(init: upland_fuzz::init(), |bytes: &[u8]| upland_fuzz::guarded(|| {
    upland_fuzz::read_elevation("hgt", bytes);
    upland_fuzz::read_srtm_tile(bytes)
}));

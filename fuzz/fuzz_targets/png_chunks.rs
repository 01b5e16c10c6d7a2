//! PNGs of arbitrary chunks with right lengths and checksums, to every reader of PNG.
#![no_main]

libfuzzer_sys::fuzz_target!(init: upland_fuzz::init(), |bytes: &[u8]| upland_fuzz::guarded(|| {
    if let Ok(file) = upland_fuzz::png::png(&mut upland_fuzz::choices(bytes)) {
        upland_fuzz::read_elevation("png", &file);
        upland_fuzz::read_type_map(&file);
    }
}));

//! TIFFs of arbitrary directories around data that fit them.
#![no_main]

libfuzzer_sys::fuzz_target!(init: upland_fuzz::init(), |bytes: &[u8]| upland_fuzz::guarded(|| {
    if let Ok(file) = upland_fuzz::tiff::tiff(&mut upland_fuzz::choices(bytes)) {
        upland_fuzz::read_elevation("tif", &file);
    }
}));

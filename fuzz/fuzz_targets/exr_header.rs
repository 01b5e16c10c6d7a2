//! EXRs of arbitrary headers around chunks that fit them.
#![no_main]

libfuzzer_sys::fuzz_target!(init: upland_fuzz::init(), |bytes: &[u8]| upland_fuzz::guarded(|| {
    if let Ok(file) = upland_fuzz::exr::exr(&mut upland_fuzz::choices(bytes)) {
        upland_fuzz::read_elevation("exr", &file);
    }
}));

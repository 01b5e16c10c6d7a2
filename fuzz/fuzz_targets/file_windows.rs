//! Windows of TIFFs and raw files, of arbitrary bytes or of arbitrary directories around data that fit them.
#![no_main]

libfuzzer_sys::fuzz_target!(init: upland_fuzz::init(), |bytes: &[u8]| upland_fuzz::guarded(|| {
    let _ = upland_fuzz::windows::read(bytes);
}));

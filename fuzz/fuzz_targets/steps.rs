//! Steps with arbitrary parameters within their ranges, built small.
#![no_main]

libfuzzer_sys::fuzz_target!(init: upland_fuzz::init(), |bytes: &[u8]| upland_fuzz::guarded(|| {
    let _ = upland_fuzz::land::steps(&mut upland_fuzz::choices(bytes));
}));

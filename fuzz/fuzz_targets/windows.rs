//! Windows of recipes whose steps have arbitrary parameters within their ranges.
#![no_main]

libfuzzer_sys::fuzz_target!(init: upland_fuzz::init(), |bytes: &[u8]| upland_fuzz::guarded(|| {
    let _ = upland_fuzz::land::windows(&mut upland_fuzz::choices(bytes));
}));

//! Type maps, PNG or BMP: as indices, as colours, and as the map that a recipe makes of them.
#![no_main]

libfuzzer_sys::fuzz_target!(init: upland_fuzz::init(), |bytes: &[u8]| upland_fuzz::guarded(|| {
    upland_fuzz::read_type_map(bytes)
}));

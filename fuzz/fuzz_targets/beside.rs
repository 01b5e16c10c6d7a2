//! Files beside a raster: a .prj, a world file, an .aux.xml or a .hdr.
#![no_main]

libfuzzer_sys::fuzz_target!(init: upland_fuzz::init(), |bytes: &[u8]| upland_fuzz::guarded(|| {
    upland_fuzz::read_beside(bytes)
}));

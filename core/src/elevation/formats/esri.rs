//! Raw numbers as GIS programs exchange them, with their layout in a `.hdr` next to them: ESRI's floats
//! (`.flt`), and bands interleaved by line, by pixel, or stored one after another (`.bil`, `.bip`, `.bsq`).
//! The first band is the height.

use crate::elevation::formats::format::Format;
use crate::elevation::formats::raw::r16;

pub(super) const FORMAT: Format = Format {
    name: "raw with a .hdr",
    extensions: &["flt", "bil", "bip", "bsq"],
    about: "raw numbers, whose size, type and place a .hdr next to them gives; read only",
    reader: Some(r16::read),
    writer: None,
};

//! CSV: a line for each object.

use std::fmt::Write;

use super::format::{Format, Placed, Target};
use crate::compute::work::Work;
use crate::error::Result;

pub(super) const FORMAT: Format = Format {
    name: "CSV",
    extension: "csv",
    about: "a line for each object: id, rule, object, place, upright direction, turn and size",
    write,
};

fn write(target: &mut Target, placed: &Placed, work: &Work) -> Result<()> {
    target.write("id,rule,object,x,y,z,up_x,up_y,up_z,turn,size\n")?;
    target.write_lines(placed.objects, work, |_, object, text| {
        let (p, up) = (placed.place(object), object.up);
        let name = &placed.rules[object.rule as usize].object;
        // Millimetres and hundredths of a degree: finer than anything seen, and half as long as whole floats.
        writeln!(
            text,
            "{:016x},{},{name},{:.3},{:.3},{:.3},{:.5},{:.5},{:.5},{:.2},{:.4}",
            object.id, object.rule, p.x, p.y, p.z, up.x, up.y, up.z, object.turn, object.size
        )
    })
}

//! JSON: the rules with their objects' names, and every object with its rotation as a quaternion.

use std::fmt::Write;

use serde_json::{Value, json};

use super::format::{Format, Placed, Target};
use crate::compute::work::Work;
use crate::error::Result;

pub(super) const FORMAT: Format = Format {
    name: "JSON",
    extension: "json",
    about: "rules with their counts, and every object with its place, rotation (x, y, z, w) and size",
    write,
};

fn write(target: &mut Target, placed: &Placed, work: &Work) -> Result<()> {
    let mut counts = vec![0u64; placed.rules.len()];
    placed.objects.iter().for_each(|object| counts[object.rule as usize] += 1);
    let rule = |(number, rule): (usize, &crate::rules::Rule)| -> Value {
        json!({ "rule": number, "name": rule.name, "object": rule.object, "count": counts[number] })
    };
    let rules: Vec<Value> = placed.rules.iter().enumerate().map(rule).collect();
    let head = json!({ "unit": "m", "up": "y", "count": placed.objects.len(), "rules": rules }).to_string();
    // The objects follow line by line, because all of them as values may not fit into memory.
    // The head stays open, and is closed after the last object.
    target.write(head.strip_suffix('}').unwrap_or(&head))?;
    target.write(",\"objects\":[\n")?;
    let last = placed.objects.len().saturating_sub(1);
    target.write_lines(placed.objects, work, |number, object, text| {
        let (p, r) = (placed.place(object), object.rotation());
        let comma = if number == last { "" } else { "," };
        writeln!(
            text,
            "{{\"id\":\"{:016x}\",\"rule\":{},\"position\":[{:.3},{:.3},{:.3}],\"rotation\":[{:.6},{:.6},{:.6},{:.6}],\
             \"size\":{:.4}}}{comma}",
            object.id, object.rule, p.x, p.y, p.z, r.x, r.y, r.z, r.w, object.size
        )
    })?;
    target.write("]}\n")
}

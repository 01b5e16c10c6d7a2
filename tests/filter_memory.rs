//! Filters and resizers hold at most two further fields at any moment, beside the one they work on.
//!
//! Measured as the most memory that the process ever had in hand, so nothing else may run beside it.

#![cfg(target_os = "linux")]

use std::fs;

use upland::filter::{AnyFilter, Border, Gaussian, Mean, majority};
use upland::params::Choice;
use upland::resize::Resize;
use upland::{Grid, Heightfield, Work};

/// A field of 40 MiB: allocators hand such pieces back to the system as soon as they are free.
const SIDE: usize = 3238;

/// A line of the process's own status, in bytes.
fn status(name: &str) -> usize {
    let text = fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).unwrap();
    line.trim().strip_suffix(" kB").unwrap().trim().parse::<usize>().unwrap() * 1024
}

/// How many fields of `field` bytes `work` had in hand at most, beside those that were there before.
fn fields(field: usize, work: impl FnOnce()) -> f64 {
    // 5 sets the peak back to what is held now.
    fs::write("/proc/self/clear_refs", "5").unwrap();
    let before = status("VmRSS");
    work();
    status("VmHWM").saturating_sub(before) as f64 / field as f64
}

#[test]
fn no_filter_or_resizer_holds_more_than_two_further_fields() {
    let grid = Grid::new(SIDE, SIDE, 10.0).unwrap();
    let land = |grid| Heightfield::from_fn(grid, |column, row| ((column * 31) ^ (row * 17)) as f32 % 997.0);
    let one = grid.count() * size_of::<f32>();
    let slack = 0.1;
    let mut field = land(grid);
    let border = Border::Wrap;
    let mut all = vec![
        AnyFilter::Mean(Mean { size: 1023, border }),
        AnyFilter::Gaussian(Gaussian { sigma: 1.5, size: 255, border }),
    ];
    // River erosion keeps its drainage beside the land and says itself how much that takes.
    let names = AnyFilter::NAMES.iter().filter(|name| **name != "erode");
    all.extend(names.map(|name| AnyFilter::from_name(name).unwrap()));
    for filter in all {
        let further = fields(one, || filter.apply(&mut field, 1, &Work::new()).unwrap());
        assert!(further <= 2.0 + slack, "{filter:?} holds {further:.2} further fields");
    }
    let mut resize = Resize::default();
    for index in 0..resize.names().len() {
        resize.set_index(index);
        for (from, to) in [(SIDE / 8, SIDE), (SIDE, SIDE / 2)] {
            let [from, to] = [from, to].map(|side| Grid::new(side, side, 10.0).unwrap());
            let source = land(from);
            // The field it works on is the larger one: what it reads or what it makes.
            let made = if to.count() > from.count() { 1.0 } else { 0.0 };
            let further = fields(one, || drop(resize.apply(&source, to, &Work::new()).unwrap())) - made;
            assert!(further <= 2.0 + slack, "{resize:?} holds {further:.2} further fields");
        }
    }
    let ids: Vec<u8> = field.heights().iter().map(|height| height.abs() as u8 % 20).collect();
    let further = fields(ids.len(), || {
        majority(&ids, SIDE, SIDE, 9, Border::Clamp, &Work::new()).unwrap();
    });
    assert!(further <= 2.0 + slack, "majority holds {further:.2} further maps");
}

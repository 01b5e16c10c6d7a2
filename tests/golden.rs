//! The heights of every generator, to the bit. When one moves, so do the lands of everybody who has
//! a recipe with it: that takes a reason, and a line in the changelog.
//!
//! `UPLAND_WRITE_GOLDEN=1 cargo test --no-default-features --test golden` writes the table anew.

use std::fmt::Write as _;
use std::{env, fs};

use upland::generate::{Generate, Generator};
use upland::{Basis, Grid, Work};

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/golden.txt");

/// 65 × 49 samples with seed 1 and default parameters; of fBm also with every other basis.
fn hashes() -> Vec<(String, u64)> {
    let grid = Grid::new(65, 49, 10.0).unwrap();
    let hash = |generator: &dyn Generate| {
        let field = generator.generate(grid, 1, &Work::new()).unwrap();
        // FNV-1a over the bits of the heights, in order.
        field
            .heights()
            .iter()
            .flat_map(|height| height.to_bits().to_le_bytes())
            .fold(0xCBF2_9CE4_8422_2325u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
            })
    };
    let names = Generator::NAMES.iter().filter(|name| **name != "import");
    let mut hashes: Vec<_> =
        names.map(|name| (name.to_string(), hash(&*Generator::from_name(name).unwrap()))).collect();
    for basis in [Basis::Value, Basis::Simplex, Basis::Cellular] {
        let fbm = upland::generate::Fbm { basis, ..Default::default() };
        hashes.push((format!("fbm of {basis:?} noise").to_lowercase(), hash(&fbm)));
    }
    hashes
}

#[test]
fn no_generator_has_moved() {
    let mut now = String::from("# Written by tests/golden.rs, which says how.\n");
    for (name, hash) in hashes() {
        writeln!(now, "{name}: {hash:016x}").unwrap();
    }
    if env::var_os("UPLAND_WRITE_GOLDEN").is_some() {
        fs::write(TABLE, &now).unwrap();
    }
    let then = fs::read_to_string(TABLE).unwrap();
    let moved: Vec<_> = now.lines().filter(|line| !then.lines().any(|known| known == *line)).collect();
    assert!(moved.is_empty(), "moved, or not in the table yet: {moved:#?}");
    assert_eq!(then.lines().count(), now.lines().count(), "the table names generators that are gone");
}

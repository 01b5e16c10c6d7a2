//! Loops over samples, compiled once for each SIMD width; the widest that the machine has is used.
//!
//! Rust neither fuses multiplications with additions nor reorders additions, so all versions give the same
//! bits. Every such loop goes through this module, so that tests can also run it at the narrowest width,
//! whatever the machine has.

use multiversion::multiversion;

/// A loop worth compiling for wide registers. Put `#[inline(always)]` on `run` and on everything it calls;
/// what isn't inlined is compiled for the narrowest width only.
pub(crate) trait Loop {
    /// The loop's result.
    type Done;

    /// Runs the loop.
    fn run(self) -> Self::Done;
}

/// Runs `work` in the widest registers that the machine has.
#[cfg(not(test))]
pub(crate) fn in_wide_registers<Work: Loop>(work: Work) -> Work::Done {
    in_widest(work)
}

/// A [`Loop`] that changes two things. Passed as arguments, the compiler knows that they don't alias; as
/// fields it doesn't, and noise takes four times as long.
pub(crate) trait LoopOver<A, B> {
    /// Runs the loop.
    fn run(&self, a: &mut A, b: &mut B);
}

/// Runs `work` over `a` and `b` in the widest registers that the machine has.
#[cfg(not(test))]
pub(crate) fn over_in_wide_registers<A, B, Work: LoopOver<A, B>>(work: &Work, a: &mut A, b: &mut B) {
    over_in_widest(work, a, b);
}

#[cfg(test)]
pub(crate) use tests::{in_wide_registers, over_in_wide_registers};

// One version with AVX-512 and its parts for bytes, words and short vectors, one with AVX2, and the baseline.
// No FMA: fusing would change bits.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
fn over_in_widest<A, B, Work: LoopOver<A, B>>(work: &Work, a: &mut A, b: &mut B) {
    work.run(a, b);
}

#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
fn in_widest<Work: Loop>(work: Work) -> Work::Done {
    work.run()
}

#[cfg(test)]
mod tests {
    use std::any::type_name;
    use std::cell::RefCell;
    use std::collections::BTreeSet;
    use std::path::Path;

    use glam::{DVec2, Vec2, Vec3};
    use multiversion::multiversion;

    use super::{Loop, LoopOver, in_widest, over_in_widest};
    use crate::analysis::geomorphons::{GeomorphonOptions, geomorphons};
    use crate::analysis::viewshed::{Method, Tower, ViewshedOptions, viewshed};
    use crate::noise::Basis;
    use crate::params::Value;
    use crate::resize::Resize;
    use crate::steps::filter::{Border, majority};
    use crate::steps::generate::{Fbm, Generate};
    use crate::steps::{self, Ground, Kind};
    use crate::stream::{KnownGround, Residency};
    use crate::texture::{BakeOptions, Light, Texture, bake_with};
    use crate::{Grid, Heightfield, Result, Work};

    #[derive(Clone, Copy)]
    enum Width {
        Widest,
        /// 256 bits, where the widest may be 512.
        Avx2,
        /// What every machine has.
        Narrow,
    }

    thread_local! {
        /// The width that loops of this thread are compiled for in a test, and the loops that ran so far.
        /// `None` in all other tests.
        static SENT: RefCell<Option<(Width, BTreeSet<&'static str>)>> = const { RefCell::new(None) };
    }

    /// The width to run a loop at; records that the loop ran.
    fn width_for<Work>() -> Option<Width> {
        SENT.with_borrow_mut(|sent| {
            let (width, loops) = sent.as_mut()?;
            loops.insert(type_name::<Work>());
            Some(*width)
        })
    }

    pub(crate) fn over_in_wide_registers<A, B, Work: LoopOver<A, B>>(work: &Work, a: &mut A, b: &mut B) {
        match width_for::<Work>() {
            None | Some(Width::Widest) => over_in_widest(work, a, b),
            Some(Width::Avx2) => over_in_avx2(work, a, b),
            Some(Width::Narrow) => work.run(a, b),
        }
    }

    #[multiversion(targets("x86_64+avx2"))]
    fn over_in_avx2<A, B, Work: LoopOver<A, B>>(work: &Work, a: &mut A, b: &mut B) {
        work.run(a, b);
    }

    pub(crate) fn in_wide_registers<Work: Loop>(work: Work) -> Work::Done {
        match width_for::<Work>() {
            None | Some(Width::Widest) => in_widest(work),
            Some(Width::Avx2) => in_avx2(work),
            Some(Width::Narrow) => work.run(),
        }
    }

    #[multiversion(targets("x86_64+avx2"))]
    fn in_avx2<Work: Loop>(work: Work) -> Work::Done {
        work.run()
    }

    /// The results of all loops, with names.
    type NamedBits = Vec<(String, Vec<u32>)>;

    /// What every filter, resizer and generator makes of fields of odd sizes, then majorities and a lit
    /// texture.
    fn everything() -> Result<NamedBits> {
        let work = Work::new();
        let mut made = NamedBits::new();
        let bits = |field: &Heightfield| field.heights().iter().map(|height| height.to_bits()).collect();
        for (width, depth) in [(333, 67), (1, 1), (19, 160)] {
            let rough = |column: usize, row: usize| {
                let bits = (column * 7919 + row * 104_729) as u32;
                (bits.wrapping_mul(0x2C1B_3C6D) >> 8) as f32 / 7919.0 - 900.0
            };
            let grid = Grid::new(width, depth, 10.0)?;
            let land = Heightfield::from_fn(grid, rough);
            let ids =
                |kinds| land.heights().iter().map(|height| height.abs() as u8 % kinds).collect::<Vec<_>>();
            // These filters need a file.
            let names_file = ["sculpt_vector", "stamp", "strokes"];
            let filters = steps::of_kind(Kind::Filter);
            for mut filter in filters.filter(|filter| !names_file.contains(&filter.name())) {
                filter.visit(&mut |param, value| {
                    if let ("steps", Value::Int(steps)) = (param.name, value) {
                        *steps = 12;
                    }
                });
                let mut changed = Ground::new(land.clone());
                filter.apply(&mut changed, 1, &work)?;
                made.push((format!("{} {width}×{depth}", filter.name()), bits(&changed.heights)));
            }
            for resize in [Resize::CatmullRom, Resize::Bilinear, Resize::BSpline, Resize::BSplineThrough] {
                let resized = resize.apply(&land, Grid::new(211, 130, 10.0)?, &work)?;
                made.push((format!("{resize:?} {width}×{depth}"), bits(&resized)));
            }
            for (size, kinds) in [(3, 5), (9, 17), (31, 40), (101, 3)] {
                let ids = majority(&ids(kinds), width, depth, size, Border::Clamp, &work)?;
                made.push((
                    format!("majority {size} {width}×{depth}"),
                    ids.into_iter().map(u32::from).collect(),
                ));
            }
            for mut generator in
                steps::of_kind(Kind::Generator).filter(|generator| generator.name() != "import")
            {
                generator.visit(&mut |param, value| match (param.name, value) {
                    ("drops", Value::Int(drops)) => *drops = 2000,
                    ("faults", Value::Int(faults)) => *faults = 50,
                    _ => {}
                });
                let mut made_land = Ground::level(grid);
                generator.apply(&mut made_land, 1, &work)?;
                made.push((format!("{} {width}×{depth}", generator.name()), bits(&made_land.heights)));
            }
            for (frequency, octaves) in [(3.0, 2.0), (90.0, 3.5)] {
                let noise = Fbm { basis: Basis::Cellular, frequency, octaves, ..Fbm::default() };
                let made_land = noise.make(&grid.into(), 1, &work)?;
                made.push((format!("cellular {frequency} {width}×{depth}"), bits(&made_land)));
            }
            let tower = Tower { position: grid.extent() / 2.0, height: 300.0 };
            let options = ViewshedOptions { method: Some(Method::Fast), ..ViewshedOptions::default() };
            let seen = viewshed(&land, &[tower], &options, &work)?;
            let counts = seen.counts().iter().map(|&count| u32::from(count)).collect();
            made.push((format!("viewshed {width}×{depth}"), counts));
            let forms = geomorphons(&land, &GeomorphonOptions::default(), &work)?;
            let forms = forms.into_iter().map(|form| form as u32).collect();
            made.push((format!("geomorphons {width}×{depth}"), forms));
            let points: Vec<Vec2> =
                (0..1000).map(|number| Vec2::new(number as f32 * 3.7 % 999.0, number as f32 * 1.3)).collect();
            let (mut heights, mut normals) = (vec![0.0; 1000], vec![Vec3::ZERO; 1000]);
            land.sample_surfaces(&points, &mut heights)?;
            land.surface_normals(&points, &mut normals)?;
            let of_normals = normals.iter().flat_map(|normal| normal.to_array().map(f32::to_bits));
            let of_heights = heights.iter().map(|height| height.to_bits());
            made.push((format!("surface {width}×{depth}"), of_heights.chain(of_normals).collect()));
            let empty = Residency::without_tiles(&land);
            let known = KnownGround::new(&empty).with_field(&land, land.range());
            let places: Vec<DVec2> = points.iter().map(|point| point.as_dvec2()).collect();
            known.slopes_of(&places, &mut heights)?;
            made.push((
                format!("known ground {width}×{depth}"),
                heights.iter().map(|slope| slope.to_bits()).collect(),
            ));
            let light = Some(Light { bearing: 250.0, elevation: 25.0, ..Light::default() });
            let texture = Texture { resolution: 700, light, ..Texture::temperate() };
            let options = BakeOptions { weights: true, ..BakeOptions::default() };
            let baked = bake_with(&land, &texture, options, 3, &work)?;
            let texels = baked.colour.texels.into_iter().map(u32::from_le_bytes).collect();
            made.push((format!("texels {width}×{depth}"), texels));
            let shares = baked.weights.expect("asked for").shares;
            made.push((format!("shares {width}×{depth}"), shares.into_iter().map(u32::from).collect()));
        }
        Ok(made)
    }

    /// The results at one register width, and the loops that produced them.
    fn through(width: Width) -> Result<(NamedBits, BTreeSet<&'static str>)> {
        // On one thread, since the width is a setting of the thread.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
        pool.install(|| {
            SENT.set(Some((width, BTreeSet::new())));
            let made = everything()?;
            Ok((made, SENT.take().expect("set above").1))
        })
    }

    #[test]
    fn registers_of_any_width_give_the_same_bits() -> Result<()> {
        let (narrow, loops) = through(Width::Narrow)?;
        for width in [Width::Avx2, Width::Widest] {
            let (wide, _) = through(width)?;
            assert_eq!(wide.len(), narrow.len());
            for ((name, wide), (_, narrow)) in wide.iter().zip(&narrow) {
                assert!(wide == narrow, "{name} differs");
            }
        }
        // A type's name without its generic arguments.
        let plain = |name: &&'static str| name.split('<').next().unwrap_or_default().to_owned();
        let sent: BTreeSet<String> = loops.iter().map(plain).collect();
        let (known, elsewhere) =
            in_sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), "upland_core");
        assert_eq!(sent, known, "loops that ran here, and loops in the sources");
        assert_eq!(elsewhere, Vec::<String>::new(), "these don't go through `in_wide_registers`");
        Ok(())
    }

    /// The names of all types that are loops, and all other modules in which a function has several versions.
    fn in_sources(folder: &Path, module: &str) -> (BTreeSet<String>, Vec<String>) {
        let (mut loops, mut elsewhere) = (BTreeSet::new(), Vec::new());
        for entry in std::fs::read_dir(folder).expect("the sources") {
            let path = entry.expect("a file").path();
            let stem = path.file_stem().expect("its name").to_string_lossy().into_owned();
            if path.is_dir() {
                let below = in_sources(&path, &format!("{module}::{stem}"));
                loops.extend(below.0);
                elsewhere.extend(below.1);
                continue;
            }
            let module = if stem == "mod" { module.to_owned() } else { format!("{module}::{stem}") };
            if module == module_path!().trim_end_matches("::tests") {
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("text");
            let loops_here = text.split(" Loop for ").skip(1);
            let over = text.split(" LoopOver<").skip(1).filter_map(|rest| rest.split_once("> for "));
            for rest in loops_here.chain(over.map(|(_, rest)| rest)) {
                let name = rest.split(|letter: char| !letter.is_alphanumeric()).next();
                loops.insert(format!("{module}::{}", name.unwrap_or_default()));
            }
            if text.contains("multiversion") {
                elsewhere.push(module);
            }
        }
        (loops, elsewhere)
    }
}

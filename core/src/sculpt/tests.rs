//! Laws of strokes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Domain, Grid, Window};

const CELL: f32 = 2.0;

fn domain() -> Domain {
    Domain::of(Grid::new(201, 151, CELL).unwrap())
}

/// A hilly land without strokes, at any place.
fn hill(x: f64, z: f64) -> f32 {
    (40.0 * libm::sin(x / 37.0) + 25.0 * libm::cos(z / 23.0 + x / 90.0) + 4.0 * libm::sin(x * z / 50.0))
        as f32
}

fn places(window: Window) -> [Vec<f64>; 2] {
    let cell = libm::ldexp(f64::from(CELL), window.level);
    [0, 1].map(|axis| {
        (0..i64::from(window.size[axis])).map(|index| (window.first[axis] + index) as f64 * cell).collect()
    })
}

fn before(window: Window) -> Result<Vec<f32>> {
    let [x, z] = places(window);
    Ok(z.iter().flat_map(|&z| x.iter().map(move |&x| hill(x, z))).collect())
}

fn of(strokes: Vec<Stroke>) -> Sculpture {
    Sculpture::new(domain(), &Strokes::of(strokes).unwrap())
}

/// The sculpted heights of a window.
fn heights(sculpture: &Sculpture, window: Window) -> Vec<f32> {
    let mut heights = before(window).unwrap();
    let [x, z] = places(window);
    sculpture.change(&mut heights, Places { x: &x, z: &z }, &before, &Work::new()).unwrap();
    heights
}

fn window(level: i32, first: [i64; 2], size: [u32; 2]) -> Window {
    Window { level, first, size }
}

fn whole() -> Window {
    window(0, [0, 0], [201, 151])
}

/// Strokes of every tool, overlapping.
fn some() -> Vec<Stroke> {
    vec![
        Stroke::at(Tool::Raise { by: 12.0 }, [120.0, 100.0], 50.0),
        Stroke::at(Tool::Smooth {}, [150.0, 120.0], 40.0).with_falloff(0.4),
        Stroke::along(Tool::Lower { by: 5.0 }, vec![[30.0, 40.0], [200.0, 160.0], [210.0, 80.0]], 14.0),
        Stroke::at(Tool::Erode { drops: 0.7 }, [170.0, 110.0], 60.0),
        Stroke::along(Tool::Ramp { from: -20.0, to: 35.0 }, vec![[100.0, 40.0], [180.0, 150.0]], 16.0)
            .with_falloff(0.5),
        Stroke::at(Tool::Crater { depth: 14.0, rim: 3.0 }, [200.0, 90.0], 70.0).with_strength(0.8),
        Stroke::at(Tool::Flatten { to: 11.0 }, [0.0, 0.0], 45.0).with_falloff(0.3),
        Stroke::along(Tool::Smooth {}, vec![[160.0, 90.0], [260.0, 140.0]], 25.0),
        Stroke::at(Tool::Paint { kind: "rock".into() }, [160.0, 90.0], 25.0),
        Stroke::at(Tool::Erode { drops: 1.0 }, [230.0, 130.0], 30.0),
    ]
}

#[test]
fn windows_agree_with_the_whole_at_every_level_in_any_order() {
    let sculpture = of(some());
    let all = heights(&sculpture, whole());
    assert!(all.iter().all(|height| height.is_finite()));
    for (first, size) in [([60, 40], [50, 37]), ([0, 0], [9, 151]), ([110, 60], [1, 1]), ([37, 0], [164, 90])]
    {
        // Each window looks around on its own.
        let part = heights(&of(some()), window(0, first, size));
        for (row, part) in part.chunks_exact(size[0] as usize).enumerate() {
            let start = (first[1] as usize + row) * 201 + first[0] as usize;
            assert_eq!(part, &all[start..start + part.len()], "{first:?}");
        }
    }
    for level in [-2, -1, 1, 2] {
        // Samples that coincide have the same bits.
        let (fine, coarse) =
            (libm::ldexp(1.0, -level.min(0)) as usize, libm::ldexp(1.0, level.max(0)) as usize);
        let other = heights(
            &of(some()),
            window(level, [0, 0], [(200 * fine / coarse) as u32 + 1, 37 * fine as u32 / coarse as u32 + 1]),
        );
        let wide = 200 * fine / coarse + 1;
        for row in (0..37 * fine / coarse).step_by(fine) {
            for column in (0..wide).step_by(fine) {
                let same = all[row / fine * coarse * 201 + column / fine * coarse];
                assert_eq!(other[row * wide + column], same, "level {level}: {column}, {row}");
            }
        }
    }
}

#[test]
fn bands_of_rows_agree_with_all_rows() {
    let sculpture = of(some());
    let wide = window(-2, [0, 0], [801, 601]);
    let all = heights(&sculpture, wide);
    for first in [0i64, 100, 333] {
        let rows = heights(&of(some()), window(-2, [0, first], [801, 20]));
        assert_eq!(rows, &all[first as usize * 801..][..rows.len()]);
    }
}

#[test]
fn each_tool_has_its_effect() {
    let at = |strokes: Vec<Stroke>, x: i64, z: i64| heights(&of(strokes), window(0, [x, z], [1, 1]))[0];
    let ground = hill(100.0, 80.0);
    let dab = |tool| vec![Stroke::at(tool, [100.0, 80.0], 30.0)];
    assert_eq!(at(dab(Tool::Raise { by: 7.0 }), 50, 40), ground + 7.0);
    assert_eq!(at(dab(Tool::Lower { by: 7.0 }), 50, 40), ground - 7.0);
    assert_eq!(at(dab(Tool::Flatten { to: 3.0 }), 50, 40), 3.0);
    assert_eq!(at(dab(Tool::Crater { depth: 6.0, rim: 2.0 }), 50, 40), ground - 6.0);
    assert_eq!(at(dab(Tool::Paint { kind: "rock".into() }), 50, 40), ground);
    // Nothing happens outside the brush.
    for tool in some().into_iter().map(|stroke| stroke.tool) {
        assert_eq!(at(dab(tool), 66, 40), hill(132.0, 80.0));
    }
    let ramp = |x, z| {
        at(
            vec![
                Stroke::along(Tool::Ramp { from: 10.0, to: 30.0 }, vec![[40.0, 80.0], [140.0, 80.0]], 8.0)
                    .with_falloff(0.0),
            ],
            x,
            z,
        )
    };
    assert_eq!((ramp(20, 40), ramp(45, 42), ramp(70, 39)), (10.0, 20.0, 30.0));
    // The rim is the highest part, and the ejecta fall off outwards.
    let level = |window: Window| Ok(vec![0.0; (window.size[0] * window.size[1]) as usize]);
    let mut profile = vec![0.0f32; 61];
    let x: Vec<f64> = (0..61).map(f64::from).collect();
    let crater = of(vec![Stroke::at(Tool::Crater { depth: 9.0, rim: 2.0 }, [0.0, 0.0], 60.0)]);
    crater.change(&mut profile, Places { x: &x, z: &[0.0] }, &level, &Work::new()).unwrap();
    assert_eq!((profile[0], profile[30], profile[60]), (-9.0, 2.0, 0.0));
    assert!(profile[..31].windows(2).all(|pair| pair[0] < pair[1]));
    assert!(profile[30..].windows(2).all(|pair| pair[0] > pair[1]));
}

/// The mean square of the difference of each height from its neighbours.
fn roughness(heights: &[f32], width: usize) -> f64 {
    let inner =
        (1..heights.len() / width - 1).flat_map(|row| (1..width - 1).map(move |column| row * width + column));
    let bent = |index: usize| {
        let around =
            heights[index - 1] + heights[index + 1] + heights[index - width] + heights[index + width];
        f64::from(heights[index] - around / 4.0).powi(2)
    };
    inner.map(bent).sum()
}

#[test]
fn smoothing_reduces_roughness_at_every_level_and_keeps_level_ground() {
    let stroke = || vec![Stroke::at(Tool::Smooth {}, [200.0, 140.0], 60.0).with_falloff(0.2)];
    for level in [-2, 0, 1] {
        let cell = libm::ldexp(f64::from(CELL), level);
        let middle = [200.0, 140.0].map(|place| (place / cell) as i64 - (30.0 / cell) as i64);
        let part = window(level, middle, [(60.0 / cell) as u32 + 1; 2]);
        let width = part.size[0] as usize;
        let (rough, smooth) = (before(part).unwrap(), heights(&of(stroke()), part));
        let (rough, smooth) = (roughness(&rough, width), roughness(&smooth, width));
        assert!(smooth < 0.02 * rough, "level {level}: {smooth} of {rough}");
    }
    let level = |window: Window| Ok(vec![123.4f32; (window.size[0] * window.size[1]) as usize]);
    let [x, z] = places(whole());
    let mut ground = level(whole()).unwrap();
    of(stroke()).change(&mut ground, Places { x: &x, z: &z }, &level, &Work::new()).unwrap();
    assert!(ground.iter().all(|height| *height == 123.4));
}

#[test]
fn erosion_digs_and_fills_without_pits_or_towers_and_keeps_level_ground() {
    let stroke = Stroke::at(Tool::Erode { drops: 1.0 }, [200.0, 140.0], 80.0);
    let (was, is) = (before(whole()).unwrap(), heights(&of(vec![stroke.clone()]), whole()));
    let change: Vec<f32> = was.iter().zip(&is).map(|(was, is)| is - was).collect();
    let (low, high) =
        change.iter().fold((0.0f32, 0.0f32), |(low, high), change| (low.min(*change), high.max(*change)));
    assert!(low < -0.2 && high > 0.1, "{low} {high}");
    let range = |heights: &[f32]| {
        heights.iter().fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), height| {
            (low.min(*height), high.max(*height))
        })
    };
    let (was, is) = (range(&was), range(&is));
    assert!(is.0 > was.0 - 3.0 && is.1 < was.1 + 3.0, "{was:?} {is:?}");
    let level = |window: Window| Ok(vec![7.0f32; (window.size[0] * window.size[1]) as usize]);
    let [x, z] = places(whole());
    let mut ground = level(whole()).unwrap();
    of(vec![stroke]).change(&mut ground, Places { x: &x, z: &z }, &level, &Work::new()).unwrap();
    assert!(ground.iter().all(|height| (*height - 7.0).abs() < 1e-4));
}

#[test]
fn order_matters_and_undo_and_redo_restore_every_bit() {
    let mut strokes = Strokes::default();
    let mut states = vec![heights(&of(Vec::new()), whole())];
    let mut sculpture = Sculpture::new(domain(), &strokes);
    for stroke in some() {
        strokes.push(stroke).unwrap();
        sculpture = sculpture.followed_by(&strokes);
        states.push(heights(&sculpture, whole()));
    }
    assert_eq!(states.last(), Some(&heights(&of(some()), whole())), "one after the other, or all together");
    for number in (0..some().len()).rev() {
        assert_eq!(strokes.undo().as_deref(), Some(&some()[number]));
        sculpture = sculpture.followed_by(&strokes);
        assert!(heights(&sculpture, whole()) == states[number], "after {number} strokes");
    }
    assert_eq!(strokes.undo(), None);
    assert_eq!(strokes.undone(), some().len());
    while strokes.redo().is_some() {}
    assert!(heights(&sculpture.followed_by(&strokes), whole()) == *states.last().unwrap());
    strokes.undo();
    strokes.push(some()[0].clone()).unwrap();
    assert_eq!((strokes.redo(), strokes.len()), (None, some().len()), "what was undone is gone");
    let mut turned = some();
    turned.reverse();
    assert!(heights(&of(turned), whole()) != *states.last().unwrap());
}

#[test]
fn a_stroke_looks_around_once_and_only_where_it_is() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let before = move |window: Window| {
        count.fetch_add(1, Ordering::Relaxed);
        assert!(window.size[0] < 120 && window.size[1] < 120, "{window}");
        before(window)
    };
    let chain: Vec<Stroke> = (0..20)
        .map(|number| Stroke::at(Tool::Smooth {}, [20.0 + 15.0 * f64::from(number), 90.0], 20.0))
        .collect();
    let sculpture = of(chain);
    let change = |x: f64| {
        let mut heights = [0.0];
        sculpture.change(&mut heights, Places { x: &[x], z: &[90.0] }, &before, &Work::new()).unwrap();
    };
    change(395.0);
    assert_eq!(asked.load(Ordering::Relaxed), 0, "no stroke has been there");
    change(20.0);
    let first = asked.load(Ordering::Relaxed);
    assert!((1..20).contains(&first), "{first}: later ones don't matter");
    change(305.0);
    assert_eq!(asked.load(Ordering::Relaxed), 20, "the last depends on all others");
    change(200.0);
    assert_eq!(asked.load(Ordering::Relaxed), 20);
    assert!(sculpture.is_ready(0..20, [0.0, 0.0, 400.0, 300.0]));
}

#[test]
fn a_chain_of_ten_thousand_strokes_does_not_overflow() {
    let mut strokes = Vec::new();
    for number in 0..10_000 {
        let place = [f64::from(number % 100) * 4.0, f64::from(number / 100) * 3.0];
        let tool = match number % 5 {
            0 => Tool::Smooth {},
            1 => Tool::Lower { by: 0.1 },
            _ => Tool::Raise { by: 0.1 },
        };
        strokes.push(Stroke::at(tool, place, 8.0));
    }
    let sculpture = of(strokes.clone());
    let last = window(0, [190, 140], [11, 11]);
    let all = heights(&sculpture, whole());
    let part = heights(&of(strokes), last);
    for (row, part) in part.chunks_exact(11).enumerate() {
        assert_eq!(part, &all[(140 + row) * 201 + 190..][..11]);
    }
}

#[test]
fn strokes_outside_the_land_and_across_its_border_are_harmless() {
    for tool in some().into_iter().map(|stroke| stroke.tool) {
        for place in [[-500.0, 100.0], [1e9, -1e9], [400.0, 300.0], [-10.0, -10.0], [404.0, 150.0]] {
            let sculpture = of(vec![Stroke::at(tool.clone(), place, 30.0)]);
            let heights = heights(&sculpture, whole());
            assert!(heights.iter().all(|height| height.is_finite()), "{tool:?} at {place:?}");
            if place[0] < -100.0 || place[0] > 1e6 {
                assert!(heights == before(whole()).unwrap(), "{tool:?} at {place:?}");
            }
        }
    }
    // And on land that is a single sample, or one row.
    for (width, depth) in [(1, 1), (1, 40), (40, 1)] {
        let domain = Domain::of(Grid::new(width, depth, CELL).unwrap());
        let sculpture = Sculpture::new(domain, &Strokes::of(some()).unwrap());
        let all = window(0, [0, 0], [width as u32, depth as u32]);
        let [x, z] = places(all);
        let mut heights = before(all).unwrap();
        sculpture.change(&mut heights, Places { x: &x, z: &z }, &before, &Work::new()).unwrap();
        assert!(heights.iter().all(|height| height.is_finite()));
    }
}

#[test]
fn invalid_strokes_are_refused_and_the_ends_of_ranges_are_not() {
    let good = Stroke::at(Tool::Raise { by: 1.0 }, [0.0; 2], 10.0);
    let said = |stroke: Stroke| stroke.check().err().map(|error| error.to_string());
    let with = |change: &dyn Fn(&mut Stroke)| {
        let mut stroke = good.clone();
        change(&mut stroke);
        said(stroke)
    };
    assert_eq!(said(good.clone()), None);
    assert_eq!(
        with(&|stroke| stroke.radius = 0.0).as_deref(),
        Some("stroke.radius: 0 is outside 0.05 to 50000 m")
    );
    for radius in [-1.0, 0.049, 50_001.0, f32::NAN, f32::INFINITY] {
        assert!(with(&|stroke| stroke.radius = radius).is_some(), "{radius}");
    }
    for radius in [0.05, 50_000.0] {
        assert_eq!(with(&|stroke| stroke.radius = radius), None);
    }
    for share in [-0.01, 1.01, f32::NAN] {
        assert!(
            with(&|stroke| stroke.falloff = share).is_some_and(|said| said.starts_with("stroke.falloff"))
        );
        assert!(
            with(&|stroke| stroke.strength = share).is_some_and(|said| said.starts_with("stroke.strength"))
        );
    }
    for place in [f64::NAN, f64::INFINITY, -1.1e9] {
        assert!(
            with(&|stroke| stroke.path[0][1] = place).is_some_and(|said| said.contains("point 1")),
            "{place}"
        );
    }
    assert_eq!(with(&|stroke| stroke.path[0] = [1e9, -1e9]), None);
    assert!(with(&|stroke| stroke.path.clear()).is_some_and(|said| said.contains("has 0 points")));
    assert_eq!(with(&|stroke| stroke.path = vec![[0.0; 2]; MAX_PATH]), None);
    assert!(with(&|stroke| stroke.path = vec![[0.0; 2]; MAX_PATH + 1]).is_some());
    for (tool, is_good) in [
        (Tool::Raise { by: 100_000.0 }, true),
        (Tool::Raise { by: -0.1 }, false),
        (Tool::Lower { by: f32::NAN }, false),
        (Tool::Flatten { to: -100_000.0 }, true),
        (Tool::Flatten { to: 100_001.0 }, false),
        (Tool::Ramp { from: 0.0, to: f32::INFINITY }, false),
        (Tool::Crater { depth: 1.0, rim: -1.0 }, false),
        (Tool::Erode { drops: 4.0 }, true),
        (Tool::Erode { drops: 0.0 }, false),
        (Tool::Erode { drops: 4.1 }, false),
        (Tool::Paint { kind: String::new() }, false),
        (Tool::Paint { kind: "ä".repeat(256) }, true),
        (Tool::Paint { kind: "ä".repeat(257) }, false),
    ] {
        assert_eq!(with(&|stroke| stroke.tool = tool.clone()).is_none(), is_good, "{tool:?}");
    }
    let long = |length| Stroke::along(Tool::Smooth {}, vec![[0.0, 0.0], [length, 0.0]], 10.0);
    assert_eq!(said(long(160.0)), None);
    assert!(said(long(161.0)).is_some_and(|said| said.contains("make several strokes")));
    let mut strokes = Strokes::default();
    assert!(strokes.push(Stroke { radius: 0.0, ..good.clone() }).is_err() && strokes.is_empty());
    let error = Strokes::of(vec![good.clone(), Stroke { radius: 0.0, ..good }]).unwrap_err().to_string();
    assert!(error.starts_with("strokes.2.radius: 0 is outside"), "{error}");
}

#[test]
fn files_are_read_as_they_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let strokes = Strokes::of(some()).unwrap();
    for name in ["land.strokes.ron", "land.json"] {
        let path = folder.path().join(name);
        strokes.write(&path).unwrap();
        assert_eq!(Strokes::read(&path).unwrap(), strokes, "{name}");
    }
    assert_eq!(Strokes::from_ron(&Strokes::default().to_ron()).unwrap(), Strokes::default());
    // Optional fields may be left out.
    let short = "(version: 1, strokes: [(tool: raise(by: 4), path: [(1.5, 2)], radius: 50), (tool: smooth(), path: [(0, 0)], radius: 9)])";
    let read = Strokes::from_ron(short).unwrap();
    assert_eq!(read.iter().next(), Some(&Stroke::at(Tool::Raise { by: 4.0 }, [1.5, 2.0], 50.0)));
}

proptest::proptest! {
    #[test]
    fn every_bit_of_a_number_survives_a_file(x in -1e9f64..1e9, z in proptest::num::f64::NORMAL, radius in 0.05f32..5e4, by in 0f32..1e5) {
        let stroke = Stroke::at(Tool::Raise { by }, [x, z % 1e9], radius);
        let strokes = Strokes::of(vec![stroke]).unwrap();
        proptest::prop_assert_eq!(&Strokes::from_ron(&strokes.to_ron()).unwrap(), &strokes);
        proptest::prop_assert_eq!(&Strokes::from_json(&strokes.to_json()).unwrap(), &strokes);
    }
}

#[test]
fn invalid_files_are_refused_with_the_place_and_the_reason() {
    let said = |text: &str| {
        Strokes::from_bytes(std::path::Path::new("a.strokes.ron"), text.as_bytes()).unwrap_err().to_string()
    };
    for (text, expected) in [
        ("", "line 1, column 1"),
        ("(version: 2, strokes: [])", "version 2 is not supported; this program reads version 1"),
        ("(version: 1)", "strokes"),
        (
            "(version: 1, strokes: [(tool: raise(by: 4), path: [(1, 2)], radius: 0)])",
            "strokes.1.radius: 0 is outside",
        ),
        (
            "(version: 1, strokes: [(tool: raise(by: NaN), path: [(1, 2)], radius: 5)])",
            "strokes.1.tool.by: NaN is outside",
        ),
        ("(version: 1, strokes: [(tool: melt(), path: [(1, 2)], radius: 5)])", "melt"),
        ("(version: 1, strokes: [(tool: raise(by: 1), path: [(1, 2)], radius: 5, colour: 3)])", "colour"),
        ("(version: 1, strokes: [(tool: raise(by: 1, twice: true), path: [(1, 2)], radius: 5)])", "twice"),
    ] {
        let said = said(text);
        assert!(said.starts_with("a.strokes.ron: ") && said.contains(expected), "{text}: {said}");
    }
    assert!(said(&"(".repeat(100_000)).starts_with("a.strokes.ron: "));
    let bytes = Strokes::from_bytes(std::path::Path::new("b.json"), &[0xFF, 0xFE]).unwrap_err().to_string();
    assert!(bytes.contains("is not text in UTF-8"));
    let many = format!(
        "(version: 1, strokes: [{}])",
        "(tool: smooth(), path: [(0, 0)], radius: 1),".repeat(MAX_STROKES + 1)
    );
    assert!(said(&many).contains("100001 are too many"));
}

#[test]
fn a_failed_write_leaves_the_old_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("land.strokes.ron");
    let strokes = Strokes::of(some()).unwrap();
    strokes.write(&path).unwrap();
    let mut permissions = std::fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&path, permissions).unwrap();
    assert!(Strokes::default().write(&path).unwrap_err().to_string().contains("read-only"));
    assert_eq!(Strokes::read(&path).unwrap(), strokes);
    assert!(
        strokes
            .write(folder.path().join("nowhere/land.strokes.ron"))
            .unwrap_err()
            .to_string()
            .contains("does not exist")
    );
}

#[test]
fn painted_types_cover_earlier_paint() {
    let paint = |kind: &str, x: f64, falloff| {
        Stroke::at(Tool::Paint { kind: kind.into() }, [x, 0.0], 10.0).with_falloff(falloff)
    };
    let sculpture = of(vec![
        paint("rock", 0.0, 0.0),
        paint("sand", 8.0, 0.0).with_strength(0.75),
        paint("rock", 100.0, 1.0),
    ]);
    let types = sculpture.types().unwrap();
    assert_eq!(types.names(), ["rock", "sand"]);
    let mut row = PaintedRow::<4>::default();
    assert!(types.read([-15.0, -5.0, 5.0, 15.0], 0.0, &mut row));
    assert_eq!(row.shares, [[0.0, 1.0, 0.25, 0.0], [0.0, 0.0, 0.75, 0.75]]);
    assert!(!types.read([30.0, 40.0, 50.0, 60.0], 0.0, &mut row));
    assert!(of(some()[..3].to_vec()).types().is_none());
}

/// The layer of holes of a window, which is empty before strokes.
fn holes(sculpture: &Sculpture, window: Window) -> Vec<f32> {
    let [x, z] = places(window);
    let mut holes = vec![0.0; x.len() * z.len()];
    sculpture.cut(0..sculpture.len(), &mut holes, Places { x: &x, z: &z });
    holes
}

#[test]
fn a_hole_is_as_wide_as_the_brush_and_changes_no_height() {
    let shaft = Stroke::at(Tool::Hole {}, [200.0, 150.0], 30.0).with_falloff(0.7).with_strength(0.1);
    let sculpture = of(vec![shaft]);
    assert!(sculpture.has_holes());
    assert_eq!(heights(&sculpture, whole()), before(whole()).unwrap());
    let [x, z] = places(whole());
    let mut edge = 0;
    for (index, share) in holes(&sculpture, whole()).into_iter().enumerate() {
        let (x, z) = (x[index % x.len()], z[index / x.len()]);
        let away = libm::hypot(x - 200.0, z - 150.0);
        // One half on the edge, falling evenly on both sides of it: so lines between samples end there.
        let expected = (1.0 - away / 60.0).max(0.0) as f32;
        assert!((share - expected).abs() < 1e-6, "{away}: {share}");
        assert_eq!(crate::grid::is_hole(share), away < 30.0, "{away}");
        edge += usize::from((away - 30.0).abs() < 2.0);
    }
    assert!(edge > 50);
}

#[test]
fn holes_close_in_the_order_of_strokes_and_windows_agree_with_the_whole() {
    let trench = Stroke::along(Tool::Hole {}, vec![[40.0, 40.0], [300.0, 200.0]], 12.0);
    let bridge = Stroke::at(Tool::Close {}, [170.0, 120.0], 30.0);
    let shaft = Stroke::at(Tool::Hole {}, [170.0, 120.0], 9.0);
    let sculpture = of(vec![trench.clone(), bridge.clone(), shaft.clone()]);
    let is_hole = |sculpture: &Sculpture, x: f64, z: f64| crate::grid::is_hole(sculpture.hole(x, z, 0.0));
    assert!(is_hole(&sculpture, 60.0, 52.0) && is_hole(&sculpture, 170.0, 120.0));
    assert!(!is_hole(&sculpture, 170.0 + 15.0, 120.0 + 9.0), "on the bridge");
    assert!(!is_hole(&of(vec![trench, shaft, bridge.clone()]), 170.0, 120.0));
    assert!(!of(vec![bridge]).has_holes(), "a stroke that only closes holes makes none");
    let all = holes(&sculpture, whole());
    for (first, size) in [([60, 40], [50, 37]), ([0, 0], [9, 151]), ([84, 59], [1, 1])] {
        let part = holes(&sculpture, window(0, first, size));
        for (index, share) in part.into_iter().enumerate() {
            let (column, row) = (index % size[0] as usize, index / size[0] as usize);
            let of_all = all[(first[1] as usize + row) * 201 + first[0] as usize + column];
            assert_eq!(share.to_bits(), of_all.to_bits());
        }
    }
}

#[test]
fn craters_and_holes_remove_all_objects_and_weak_clearing_fewer() {
    let takes = |tool: Tool, away: f64, luck: f32| {
        of(vec![Stroke::at(tool, [100.0, 100.0], 40.0)]).takes(100.0 + away, 100.0, luck)
    };
    assert!(takes(Tool::Crater { depth: 5.0, rim: 1.0 }, 19.0, 0.99));
    assert!(!takes(Tool::Crater { depth: 5.0, rim: 1.0 }, 21.0, 0.0), "beyond the rim");
    assert!(takes(Tool::Hole {}, 39.0, 0.99) && !takes(Tool::Hole {}, 41.0, 0.0));
    assert!(takes(Tool::Clear {}, 0.0, 0.99) && !takes(Tool::Clear {}, 40.0, 0.0));
    assert!(takes(Tool::Clear {}, 20.0, 0.49) && !takes(Tool::Clear {}, 20.0, 0.51), "half of its effect");
    for tool in [Tool::Raise { by: 9.0 }, Tool::Flatten { to: 0.0 }, Tool::Close {}] {
        assert!(!takes(tool, 0.0, 0.0));
    }
    let clear = of(vec![Stroke::at(Tool::Clear {}, [100.0, 100.0], 40.0)]);
    let everywhere = [0.0, 0.0, 400.0, 300.0];
    assert!(clear.clears(0..1, everywhere) && !clear.touches(0..1, everywhere), "no tile changes");
}

#[test]
fn each_author_undoes_their_own_strokes_and_the_order_of_others_stays() {
    let of = |author: u64, id: u64| Stroke::at(Tool::Raise { by: 1.0 }, [0.0, 0.0], 5.0).by(author, id);
    let named =
        |strokes: &Strokes| strokes.iter().map(|stroke| (stroke.author, stroke.id)).collect::<Vec<_>>();
    let mut strokes = Strokes::of(vec![of(1, 1), of(2, 1), of(1, 2), of(2, 2)]).unwrap();
    assert_eq!(strokes.undo_of(3), None);
    assert_eq!(strokes.undo_of(1).as_deref(), Some(&of(1, 2)));
    assert_eq!(named(&strokes), [(1, 1), (2, 1), (2, 2)]);
    // A stroke of another author doesn't affect undone strokes.
    strokes.push(of(2, 3)).unwrap();
    assert_eq!((strokes.undone(), strokes.last_id(1), strokes.last_id(2)), (1, 2, 3));
    assert_eq!(strokes.redo_of(2), None);
    assert_eq!(strokes.redo_of(1).as_deref(), Some(&of(1, 2)));
    assert_eq!(named(&strokes), [(1, 1), (2, 1), (2, 2), (2, 3), (1, 2)]);
    // A stroke of the same author discards them.
    strokes.undo_of(1);
    strokes.push(of(1, 3)).unwrap();
    assert_eq!((strokes.undone(), strokes.redo()), (0, None));
    // A stroke with a number is found by that number, whatever its other fields.
    let other = Stroke { radius: 9.0, ..of(2, 1) };
    assert!(strokes.knows(&other));
    assert_eq!(strokes.undo_this(&other).as_deref(), Some(&of(2, 1)));
    assert_eq!(strokes.undo_this(&other), None);
    assert_eq!(strokes.redo_this(&other).as_deref(), Some(&of(2, 1)));
}

#[test]
fn authors_and_numbers_are_saved_if_there_are_any() {
    let plain = Stroke::at(Tool::Raise { by: 1.0 }, [0.0, 0.0], 5.0);
    let strokes = Strokes::of(vec![plain.clone(), plain.by(7, 12)]).unwrap();
    for text in [strokes.to_ron(), strokes.to_json()] {
        assert_eq!(text.matches("author").count(), 1, "{text}");
    }
    assert_eq!(Strokes::from_ron(&strokes.to_ron()).unwrap(), strokes);
    assert_eq!(Strokes::from_json(&strokes.to_json()).unwrap(), strokes);
}

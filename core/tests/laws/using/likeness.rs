//! How alike lands are, and the forms of ground of real land.

use upland_core::geomorphons::{GeomorphonOptions, LandForm, geomorphons};
use upland_core::likeness::{Comparison, compare, page};
use upland_core::{Grid, Heightfield, Preset, Work};

/// The elevation model that recipes use as a sample, in cells of the mean of its sides of 74 and 93 m.
fn jacksboro() -> Heightfield {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/elevation/jacksboro_fault.asc");
    let text = std::fs::read_to_string(file).unwrap();
    let numbers = text.lines().skip(6).flat_map(str::split_whitespace);
    let heights = numbers.map(|height| height.parse().unwrap()).collect();
    Heightfield::new(Grid::new(403, 344, 83.0).unwrap(), heights).unwrap()
}

fn made(preset: &str, seed: u64, samples: u32) -> (Heightfield, Option<f32>) {
    let mut recipe = Preset::find(preset).unwrap().recipe().unwrap().preview(samples);
    recipe.seed = seed;
    (recipe.build_heightfield(&Work::new()).unwrap(), recipe.sea_level())
}

fn compared(one: &(Heightfield, Option<f32>), other: &(Heightfield, Option<f32>)) -> Comparison {
    compare([("one", &one.0), ("other", &other.0)], [one.1, other.1], &Work::new()).unwrap()
}

fn distances(comparison: &Comparison) -> Vec<f64> {
    comparison.measures().iter().map(|measure| measure.distance.unwrap()).collect()
}

/// Counts that `scripts/reference/geomorphons` prints: those of Whitebox Workflows 2.0.6 off the border,
/// where its lines of sight end as ours do.
#[test]
fn real_land_has_the_geomorphons_that_whitebox_finds() {
    let theirs = [46, 3675, 13559, 491, 15839, 30560, 12522, 1029, 14284, 5407];
    let forms = geomorphons(&jacksboro(), &GeomorphonOptions::default(), &Work::new()).unwrap();
    let mut ours = [0; 10];
    for (index, form) in forms.iter().enumerate() {
        let (column, row) = (index % 403, index / 403);
        if (30..403 - 30).contains(&column) && (30..344 - 30).contains(&row) {
            ours[*form as usize] += 1;
        }
    }
    let all: i32 = theirs.iter().sum();
    assert_eq!(all, ours.iter().sum::<i32>());
    for (form, (ours, theirs)) in LandForm::ALL.iter().zip(ours.iter().zip(theirs)) {
        // One sample in ten thousand: where a sum of angles is the flatness but for rounding.
        assert!(((ours - theirs) as f64).abs() <= 1e-4 * f64::from(all), "{form:?}: {ours}, not {theirs}");
    }
}

#[test]
fn a_land_is_no_distance_from_itself_and_as_far_from_another_as_that_is_from_it() {
    let (real, made) = ((jacksboro(), None), made("high-range", 1, 257));
    assert!(distances(&compared(&real, &real)).iter().all(|distance| *distance == 0.0));
    let (there, back) = (distances(&compared(&real, &made)), distances(&compared(&made, &real)));
    assert_eq!(there, back);
    assert!(there.iter().all(|distance| *distance > 0.0), "{there:?}");
}

/// Of lands at one spacing every measure but the spectrum, of which lands of one size share all wavelengths,
/// too, is a metric.
#[test]
fn by_way_of_a_third_land_it_is_never_nearer() {
    let lands = ["high-range", "downs", "foothills"].map(|preset| {
        let (land, sea) = made(preset, 3, 193);
        let grid = Grid { cell: 50.0, ..land.grid() };
        let grid = Grid::new(grid.width.min(190), grid.depth.min(190), 50.0).unwrap();
        (Heightfield::from_fn(grid, |column, row| land.at(column, row)), sea)
    });
    for [a, b, c] in [[0, 1, 2], [1, 2, 0], [2, 0, 1]] {
        let of = |a: usize, b: usize| distances(&compared(&lands[a], &lands[b]));
        for (straight, (one, other)) in of(a, b).iter().zip(of(a, c).iter().zip(of(c, b))) {
            assert!(*straight <= one + other + 1e-9, "{straight} > {one} + {other}");
        }
    }
}

/// Half of a land is more like all of it than another land is, whatever its size.
#[test]
fn a_part_of_a_land_is_like_it_and_another_land_is_not() {
    let real = jacksboro();
    let part = Heightfield::from_fn(Grid::new(240, 210, 83.0).unwrap(), |column, row| {
        real.at(80 + column, 60 + row)
    });
    let other = made("dune-sea", 1, 257);
    let near = compared(&(part, None), &(real.clone(), None));
    let far = compared(&other, &(real, None));
    for (name, (near, far)) in near.measures().iter().zip(distances(&near).iter().zip(distances(&far))) {
        assert!(*near < far, "{}: {near} of the part, {far} of dunes", name.name);
    }
}

/// Two seeds of a preset are nearer to each other than to another preset, added up over all measures, each as
/// a multiple of what people begin to see.
#[test]
fn seeds_of_one_preset_are_nearer_than_two_presets() {
    let presets = ["high-range", "downs", "dune-sea"];
    let lands = presets.map(|preset| [1, 2].map(|seed| made(preset, seed, 193)));
    let apart = |one: &(Heightfield, Option<f32>), other: &(Heightfield, Option<f32>)| -> f64 {
        let seen = [2.0, 0.2, 0.2, 8.0, 3.0, 0.4, 6.0, 0.4];
        distances(&compared(one, other)).iter().zip(seen).map(|(distance, seen)| distance / seen).sum()
    };
    for (index, [first, second]) in lands.iter().enumerate() {
        let seeds = apart(second, first);
        for (other, [land, _]) in lands.iter().enumerate().filter(|(other, _)| *other != index) {
            let presets_apart = apart(land, first);
            let names = format!("{} and {}", presets[index], presets[other]);
            println!("seeds of {} {seeds:.1}, {names} {presets_apart:.1}", presets[index]);
            assert!(seeds < presets_apart, "seeds {seeds}, {names} {presets_apart}");
        }
    }
}

#[test]
fn the_finer_land_is_averaged_to_the_spacing_of_the_coarser() {
    let fine = made("downs", 5, 385);
    let coarse = made("downs", 5, 193);
    let comparison = compared(&fine, &coarse);
    assert_eq!(comparison.signatures[0].cell, coarse.0.grid().cell);
    let slope = comparison.distance("slope").unwrap();
    assert!(slope < 1.0, "the same land at two spacings is {slope}° apart");
}

#[test]
fn what_cannot_be_compared_is_refused_with_its_name_and_the_reason() {
    let real = jacksboro();
    let grid = Grid::new(100, 100, 83.0).unwrap();
    let refused = |land: Heightfield, sea: Option<f32>, said: &str| {
        let lands = [("mine", &land), ("real", &real)];
        let error = compare(lands, [sea, None], &Work::new()).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    };
    refused(Heightfield::flat(grid, 12.0), None, "mine: heights: the land has no relief");
    refused(Heightfield::flat(grid, 12.0), Some(20.0), "mine: heights: all of it lies under the sea");
    let hills = Heightfield::from_fn(grid, |column, row| ((column * 7 + row * 5) % 31) as f32);
    refused(hills.clone(), Some(500.0), "all of it lies under the sea, at or below 500 m");
    refused(hills.clone(), Some(29.5), "only ");
    let mut holes = hills;
    holes.heights_mut()[777] = f32::NAN;
    refused(holes, None, "mine: heights: some are holes without a height; fill them first");
    let fine = Heightfield::from_fn(Grid::new(300, 300, 5.0).unwrap(), |column, row| {
        ((column * 7 + row * 5) % 31) as f32
    });
    refused(
        fine,
        None,
        "19×19 samples of mine are too few to compare at a spacing of 83 m, which needs 32 on each side",
    );
}

#[test]
fn a_comparison_is_a_table_a_page_and_json() {
    let comparison = compared(&made("downs", 1, 193), &(jacksboro(), None));
    let table = comparison.to_string();
    assert_eq!(table.lines().count(), 10, "{table}");
    for measure in comparison.measures() {
        assert!(table.contains(measure.name), "{table}");
    }
    let drawn = page(&comparison);
    let document = roxmltree::Document::parse(&drawn).unwrap();
    let has = |text: &str| document.descendants().any(|node| node.text().is_some_and(|said| said == text));
    for title in
        ["Slopes", "Curvatures", "Geomorphons", "Power spectra", "Hypsometric curves", "Drainage density"]
    {
        assert!(has(title), "{title}");
    }
    assert!(!drawn.contains("NaN") && !drawn.contains("inf"));
    let json: serde_json::Value = serde_json::from_str(&comparison.to_json().unwrap()).unwrap();
    assert_eq!(json["lands"][1], "other");
    let slope = &json["measures"][0];
    assert_eq!(
        (slope["name"].as_str(), slope["distance"].as_f64()),
        (Some("slope"), comparison.distance("slope"))
    );
    assert_eq!(json["geomorphons"].as_array().unwrap().len(), 10);
}

#[test]
fn a_comparison_has_the_same_bits_on_any_number_of_threads() {
    let lands = (made("foothills", 1, 129), made("downs", 2, 161));
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| format!("{:?}", compared(&lands.0, &lands.1)))
    };
    let one = on(1);
    assert!([2, 7, 32].into_iter().all(|threads| on(threads) == one));
}

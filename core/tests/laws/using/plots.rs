//! Plots of lands against what is known of those lands, and as files and commands.

use glam::vec2;
use upland_core::generate::{DiamondSquare, Fault, Fbm, Generate, Spectral};
use upland_core::plots::{
    Note, Plot, PlotKind, PlotOptions, basins, chi, csv, hack, ksn, long_profile, profile, slope_area,
    spectrum, svg, variogram,
};
use upland_core::{Error, Grid, Heightfield, Recipe, Work};

fn land(width: usize, depth: usize, cell: f32, height: impl Fn(f64, f64) -> f64 + Sync) -> Heightfield {
    let grid = Grid::new(width, depth, cell).unwrap();
    Heightfield::from_fn(grid, |column, row| height(column as f64, row as f64) as f32)
}

fn fbm(side: usize, hurst: f32, seed: u64) -> Heightfield {
    let grid = Grid::new(side, side, 10.0).unwrap();
    // The coarsest octave lies below, the finest above what is fitted.
    let fbm = Fbm { hurst, octaves: 10.0, frequency: 1.0, height: 500.0, ..Fbm::default() };
    fbm.generate(grid, seed, &Work::new()).unwrap()
}

/// Heights that know nothing of each other, uniform in 0 to 100 m.
fn noise(side: usize) -> Heightfield {
    land(side, side, 10.0, |x, z| {
        let mut bits = ((z as u64) << 32 | x as u64).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        for shift in [30, 27, 31] {
            bits = (bits ^ bits >> shift).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        }
        (bits >> 40) as f64 / (1u64 << 24) as f64 * 100.0
    })
}

/// Whole numbers of metres that a formula gives, 24 × 20 samples 5 m apart: the land that numpy was shown.
fn small() -> Heightfield {
    land(24, 20, 5.0, |x, z| (x * x * 3.0 + x * z * 7.0 + z * z * 5.0 + x * 11.0) % 31.0)
}

fn value(plot: &Plot, name: &str) -> f64 {
    plot.value(name).unwrap_or_else(|| panic!("there is no {name}"))
}

fn points<'a>(plot: &'a Plot, name: &str) -> &'a [[f64; 2]] {
    &plot.series.iter().find(|series| series.name == name).unwrap().points
}

fn assert_near(found: &[[f64; 2]], expected: &[[f64; 2]]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        let is_near = |axis: usize| (found[axis] / expected[axis] - 1.0).abs() < 1e-9;
        assert!(is_near(0) && is_near(1), "{found:?}, not {expected:?}");
    }
}

fn mean_hurst(of: impl Fn(u64) -> Plot) -> f64 {
    (0..4).map(|seed| value(&of(seed), "Hurst exponent H")).sum::<f64>() / 4.0
}

/// The slope of 16 lands strays by 0.026 (`spectrum.rs`), that of 4 by twice as much, and H by half as much
/// as the slope. The tolerance is four times that.
#[test]
fn the_spectrum_of_fbm_says_its_hurst_exponent() {
    for hurst in [0.2, 0.5, 0.8] {
        let found = mean_hurst(|seed| spectrum(&fbm(512, hurst, seed), None, &Work::new()).unwrap());
        println!("H {hurst}: {found:.3}");
        assert!((found - f64::from(hurst)).abs() < 0.1, "{found}, not {hurst}");
    }
}

/// Layers of splines are a factor of two apart and end at the finest, so more is left to chance and to bumps
/// than of fBm; that they end leaves the spectrum a little steeper.
#[test]
fn the_spectrum_of_spectral_synthesis_says_its_hurst_exponent() {
    for hurst in [0.3f32, 0.6, 0.9] {
        let spectral = Spectral { gain: (-hurst).exp2(), knots: 2, passes: 9, ..Spectral::default() };
        let grid = Grid::new(512, 512, 10.0).unwrap();
        let made = |seed| spectral.generate(grid, seed, &Work::new()).unwrap();
        let found = mean_hurst(|seed| spectrum(&made(seed), None, &Work::new()).unwrap());
        println!("H {hurst}: {found:.3}");
        assert!((found - f64::from(hurst)).abs() < 0.15, "{found}, not {hurst}");
    }
}

/// Faults that lie anywhere add up to a land with H = ½ (`core/src/steps/generate/fault/mod.rs` says why).
#[test]
fn the_variogram_says_the_hurst_exponent() {
    let grid = Grid::new(512, 512, 10.0).unwrap();
    let faults = Fault { faults: 2000, start: 20.0, end: 20.0, ..Fault::default() };
    let made = |seed| faults.generate(grid, seed, &Work::new()).unwrap();
    let found = mean_hurst(|seed| variogram(&made(seed), None, &Work::new()).unwrap());
    println!("faults: {found:.3}");
    assert!((found - 0.5).abs() < 0.05, "{found}, not 0.5");
    // Its squares leave creases, which make it a little rougher than they should.
    for hurst in [0.3, 0.5, 0.7] {
        let square = DiamondSquare { hurst, ..DiamondSquare::default() };
        let grid = Grid::new(513, 513, 10.0).unwrap();
        let made = |seed| square.generate(grid, seed, &Work::new()).unwrap();
        let found = mean_hurst(|seed| variogram(&made(seed), None, &Work::new()).unwrap());
        println!("diamond-square, H {hurst}: {found:.3}");
        assert!((found - f64::from(hurst)).abs() < 0.12, "{found}, not {hurst}");
    }
}

#[test]
fn theory_is_drawn_and_told_beside_what_is_measured() {
    let land = fbm(128, 0.5, 3);
    for (plot, slope) in [
        (spectrum(&land, Some(0.5), &Work::new()).unwrap(), -3.0),
        (variogram(&land, Some(0.5), &Work::new()).unwrap(), 1.0),
    ] {
        assert_eq!(plot.value("H in theory"), Some(0.5));
        let [[x0, y0], [x1, y1]] = points(&plot, "theory").try_into().unwrap();
        assert!(((y1 / y0).ln() / (x1 / x0).ln() - slope).abs() < 1e-9);
    }
}

#[test]
fn a_wave_has_its_power_in_its_own_ring() {
    for (east, south) in [(10.0, 0.0), (0.0, 10.0), (6.0, 8.0)] {
        // Alike on both sides of the middle, so that its mean plane is level.
        let wave = land(256, 256, 4.0, |x, z| {
            50.0 * (std::f64::consts::TAU * (east * (x - 127.5) + south * (z - 127.5)) / 256.0).cos()
        });
        let plot = spectrum(&wave, None, &Work::new()).unwrap();
        let rings = points(&plot, "mean over all directions");
        let highest = rings.iter().max_by(|a, b| a[1].total_cmp(&b[1])).unwrap();
        assert!((highest[0] * 1024.0 - 10.0).abs() < 0.5, "{highest:?}");
        // Hann's window spreads a wave over the next frequency on both sides.
        for ring in rings.iter().filter(|ring| (ring[0] * 1024.0 - 10.0).abs() > 2.5) {
            assert!(ring[1] < 1e-4 * highest[1], "{ring:?}");
        }
        assert!((value(&plot, "standard deviation") - 50.0 / 2f64.sqrt()).abs() < 0.3);
    }
}

#[test]
fn noise_has_a_level_spectrum_that_is_its_variance_and_a_level_variogram() {
    let land = noise(512);
    let plot = spectrum(&land, None, &Work::new()).unwrap();
    assert!(value(&plot, "exponent β").abs() < 0.1, "{}", value(&plot, "exponent β"));
    // The density of uncorrelated heights is their variance times the area of a cell, at every frequency.
    let expected = 100.0 * 100.0 / 12.0 * 10.0 * 10.0;
    let rings = points(&plot, "mean over all directions");
    let mean = rings[32..].iter().map(|ring| ring[1]).sum::<f64>() / (rings.len() - 32) as f64;
    assert!((mean / expected - 1.0).abs() < 0.02, "{mean}, not {expected}");
    // Pairs of neighbours differ by twice the variance, squared; a sum of n squares strays by about 1/√n.
    let plot = variogram(&land, None, &Work::new()).unwrap();
    assert!(value(&plot, "slope").abs() < 0.02, "{}", value(&plot, "slope"));
    for point in points(&plot, "along rows and columns") {
        assert!((point[1] / (100.0 * 100.0 / 12.0) - 1.0).abs() < 0.03, "{point:?}");
    }
}

#[test]
fn the_variogram_of_a_plane_is_quadratic() {
    // Rise r per metre along a row: half the mean square difference at a distance d is r²d²/2, along a column
    // s²d²/2.
    let plane = land(90, 90, 4.0, |x, z| 2.0 * x - 1.0 * z);
    let plot = variogram(&plane, None, &Work::new()).unwrap();
    assert!((value(&plot, "slope") - 2.0).abs() < 1e-4);
    for [distance, half] in points(&plot, "along rows and columns") {
        let expected = (0.25 + 0.0625) / 2.0 * distance * distance / 2.0;
        assert!((half / expected - 1.0).abs() < 1e-6, "{half} at {distance}, not {expected}");
    }
}

/// Made by numpy 2.4: `lstsq` for the mean plane, `fft.fft2` of the rest under both windows, `polyfit` with
/// the square roots of the weights; the variogram by slices of the array, shifted against each other.
#[test]
fn numpy_finds_the_same_spectrum_and_the_same_variogram() {
    let plot = spectrum(&small(), None, &Work::new()).unwrap();
    let expected = [
        [0.0110918747299, 2915.30605302],
        [0.0198121687721, 960.635386189],
        [0.0305863958839, 1141.12403407],
        [0.04152072055, 1572.84102192],
        [0.050559505579, 2290.48596289],
        [0.0598959408329, 2109.30851223],
        [0.0695745130043, 1921.98197412],
        [0.0801169942379, 2164.25031164],
        [0.0901219958782, 1584.11579951],
        [0.100190991778, 1622.11005434],
    ];
    assert_near(points(&plot, "mean over all directions"), &expected);
    assert!((value(&plot, "exponent β") + 0.8150989776767773).abs() < 1e-9);
    assert!((value(&plot, "standard deviation") - 8.79400259945305).abs() < 1e-9);

    let plot = variogram(&small(), None, &Work::new()).unwrap();
    let straight = [
        [5.0, 75.9001091703],
        [10.0, 80.2155963303],
        [15.0, 79.4607487923],
        [20.0, 79.6167091837],
        [30.0, 79.2722701149],
        [40.0, 70.4777960526],
        [55.0, 81.7226890756],
    ];
    let diagonal = [
        [7.07106781187, 80.1487414188],
        [14.1421356237, 75.303030303],
        [21.2132034356, 78.4663865546],
        [28.2842712475, 73.84140625],
        [42.4264068712, 81.2261904762],
        [56.5685424949, 72.14453125],
        [77.7817459305, 85.5363247863],
    ];
    assert_near(points(&plot, "along rows and columns"), &straight);
    assert_near(points(&plot, "along diagonals"), &diagonal);

    let plot = PlotKind::Heights.plot(&small(), &PlotOptions::default(), &Work::new()).unwrap();
    for (name, expected) in [
        ("mean", 14.422916666666667),
        ("median", 14.0),
        ("standard deviation", 8.794547069617755),
        ("skewness", 0.10129946616288212),
    ] {
        assert!((value(&plot, name) - expected).abs() < 1e-9, "{name}");
    }
}

/// A hillside on which every row of samples drains straight down: n samples from the crest n samples' area
/// drain, and the ground falls by k·nᵗ there.
#[test]
fn a_hillside_with_a_known_concavity_says_it() {
    for concavity in [0.0, 0.3, 0.5, 0.8f64] {
        let mut falls: Vec<f64> = (0..1600).map(|n| 5.0 * f64::from(n.max(1)).powf(-concavity)).collect();
        let mut height = 0.0;
        for fall in falls.iter_mut().rev() {
            height += *fall;
            *fall = height;
        }
        let hillside = land(1600, 24, 10.0, |x, _| falls[x as usize]);
        let plot = slope_area(&hillside, None, &Work::new()).unwrap();
        let found = value(&plot, "concavity θ");
        assert!((found - concavity).abs() < 0.01, "{found}, not {concavity}");
        // 100 samples of 10 m drain 0.01 km².
        let median = points(&plot, "median").iter().find(|point| point[0] > 0.01).unwrap();
        let expected = 0.5 * (median[0] / 1e-4).powf(-concavity);
        assert!((median[1] / expected - 1.0).abs() < 0.02, "{median:?}, not {expected}");
    }
}

/// The same hillside is a river of one sample's width: over χ with its own concavity it is a straight line,
/// whose slope is its steepness k_sn. The fall from the n-th sample to the next is k·nᵗ·cell.
#[test]
fn a_river_in_balance_is_straight_over_chi_and_equally_steep_everywhere() {
    let concavity = 0.45;
    let fall = |n: f64| 5.0 * n.powf(-concavity);
    let mut heights = vec![0.0; 2000];
    for n in (1..2000).rev() {
        // As much as between the areas of n and n + 1 samples, by the trapezium rule as χ.
        heights[n - 1] = heights[n] + (fall(n as f64) + fall(n as f64 + 1.0)) / 2.0;
    }
    let hillside = land(2000, 24, 10.0, |x, _| heights[x as usize]);
    // Slope 0.5 · n^−θ at an area of 100 n m²: k_sn = 0.5 · 100^θ.
    let expected = 0.5 * 100f64.powf(concavity);
    let plot = chi(&hillside, concavity, None, &Work::new()).unwrap();
    assert!((value(&plot, "k_sn, largest basin") / expected - 1.0).abs() < 1e-4);
    assert!(value(&plot, "explained by a line") > 99.999);
    assert!((value(&plot, "straightest with θ") - concavity).abs() < 0.011);
    let plot = ksn(&hillside, concavity, None, &Work::new()).unwrap();
    for name in ["lower quartile", "median of all rivers", "upper quartile", "median, largest basin"] {
        assert!((value(&plot, name) / expected - 1.0).abs() < 1e-3, "{name}: {}", value(&plot, name));
    }
    let profile = long_profile(&hillside, None, &Work::new()).unwrap();
    assert!(value(&profile, "concavity index") > 0.1);
    // All water runs along its own row: rivers are as long as their areas, L = n cells.
    let hack = hack(&hillside, None, &Work::new()).unwrap();
    assert!((value(&hack, "Hack's exponent h") - 1.0).abs() < 0.01);
    let error = chi(&hillside, 1.5, None, &Work::new()).unwrap_err().to_string();
    assert_eq!(error, "concavity: 1.5 is outside 0 to 1");
}

#[test]
fn basins_are_as_large_as_the_land_that_drains_to_them() {
    // Two sides of a roof, 30 and 70 columns; each row runs straight down.
    let roof = land(100, 40, 10.0, |x, _| -(x - 29.5).abs());
    let plot = basins(&roof, None, &Work::new()).unwrap();
    assert_eq!(value(&plot, "basins"), 80.0);
    assert!((value(&plot, "area, largest basin") - 70.0 * 1e-4).abs() < 1e-12);
    assert!((value(&plot, "hypsometric integral, largest basin") - 0.5).abs() < 1e-6);
    let drawn: f64 = points(&plot, "basins").iter().map(|point| point[1]).sum();
    assert!((drawn - 0.4).abs() < 1e-9, "all of the land drains somewhere: {drawn} km²");
}

#[test]
fn the_sea_is_left_out_of_slope_and_area() {
    let island = land(300, 300, 10.0, |x, z| 900.0 - 8.0 * (x - 150.0).hypot(z - 150.0));
    let whole = slope_area(&island, None, &Work::new()).unwrap();
    let above = slope_area(&island, Some(400.0), &Work::new()).unwrap();
    let largest =
        |plot: &Plot| points(plot, "median").iter().fold(0.0, |most: f64, point| most.max(point[0]));
    assert!(largest(&above) < largest(&whole));
    let nowhere = slope_area(&island, Some(2000.0), &Work::new()).unwrap_err().to_string();
    assert!(nowhere.contains("fewer than 10 samples"), "{nowhere}");
}

#[test]
fn the_profile_of_a_plane_is_a_line_in_any_direction() {
    let plane = land(40, 30, 7.0, |x, z| 14.0 * x - 21.0 * z);
    for (from, to) in [
        (vec2(0.0, 0.0), vec2(273.0, 203.0)),
        (vec2(100.0, 33.3), vec2(12.5, 180.0)),
        (vec2(5.0, 5.0), vec2(5.0, 6.0)),
    ] {
        let plot = profile(&plane, [from, to], &Work::new()).unwrap();
        let line = points(&plot, "profile");
        let length = f64::from((to - from).length());
        let (start, end) = (line[0][1], line[line.len() - 1][1]);
        assert!((start - f64::from(2.0 * from.x - 3.0 * from.y)).abs() < 1e-3);
        assert!((end - f64::from(2.0 * to.x - 3.0 * to.y)).abs() < 1e-3);
        assert!((line[line.len() - 1][0] - length).abs() < 1e-4);
        for pair in line.windows(2) {
            assert!(pair[1][0] - pair[0][0] <= 7.0 + 1e-4, "steps are a cell at most");
        }
        for [at, height] in line {
            assert!((height - (start + (end - start) * at / length)).abs() < 1e-3, "{height} at {at}");
        }
        let back = profile(&plane, [to, from], &Work::new()).unwrap();
        assert!((value(&plot, "climb") - value(&back, "descent")).abs() < 1e-3);
    }
}

/// The hills of the tests of the command line, which demand of every plot a table of five points.
#[test]
fn small_hills_have_every_plot() {
    let text =
        r#"(version: 1, name: "Hills", size: (65, 33), cell: 10, steps: [fbm(height: 200, hurst: 0.7)])"#;
    let hills = Recipe::from_ron(text, "hills.ron").unwrap().build_heightfield(&Work::new()).unwrap();
    for kind in PlotKind::ALL {
        let plot = kind.plot(&hills, &PlotOptions::default(), &Work::new()).unwrap();
        let points: usize = plot.series.iter().map(|series| series.points.len()).sum();
        let says = !plot.notes.is_empty() || !plot.remarks.is_empty();
        assert!(points >= 5 && says, "{kind}: {plot:?}");
    }
}

/// Every kind of plot of a rough land.
fn all(field: &Heightfield) -> Vec<Plot> {
    let options = PlotOptions { hurst: Some(0.6), ..PlotOptions::default() };
    PlotKind::ALL.map(|kind| kind.plot(field, &options, &Work::new()).unwrap()).into()
}

#[test]
fn plots_have_the_same_bits_on_any_number_of_threads() {
    let field = fbm(200, 0.6, 9);
    let on = |threads| {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| all(&field))
    };
    let one = on(1);
    for threads in [2, 7, 32] {
        for (a, b) in one.iter().zip(on(threads)) {
            assert!(*a == b, "{} on {threads} threads", a.title);
        }
    }
}

#[test]
fn a_plot_that_is_cancelled_stops() {
    let field = fbm(200, 0.6, 9);
    for kind in PlotKind::ALL {
        let asked = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let work = Work::watched({
            let asked = asked.clone();
            move |_| {
                asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            }
        });
        kind.plot(&field, &PlotOptions::default(), &work).unwrap();
        let all = asked.load(std::sync::atomic::Ordering::Relaxed);
        assert!(all >= 1, "{kind} never asks");
        for question in [1, all / 2, all] {
            let left = std::sync::atomic::AtomicUsize::new(question.max(1));
            let work = Work::watched(move |work| {
                if left.fetch_sub(1, std::sync::atomic::Ordering::Relaxed) == 1 {
                    work.cancel();
                }
            });
            let cut = kind.plot(&field, &PlotOptions::default(), &work);
            assert!(matches!(cut, Err(Error::Cancelled)), "{kind} at question {question} of {all}");
        }
    }
}

#[test]
fn any_size_of_land_has_its_plots_or_an_error_and_never_a_panic() {
    for (width, depth) in [(1, 1), (2, 1), (1, 3), (2, 2), (3, 200), (16, 16), (17, 64), (1, 300), (65, 33)] {
        let rough = land(width, depth, 3.0, |x, z| (x * 37.0 + z * 91.0) % 17.0 - 8.0);
        for field in [rough.clone(), Heightfield::flat(rough.grid(), 5.0)] {
            for kind in PlotKind::ALL {
                match kind.plot(&field, &PlotOptions::default(), &Work::new()) {
                    Ok(plot) => {
                        let finite = |point: &[f64; 2]| point[0].is_finite() && point[1].is_finite();
                        assert!(plot.series.iter().all(|series| series.points.iter().all(finite)), "{kind}");
                        assert!(plot.notes.iter().all(|note| note.value.is_finite()), "{kind}");
                        roxmltree::Document::parse(&svg(&plot)).unwrap();
                    }
                    Err(Error::Parameter { .. } | Error::Size { .. }) => {}
                    Err(error) => panic!("{kind} of {width}×{depth}: {error}"),
                }
            }
        }
    }
}

#[test]
fn what_makes_no_sense_is_refused_with_what_would_be_accepted() {
    let refused = |kind: PlotKind, field: &Heightfield, said: &str| {
        let error = kind.plot(field, &PlotOptions::default(), &Work::new()).unwrap_err().to_string();
        assert!(error.contains(said), "{kind}: {error}");
    };
    let level = Heightfield::flat(Grid::new(80, 80, 10.0).unwrap(), 12.0);
    for kind in [PlotKind::Hypsometry, PlotKind::Spectrum, PlotKind::Variogram, PlotKind::SlopeArea] {
        refused(kind, &level, "no relief, all of it is at 12 m");
    }
    let plane = land(80, 80, 10.0, |x, z| x - 3.0 * z);
    refused(PlotKind::Spectrum, &plane, "the land is a plane");
    let single = Heightfield::flat(Grid::new(1, 1, 10.0).unwrap(), 12.0);
    refused(
        PlotKind::Spectrum,
        &single,
        "1×1 samples are too few for a spectrum, which needs 16 on each side",
    );
    refused(PlotKind::Variogram, &single, "1×1 samples are too few for a variogram");
    refused(PlotKind::Profile, &single, "both ends of the profile are one place");
    let mut hole = fbm(80, 0.5, 1);
    hole.heights_mut()[17] = f32::NAN;
    for kind in PlotKind::ALL {
        refused(kind, &hole, "heights: one is not a number of metres; give finite heights");
    }
    for place in [vec2(-0.1, 0.0), vec2(0.0, 790.1), vec2(f32::NAN, 0.0)] {
        let error = profile(&plane, [vec2(1.0, 1.0), place], &Work::new()).unwrap_err().to_string();
        assert!(error.contains("lies outside the land, which reaches 790 m east and 790 m south"), "{error}");
    }
    let error = "spektrum".parse::<PlotKind>().unwrap_err().to_string();
    assert!(error.contains("there is no `spektrum`; there are heights, hypsometry"), "{error}");
    for kind in PlotKind::ALL {
        assert_eq!(kind.name().parse::<PlotKind>().unwrap(), kind);
    }
}

#[test]
fn of_large_land_the_middle_is_transformed_and_that_is_said() {
    // A wave in the middle, and level ground around it.
    let wide =
        land(2100, 40, 1.0, |x, z| if (26.0..2074.0).contains(&x) { (x * 0.5 + z).sin() } else { 1e4 });
    let plot = spectrum(&wide, None, &Work::new()).unwrap();
    assert_eq!(plot.remarks, ["The spectrum is that of 2048 × 40 samples in the middle of 2100 × 40."]);
    assert!(value(&plot, "standard deviation") < 1.0);
    let small = spectrum(&fbm(64, 0.5, 1), None, &Work::new()).unwrap();
    assert!(small.remarks.is_empty());
}

/// The records of a table of comma-separated values, as RFC 4180 has it.
fn read_csv(text: &str) -> Vec<Vec<String>> {
    let (mut records, mut record, mut field) = (Vec::new(), Vec::new(), String::new());
    let (mut quoted, mut letters) = (false, text.chars().peekable());
    while let Some(letter) = letters.next() {
        match (quoted, letter) {
            (true, '"') if letters.next_if_eq(&'"').is_some() => field.push('"'),
            (_, '"') => quoted = !quoted,
            (false, ',') => record.push(std::mem::take(&mut field)),
            (false, '\r') => {
                assert_eq!(letters.next(), Some('\n'));
                record.push(std::mem::take(&mut field));
                records.push(std::mem::take(&mut record));
            }
            (_, letter) => field.push(letter),
        }
    }
    assert!(!quoted && field.is_empty() && record.is_empty(), "it ends with a line's end");
    records
}

#[test]
fn a_table_is_read_back_to_the_bit() {
    let mut plots = all(&fbm(80, 0.6, 2));
    plots[0].series[0].name = "with a comma, and \"quotes\"".to_owned();
    plots[1].x.label = "share, of the area".to_owned();
    for plot in plots {
        let records = read_csv(&csv(&plot));
        assert_eq!(records[0], ["series".to_owned(), plot.x.to_string(), plot.y.to_string()]);
        let mut rest = records[1..].iter();
        for series in &plot.series {
            for point in &series.points {
                let record = rest.next().unwrap();
                assert_eq!(record[0], series.name);
                let number = |column: usize| record[column].parse::<f64>().unwrap().to_bits();
                match plot.x.scale.name_of(point[0]) {
                    Some(name) => assert_eq!(record[1], name),
                    None => assert_eq!(number(1), point[0].to_bits()),
                }
                assert_eq!(number(2), point[1].to_bits());
            }
        }
        assert!(rest.next().is_none());
    }
}

/// Where a text lies: left, top, right, bottom, if letters are as wide as in wide fonts without serifs.
fn place_of(text: roxmltree::Node) -> [f64; 4] {
    let number = |name: &str| text.attribute(name).map(|value| value.parse::<f64>().unwrap());
    let size = number("font-size").unwrap_or(12.0);
    let (x, y) = (number("x").unwrap(), number("y").unwrap());
    let width = text.text().unwrap_or_default().chars().count() as f64 * 0.58 * size;
    let left = match text.attribute("text-anchor") {
        Some("middle") => x - width / 2.0,
        Some("end") => x - width,
        _ => x,
    };
    let [right, top, bottom] = [left + width, y - 0.8 * size, y + 0.2 * size];
    match text.attribute("transform") {
        // Turned to the left around the point that it is centred at.
        Some(_) => [x - 0.8 * size, y - width / 2.0, x + 0.2 * size, y + width / 2.0],
        None => [left, top, right, bottom],
    }
}

#[test]
fn pictures_are_well_formed_and_no_text_touches_another_or_leaves_the_picture() {
    let mut plots = all(&fbm(300, 0.6, 2));
    // Heights and steps far from the usual, a name that wants to be markup, and more to say than there is
    // room for.
    plots.extend(all(&land(70, 70, 0.001, |x, z| 1e-4 * ((x * 0.3).sin() + (z * 0.7).sin()))));
    plots.extend(all(&land(70, 90, 5000.0, |x, z| -9e6 + 1e6 * ((x * 0.3).sin() + (z * 0.7).cos()))));
    for plot in &mut plots {
        let title = std::mem::take(&mut plot.title);
        plot.title =
            format!("{title}: <&\"' \u{1} a land with a name that is longer than any title has room for ]]>");
        plot.remarks.push("A long remark with averyveryveryveryveryveryveryverylongword in it. ".repeat(6));
        plot.notes.push(Note {
            name: "a note with a long name".into(),
            value: -1.2345e-20,
            unit: "m⁴".into(),
        });
    }
    for plot in plots {
        let text = svg(&plot);
        let document = roxmltree::Document::parse(&text).unwrap();
        let root = document.root_element();
        let size = ["width", "height"].map(|side| root.attribute(side).unwrap().parse::<f64>().unwrap());
        let places: Vec<_> = root
            .descendants()
            .filter(|node| node.has_tag_name("text"))
            .map(|node| (node.text().unwrap_or_default().to_owned(), place_of(node)))
            .collect();
        assert!(places.len() > 10);
        for (index, (text, [left, top, right, bottom])) in places.iter().enumerate() {
            let within = *left >= 0.0 && *top >= 0.0 && *right <= size[0] && *bottom <= size[1];
            assert!(within, "{}: {text} leaves the picture", plot.title);
            for (other, place) in &places[..index] {
                let apart =
                    place[2] <= *left || *right <= place[0] || place[3] <= *top || *bottom <= place[1];
                assert!(apart, "{}: {text} touches {other}", plot.title);
            }
        }
    }
}

//! Laws of snow.

use super::held::held;
use super::*;
use crate::steps::Ground;

fn covered(snow: &Snow, heights: &Heightfield, before: Option<&Heightfield>) -> Result<Ground> {
    let mut ground = Ground::new(heights.clone());
    if let Some(before) = before {
        ground.write_layer(SNOW, before.clone());
    }
    snow.apply(&mut ground, 1, &Work::new())?;
    Ok(ground)
}

/// Neither wind nor avalanches.
fn calm() -> Snow {
    Snow { drift: 0.0, avalanches: 0.0, ..Snow::default() }
}

/// Steep mountains around 2000 m on a plain, which nothing leaves.
fn mountains(width: usize, depth: usize) -> Result<Heightfield> {
    let grid = Grid::new(width, depth, 10.0)?;
    Ok(Heightfield::from_fn(grid, |column, row| {
        let (x, z) = (10.0 * column as f32, 10.0 * row as f32);
        let wave = |length: f32| libm::sinf(x / length + 1.0) * libm::cosf(z / length + 0.3);
        let away = column.min(row).min(width - 1 - column).min(depth - 1 - row) as f32;
        let inside = ((away - 10.0) / 20.0).clamp(0.0, 1.0);
        1700.0 + inside * (300.0 + 330.0 * wave(190.0) + 70.0 * wave(61.0) + 6.0 * wave(17.0))
    }))
}

fn volume(field: &Heightfield) -> f64 {
    field.heights().iter().map(|height| f64::from(*height)).sum()
}

/// What falls in the default year up to a day at 47° N on level ground, and what lies there, metres: step by
/// step in f64, with degrees and without the step's code.
fn by_hand(day: f64, height: f64) -> (f64, f64) {
    let latitude = 47f64.to_radians();
    let sun = |declination: f64| -> f64 {
        let hours = (0..16).map(|hour| (22.5 * (f64::from(hour) - 7.5)).to_radians());
        let up = hours.map(|angle| {
            latitude.sin() * declination.sin() + latitude.cos() * declination.cos() * angle.cos()
        });
        up.filter(|up| *up > 0.0).map(|up| 1367.0 * 0.75f64.powf(1.0 / up.max(0.01)) * up / 16.0).sum()
    };
    let (mut fallen, mut lying) = (0.0, 0.0f64);
    let passed = (day - 243.0f64).rem_euclid(365.0);
    for step in 0..73 {
        let days = (passed - 5.0 * f64::from(step)).clamp(0.0, 5.0);
        let middle = 243.0 + 5.0 * f64::from(step) + 2.5;
        let temperature =
            11.0 + 9.0 * ((middle - 200.0) / 365.0 * 360.0).to_radians().cos() - 0.0065 * height;
        let declination = 23.45f64.to_radians() * ((284.0 + middle) / 365.0 * 360.0).to_radians().sin();
        // Seven declinations, evenly spaced in their sines.
        let most = 23.45f64.to_radians().sin();
        let place = (declination.sin() / most + 1.0) * 3.0;
        let course = |number: f64| sun(((number / 3.0 - 1.0) * most).asin());
        let shines =
            course(place.floor()) * (1.0 - place.fract()) + course(place.floor() + 1.0) * place.fract();
        let falls = days * 1.8 / 365.0 * (1.0 + 0.0006 * height) * (1.0 - temperature / 2.0).clamp(0.0, 1.0);
        fallen += falls;
        lying = (lying + falls - days * temperature.max(0.0) * (1.8 + 0.0192 * shines) / 300.0).max(0.0);
    }
    (fallen, lying)
}

#[test]
fn the_year_adds_up_as_by_hand() -> Result<()> {
    for (day, height) in [(130.0, 0.0f32), (80.0, 700.0), (130.0, 1400.0), (110.0, 2100.0), (200.0, 3500.0)] {
        let land = Heightfield::flat(Grid::new(3, 3, 10.0)?, height);
        let lying = covered(&Snow { day, ..calm() }, &land, None)?.layer(SNOW)?.at(1, 1);
        let (fallen, by_hand) = by_hand(day.into(), height.into());
        assert!((f64::from(lying) - by_hand).abs() < 1e-3, "{height}: {lying} {by_hand} of {fallen}");
    }
    Ok(())
}

#[test]
fn what_has_fallen_is_lying_or_has_melted() -> Result<()> {
    // Where it is never warm nothing melts: all lies there, and wind and avalanches keep it.
    let land = mountains(180, 141)?;
    let cold = Snow { temperature: -30.0, ..calm() };
    let fallen: f64 =
        land.heights().iter().map(|height| 1.8 / 365.0 * 200.0 * (1.0 + 0.0006 * f64::from(*height))).sum();
    // From the first of September to the nineteenth of March.
    let still = covered(&Snow { day: 78.0, ..cold.clone() }, &land, None)?;
    assert!((volume(still.layer(SNOW)?) / fallen - 1.0).abs() < 1e-6);
    let moved = covered(&Snow { day: 78.0, drift: 1.0, avalanches: 1.0, ..cold }, &land, None)?;
    assert!((volume(moved.layer(SNOW)?) / fallen - 1.0).abs() < 1e-6);
    // What has melted before doesn't move any more.
    let melting = Snow { day: 130.0, ..calm() };
    let before = volume(covered(&melting, &land, None)?.layer(SNOW)?);
    let moved = covered(&Snow { wind: 300.0, drift: 0.8, avalanches: 1.0, ..melting }, &land, None)?;
    let after = volume(moved.layer(SNOW)?);
    assert!(before < 0.95 * fallen && (after / before - 1.0).abs() < 1e-6, "{fallen} {before} {after}");
    // The land has risen by what lies there.
    let risen = volume(&moved.heights) - volume(&land);
    assert!((risen - after).abs() < 1e-4 * after, "{risen} {after}");
    Ok(())
}

/// The tangent of the steepest slope down from a sample inside a land, over the eight triangles around it: as
/// in [`held::steepest`], but by the gradient of each.
fn steepest(land: &Heightfield, column: usize, row: usize) -> f32 {
    let cell = land.grid().cell;
    let at = |columns: isize, rows: isize| {
        land.at(column.wrapping_add_signed(columns), row.wrapping_add_signed(rows)) - land.at(column, row)
    };
    let mut steepest = 0.0f32;
    for (x, z) in [(1, 1), (1, -1), (-1, 1), (-1, -1)] {
        let diagonal = at(x, z);
        steepest = steepest.max(-diagonal / (cell * std::f32::consts::SQRT_2));
        for axis in [at(x, 0), at(0, z)] {
            let (along, aside) = (-axis / cell, (axis - diagonal) / cell);
            let within = along >= 0.0 && aside >= 0.0 && aside <= along;
            steepest = steepest.max(-axis / cell).max(if within { libm::hypotf(along, aside) } else { 0.0 });
        }
    }
    steepest
}

#[test]
fn no_slope_has_more_snow_than_it_holds() -> Result<()> {
    let land = mountains(180, 141)?;
    for (snowfall, day) in [(1.8, 110.0), (5.0, 80.0)] {
        let ground = covered(&Snow { snowfall, day, ..Snow::default() }, &land, None)?;
        let (mut steep, mut full) = (0, 0);
        for row in 1..140 {
            for column in 1..179 {
                let degrees = libm::atanf(steepest(&land, column, row)).to_degrees();
                let holds = 3178.4 * libm::powf(degrees.max(0.1), -1.998);
                let lies = ground.layer(SNOW)?.at(column, row);
                assert!(lies <= holds * 1.000_01, "{lies} m at {column}, {row}: {degrees}° holds {holds} m");
                steep += usize::from(holds < 2.0);
                full += usize::from(lies > 0.99 * holds);
            }
        }
        assert!(steep > 2000 && full > 1000, "{steep} {full}");
    }
    Ok(())
}

#[test]
fn slopes_hold_what_was_measured() {
    for (degrees, metres) in [(30.0f32, 3.56), (45.0, 1.58), (60.0, 0.89), (75.0, 0.57)] {
        let holds = held(libm::tanf(degrees.to_radians()));
        assert!((holds - metres).abs() < 0.01, "{degrees}°: {holds} m");
        // Across the slope, as it is measured with a probe.
        let exact = 3178.4 * libm::powf(degrees, -1.998);
        assert!((holds - exact).abs() < 1e-5 * exact, "{holds} {exact}");
    }
    assert_eq!(held(0.0), THICKEST);
}

#[test]
fn avalanches_come_to_rest_below_steep_ground() -> Result<()> {
    // A slope of 50° above a plain.
    let grid = Grid::new(41, 161, 10.0)?;
    let height = |row: usize| 2000.0 + 11.9 * (80.0 - row as f32).max(0.0);
    let land = Heightfield::from_fn(grid, |_, row| height(row));
    let snow = Snow { drift: 0.0, temperature: -10.0, day: 80.0, ..Snow::default() };
    let ground = covered(&snow, &land, None)?;
    let lies = |row: usize| ground.layer(SNOW).map_or(0.0, |snow| snow.at(20, row));
    assert!(lies(40) < 1.3, "{}", lies(40));
    // Where it ends it is thickest near the foot, and far out on the plain there is what has fallen.
    let thickest = (80..160).max_by(|a, b| lies(*a).total_cmp(&lies(*b))).unwrap_or(0);
    assert!((80..100).contains(&thickest) && lies(thickest) > 2.0 * lies(155), "{thickest}");
    let fallen = covered(&Snow { avalanches: 0.0, ..snow }, &land, None)?.layer(SNOW)?.at(20, 155);
    assert!((lies(155) - fallen).abs() < 1e-3, "{} {fallen}", lies(155));
    Ok(())
}

#[test]
fn snow_lies_lower_on_slopes_that_face_north() -> Result<()> {
    // A roof of 30° whose ridge runs from west to east, 3000 m high.
    let grid = Grid::new(5, 401, 20.0)?;
    let rise = 20.0 * libm::tanf(30f32.to_radians());
    let roof = Heightfield::from_fn(grid, |_, row| 3000.0 - rise * row.abs_diff(200) as f32);
    for day in [105.0, 120.0, 140.0] {
        let lines = |snow: Snow| -> Result<[f32; 2]> {
            let ground = covered(&snow, &roof, None)?;
            let lying = |row: &usize| ground.layer(SNOW).is_ok_and(|snow| snow.at(2, *row) > 0.0);
            let line = |rows: &mut dyn Iterator<Item = usize>| {
                rows.take_while(lying).last().map_or(0.0, |row| roof.at(2, row))
            };
            Ok([line(&mut (0..200).rev()), line(&mut (201..401))])
        };
        let [north, south] = lines(Snow { day, temperature: 10.0, ..calm() })?;
        assert!((100.0..400.0).contains(&(south - north)), "day {day}: {north} m, {south} m");
        // In the south of the world, half a year later, it is the other way round.
        let day = (day + 182.5) % 365.0;
        let mirrored = lines(Snow { day, temperature: 10.0, latitude: -47.0, ..calm() })?;
        assert!((mirrored[1] - north).abs() < 25.0 && (mirrored[0] - south).abs() < 25.0, "{mirrored:?}");
    }
    Ok(())
}

#[test]
fn more_snow_lies_in_the_shadow_of_a_mountain() -> Result<()> {
    // A wall 900 m high from west to east, with a plain on both sides.
    let grid = Grid::new(61, 161, 25.0)?;
    let land = Heightfield::from_fn(grid, |_, row| if row.abs_diff(80) < 3 { 2400.0 } else { 1500.0 });
    let lying = covered(&Snow { day: 110.0, ..calm() }, &land, None)?;
    let at = |row: usize| lying.layer(SNOW).map_or(0.0, |snow| snow.at(30, row));
    let [shaded, sunny, far] = [at(68), at(92), at(2)];
    assert!(shaded > sunny + 0.1 && (sunny - far).abs() < 0.05, "{shaded} {sunny} {far}");
    Ok(())
}

#[test]
fn wind_leaves_snow_in_the_lee_of_crests_alone() -> Result<()> {
    // A round crest from north to south, from 1900 to 2000 m.
    let grid = Grid::new(161, 9, 10.0)?;
    let ridge = Heightfield::from_fn(grid, |column, _| {
        let x = (column as f32 - 80.0) / 14.0;
        1900.0 + 100.0 / (1.0 + x * x)
    });
    let still = Snow { avalanches: 0.0, temperature: -10.0, drift: 0.0, ..Snow::default() };
    let fallen = covered(&still, &ridge, None)?;
    for wind in [90.0, 270.0] {
        let blown = covered(&Snow { wind, drift: 0.6, ..still.clone() }, &ridge, None)?;
        let more = |column: usize| -> Result<f32> {
            Ok(blown.layer(SNOW)?.at(column, 4) - fallen.layer(SNOW)?.at(column, 4))
        };
        for column in 0..161 {
            let is_lee = if wind == 270.0 { column > 80 } else { column < 80 };
            let more = more(column)?;
            assert!(is_lee || more < 1e-3, "{wind}°, column {column}: {more} m more");
        }
        // A drift in the lee, and little left on the crest's windward side.
        let [lee, luv] = if wind == 270.0 { [88, 72] } else { [72, 88] };
        assert!(more(lee)? > 0.5 && more(luv)? < -0.5, "{wind}°: {} {}", more(lee)?, more(luv)?);
    }
    Ok(())
}

#[test]
fn snow_of_an_earlier_step_stays_below_the_new() -> Result<()> {
    let land = Heightfield::flat(Grid::new(20, 20, 10.0)?, 2500.0);
    let old = Heightfield::flat(land.grid(), 1.5);
    let new = covered(&calm(), &Heightfield::flat(land.grid(), 2498.5), None)?;
    let both = covered(&calm(), &land, Some(&old))?;
    let [new, both] = [new.layer(SNOW)?.at(7, 7), both.layer(SNOW)?.at(7, 7)];
    assert!(both > new + 0.5 && both < new + 1.51, "{new} {both}");
    // Where no snow falls and none melts, nothing changes.
    let nothing = Snow { snowfall: 0.0, temperature: -30.0, ..calm() };
    let kept = covered(&nothing, &land, Some(&old))?;
    assert!(kept.heights == land && kept.layer(SNOW)? == &old);
    Ok(())
}

#[test]
fn any_number_of_threads_lays_the_same_snow() -> Result<()> {
    let made = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| covered(&Snow { snowfall: 8.0, ..Snow::default() }, &mountains(150, 67)?, None))
    };
    let one = made(1)?;
    for threads in [2, 7, 32] {
        assert!(one == made(threads)?, "{threads} threads");
    }
    Ok(())
}

#[test]
fn any_size_and_any_height_can_be_covered_with_snow() -> Result<()> {
    for (width, depth) in [(1, 1), (2, 1), (1, 7), (3, 50), (300, 2), (33, 35)] {
        for scale in [0.0, 30.0, 1e4, 1e28] {
            let land = Heightfield::from_fn(Grid::new(width, depth, 5.0)?, |column, row| {
                scale * ((column * 7919 + row * 104_729) % 97) as f32
            });
            let ground = covered(&Snow::default(), &land, None)?;
            assert!(ground.heights.heights().iter().all(|height| height.is_finite()), "{width}×{depth}");
            let (least, most) = ground.layer(SNOW)?.range();
            assert!(least >= 0.0 && most.is_finite(), "{width}×{depth}: {least} {most}");
        }
    }
    Ok(())
}

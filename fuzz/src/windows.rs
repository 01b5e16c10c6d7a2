//! Windows of elevation files.

use std::sync::atomic::{AtomicUsize, Ordering};

use arbitrary::{Result, Unstructured};
use upland::formats::{HeightChannel, ReadOptions};
use upland::{ElevationFile, ElevationFileOptions, Error, Window, Work};

use crate::check_message;

/// Checks for cancellation after which a window is abandoned: a short file may claim many large tiles.
const PATIENCE: usize = 60;

/// The last bytes of an input are also choices.
const CHOICES: usize = 64;

/// Opens a file and reads windows of it; a part of a window has the same heights.
pub fn read(bytes: &[u8]) -> Result<()> {
    let u = &mut Unstructured::new(&bytes[bytes.len().saturating_sub(CHOICES)..]);
    let kind = u.int_in_range(0..=2)?;
    let name = if kind == 1 { "input.r16" } else { "input.tif" };
    let side = |u: &mut Unstructured| u.int_in_range(0..=70usize);
    let size = if kind == 1 && u.arbitrary()? { Some((side(u)?, side(u)?)) } else { None };
    let channel = *u.choose(&[HeightChannel::Luma, HeightChannel::Green, HeightChannel::Alpha])?;
    let range = if u.arbitrary()? { Some((-100.0, 4000.0)) } else { None };
    let options = ElevationFileOptions {
        reading: ReadOptions { channel, size, range, ..ReadOptions::default() },
        coarse_samples: u.int_in_range(0..=500)?,
        cache_bytes: u.int_in_range(0..=20_000)?,
        ..Default::default()
    };
    let level = u.int_in_range(0..=16)?;
    let place = |u: &mut Unstructured| {
        Ok(if u.ratio(1, 8)? { u.arbitrary::<i64>()? } else { u.int_in_range(-20..=60)? })
    };
    let whole = Window {
        level,
        first: [place(u)?, place(u)?],
        size: [u.int_in_range(1..=40)?, u.int_in_range(1..=40)?],
    };
    let along = |u: &mut Unstructured, size: u32| {
        let from = u.int_in_range(0..=size - 1)?;
        Ok((from, u.int_in_range(1..=size - from)?))
    };
    let ((x, width), (z, depth)) = (along(u, whole.size[0])?, along(u, whole.size[1])?);
    let first = [whole.first[0].saturating_add(x.into()), whole.first[1].saturating_add(z.into())];
    let part = Window { level, first, size: [width, depth] };
    let bytes = if kind == 2 { crate::tiff::tiff(&mut Unstructured::new(bytes))? } else { bytes.to_vec() };

    // An input rarely has exactly the length that its size requires.
    let needed = size.map_or(bytes.len(), |(width, depth)| 2 * width * depth);
    let bytes = bytes[..needed.min(bytes.len())].to_vec();

    let starts = [name, "range", "window", "heights", "cell"];
    let told = |error: Error| match error {
        Error::Cancelled | Error::Size { .. } => {}
        error => check_message(&error, &starts),
    };
    let opened = || ElevationFile::from_bytes(name, bytes.clone(), &options, &patient());
    let (file, again) = match (opened(), opened()) {
        (Ok(file), Ok(again)) => (file, again),
        (Err(error), Err(_)) => {
            told(error);
            return Ok(());
        }
        _ => panic!("the same file is opened or not"),
    };
    match (file.read(whole, &patient()), again.read(part, &patient())) {
        (Ok(all), Ok(some)) => {
            assert!(all.heights().iter().all(|height| height.is_finite()));
            for row in 0..depth as usize {
                for column in 0..width as usize {
                    let of_all = all.at(x as usize + column, z as usize + row);
                    assert_eq!(of_all.to_bits(), some.at(column, row).to_bits());
                }
            }
        }
        (all, some) => [all, some].into_iter().filter_map(|read| read.err()).for_each(told),
    }
    match file.raster(part, &patient()) {
        Ok(raster) => assert!(raster.values().iter().all(|height| height.is_finite())),
        Err(error) => told(error),
    }
    Ok(())
}

fn patient() -> Work {
    let asked = AtomicUsize::new(0);
    Work::watched(move |work| {
        if asked.fetch_add(1, Ordering::Relaxed) > PATIENCE {
            work.cancel();
        }
    })
}

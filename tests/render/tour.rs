//! Films of a tour. These tests need a Vulkan device, a software one will do.
use std::path::Path;
use std::process::{Command, Output};

use image::RgbaImage;
use upland::plugin::Quality;
use upland::render::{Film, FilmWriter, Shot, render, render_tour};
use upland::{Bookmark, Error, Recipe, Work};

use crate::scene::TIME_LIMIT;

const SIZE: (u32, u32) = (64, 40);

/// A land with two places; from one to the other it is seven seconds.
fn land() -> Recipe {
    let text = "(version: 1, name: \"Tour\", size: (33, 33), cell: 40.0,
        steps: [fbm(height: 400.0, frequency: 3.0, octaves: 4.0)])";
    let mut recipe = Recipe::from_ron(text, "tour.ron").unwrap();
    for (name, from) in [("West", (-900.0, 500.0, 0.0)), ("South", (0.0, 500.0, 900.0))] {
        recipe.bookmarks.push(Bookmark { name: name.into(), from, look: (0.0, 150.0, 0.0) });
    }
    recipe
}

fn film() -> Film {
    Film { size: SIZE, rate: 2.0 / 7.0, quality: Quality::Low, time_limit: TIME_LIMIT }
}

/// The mean difference of two pictures, of 255.
fn difference(a: &RgbaImage, b: &RgbaImage) -> f64 {
    let sum: f64 = a.iter().zip(b.iter()).map(|(a, b)| f64::from(a.abs_diff(*b))).sum();
    sum / a.len() as f64
}

#[test]
fn a_picture_can_be_given_up_while_it_is_drawn() {
    let drawing = Work::watched(|work| {
        if work.progress().stage.starts_with("draw: ") {
            work.cancel();
        }
    });
    let shot = Shot { size: SIZE, quality: Quality::Low, time_limit: TIME_LIMIT, ..Shot::default() };
    assert!(matches!(render(&land(), &shot, &drawing), Err(Error::Cancelled)));
}

#[test]
fn a_film_goes_from_the_first_bookmark_to_the_last() {
    let (recipe, film) = (land(), film());
    let mut pictures = Vec::new();
    render_tour(&recipe, &recipe.tour(None).unwrap(), &film, &Work::new(), |index, drawn| {
        assert_eq!((index, drawn.dimensions()), (pictures.len(), SIZE));
        pictures.push(drawn);
        Ok(())
    })
    .unwrap();
    assert_eq!(pictures.len(), 3);
    for (first, second) in [(0, 1), (1, 2), (0, 2)] {
        assert!(difference(&pictures[first], &pictures[second]) > 2.0, "{first} {second}");
    }
    for (picture, place) in [(&pictures[0], &recipe.bookmarks[0]), (&pictures[2], &recipe.bookmarks[1])] {
        let (from, look) = (Some(place.from.into()), Some(place.look.into()));
        let quality = Quality::Low;
        let shot = Shot { size: SIZE, from, look, quality, time_limit: TIME_LIMIT, ..Shot::default() };
        let still = render(&recipe, &shot, &Work::new()).unwrap();
        assert!(difference(picture, &still) < 1.0, "{}: {}", place.name, difference(picture, &still));
    }
}

#[test]
fn a_film_that_is_given_up_keeps_the_pictures_that_were_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("film");
    let (recipe, film, work) = (land(), film(), Work::new());
    let outcome = FilmWriter::record(&path, &film, |writer| {
        render_tour(&recipe, &recipe.tour(None).unwrap(), &film, &work, |index, drawn| {
            work.cancel();
            writer.take(index, &drawn)
        })
    });
    assert!(matches!(outcome, Err(Error::Cancelled)), "{outcome:?}");
    assert_eq!(std::fs::read_dir(&path).unwrap().count(), 1);
}

/// Films the land into `film.mp4` with what is in `programs` for the system's.
fn filmed(folder: &Path, programs: &Path) -> Output {
    std::fs::write(folder.join("tour.ron"), land().to_ron().unwrap()).unwrap();
    let size = format!("{}x{}", SIZE.0, SIZE.1);
    Command::new(env!("CARGO_BIN_EXE_upland"))
        .args(["tour", "tour.ron", "-o", "film.mp4", "--size", &size, "--rate", "1", "--quality", "low"])
        .current_dir(folder)
        .env("PATH", programs)
        .output()
        .unwrap()
}

#[test]
fn without_ffmpeg_a_video_is_refused_before_anything_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let output = filmed(folder.path(), &folder.path().join("nothing"));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && told.contains("needs ffmpeg") && told.contains("folder"), "{told}");
    assert!(!folder.path().join("film.mp4").exists());
}

/// Puts a script in the place of ffmpeg; the folder that it lies in.
#[cfg(unix)]
fn fake_ffmpeg(folder: &Path, script: &str) -> std::path::PathBuf {
    use std::os::unix::fs::PermissionsExt;

    let programs = folder.join("programs");
    std::fs::create_dir(&programs).unwrap();
    let ffmpeg = programs.join("ffmpeg");
    std::fs::write(&ffmpeg, script).unwrap();
    std::fs::set_permissions(&ffmpeg, std::fs::Permissions::from_mode(0o755)).unwrap();
    programs
}

#[cfg(unix)]
fn names(folder: &Path) -> Vec<std::ffi::OsString> {
    let inside = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut inside: Vec<_> = inside.collect();
    inside.sort();
    inside
}

#[cfg(unix)]
#[test]
fn an_ffmpeg_that_works_is_handed_every_picture_and_its_video_takes_its_place() {
    let folder = tempfile::tempdir().unwrap();
    // It keeps what it is told, and the pictures as they come.
    let script =
        "#!/bin/sh\nprintf '%s\\n' \"$@\" > arguments\nfor film; do :; done\nexec /bin/cat > \"$film\"\n";
    let programs = fake_ffmpeg(folder.path(), script);
    let output = filmed(folder.path(), &programs);
    let told = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}");
    assert_eq!(names(folder.path()), ["arguments", "film.mp4", "programs", "tour.ron"]);
    let arguments = std::fs::read_to_string(folder.path().join("arguments")).unwrap();
    let arguments: Vec<&str> = arguments.lines().collect();
    for wanted in [["-f", "rawvideo"], ["-pix_fmt", "rgba"], ["-s", "64x40"], ["-r", "1"], ["-f", "mp4"]] {
        assert!(arguments.windows(2).any(|pair| pair == wanted), "{wanted:?} in {arguments:?}");
    }
    assert!(!arguments.last().unwrap().ends_with("film.mp4"), "under another name until it is whole");

    let film = std::fs::read(folder.path().join("film.mp4")).unwrap();
    let picture = (4 * SIZE.0 * SIZE.1) as usize;
    // One at either end, and one a second between.
    assert_eq!(film.len(), 8 * picture);
    let pictures: Vec<RgbaImage> = film
        .chunks(picture)
        .map(|bytes| RgbaImage::from_raw(SIZE.0, SIZE.1, bytes.to_vec()).unwrap())
        .collect();
    assert!(difference(&pictures[0], &pictures[7]) > 2.0, "it has got on");
}

#[cfg(unix)]
#[test]
fn an_ffmpeg_that_dies_half_way_is_quoted_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let script = "#!/bin/sh\nfor film; do :; done\n: > \"$film\"\nread -r line\necho 'the disk is on fire' >&2\nexit 1\n";
    let programs = fake_ffmpeg(folder.path(), script);
    let output = filmed(folder.path(), &programs);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && told.contains("ffmpeg has failed: the disk is on fire"), "{told}");
    assert_eq!(names(folder.path()), ["programs", "tour.ron"]);
}

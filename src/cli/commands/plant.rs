//! `upland plant`: grows a plant, and draws its portrait, its impostor or writes its mesh.

use std::path::{Path, PathBuf};

use glam::Vec3;

use crate::cli::arguments::{PlantArguments, PlantKind};
use crate::cli::outputs::{self, Output};
use crate::cli::progress;
use crate::cli::report::{Failure, Outcome, print};
use crate::error::{Error, Result};
use crate::picture::{self, Pixel};
use crate::plants::{self, Atlas, Detail, Impostor, Kind, Picture, PlantMesh, Season, Sitter};

/// Pixels of a portrait by default.
const SIZE: (u32, u32) = (1200, 700);

/// The most pixels of a portrait: each needs nine samples, which are all held in memory.
const MOST_PIXELS: u64 = 1 << 23;

/// Views along a side of an impostor, and texels along a side of a view.
const VIEWS: usize = 8;
const TEXELS: usize = 64;

pub(in crate::cli) fn run(arguments: &PlantArguments) -> Outcome {
    let path = arguments.output.as_path();
    let PlantKind::One(_) = arguments.kind else { return write_sheet(arguments) };
    if arguments.impostor {
        return write_impostor(arguments);
    }
    if path.extension().is_some_and(|extension| is_picture(&extension.to_string_lossy())) {
        return write_portrait(arguments);
    }
    write_mesh(arguments)
}

fn is_picture(extension: &str) -> bool {
    ["png", "bmp"].iter().any(|name| extension.eq_ignore_ascii_case(name))
}

fn refuse(option: &str, given: bool, reason: &str) -> Result<(), Failure> {
    if given { Err(Failure::Usage(format!("{option}: {reason}"))) } else { Ok(()) }
}

/// Checks that files do not overwrite each other.
fn check(files: &[PathBuf]) -> Outcome {
    let what = ["--output", "its texture", "its material"];
    let outputs: Vec<Output> =
        what.into_iter().zip(files).map(|(what, file)| Output::new(what, file)).collect();
    outputs::check(&outputs, &[])
}

fn write_mesh(arguments: &PlantArguments) -> Outcome {
    let path = arguments.output.as_path();
    if plants::files(path).is_err()
        && !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("obj"))
    {
        let reason = "a plant is written as a picture, .png or .bmp, or as a mesh, .glb or .obj; give one of these \
                      extensions";
        return Err(Error::file(path, reason).into());
    }
    refuse("--seasons", arguments.seasons, "a mesh has one season; leave it out, or write .png")?;
    refuse("--levels", arguments.levels, "a mesh has one level; leave it out, or write .png")?;
    refuse("--count", arguments.count.is_some(), "a mesh is one plant; leave it out, or write .png")?;
    refuse("--size", arguments.size.is_some(), "is for pictures; leave it out, or write .png")?;
    check(&plants::files(path)?)?;
    write("", || {
        progress::with_bar(|work| {
            work.stage("grow", 2);
            let mesh = grown(arguments, arguments.seed, arguments.season, detail(arguments));
            work.advance(1);
            work.check()?;
            plants::write(path, &mesh, &Atlas::new())?;
            Ok(vec![mesh])
        })
    })
}

/// Runs a task that grows plants and writes their files, and reports both; `content` describes the files.
fn write(content: &str, grow: impl FnOnce() -> Result<Vec<PlantMesh>>) -> Outcome {
    let ((), written) = outputs::together(|| Ok(print(&summary(&grow()?))?))?;
    written.report(content);
    Ok(())
}

fn write_portrait(arguments: &PlantArguments) -> Outcome {
    let path = arguments.output.as_path();
    picture::check(path)?;
    let (width, height) = picture_size(arguments)?;
    check(&[path.to_owned()])?;
    write(&pixels(width, height), || {
        progress::with_bar(|work| {
            work.stage("draw", 3);
            let meshes = sitters(arguments);
            work.advance(1);
            let atlas = Atlas::new();
            work.advance(1);
            work.check()?;
            let drawn = plants::portrait(&side_by_side(&meshes), &atlas, [width, height]);
            write_picture(path, &drawn)?;
            Ok(meshes)
        })
    })
}

fn pixels(width: usize, height: usize) -> String {
    format!("{width} × {height} pixels")
}

/// Portraits of one of each kind in rows of four.
fn write_sheet(arguments: &PlantArguments) -> Outcome {
    const COLUMNS: usize = 4;
    let path = arguments.output.as_path();
    picture::check(path)?;
    refuse("--seasons", arguments.seasons, "is for one kind; leave it out")?;
    refuse("--levels", arguments.levels, "is for one kind; leave it out")?;
    refuse("--count", arguments.count.is_some(), "is for one kind; leave it out")?;
    refuse("--impostor", arguments.impostor, "is for one kind; leave it out")?;
    let (width, height) = picture_size(arguments)?;
    check(&[path.to_owned()])?;
    let size = [width / COLUMNS, height / Kind::ALL.len().div_ceil(COLUMNS)];
    if size.contains(&0) {
        return Err(Failure::Usage(format!(
            "--size: {width}x{height} is too small for all kinds; give 64x64 or more"
        )));
    }
    write(&pixels(width, height), || {
        progress::with_bar(|work| {
            work.stage("draw", Kind::ALL.len());
            let atlas = Atlas::new();
            let mut sheet = Picture { width, height, texels: vec![[255; 4]; width * height] };
            let mut meshes = Vec::new();
            for (index, kind) in Kind::ALL.into_iter().enumerate() {
                work.check()?;
                let mesh = kind.grow(arguments.seed, arguments.season).mesh(detail(arguments));
                let drawn = plants::portrait(&side_by_side(std::slice::from_ref(&mesh)), &atlas, size);
                let [left, top] = [index % COLUMNS * size[0], index / COLUMNS * size[1]];
                for (row, texels) in drawn.texels.chunks(size[0]).enumerate() {
                    let first = (top + row) * width + left;
                    sheet.texels[first..first + size[0]].copy_from_slice(texels);
                }
                meshes.push(mesh);
                work.advance(1);
            }
            write_picture(path, &sheet)?;
            Ok(meshes)
        })
    })
}

/// The size of the requested picture.
fn picture_size(arguments: &PlantArguments) -> Result<(usize, usize), Failure> {
    let (width, height) = arguments.size.unwrap_or(SIZE);
    if u64::from(width) * u64::from(height) > MOST_PIXELS {
        let reason = format!("--size: a portrait has at most {MOST_PIXELS} pixels, not {width}x{height}");
        return Err(Failure::Usage(reason));
    }
    Ok((width as usize, height as usize))
}

fn write_impostor(arguments: &PlantArguments) -> Outcome {
    let path = arguments.output.as_path();
    picture::check(path)?;
    refuse("--seasons", arguments.seasons, "an impostor has one season; leave it out")?;
    refuse("--levels", arguments.levels, "an impostor has one level; leave it out")?;
    refuse("--count", arguments.count.is_some(), "an impostor is of one plant; leave it out")?;
    refuse("--size", arguments.size.is_some(), "an impostor has 512x512 texels; leave it out")?;
    let files = [path.to_owned(), picture::with_suffix(path, "-normal")];
    check(&files)?;
    write(&pixels(VIEWS * TEXELS, VIEWS * TEXELS), || {
        progress::with_bar(|work| {
            work.stage("draw", 2);
            let mesh = grown(arguments, arguments.seed, arguments.season, detail(arguments));
            let impostor = Impostor::draw(&mesh, &Atlas::new(), VIEWS, TEXELS)?;
            work.advance(1);
            work.check()?;
            write_picture(&files[0], &impostor.albedo)?;
            write_picture(&files[1], &impostor.normal)?;
            Ok(vec![mesh])
        })
    })
}

fn write_picture(path: &Path, drawn: &Picture) -> Result<()> {
    picture::write(path, (drawn.width, drawn.height), Pixel::Rgba, drawn.texels.as_flattened())
}

fn detail(arguments: &PlantArguments) -> Detail {
    Detail::ALL[usize::from(arguments.level).min(2)]
}

fn grown(arguments: &PlantArguments, seed: u64, season: Season, detail: Detail) -> PlantMesh {
    match arguments.kind {
        PlantKind::One(kind) => kind.grow(seed, season).mesh(detail),
        PlantKind::All => PlantMesh::default(),
    }
}

/// The plants of a portrait, from left to right: seasons, levels, or consecutive seeds.
fn sitters(arguments: &PlantArguments) -> Vec<PlantMesh> {
    let (seed, season, level) = (arguments.seed, arguments.season, detail(arguments));
    if arguments.seasons {
        return Season::ALL.map(|season| grown(arguments, seed, season, level)).into();
    }
    if arguments.levels {
        return Detail::ALL.map(|level| grown(arguments, seed, season, level)).into();
    }
    let count = arguments.count.unwrap_or(3);
    (0..u64::from(count)).map(|next| grown(arguments, seed.wrapping_add(next), season, level)).collect()
}

/// Places plants in a row, a twelfth of their width apart.
fn side_by_side(meshes: &[PlantMesh]) -> Vec<Sitter<'_>> {
    let mut x = 0.0;
    let place = |mesh| {
        let (low, high) = PlantMesh::bounds(mesh);
        let sitter = Sitter { mesh, place: Vec3::X * (x - low.x) };
        x += 1.08 * (high.x - low.x);
        sitter
    };
    meshes.iter().map(place).collect()
}

fn summary(meshes: &[PlantMesh]) -> String {
    let each = |of: &dyn Fn(&PlantMesh) -> String| meshes.iter().map(of).collect::<Vec<_>>().join(", ");
    format!(
        "triangles   {}\nvertices    {}\nheight      {} m\n",
        each(&|mesh| mesh.triangles.len().to_string()),
        each(&|mesh| mesh.vertices.len().to_string()),
        each(&|mesh| format!("{:.2}", mesh.bounds().1.y)),
    )
}

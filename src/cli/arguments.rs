//! The arguments of the command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use super::plant;
use super::plot::What;
use crate::analysis::plots::PlotFormat;
use crate::analysis::viewshed::REFRACTION;
use crate::elevation::formats::{HeightChannel, UpChannel};
use crate::grid::Window;
use crate::mesh::Method;
#[cfg(feature = "viewer")]
use crate::planet::RADII;
use crate::plants::Season;
#[cfg(feature = "viewer")]
use crate::plugin::Quality;
#[cfg(feature = "viewer")]
use crate::recipe::check_place;
use crate::recipe::{SIDES, Seasons};
use crate::sky::sun::SolarTime;
use crate::stream::LandTile;
use crate::texture::Light;

/// Terrain you can fly over, compare and put into a game.
#[derive(Parser)]
#[command(name = "upland", version, about, args_conflicts_with_subcommands = true, after_help = AFTER_HELP)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[cfg(feature = "viewer")]
    #[command(flatten)]
    view: ViewArguments,
}

const AFTER_HELP: &str = "\
A RECIPE is a .ron file, the name of a preset (`upland presets`) or an elevation file. Elevation files: \
 .png .bmp .tif .tiff .exr .asc .r16 .raw";

impl Arguments {
    /// The command; `None` if none was given.
    pub(super) fn command(self) -> Option<Command> {
        #[cfg(feature = "viewer")]
        return Some(self.command.unwrap_or(Command::View(self.view)));
        #[cfg(not(feature = "viewer"))]
        self.command
    }
}

#[derive(Subcommand)]
pub(super) enum Command {
    /// Fly over a landscape, or over several side by side
    #[cfg(feature = "viewer")]
    View(ViewArguments),
    /// Draw a landscape into a picture
    #[cfg(feature = "viewer")]
    Render(RenderArguments),
    /// Draw landscapes side by side into a picture, each with its name and how long it took
    #[cfg(feature = "viewer")]
    Compare(CompareArguments),
    /// Film a tour of a recipe's bookmarks, or a recorded flight, as numbered pictures or as a video
    #[cfg(feature = "viewer")]
    Tour(TourArguments),
    /// Build the heights of a recipe and write them to an elevation file
    Generate(GenerateArguments),
    /// Bake the texture of a recipe's land into a picture, seen from above
    Bake(BakeArguments),
    /// Blend bitmaps by height, the lowest first, into a picture of a height map's land
    Blend(BlendArguments),
    /// Convert an elevation file to another format, without resampling
    Convert(ConvertArguments),
    /// Write a recipe's land as triangles: .glb .obj .stl .ply
    Mesh(MeshArguments),
    /// Place the plants, rocks and objects of a recipe's rules and write them: .csv .json .gltf .glb, or a map .png
    Scatter(ScatterArguments),
    /// Find what a metre of the ground costs an agent, where it may not go, and the way that costs least
    Costs(CostsArguments),
    /// Grow a plant, a rock or grass from a seed: a portrait, a mesh (.glb .obj) or an impostor
    Plant(PlantArguments),
    /// Show statistics of an elevation file or of a recipe's land
    Info(InfoArguments),
    /// Draw which ground can be seen from towers into a PNG, and say how much of the land it is
    Viewshed(ViewshedArguments),
    /// Plot heights, slopes, spectrum and more of a land into an SVG or a CSV, and print their numbers
    Plot(PlotArguments),
    /// Fly fixed paths over fixed landscapes and measure what it takes
    Bench(BenchArguments),
    /// List the steps that recipes are made of, with their parameters
    Steps(StepsArguments),
    /// List the built-in recipes, or print one
    Presets {
        /// The preset to print
        name: Option<String>,
    },
    /// List the lessons, open the land of one, or print one
    Lesson(LessonArguments),
    /// List what naive versions of the algorithms get wrong, or show one mistake beside what is right
    Mistakes(MistakesArguments),
}

#[derive(Args)]
pub(super) struct PlantArguments {
    /// What to grow: spruce, beech, birch, palm, hazel, juniper, grass, flowers, boulder, stone or dead-wood;
    /// or all, one portrait of each
    #[arg(value_name = "KIND", value_parser = plant::chosen)]
    pub(super) kind: plant::Chosen,
    /// The file to write: a portrait or an impostor, .png or .bmp, or a mesh, .glb or .obj
    #[arg(short, long, value_name = "OUT.png|OUT.glb")]
    pub(super) output: PathBuf,
    /// Other seeds are other plants of the kind
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    pub(super) seed: u64,
    /// Season: spring, summer, autumn or winter
    #[arg(long, value_name = "NAME", default_value = "summer", value_parser = plant::season)]
    pub(super) season: Season,
    /// Level of detail: 0 has at most 6000 triangles, 1 at most 1500, 2 at most 300
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=2))]
    #[arg(allow_negative_numbers = true)]
    pub(super) level: u8,
    /// Plants in the portrait, each with the next seed; 3 by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=12))]
    #[arg(allow_negative_numbers = true, conflicts_with_all = ["seasons", "levels"])]
    pub(super) count: Option<u8>,
    /// The portrait shows one plant in all seasons
    #[arg(long, conflicts_with_all = ["season", "levels"])]
    pub(super) seasons: bool,
    /// The portrait shows one plant at all levels of detail
    #[arg(long, conflicts_with = "level")]
    pub(super) levels: bool,
    /// Draw an impostor: 8×8 views from the upper half-space of 64² texels each; normals go to OUT-normal.png
    #[arg(long)]
    pub(super) impostor: bool,
    /// Size of the portrait in pixels; 1200x700 by default
    #[arg(long, value_name = "WxH", value_parser = picture_size)]
    pub(super) size: Option<(u32, u32)>,
}

#[derive(Args)]
pub(super) struct LessonArguments {
    /// A lesson's name, or the .ron file of one; all are listed if omitted
    #[arg(value_name = "NAME|FILE")]
    pub(super) name: Option<String>,
    /// Print the lesson, the answers to its questions left out
    #[arg(long, requires = "name")]
    pub(super) print: bool,
    /// Print the lesson with the answers
    #[arg(long, requires = "name")]
    pub(super) answers: bool,
}

#[derive(Args)]
pub(super) struct MistakesArguments {
    /// The mistake to show; all are listed if omitted
    #[arg(value_name = "NAME")]
    pub(super) name: Option<String>,
    /// Write both recipes, wrong.ron and right.ron, into this folder
    #[arg(long, value_name = "FOLDER", requires = "name")]
    pub(super) recipes: Option<PathBuf>,
    /// The picture to write, .png or .bmp: wrong beside right
    #[cfg(feature = "viewer")]
    #[arg(short, long, value_name = "OUT.png", requires = "name")]
    pub(super) output: Option<PathBuf>,
    /// Size of the picture in pixels
    #[cfg(feature = "viewer")]
    #[arg(long, value_name = "WxH", default_value = "1600x900", value_parser = picture_size, requires = "output")]
    pub(super) size: (u32, u32),
    /// How much is drawn: low, medium, high or ultra
    #[cfg(feature = "viewer")]
    #[arg(long, value_name = "LEVEL", default_value_t = Quality::High, requires = "output")]
    pub(super) quality: Quality,
}

#[derive(Args)]
pub(super) struct BenchArguments {
    /// A recipe, preset or elevation file of any size to fly over, in place of the fixed landscapes
    #[arg(value_name = "LAND")]
    pub(super) land: Option<String>,
    /// Measure the terrain's own systems alone, without a graphics device
    #[arg(long)]
    pub(super) no_draw: bool,
    /// Also write the measurements as JSON into this file
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
    /// Fly only paths that have this in their names, such as `endless` or `near`; may be given several times
    #[arg(long, value_name = "WORD")]
    pub(super) only: Vec<String>,
    /// Seconds that each path is flown
    #[arg(long, value_name = "S", default_value_t = 5.0, value_parser = seconds)]
    pub(super) seconds: f64,
    /// The most frames of each path; by default as many as there are in that time, on a software device 10
    #[cfg(feature = "viewer")]
    #[arg(long, value_name = "N", conflicts_with = "no_draw")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) frames: Option<u32>,
    /// Size of the picture in pixels; by default 1920x1080, on a software device 640x360
    #[cfg(feature = "viewer")]
    #[arg(long, value_name = "WxH", conflicts_with = "no_draw", value_parser = picture_size)]
    pub(super) size: Option<(u32, u32)>,
    /// How much is drawn: low, medium, high or ultra; by default a guess for the device
    #[cfg(feature = "viewer")]
    #[arg(long, value_name = "LEVEL", conflicts_with = "no_draw")]
    pub(super) quality: Option<Quality>,
}

/// Parses the duration of a flight.
fn seconds(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("`{text}` is not a number of seconds"))?;
    if !(0.1..=86_400.0).contains(&seconds) {
        return Err(format!("{text} is outside 0.1 to 86400 seconds"));
    }
    Ok(seconds)
}

#[derive(Args)]
pub(super) struct StepsArguments {
    /// The steps to show; all of them by default
    #[arg(value_name = "STEP")]
    pub(super) names: Vec<String>,
    /// Print JSON for programs
    #[arg(long)]
    pub(super) json: bool,
}

#[cfg(feature = "viewer")]
#[derive(Args)]
pub(super) struct ViewArguments {
    /// Recipes or elevation files; several are shown side by side with linked cameras
    #[arg(value_name = "FILE")]
    pub(super) files: Vec<String>,
    /// Samples: N along the longer side, or WxD
    #[arg(long, value_name = "N|WxD", allow_negative_numbers = true)]
    pub(super) size: Option<FieldSize>,
    /// How much is drawn: low, medium, high or ultra; by default what was chosen last, and at the first
    /// start what the device can draw
    #[arg(long, value_name = "LEVEL")]
    pub(super) quality: Option<Quality>,
    /// Take pictures of all panels and modes into this folder, and end
    #[arg(long, value_name = "FOLDER", hide = true)]
    pub(super) stills: Option<PathBuf>,
    #[command(flatten)]
    pub(super) changes: Changes,
}

#[cfg(feature = "viewer")]
#[derive(Args)]
pub(super) struct RenderArguments {
    /// Recipe or elevation file; the default landscape if omitted
    #[arg(value_name = "RECIPE|FIELD")]
    pub(super) recipe: Option<String>,
    /// The picture to write, .png or .bmp
    #[arg(short, long, value_name = "SHOT.png")]
    pub(super) output: PathBuf,
    /// Size of the picture in pixels
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = picture_size)]
    pub(super) size: (u32, u32),
    /// Lay the land around a planet of this radius, in metres: 10000 to 20000000; the land must be endless, without
    /// steps such as erosion that need to know all of it
    #[arg(long, value_name = "RADIUS", value_parser = planet_to_draw, allow_negative_numbers = true)]
    pub(super) planet: Option<f64>,
    /// Position of the camera, in metres: X east, Y up and Z south of the centre of the land. Of a planet: degrees
    /// north and east, and metres above the ground; in orbit by default
    #[arg(long, value_name = "x,y,z", value_parser = point, allow_hyphen_values = true)]
    pub(super) from: Option<[f32; 3]>,
    /// The point in the centre of the picture, in the same coordinates
    #[arg(long, value_name = "x,y,z", value_parser = point, allow_hyphen_values = true)]
    pub(super) look: Option<[f32; 3]>,
    /// Look from one of the recipe's bookmarks, by its name
    #[arg(long, value_name = "BOOKMARK", conflicts_with_all = ["planet", "from", "look"])]
    pub(super) at: Option<String>,
    /// Samples of the field: N along the longer side, or WxD
    #[arg(long, value_name = "N|WxD", allow_negative_numbers = true)]
    pub(super) field_size: Option<FieldSize>,
    /// How much is drawn: low, medium, high or ultra. The picture has all its pixels at any quality
    #[arg(long, value_name = "LEVEL", default_value_t = Quality::High)]
    pub(super) quality: Quality,
    /// Show something else than the landscape: wireframe, levels, chunks, residency, slope, aspect, contours,
    /// normals, types, viewshed, overdraw, or a layer of the land by its name, such as flow or water_depth
    #[arg(long, value_name = "NAME", conflicts_with = "planet")]
    pub(super) view: Option<String>,
    /// Draw the land in four ways, as wireframes with what each costs and how true it is: CDLOD, ROAM, a TIN, and all
    /// samples
    #[arg(long, conflicts_with_all = ["planet", "view"])]
    pub(super) compare_levels: bool,
    /// How far CDLOD and ROAM may look from the land in --compare-levels, in pixels; by default as the quality has it
    #[arg(long, value_name = "PIXELS", requires = "compare_levels", allow_negative_numbers = true)]
    pub(super) pixel_error: Option<f32>,
    /// How far a sample may be from the TIN in --compare-levels, in metres; by default a 400th of the land's range of
    /// heights
    #[arg(long, value_name = "METRES", requires = "compare_levels", allow_negative_numbers = true)]
    pub(super) tin_error: Option<f32>,
    /// The values at both ends of a layer's colour scale; by default as suits most of them
    #[arg(long, value_name = "LOW,HIGH", value_parser = ends, allow_hyphen_values = true, requires = "view")]
    pub(super) scale: Option<(f32, f32)>,
    /// A tower of --view viewshed: metres east (x) and south (z) of the middle of the land, and its height above
    /// the ground; may be given several times
    #[arg(long, value_name = "x,z,height", value_parser = tower, allow_hyphen_values = true, requires = "view")]
    pub(super) tower: Vec<[f32; 3]>,
    #[command(flatten)]
    pub(super) sight: SightArguments,
    /// Leave out the legend of --view
    #[arg(long, requires = "view")]
    pub(super) no_legend: bool,
    #[command(flatten)]
    pub(super) changes: Changes,
}

#[cfg(feature = "viewer")]
#[derive(Args)]
pub(super) struct TourArguments {
    /// The recipe, with two bookmarks or more, or with a flight
    #[arg(value_name = "RECIPE")]
    pub(super) recipe: String,
    /// A new folder for numbered pictures, or a video: .mp4, .mkv, .webm or .mov, which needs ffmpeg
    #[arg(short, long, value_name = "FOLDER|VIDEO")]
    pub(super) output: PathBuf,
    /// Film one of the recipe's flights, by its name; by default a tour of its bookmarks
    #[arg(long, value_name = "NAME")]
    pub(super) flight: Option<String>,
    /// Size of the pictures in pixels
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = picture_size)]
    pub(super) size: (u32, u32),
    /// Pictures a second; a tour takes seven seconds from each bookmark to the next
    #[arg(long, value_name = "N", default_value_t = 30.0, allow_negative_numbers = true)]
    pub(super) rate: f32,
    /// Samples of the field: N along the longer side, or WxD
    #[arg(long, value_name = "N|WxD", allow_negative_numbers = true)]
    pub(super) field_size: Option<FieldSize>,
    /// How much is drawn: low, medium, high or ultra
    #[arg(long, value_name = "LEVEL", default_value_t = Quality::High)]
    pub(super) quality: Quality,
    #[command(flatten)]
    pub(super) changes: Changes,
}

#[cfg(feature = "viewer")]
#[derive(Args)]
pub(super) struct CompareArguments {
    /// Recipes or elevation files; one is enough with --vary, and none with --generators
    #[arg(value_name = "RECIPE|FIELD")]
    pub(super) recipes: Vec<String>,
    /// The picture to write, .png or .bmp
    #[arg(short, long, value_name = "OUT.png")]
    pub(super) output: PathBuf,
    /// Compare one recipe with itself, a value of it changed: NAME=LOW..HIGH, such as steps.0.hurst=0.2..1, or
    /// NAME=A,B,C, such as texture=temperate,arid; NAME as in --set
    #[arg(long, value_name = "NAME=VALUES", value_parser = assignment, conflicts_with = "generators")]
    pub(super) vary: Option<(String, String)>,
    /// How many values --vary takes from LOW to HIGH
    #[arg(long, value_name = "N", requires = "vary", default_value_t = 9)]
    #[arg(value_parser = clap::value_parser!(u8).range(2..=64))]
    pub(super) values: u8,
    /// Compare all generators, in place of a recipe's steps
    #[arg(long)]
    pub(super) generators: bool,
    /// Add a map of the second land's heights above the first's, with statistics
    #[arg(long)]
    pub(super) difference: bool,
    /// Size of the whole picture in pixels
    #[arg(long, value_name = "WxH", default_value = "1600x900", value_parser = picture_size)]
    pub(super) size: (u32, u32),
    /// Position of the camera for all landscapes, in metres: X east, Y up and Z south of the centre of the land; by
    /// default that of the first recipe, for lands as long and wide as it
    #[arg(long, value_name = "x,y,z", value_parser = point, allow_hyphen_values = true)]
    pub(super) from: Option<[f32; 3]>,
    /// The point in the centre of each landscape's picture, in the same coordinates
    #[arg(long, value_name = "x,y,z", value_parser = point, allow_hyphen_values = true)]
    pub(super) look: Option<[f32; 3]>,
    /// See each recipe from where it says itself
    #[arg(long)]
    pub(super) own_views: bool,
    /// Samples of the fields: N along the longer side, or WxD
    #[arg(long, value_name = "N|WxD", allow_negative_numbers = true)]
    pub(super) field_size: Option<FieldSize>,
    /// How much is drawn: low, medium, high or ultra
    #[arg(long, value_name = "LEVEL", default_value_t = Quality::High)]
    pub(super) quality: Quality,
    #[command(flatten)]
    pub(super) changes: Changes,
}

#[derive(Args)]
pub(super) struct GenerateArguments {
    /// Recipe
    pub(super) recipe: String,
    /// The elevation file to write; its extension chooses the format
    #[arg(short, long, value_name = "FIELD")]
    pub(super) output: PathBuf,
    /// Write a layer of the finished land instead of its heights: `flow` in km², `wear` and `deposit` in m
    /// after an erosion, `water_depth` in m, `hardness`, or any that the recipe paints; a 16-bit format
    /// maps it from its lowest to its highest value
    #[arg(long, value_name = "NAME")]
    pub(super) layer: Option<String>,
    /// Write a vector displacement map instead, .exr, which moves level ground at 0 m to land that overhangs: red
    /// is east and green up, blue south, in metres; with `blue`, blue is up and green north
    #[arg(long, value_name = "UP", num_args = 0..=1, require_equals = true, conflicts_with = "layer")]
    #[arg(default_missing_value = "green", value_parser = up_channel)]
    pub(super) vectors: Option<UpChannel>,
    /// Samples: N along the longer side, or WxD
    #[arg(long, value_name = "N|WxD", allow_negative_numbers = true)]
    pub(super) size: Option<FieldSize>,
    /// Build only these samples: LEVEL:X,Z,WxD, such as -1:600,0,257x257. Level 0 has the recipe's own
    /// spacing, -1 is twice as fine, 1 twice as coarse; X and Z are the first sample at that level, east
    /// and south
    #[arg(long, value_name = "LEVEL:X,Z,WxD", allow_hyphen_values = true)]
    pub(super) window: Option<Window>,
    #[command(flatten)]
    pub(super) frames: FramesArguments,
    #[command(flatten)]
    pub(super) changes: Changes,
}

#[derive(Args)]
pub(super) struct FramesArguments {
    /// Write the intermediate results of steps (octaves, levels, faults, passes) as numbered files of
    /// FIELD's format into this folder, which must be new or empty
    #[arg(long = "frames", value_name = "FOLDER")]
    pub(super) folder: Option<PathBuf>,
    /// Only those of one step, given by its index in the recipe, from 0, or by its name
    #[arg(long = "frames-of", value_name = "STEP", requires = "folder")]
    pub(super) of: Option<String>,
}

#[derive(Args)]
pub(super) struct BakeArguments {
    /// Recipe
    pub(super) recipe: String,
    /// The picture to write, .png or .bmp
    #[arg(short, long, value_name = "COLOUR.png")]
    pub(super) output: PathBuf,
    /// Samples of the field: N along the longer side, or WxD
    #[arg(long, value_name = "N|WxD", allow_negative_numbers = true)]
    pub(super) size: Option<FieldSize>,
    /// Bake only the ground between these samples: LEVEL:X,Z,WxD, such as -1:600,0,257x257; level 0 has the
    /// recipe's own spacing, -1 is twice as fine. Two texels per cell unless --texels is given
    #[arg(long, value_name = "LEVEL:X,Z,WxD", allow_hyphen_values = true)]
    #[arg(conflicts_with_all = ["patches", "patch_texels"])]
    pub(super) window: Option<Window>,
    /// Texels of the whole picture along its longer side
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub(super) texels: Option<u32>,
    /// Cut every picture into P×P patches, or C×R; -c0-r0 and so on is appended to their names
    #[arg(long, value_name = "P|CxR", value_parser = patches)]
    pub(super) patches: Option<(usize, usize)>,
    /// Texels of each patch along its longer side
    #[arg(long, value_name = "N", requires = "patches", conflicts_with = "texels")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=16384))]
    pub(super) patch_texels: Option<u32>,
    /// Write splat maps: the weights of four terrain types each in red, green, blue and alpha; -0, -1 and
    /// so on is appended to the name
    #[arg(long, value_name = "WEIGHTS.png")]
    pub(super) weights: Option<PathBuf>,
    /// Write the terrain type of the largest weight as grey level 0, 1, 2 and so on
    #[arg(long, value_name = "IDS.png")]
    pub(super) ids: Option<PathBuf>,
    /// Write a normal map: red to the east, green to the north, blue upwards
    #[arg(long, value_name = "NORMALS.png")]
    pub(super) normals: Option<PathBuf>,
    /// Green points south in the normal map, as in DirectX
    #[arg(long, requires = "normals")]
    pub(super) green_down: bool,
    /// Write the wetness of the ground, in grey
    #[arg(long, value_name = "WETNESS.png")]
    pub(super) wetness: Option<PathBuf>,
    /// Write the ambient occlusion of the ground, in grey: how much of the sky is seen, white where all of it is
    #[arg(long, value_name = "AO.png")]
    pub(super) occlusion: Option<PathBuf>,
    /// Write the depth of the sea and the rivers, in grey: black is dry, white the deepest water of the land
    #[arg(long, value_name = "WATER.png")]
    pub(super) water_depth: Option<PathBuf>,
    /// The depth in metres that is white in --water-depth
    #[arg(long, value_name = "METRES", requires = "water_depth", value_parser = deepest)]
    #[arg(allow_negative_numbers = true)]
    pub(super) deepest: Option<f32>,
    /// Mirror the pictures of patches with an odd column from east to west, and of those with an odd row from
    /// north to south, for programs that lay them by mirrored repetition
    #[arg(long, requires = "patches")]
    pub(super) mirror_odd: bool,
    /// Bake sunlight and its shadows into the colours, with the sun at this compass bearing and elevation
    /// in degrees
    #[arg(long, value_name = "BEARING,ELEVATION", value_parser = light, allow_hyphen_values = true)]
    pub(super) light: Option<Light>,
    /// The same with the sun where it stands at this latitude (north above 0), on this day of the year (81 is
    /// the equinox in March) and at this hour by the sun
    #[arg(long, value_name = "LATITUDE,DAY,HOUR", value_parser = light_at, allow_hyphen_values = true)]
    #[arg(conflicts_with = "light")]
    pub(super) light_at: Option<Light>,
    /// The temperate set in a season: 0 spring, 0.25 summer, 0.5 autumn, 0.75 winter, 1 spring
    #[arg(long, value_name = "S", value_parser = season, allow_hyphen_values = true)]
    pub(super) season: Option<f32>,
    #[command(flatten)]
    pub(super) changes: Changes,
}

#[derive(Args)]
pub(super) struct BlendArguments {
    /// Elevation file
    #[arg(value_name = "HEIGHT")]
    pub(super) height: PathBuf,
    /// Two or more bitmaps, PNG or BMP, or names of built-in tiles, the one for the lowest land first
    #[arg(value_name = "TEXTURE")]
    pub(super) textures: Vec<String>,
    /// The picture to write, .png or .bmp
    #[arg(short, long, value_name = "OUT.png")]
    pub(super) output: PathBuf,
    /// The height in metres at which each bitmap is unmixed, lowest first; evenly spaced by default
    #[arg(long, value_name = "H,H,…", value_delimiter = ',', value_parser = metres)]
    #[arg(allow_hyphen_values = true)]
    pub(super) bands: Vec<f32>,
    /// Spread the bands from this height upwards, that of the sea, in metres
    #[arg(long, value_name = "METRES", conflicts_with = "bands", value_parser = metres)]
    #[arg(allow_hyphen_values = true)]
    pub(super) sea: Option<f32>,
    /// Metres along the longer side of a bitmap, one for all or one for each; by default one texel of a
    /// bitmap is one texel of the picture
    #[arg(long, value_name = "METRES,…", value_delimiter = ',', value_parser = metres)]
    pub(super) tile: Vec<f32>,
    /// Mirror every other repeat, so that bitmaps that don't tile have no seams
    #[arg(long)]
    pub(super) mirror: bool,
    /// Texels of the picture along its longer side; by default one for each sample of the land
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=16384))]
    pub(super) texels: Option<u32>,
    #[command(flatten)]
    pub(super) reading: ReadingArguments,
}

#[derive(Args)]
pub(super) struct ConvertArguments {
    /// The elevation file to read
    #[arg(value_name = "FIELD")]
    pub(super) input: PathBuf,
    /// The elevation file to write
    #[arg(value_name = "FIELD")]
    pub(super) output: PathBuf,
    #[command(flatten)]
    pub(super) reading: ReadingArguments,
    /// The heights in metres that become 0 and 65535 in the 16-bit file that is written
    #[arg(long, value_name = "LOW,HIGH", value_parser = range, allow_hyphen_values = true)]
    pub(super) to_range: Option<(f32, f32)>,
    /// For maps of terrain types: every cell becomes the commonest type of the N×N around it, N odd. A palette
    /// image keeps its palette in a PNG; in other formats the numbers of its colours are the values
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=255))]
    #[arg(conflicts_with = "window")]
    pub(super) majority: Option<u32>,
    /// Only these samples: LEVEL:X,Z,WxD, such as 3:600,0,257x257. Level 0 has every sample, 1 every second, 3
    /// every eighth; X and Z are the first sample at that level, east and south. Of a TIFF or .r16 nothing
    /// else is held in memory
    #[arg(long, value_name = "LEVEL:X,Z,WxD", allow_hyphen_values = true)]
    pub(super) window: Option<Window>,
}

#[derive(Args)]
pub(super) struct MeshArguments {
    /// Recipe
    pub(super) recipe: String,
    /// The mesh to write; its extension chooses the format: .glb .obj .stl .ply
    #[arg(short, long, value_name = "LAND.glb")]
    pub(super) output: PathBuf,
    /// No sample of the land lies farther above or below the mesh than this
    #[arg(long, value_name = "METRES", value_parser = mesh_error, allow_negative_numbers = true)]
    pub(super) error: Option<f32>,
    /// At most so many triangles, without those of a skirt, as near to the land as they can be
    #[arg(long, value_name = "N", conflicts_with = "error", value_parser = triangles)]
    #[arg(allow_negative_numbers = true)]
    pub(super) triangles: Option<usize>,
    /// How triangles are laid: tin (the fewest), rtin (right triangles, quicker) or grid
    #[arg(long, value_name = "NAME", default_value_t = Method::Tin)]
    pub(super) method: Method,
    /// All samples as they are, or with --triangles every n-th; the same as --method grid
    #[arg(long, conflicts_with = "method")]
    pub(super) grid: bool,
    /// Close the mesh with walls, and with a floor so many metres below its lowest point; by default a
    /// twentieth of its longer side
    #[arg(long, value_name = "METRES", num_args = 0..=1, require_equals = true, value_parser = skirt)]
    pub(super) skirt: Option<Option<f32>>,
    /// Write N×N tiles, or CxR, each a file of its own with its part of the texture; -c0-r0 and so on is appended
    /// to their names. They meet without cracks. Land that is too large for one mesh is cut by itself
    #[arg(long, value_name = "N|CxR", value_parser = patches, conflicts_with = "triangles")]
    pub(super) tiles: Option<(usize, usize)>,
    /// Bake the ground's colours into a texture with so many texels along its longer side; of a window, a power
    /// of two on each cell
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=16384))]
    pub(super) texture: Option<u32>,
    /// Samples of the field: N along the longer side, or WxD
    #[arg(long, value_name = "N|WxD", allow_negative_numbers = true)]
    pub(super) size: Option<FieldSize>,
    /// Only the ground between these samples: LEVEL:X,Z,WxD, such as -1:600,0,257x257; level 0 has the recipe's
    /// own spacing, -1 is twice as fine
    #[arg(long, value_name = "LEVEL:X,Z,WxD", allow_hyphen_values = true)]
    pub(super) window: Option<Window>,
    #[command(flatten)]
    pub(super) changes: Changes,
}

#[derive(Args)]
pub(super) struct ScatterArguments {
    /// Recipe
    pub(super) recipe: String,
    /// The file to write; its extension chooses the format: .csv .json .gltf .glb with the objects, .png or .bmp with a
    /// map of them
    #[arg(short, long, value_name = "OBJECTS.csv")]
    pub(super) output: PathBuf,
    /// Only the ground between these samples: LEVEL:X,Z,WxD, such as 0:600,0,257x257, as the rules see it at this
    /// level; level 0 has the recipe's own spacing
    #[arg(long, value_name = "LEVEL:X,Z,WxD", allow_hyphen_values = true)]
    pub(super) window: Option<Window>,
    /// Only this tile of the land: COLUMN,ROW, or LEVEL:COLUMN,ROW; tiles have 128 cells of their level along a side
    #[arg(long, value_name = "LEVEL:COLUMN,ROW", value_parser = land_tile, allow_hyphen_values = true)]
    #[arg(conflicts_with = "window")]
    pub(super) tile: Option<LandTile>,
    /// Only objects of this rule, by its name; may be given several times. They stand where they would among all
    #[arg(long, value_name = "RULE")]
    pub(super) only: Vec<String>,
    /// The most objects that are placed
    #[arg(long, value_name = "N", default_value_t = 1_000_000, allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    pub(super) limit: u32,
    /// Pixels along the longer side of a map, 16 to 8192
    #[arg(long, value_name = "N", default_value_t = 1024, allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(16..=8192))]
    pub(super) pixels: u32,
    /// Leave the land bare: a map of the ground alone, a file without objects
    #[arg(long)]
    pub(super) bare: bool,
    /// Samples of the field: N along the longer side, or WxD
    #[arg(long, value_name = "N|WxD", allow_negative_numbers = true)]
    pub(super) size: Option<FieldSize>,
    #[command(flatten)]
    pub(super) changes: Changes,
}

/// Parses the place of a tile.
fn land_tile(text: &str) -> Result<LandTile, String> {
    let read = || {
        let (level, place) = text.split_once(':').unwrap_or(("0", text));
        let (column, row) = place.split_once(',')?;
        let level = level.trim().parse().ok()?;
        Some(LandTile { level, column: column.trim().parse().ok()?, row: row.trim().parse().ok()? })
    };
    let accepted = "is not a tile; give COLUMN,ROW or LEVEL:COLUMN,ROW, such as 3,0 or -1:6,1";
    read().ok_or_else(|| format!("`{text}` {accepted}"))
}

#[derive(Args)]
pub(super) struct CostsArguments {
    /// Recipe or elevation file
    #[arg(value_name = "RECIPE|FIELD")]
    pub(super) recipe: String,
    /// The file to write: a picture, black where it is off-limits and otherwise the brighter the cheaper, or an
    /// elevation file (.tif .exr .asc …) of costs, -1 where it is off-limits
    #[arg(short, long, value_name = "COSTS.png|COSTS.tif")]
    pub(super) output: PathBuf,
    /// Rules from a RON file, in place of the usual ones. Single values are set by --set costs.NAME=VALUE, such as
    /// costs.max_slope=30
    #[arg(long, value_name = "RULES.ron")]
    pub(super) rules: Option<PathBuf>,
    /// A picture over all of the land: where it is brighter than half grey, nobody may go. May be given several times
    #[arg(long, value_name = "MASK.png")]
    pub(super) off_limits: Vec<PathBuf>,
    /// Only these samples: LEVEL:X,Z,WxD, such as -1:600,0,257x257
    #[arg(long, value_name = "LEVEL:X,Z,WxD", allow_hyphen_values = true)]
    pub(super) window: Option<Window>,
    /// Where a way begins: metres east (x) and south (z) of the middle of the land
    #[arg(long, value_name = "x,z", value_parser = place, allow_hyphen_values = true, requires = "to")]
    pub(super) from: Option<[f32; 2]>,
    /// Where it ends
    #[arg(long, value_name = "x,z", value_parser = place, allow_hyphen_values = true, requires = "from")]
    pub(super) to: Option<[f32; 2]>,
    /// A picture of the land in colours of its costs, with the way
    #[arg(long, value_name = "MAP.png")]
    pub(super) map: Option<PathBuf>,
    /// The places of the way as lines x,z,height
    #[arg(long, value_name = "WAY.csv", requires = "from")]
    pub(super) path: Option<PathBuf>,
    /// Pixels along the longer side of the map
    #[arg(long, value_name = "N", default_value_t = 1024, allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(16..=8192))]
    pub(super) pixels: u32,
    /// Samples of the field: N along the longer side, or WxD
    #[arg(long, value_name = "N|WxD", allow_negative_numbers = true)]
    pub(super) size: Option<FieldSize>,
    #[command(flatten)]
    pub(super) changes: Changes,
}

#[derive(Args)]
pub(super) struct InfoArguments {
    /// An elevation file, or a recipe
    #[arg(value_name = "FILE")]
    pub(super) file: String,
    /// Only these samples: LEVEL:X,Z,WxD, such as -1:600,0,257x257. Level 0 has the recipe's or the file's
    /// own spacing, 1 is twice as coarse and -1, of a recipe, twice as fine; X and Z are the first sample at
    /// that level, east and south
    #[arg(long, value_name = "LEVEL:X,Z,WxD", allow_hyphen_values = true)]
    pub(super) window: Option<Window>,
    #[command(flatten)]
    pub(super) reading: ReadingArguments,
}

#[derive(Args)]
pub(super) struct ViewshedArguments {
    /// Recipe or elevation file
    #[arg(value_name = "RECIPE|FIELD")]
    pub(super) recipe: String,
    /// A tower: metres east (x) and south (z) of the middle of the land, and its height above the ground. It
    /// stands on the nearest sample. Give several for what at least one of them sees
    #[arg(long, value_name = "x,z,height", value_parser = tower, allow_hyphen_values = true, required = true)]
    pub(super) from: Vec<[f32; 3]>,
    /// The PNG to write: a pixel for each sample, white where it is seen
    #[arg(short, long, value_name = "SEEN.png")]
    pub(super) output: PathBuf,
    #[command(flatten)]
    pub(super) sight: SightArguments,
    /// Samples of the field: N along the longer side, or WxD
    #[arg(long, value_name = "N|WxD", allow_negative_numbers = true)]
    pub(super) size: Option<FieldSize>,
    #[command(flatten)]
    pub(super) changes: Changes,
}

#[derive(Args)]
pub(super) struct PlotArguments {
    /// Recipe or elevation file
    #[arg(value_name = "RECIPE|FIELD")]
    pub(super) recipe: String,
    /// The plot: heights, hypsometry, slopes, aspects, spectrum, variogram, slope-area or profile; or all, a file for
    /// each
    #[arg(long, value_name = "NAME")]
    pub(super) what: What,
    /// The file to write, .svg or .csv; of all plots the folder for them, which is made if it is not there
    #[arg(short, long, value_name = "PLOT.svg|FOLDER")]
    pub(super) output: PathBuf,
    /// One end of the profile: metres east (x) and south (z) of the middle of the land
    #[arg(long, value_name = "x,z", value_parser = place, allow_hyphen_values = true, requires = "to")]
    pub(super) from: Option<[f32; 2]>,
    /// Its other end
    #[arg(long, value_name = "x,z", value_parser = place, allow_hyphen_values = true, requires = "from")]
    pub(super) to: Option<[f32; 2]>,
    /// Bearings of the rose of aspects, 4 to 360; 16 by default
    #[arg(long, value_name = "N", value_parser = bearings, allow_negative_numbers = true)]
    pub(super) bearings: Option<usize>,
    /// What all plots are written as: svg, the default, or csv
    #[arg(long, value_name = "NAME", value_parser = plot_format)]
    pub(super) format: Option<PlotFormat>,
    /// Samples of the field: N along the longer side, or WxD
    #[arg(long, value_name = "N|WxD", allow_negative_numbers = true)]
    pub(super) size: Option<FieldSize>,
    #[command(flatten)]
    pub(super) changes: Changes,
}

/// What towers look for, and how.
#[derive(Args)]
pub(super) struct SightArguments {
    /// Height above the ground of what is to be seen, in metres
    #[arg(long, value_name = "METRES", default_value_t = 0.0, value_parser = length)]
    #[arg(allow_hyphen_values = true)]
    pub(super) to: f32,
    /// How far a tower sees, in metres; by default to the end of the land
    #[arg(long, value_name = "METRES", value_parser = length, allow_hyphen_values = true)]
    pub(super) radius: Option<f32>,
    /// The land lies on a round planet, the Earth unless a radius in metres is given
    #[arg(long, value_name = "RADIUS", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "6371000", value_parser = planet)]
    pub(super) curvature: Option<f64>,
    /// How much of the planet's curvature the air makes up for by bending light: 0 without air, below 1
    #[arg(long, value_name = "SHARE", requires = "curvature", default_value_t = REFRACTION)]
    #[arg(value_parser = refraction, allow_hyphen_values = true)]
    pub(super) refraction: f64,
    /// Test every sample's line of sight, or carry reference planes outwards, which is faster and wrong about a few
    /// samples; by default exact up to 4 million samples
    #[arg(long, value_name = "METHOD")]
    pub(super) method: Option<ViewshedMethod>,
}

/// How a viewshed is found.
#[derive(Clone, Copy, ValueEnum)]
pub(super) enum ViewshedMethod {
    Exact,
    Fast,
}

/// How to read an elevation file that doesn't say.
#[derive(Args)]
pub(super) struct ReadingArguments {
    /// Samples of a recipe's land, or columns and rows of a .r16 file, which is square by default
    #[arg(long, value_name = "WxD", allow_negative_numbers = true)]
    pub(super) size: Option<FieldSize>,
    /// The channel of a picture that is the height: luma (the default), red, green, blue or alpha
    #[arg(long, value_name = "NAME", value_parser = channel)]
    pub(super) channel: Option<HeightChannel>,
    /// The heights in metres of 0 and 65535 in the 16-bit file that is read
    #[arg(long, value_name = "LOW,HIGH", value_parser = range, allow_hyphen_values = true)]
    pub(super) range: Option<(f32, f32)>,
}

/// Changes to a recipe.
#[derive(Args, Clone, Default)]
pub(super) struct Changes {
    /// Replace the seed
    #[arg(long, value_name = "SEED", value_parser = seed, allow_negative_numbers = true)]
    pub(super) seed: Option<u64>,
    /// Metres between samples
    #[arg(long, value_name = "METRES")]
    pub(super) cell: Option<f32>,
    /// Replace any value of the recipe, such as steps.0.octaves=6, sun.elevation=12 or
    /// texture.types.2.elevation.min=300
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment)]
    pub(super) set: Vec<(String, String)>,
}

/// The number of samples of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum FieldSize {
    /// This many along the longer side.
    Longer(u32),
    /// Columns and rows.
    Both(u32, u32),
}

impl std::str::FromStr for FieldSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(['x', '×']) {
            None => Ok(Self::Longer(side(text)?)),
            Some((width, depth)) => Ok(Self::Both(side(width)?, side(depth)?)),
        }
    }
}

fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("`{text}` is not a seed; give a whole number from 0 to {}", u64::MAX))
}

fn side(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(count) if SIDES.contains(&count) => Ok(count),
        _ => {
            let (low, high) = (SIDES.start(), SIDES.end());
            Err(format!("`{text}` is not a number of samples from {low} to {high}; give N or WxD"))
        }
    }
}

fn picture_size(text: &str) -> Result<(u32, u32), String> {
    let side = |text: &str| text.parse().ok().filter(|side| (1..=8192).contains(side));
    let size = text.split_once(['x', '×']).and_then(|(width, height)| Some((side(width)?, side(height)?)));
    size.ok_or_else(|| "give width and height in pixels, each from 1 to 8192, such as 1280x720".into())
}

#[cfg(feature = "viewer")]
fn point(text: &str) -> Result<[f32; 3], String> {
    let place = numbers(text).ok_or("give three numbers of metres, such as 0,1500,-4000")?;
    check_place(place).map(|()| place)
}

fn patches(text: &str) -> Result<(usize, usize), String> {
    let side = |text: &str| text.parse().ok().filter(|side| (1..=1024).contains(side));
    let both = match text.split_once(['x', '×']) {
        None => side(text).map(|side| (side, side)),
        Some((columns, rows)) => side(columns).zip(side(rows)),
    };
    both.ok_or_else(|| "give patches along each side, from 1 to 1024, such as 4 or 4x2".into())
}

fn light(text: &str) -> Result<Light, String> {
    let accepted =
        || "give a bearing from -360 to 360 and a height from 0 to 90 degrees, such as 300,35".into();
    let [bearing, elevation] = numbers(text).ok_or_else(accepted)?;
    let light = Light { bearing, elevation, ..Light::default() };
    if (-360.0..=360.0).contains(&bearing) && (0.0..=90.0).contains(&elevation) {
        Ok(light)
    } else {
        Err(accepted())
    }
}

fn light_at(text: &str) -> Result<Light, String> {
    let accepted = || {
        "give a latitude from -90 to 90 degrees, a day of the year from 1 to 366 and an hour from 0 to 24, such as \
         47.5,172,9.5"
            .into()
    };
    let [latitude, day, hour] = numbers(text).ok_or_else(accepted)?;
    let is_there = (-90.0..=90.0).contains(&latitude)
        && (1.0..=366.0).contains(&day)
        && day.fract() == 0.0
        && (0.0..=24.0).contains(&hour);
    let time = SolarTime { latitude, day: day as u32, hour };
    if is_there { Ok(Light { time: Some(time), ..Light::default() }) } else { Err(accepted()) }
}

fn deepest(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(metres) if metres > 0.0 && metres.is_finite() => Ok(metres),
        _ => Err("give a depth in metres above 0".into()),
    }
}

fn season(text: &str) -> Result<f32, String> {
    let season = text.parse().map_err(|_| "give a number from 0 to 1".to_owned())?;
    Seasons::new(season).map(|seasons| seasons.season)
}

fn range(text: &str) -> Result<(f32, f32), String> {
    match numbers(text) {
        Some([low, high]) if low < high => Ok((low, high)),
        _ => Err("give the lower and the higher height in metres, such as -20,830".into()),
    }
}

#[cfg(feature = "viewer")]
fn ends(text: &str) -> Result<(f32, f32), String> {
    range(text).map_err(|_| "give the lower and the higher value in the layer's unit, such as 0,2.5".into())
}

fn numbers<const COUNT: usize>(text: &str) -> Option<[f32; COUNT]> {
    let numbers: Option<Vec<f32>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
    let numbers: [f32; COUNT] = numbers?.try_into().ok()?;
    numbers.iter().all(|number| number.is_finite()).then_some(numbers)
}

fn metres(text: &str) -> Result<f32, String> {
    let [metres] = numbers(text).ok_or_else(|| format!("`{text}` is not a number of metres"))?;
    Ok(metres)
}

/// A number of metres that is not below 0.
fn length(text: &str) -> Result<f32, String> {
    let metres = metres(text)?;
    if metres >= 0.0 { Ok(metres) } else { Err(format!("{text} is below 0; give metres, 0 or more")) }
}

fn tower(text: &str) -> Result<[f32; 3], String> {
    let tower = numbers(text).ok_or("give x, z and height in metres, such as 500,-1200,30")?;
    let [_, _, height] = tower;
    if height >= 0.0 {
        Ok(tower)
    } else {
        Err(format!("the height {height} is below the ground; give 0 m or more"))
    }
}

fn place(text: &str) -> Result<[f32; 2], String> {
    numbers(text).ok_or_else(|| "give x and z in metres, such as 500,-1200".into())
}

fn bearings(text: &str) -> Result<usize, String> {
    let bearings = text.parse().ok().filter(|bearings| (4..=360).contains(bearings));
    bearings.ok_or_else(|| format!("`{text}` is not a number of bearings from 4 to 360, such as 16 or 36"))
}

fn plot_format(text: &str) -> Result<PlotFormat, String> {
    let format = PlotFormat::ALL.into_iter().find(|format| format.extension() == text);
    format.ok_or_else(|| format!("a plot is not written as `{text}`; there are csv and svg"))
}

fn planet(text: &str) -> Result<f64, String> {
    let radius = text.parse().ok().filter(|radius: &f64| radius.is_finite() && *radius > 0.0);
    radius.ok_or_else(|| "give the planet's radius in metres, above 0, such as 6371000".into())
}

/// The radius of a planet to be drawn.
#[cfg(feature = "viewer")]
fn planet_to_draw(text: &str) -> Result<f64, String> {
    let radius = text.parse().ok().filter(|radius| RADII.contains(radius));
    radius.ok_or_else(|| {
        let (low, high) = (RADII.start(), RADII.end());
        format!("give the planet's radius in metres, from {low} to {high}, such as 200000")
    })
}

fn refraction(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..1.0).contains(share));
    share.ok_or_else(|| "give a share from 0 to below 1, such as 0.14286".into())
}

fn mesh_error(text: &str) -> Result<f32, String> {
    let error = metres(text)?;
    if error > 0.0 {
        return Ok(error);
    }
    Err(format!(
        "{error} is not an error that a mesh can keep; give metres above 0, or --grid for every sample"
    ))
}

fn triangles(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count) if count >= 2 => Ok(count),
        _ => Err(format!("`{text}` is not a number of triangles; give 2 or more")),
    }
}

fn skirt(text: &str) -> Result<f32, String> {
    let depth = metres(text)?;
    if depth > 0.0 { Ok(depth) } else { Err(format!("{depth} is no depth of a floor; give metres above 0")) }
}

fn channel(text: &str) -> Result<HeightChannel, String> {
    match text {
        "luma" => Ok(HeightChannel::Luma),
        "red" => Ok(HeightChannel::Red),
        "green" => Ok(HeightChannel::Green),
        "blue" => Ok(HeightChannel::Blue),
        "alpha" => Ok(HeightChannel::Alpha),
        _ => Err("there are luma, red, green, blue and alpha".into()),
    }
}

fn up_channel(text: &str) -> Result<UpChannel, String> {
    match text {
        "green" => Ok(UpChannel::Green),
        "blue" => Ok(UpChannel::Blue),
        _ => Err("the channel that moves up is green or blue".into()),
    }
}

fn assignment(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("give NAME=VALUE, such as steps.0.octaves=6")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

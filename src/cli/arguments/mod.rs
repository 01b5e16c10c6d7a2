//! The arguments of the command line, with a file for each command.

mod bake;
mod bench;
mod blend;
#[cfg(feature = "render")]
mod compare;
mod convert;
mod costs;
mod fit;
mod generate;
mod info;
mod lesson;
mod mesh;
mod mistakes;
mod plant;
mod plot;
#[cfg(feature = "render")]
mod render;
mod scatter;
mod shared;
mod steps;
#[cfg(feature = "render")]
mod tour;
mod values;
#[cfg(feature = "viewer")]
mod view;
mod viewshed;
#[cfg(feature = "world")]
mod world;

use clap::{Parser, Subcommand};

pub(super) use bake::BakeArguments;
pub(super) use bench::BenchArguments;
pub(super) use blend::BlendArguments;
#[cfg(feature = "render")]
pub(super) use compare::CompareArguments;
pub(super) use convert::ConvertArguments;
pub(super) use costs::CostsArguments;
pub(super) use fit::FitArguments;
pub(super) use generate::GenerateArguments;
pub(super) use info::InfoArguments;
pub(super) use lesson::LessonArguments;
pub(super) use mesh::MeshArguments;
pub(super) use mistakes::MistakesArguments;
pub(super) use plant::{PlantArguments, PlantKind};
pub(super) use plot::{PlotArguments, PlotChoice};
#[cfg(feature = "render")]
pub(super) use render::RenderArguments;
pub(super) use scatter::ScatterArguments;
pub(super) use shared::{Changes, FieldSize, FramesArguments, ReadingArguments};
pub(super) use steps::StepsArguments;
#[cfg(feature = "render")]
pub(super) use tour::TourArguments;
#[cfg(feature = "viewer")]
pub(super) use view::ViewArguments;
pub(super) use viewshed::{SightArguments, ViewshedArguments, ViewshedMethod};
#[cfg(feature = "world")]
pub(super) use world::{PlanArguments, StatusArguments, VerifyArguments, WorkArguments};

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
 .png .bmp .tif .tiff .exr .asc .hgt .r16 .raw \
 .flt .bil .bip .bsq";

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
    /// Explains that this program was built without a window
    #[cfg(not(feature = "viewer"))]
    #[command(hide = true, disable_help_flag = true)]
    View {
        /// What the window would have been opened with
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<std::ffi::OsString>,
    },
    /// Draw a landscape into a picture
    #[cfg(feature = "render")]
    Render(RenderArguments),
    /// Draw landscapes side by side into a picture, each with its name and how long it took
    #[cfg(feature = "render")]
    Compare(CompareArguments),
    /// Film a tour of a recipe's bookmarks, or a recorded flight, as numbered pictures or as a video
    #[cfg(feature = "render")]
    Tour(TourArguments),
    /// Plan a world that many processes or machines make, in tiles
    #[cfg(feature = "world")]
    Plan(PlanArguments),
    /// Make what is missing of a planned world
    #[cfg(feature = "world")]
    Work(WorkArguments),
    /// Show what is done of a planned world, and what is missing or damaged
    #[cfg(feature = "world")]
    Status(StatusArguments),
    /// Make some tiles of a planned world again and compare them, bit for bit
    #[cfg(feature = "world")]
    Verify(VerifyArguments),
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
    /// Place the plants, rocks and objects of a recipe's rules and write them: .csv .json .gltf .glb, or a
    /// map .png
    Scatter(ScatterArguments),
    /// Find what a metre of the ground costs an agent, where it may not go, and the path that costs least
    Costs(CostsArguments),
    /// Grow a plant, a rock or grass from a seed: a portrait, a mesh (.glb .obj) or an impostor
    Plant(PlantArguments),
    /// Show statistics of an elevation file or of a recipe's land
    Info(InfoArguments),
    /// Draw the ground that can be seen from towers into a PNG, and print its share of the land
    Viewshed(ViewshedArguments),
    /// Plot heights, slopes, spectrum and more of a land into an SVG or a CSV, and print their numbers
    Plot(PlotArguments),
    /// Write a recipe whose land is like a real one, and print how near it came
    Fit(FitArguments),
    /// Fly fixed paths over fixed landscapes and measure frame times and memory
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
    /// List the mistakes of naive versions of the algorithms, or show one mistake next to the right version
    Mistakes(MistakesArguments),
}

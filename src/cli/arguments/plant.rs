//! The arguments of `upland plant`.

use std::path::PathBuf;

use clap::Args;

use super::values::picture_size;
use crate::plants::{Kind, Season};

#[derive(Args)]
pub(in crate::cli) struct PlantArguments {
    /// What to grow: spruce, beech, birch, palm, hazel, juniper, grass, flowers, boulder, stone or dead-wood;
    /// or all, one portrait of each
    #[arg(value_name = "KIND", value_parser = kind)]
    pub(in crate::cli) kind: PlantKind,
    /// The file to write: a portrait or an impostor, .png or .bmp, or a mesh, .glb or .obj
    #[arg(short, long, value_name = "OUT.png|OUT.glb")]
    pub(in crate::cli) output: PathBuf,
    /// Each seed grows another plant of the kind
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    pub(in crate::cli) seed: u64,
    /// Season: spring, summer, autumn or winter
    #[arg(long, value_name = "NAME", default_value = "summer", value_parser = season)]
    pub(in crate::cli) season: Season,
    /// Level of detail: 0 has at most 6000 triangles, 1 at most 1500, 2 at most 300
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=2))]
    #[arg(allow_negative_numbers = true)]
    pub(in crate::cli) level: u8,
    /// Plants in the portrait, each with the next seed; 3 by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=12))]
    #[arg(allow_negative_numbers = true, conflicts_with_all = ["seasons", "levels"])]
    pub(in crate::cli) count: Option<u8>,
    /// The portrait shows one plant in all seasons
    #[arg(long, conflicts_with_all = ["season", "levels"])]
    pub(in crate::cli) seasons: bool,
    /// The portrait shows one plant at all levels of detail
    #[arg(long, conflicts_with = "level")]
    pub(in crate::cli) levels: bool,
    /// Draw an impostor: 8×8 views from the upper half-space of 64² texels each; normals go to OUT-normal.png
    #[arg(long)]
    pub(in crate::cli) impostor: bool,
    /// Size of the portrait in pixels; 1200x700 by default
    #[arg(long, value_name = "WxH", value_parser = picture_size)]
    pub(in crate::cli) size: Option<(u32, u32)>,
}

/// The plants to grow.
#[derive(Clone, Copy)]
pub(in crate::cli) enum PlantKind {
    One(Kind),
    /// One of every kind.
    All,
}

/// The kind that a word on the command line names.
fn kind(text: &str) -> Result<PlantKind, String> {
    if text == "all" {
        return Ok(PlantKind::All);
    }
    let names = || format!("there are {}, and all", Kind::ALL.map(Kind::name).join(", "));
    Kind::of(text).map(PlantKind::One).map_err(|_| names())
}

/// The season that a word on the command line names.
fn season(text: &str) -> Result<Season, String> {
    let found = Season::ALL.into_iter().find(|season| season.name() == text);
    found.ok_or_else(|| format!("there are {}", Season::ALL.map(Season::name).join(", ")))
}

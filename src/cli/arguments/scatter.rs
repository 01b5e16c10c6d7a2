//! The arguments of `upland scatter`.

use std::path::PathBuf;

use clap::Args;

use super::shared::{Changes, FieldSize};
use crate::grid::Window;
use crate::stream::LandTile;

#[derive(Args)]
pub(in crate::cli) struct ScatterArguments {
    /// Recipe
    pub(in crate::cli) recipe: String,
    /// The file to write; its extension chooses the format: .csv .json .gltf .glb with the objects, .png or
    /// .bmp with a map of them
    #[arg(short, long, value_name = "OBJECTS.csv")]
    pub(in crate::cli) output: PathBuf,
    /// Only the ground between these samples: LEVEL:X,Z,WxD, such as 0:600,0,257x257, as the rules see it at
    /// this level; level 0 has the recipe's own spacing
    #[arg(long, value_name = "LEVEL:X,Z,WxD", allow_hyphen_values = true)]
    pub(in crate::cli) window: Option<Window>,
    /// Only this tile of the land: COLUMN,ROW, or LEVEL:COLUMN,ROW; tiles have 128 cells of their level along
    /// a side
    #[arg(long, value_name = "LEVEL:COLUMN,ROW", value_parser = land_tile, allow_hyphen_values = true)]
    #[arg(conflicts_with = "window")]
    pub(in crate::cli) tile: Option<LandTile>,
    /// Only objects of this rule, by its name; may be given several times. They are placed as they would be
    /// with all rules
    #[arg(long, value_name = "RULE")]
    pub(in crate::cli) only: Vec<String>,
    /// The most objects that are placed
    #[arg(long, value_name = "N", default_value_t = 1_000_000, allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    pub(in crate::cli) limit: u32,
    /// Pixels along the longer side of a map, 16 to 8192
    #[arg(long, value_name = "N", default_value_t = 1024, allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(16..=8192))]
    pub(in crate::cli) pixels: u32,
    /// Leave the land bare: a map of the ground alone, a file without objects
    #[arg(long)]
    pub(in crate::cli) bare: bool,
    /// Samples of the field: N along the longer side, or WxD
    #[arg(long, value_name = "N|WxD", allow_negative_numbers = true)]
    pub(in crate::cli) size: Option<FieldSize>,
    #[command(flatten)]
    pub(in crate::cli) changes: Changes,
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

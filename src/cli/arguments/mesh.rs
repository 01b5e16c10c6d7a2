//! The arguments of `upland mesh`.

use std::path::PathBuf;

use clap::Args;

use super::shared::{Changes, FieldSize};
use super::values::{mesh_error, patches, skirt, triangles};
use crate::grid::Window;
use crate::mesh::Method;

#[derive(Args)]
pub(in crate::cli) struct MeshArguments {
    /// Recipe
    pub(in crate::cli) recipe: String,
    /// The mesh to write; its extension chooses the format: .glb .obj .stl .ply
    #[arg(short, long, value_name = "LAND.glb")]
    pub(in crate::cli) output: PathBuf,
    /// No sample of the land lies farther above or below the mesh than this
    #[arg(long, value_name = "METRES", value_parser = mesh_error, allow_negative_numbers = true)]
    pub(in crate::cli) error: Option<f32>,
    /// At most N triangles, not counting those of a skirt, as close to the land as possible
    #[arg(long, value_name = "N", conflicts_with = "error", value_parser = triangles)]
    #[arg(allow_negative_numbers = true)]
    pub(in crate::cli) triangles: Option<usize>,
    /// How the land is divided: tin (the fewest triangles), rtin (right triangles, quicker) or grid
    #[arg(long, value_name = "NAME", default_value_t = Method::Tin)]
    pub(in crate::cli) method: Method,
    /// Use all samples, or with --triangles every n-th; the same as --method grid
    #[arg(long, conflicts_with = "method")]
    pub(in crate::cli) grid: bool,
    /// Close the mesh with walls, and with a floor this many metres below its lowest point; by default a
    /// twentieth of its longer side
    #[arg(long, value_name = "METRES", num_args = 0..=1, require_equals = true, value_parser = skirt)]
    pub(in crate::cli) skirt: Option<Option<f32>>,
    /// Write N×N tiles, or CxR, each a file of its own with its part of the texture; -c0-r0 and so on is
    /// appended to their names. They meet without cracks. Land that is too large for one mesh is cut
    /// automatically
    #[arg(long, value_name = "N|CxR", value_parser = patches, conflicts_with = "triangles")]
    pub(in crate::cli) tiles: Option<(usize, usize)>,
    /// Bake the ground's colours into a texture with N texels along its longer side; of a window, a power
    /// of two on each cell
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=16384))]
    pub(in crate::cli) texture: Option<u32>,
    /// Samples of the field: N along the longer side, or WxD
    #[arg(long, value_name = "N|WxD", allow_negative_numbers = true)]
    pub(in crate::cli) size: Option<FieldSize>,
    /// Only the ground between these samples: LEVEL:X,Z,WxD, such as -1:600,0,257x257; level 0 has the
    /// recipe's own spacing, -1 is twice as fine
    #[arg(long, value_name = "LEVEL:X,Z,WxD", allow_hyphen_values = true)]
    pub(in crate::cli) window: Option<Window>,
    #[command(flatten)]
    pub(in crate::cli) changes: Changes,
}

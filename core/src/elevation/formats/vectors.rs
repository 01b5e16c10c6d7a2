//! Vector displacement maps: pictures of three channels that move every sample of level ground by a vector,
//! as sculpting programs read and write them.

use std::path::Path;

use crate::elevation::formats::channel::HeightChannel;
use crate::elevation::formats::exr;
use crate::error::{Error, Result};
use crate::files::check_replaceable;
use crate::files::replace_file;
use crate::grid::layer::SHIFT;
use crate::grid::{Heightfield, Layers};
use crate::params::choice;

choice! {
    /// Which channel of a vector displacement map moves up.
    pub enum UpChannel {
        /// Red moves east, green up, blue south: tangent, normal and bitangent.
        Green = "green",
        /// Red moves east, green north, blue up.
        Blue = "blue",
    }
}

/// A channel of a map, and the sign of the movement.
pub(crate) type VectorChannel = (HeightChannel, f32);

impl UpChannel {
    /// The channels that move east, up and south.
    pub(crate) fn channels(self) -> [VectorChannel; 3] {
        let red = (HeightChannel::Red, 1.0);
        match self {
            Self::Green => [red, (HeightChannel::Green, 1.0), (HeightChannel::Blue, 1.0)],
            Self::Blue => [red, (HeightChannel::Blue, 1.0), (HeightChannel::Green, -1.0)],
        }
    }
}

/// Writes the map that moves level ground at 0 m to a land: its heights up, its layers `shift_east` and
/// `shift_south` sideways, in metres and 32 bits. The step `sculpt_vector` makes the same land from it, bit
/// for bit. The file is replaced atomically.
///
/// ```
/// # use upland_core as upland;
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("pillar.exr");
/// use upland::formats::{UpChannel, write_vectors};
/// use upland::{Cache, Recipe, Work};
///
/// let land = |steps: &str| {
///     let text = format!("(version: 1, name: \"Wall\", size: (33, 33), cell: 2.0, steps: [{steps}])");
///     let recipe = Recipe::from_ron(&text, "wall.ron")?;
///     recipe.build_layers(&["shift_east", "shift_south"], &Cache::default(), &Work::new())
/// };
/// let wall = land("fbm(height: 60.0), undercut(depth: 6.0, level: -20.0, height: 30.0, slope_min: 10.0)")?;
/// write_vectors(&path, &wall.heights, wall.layers(), UpChannel::Green)?;
///
/// let again = land(&format!("flat(height: 0.0), sculpt_vector(file: {path:?})"))?;
/// assert_eq!(again.heights, wall.heights);
/// assert_eq!(again.layer("shift_east")?, wall.layer("shift_east")?);
/// # Ok::<(), upland::Error>(())
/// ```
///
/// # Errors
/// As [`check_vectors_writable`]; when the land has neither of the two layers, so that its heights alone
/// describe it; when the file cannot be written.
pub fn write_vectors(
    path: impl AsRef<Path>,
    heights: &Heightfield,
    layers: &Layers,
    up: UpChannel,
) -> Result<()> {
    let path = path.as_ref();
    check_vectors_writable(path)?;
    let [east, south] = SHIFT.map(|name| layers.get(name));
    if east.is_none() && south.is_none() {
        let [east, south] = SHIFT;
        let reason = format!("the land has no layer `{east}` or `{south}`; its heights describe all of it");
        return Err(Error::parameter("vectors", reason));
    }
    let moved = [east, Some(heights), south];
    let mut channels = [(None, 1.0); 3];
    for (field, (channel, sign)) in moved.into_iter().zip(up.channels()) {
        let place = match channel {
            HeightChannel::Green => 1,
            HeightChannel::Blue => 2,
            _ => 0,
        };
        channels[place] = (field, sign);
    }
    let value = |place: usize, index: usize| {
        let (field, sign) = channels[place];
        field.map_or(0.0, |field| sign * field.heights()[index])
    };
    let grid = heights.grid();
    let rgb = |index| [0, 1, 2].map(|place| value(place, index));
    replace_file(path, |file| exr::write_rgb(path, file, grid, rgb))
}

/// Checks that [`write_vectors`] can write a file at `path`. Call it before long work begins.
///
/// # Errors
/// When it is not an `.exr`, the one format with three channels of 32 bits, and those of
/// [`check_replaceable`].
pub fn check_vectors_writable(path: impl AsRef<Path>) -> Result<()> {
    let path = path.as_ref();
    if !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("exr")) {
        let reason = "a vector displacement map is written in three channels of 32 bits; give a name in .exr";
        return Err(Error::file(path, reason));
    }
    check_replaceable(path)
}

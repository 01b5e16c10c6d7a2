//! Where the land of a recipe lies on a map, taken from the elevation file that it is made from.

use super::Recipe;
use crate::compute::work::Work;
use crate::elevation::raster::MapPlace;
use crate::elevation::windows::ElevationFile;
use crate::error::Result;
use crate::grid::Window;
use crate::steps::generate::Import;

/// The share by which the land's length may differ from its file's and still count as the same place. Making
/// cells square changes it by less than one cell.
const SAME: f64 = 0.01;

impl Recipe {
    /// Where the land, or a window of it, lies on a map. It is known if the first step that runs reads an
    /// elevation file with a position, and the land is as large as the file. If the sizes differ, the inner
    /// error explains that to the user.
    ///
    /// # Errors
    /// When the file cannot be read; [`Error::Cancelled`](crate::Error::Cancelled).
    #[doc(hidden)]
    pub fn map_place(&self, window: Option<Window>, work: &Work) -> Result<Option<Result<MapPlace, String>>> {
        let first = self.done().next();
        let Some(import) = first.and_then(|(_, step)| step.operation_as::<Import>()) else { return Ok(None) };
        if import.file.text().is_empty() || self.domain()?.is_endless() {
            return Ok(None);
        }
        let file = import.open_alone(work)?;
        Ok(self.place_on(&file).map(|place| place.map(|place| self.window_of(place, window))))
    }

    fn place_on(&self, file: &ElevationFile) -> Option<Result<MapPlace, String>> {
        let place = file.place()?;
        let land = [self.size.0, self.size.1].map(|side| f64::from(side.max(2) - 1));
        let of_file = [file.width(), file.depth()].map(|side| (side.max(2) - 1) as f64);
        if let Some((x, z)) = file.cell().in_metres() {
            let cell = f64::from(self.cell);
            let is_as_long = |axis: usize, along: f64| {
                let (own, expected) = (land[axis] * cell, of_file[axis] * along);
                // A cell more or less comes from rounding sides to whole samples.
                (own - expected).abs() <= (SAME * expected).max(cell)
            };
            if !(is_as_long(0, x) && is_as_long(1, z)) {
                let reason = format!(
                    "the land is {:.0} × {:.0} m and its file {:.0} × {:.0} m, so that its place on the map is not kept",
                    land[0] * cell,
                    land[1] * cell,
                    of_file[0] * x,
                    of_file[1] * z
                );
                return Some(Err(reason));
            }
        }
        // The file's samples are stretched over the land: the first and the last stay in place.
        Some(Ok(place.of_samples([0.0; 2], [0, 1].map(|axis| of_file[axis] / land[axis]))))
    }

    /// The position of a window of the land.
    fn window_of(&self, place: MapPlace, window: Option<Window>) -> MapPlace {
        let Some(Window { level, first, size }) = window else { return place };
        let times = |count: f64| libm::ldexp(count, level);
        let last = first[1] as f64 + f64::from(size[1]) - 1.0;
        let from_south = f64::from(self.size.1) - 1.0 - times(last);
        place.of_samples([times(first[0] as f64), from_south], [times(1.0); 2])
    }
}

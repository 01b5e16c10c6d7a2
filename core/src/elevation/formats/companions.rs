//! Files next to a raster, with information that the raster leaves out.
//!
//! | file | says |
//! |---|---|
//! | `.prj` | the coordinate system: units of the map and of the heights, the ellipsoid |
//! | `.pgw`, `.tfw`, `.bpw`, `.wld`, … | the world file: cell size, direction and place |
//! | `.aux.xml` | GDAL's and ArcGIS's metadata: NODATA, scale, offset, unit, place, coordinate system |
//! | `.msk` | the mask of a TIFF (see `tiff/mask.rs`) |
//! | `.hdr` | the layout of raw numbers (see `raw_header.rs`) |
//!
//! A companion that cannot be read does not keep its raster from being read: a note reports it, as it does
//! every guess. An `.aux.xml` overrides the raster, since it was added later; the raster overrides all
//! others.

use std::path::{Path, PathBuf};

use crate::elevation::formats::meaning::{Band, Role};
use crate::elevation::formats::options::ReadOptions;
use crate::elevation::map::units::Length;
use crate::elevation::map::{Affine, Definition, MapPlace, Plane, System, Turn};
use crate::elevation::raster::{CellSize, Origin};
use crate::files::{self, FileKind};

/// What the files next to a raster say of it.
#[derive(Clone, Debug, Default)]
pub(in crate::elevation) struct Companions {
    /// From the `.prj`.
    system: Option<System>,
    /// From the `.aux.xml`.
    later_system: Option<System>,
    /// From the world file.
    affine: Option<Affine>,
    /// From the `.aux.xml`.
    later_affine: Option<Affine>,
    /// The band that is read: the first, until [`choose_band`](Self::choose_band).
    pub(in crate::elevation) band: Band,
    /// The name of the `.aux.xml`, and its text on all bands.
    bands: Option<(String, String)>,
    /// The path of the `.msk`.
    pub(in crate::elevation) mask: Option<PathBuf>,
    /// The text of the `.hdr`.
    header: Option<String>,
    /// Guesses, and what was ignored, a line each.
    pub(in crate::elevation) notes: Vec<String>,
}

/// What the raster itself says of its place.
#[derive(Clone, Debug, Default)]
pub(in crate::elevation) enum StatedPlace {
    /// Nothing.
    #[default]
    Nothing,
    /// Where its samples lie, if it says so, and in which coordinate system, if it says so.
    Somewhere { affine: Option<Affine>, system: Option<System> },
    /// Cell sizes and the outer south-western corner, in units that nothing in it names. The format requires
    /// these numbers, so a note reports them even where they are invalid.
    Numbers { x: f64, z: f64, origin: Origin },
    /// The size of cells on the ground, and the place.
    Sure(CellSize, Option<MapPlace>),
}

/// Where a raster lies.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::elevation) struct Ground {
    pub(in crate::elevation) cell: CellSize,
    pub(in crate::elevation) place: Option<MapPlace>,
    /// How its rows and columns must be turned to run from north to south and from west to east.
    pub(in crate::elevation) turn: Turn,
}

impl Companions {
    /// Reads the files next to `path`, as far as there are any.
    pub(in crate::elevation) fn beside(path: &Path) -> Self {
        let mut found = Self::default();
        let prj = [path.with_extension("prj"), path.with_extension("PRJ")];
        if let Some((name, text)) = found.text_of(&prj) {
            match System::of_text(&text) {
                Some(system) => found.system = Some(reported(&name, system)),
                None => found.notes.push(format!("{name} is ignored: it is not well-known text (WKT)")),
            }
        }
        if let Some((name, text)) = found.text_of(&world_files(path)) {
            match world(&text) {
                Some(affine) => found.affine = Some(affine),
                None => found.notes.push(format!("{name} is ignored: a world file has six numbers")),
            }
        }
        let with = |end: &str| {
            let mut name = path.as_os_str().to_owned();
            name.push(end);
            PathBuf::from(name)
        };
        if let Some((name, text)) = found.text_of(&[with(".aux.xml"), with(".AUX.XML")]) {
            found.take_pam(&name, &text);
        }
        found.mask = [with(".msk"), with(".MSK")].into_iter().find(|path| path.is_file());
        found
    }

    /// As [`beside`](Self::beside), with the `.hdr` of raw numbers.
    pub(in crate::elevation) fn beside_raw(path: &Path) -> Self {
        let mut found = Self::beside(path);
        let mut behind = path.as_os_str().to_owned();
        behind.push(".hdr");
        // ENVI's programs append the extension to the whole name.
        let names = [path.with_extension("hdr"), path.with_extension("HDR"), PathBuf::from(behind)];
        let header = found.text_of(&names);
        found.header = header.map(|(_, text)| text);
        found
    }

    /// The text of the `.hdr`, if there is one.
    pub(in crate::elevation) fn header(&self) -> Option<&str> {
        self.header.as_deref()
    }

    /// The first of these files that exists, with its name.
    fn text_of(&mut self, paths: &[PathBuf]) -> Option<(String, String)> {
        let path = paths.iter().find(|path| path.exists())?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match files::read(path, FileKind::Companion) {
            Ok(bytes) => Some((name, text(&bytes))),
            Err(error) => {
                self.notes.push(format!("{name} beside it is ignored: {error}"));
                None
            }
        }
    }

    /// GDAL's persistent auxiliary metadata: of the data set, and of its first band.
    fn take_pam(&mut self, name: &str, xml: &str) {
        let bands = xml.find("<PAMRasterBand").unwrap_or(xml.len());
        let (head, rest) = xml.split_at(bands);
        // What follows the bands belongs to the whole data set again.
        let tail = rest.rfind("</PAMRasterBand>").map_or("", |at| &rest[at..]);
        let of_set = |tag: &str| element(head, tag).or_else(|| element(tail, tag));
        if let Some(text) = of_set("SRS") {
            match System::of_text(&text) {
                Some(system) => self.later_system = Some(reported(name, system)),
                None => {
                    self.notes.push(format!("{name}: its SRS is ignored: it is not well-known text (WKT)"))
                }
            }
        } else if let Some(definition) =
            of_set("MDI key=\"upland:system\"").and_then(|line| Definition::of_line(&line))
        {
            self.later_system = Some(System::of_definition(definition));
        }
        if let Some(text) = of_set("GeoTransform") {
            self.later_affine = transform(&text);
            if self.later_affine.is_none() {
                self.notes.push(format!("{name}: its GeoTransform is ignored: it is not six numbers"));
            }
        }
        if let Some((_, xform)) = xml.split_once("<GeodataXform") {
            // ArcGIS's way to place a raster. An element that moves nothing still holds the coordinate
            // system.
            if self.later_system.is_none()
                && let Some(system) = element(xform, "WKT").and_then(|text| System::of_text(&text))
            {
                self.later_system = Some(reported(name, system));
            }
            let kind = xform.split('>').next().unwrap_or_default();
            if !kind.contains("IdentityXform") && self.later_affine.is_none() {
                self.notes.push(format!(
                    "{name}: the transformation by which ArcGIS places it (GeodataXform) is not applied; \
                     `gdalwarp in.tif out.tif` applies it"
                ));
            }
        }
        self.take_band(name, band_of(rest, 0).unwrap_or_default());
        self.bands = Some((name.to_owned(), rest.to_owned()));
    }

    /// Takes from the `.aux.xml` what it says of this band, counted from 0.
    pub(in crate::elevation) fn choose_band(&mut self, number: usize) {
        let Some((name, bands)) = self.bands.take().filter(|_| number > 0) else { return };
        self.band = Band::default();
        self.take_band(&name, band_of(&bands, number).unwrap_or_default());
    }

    /// Takes what the element of a band says.
    fn take_band(&mut self, name: &str, band: &str) {
        let of = format!("{name}: ");
        for (tag, role) in [
            ("NoDataValue", Role::Nodata),
            ("Scale", Role::Scale),
            ("Offset", Role::Offset),
            ("UnitType", Role::Unit),
        ] {
            if let Some(text) = element(band, tag) {
                self.band.take(role, &text, &of, &mut self.notes);
            }
        }
    }

    /// The system of the map, and where the samples lie on it: from an `.aux.xml`, or else from the raster,
    /// or else from a `.prj` and a world file.
    fn resolved(&mut self, given: &mut StatedPlace, depth: usize) -> (System, Option<Affine>) {
        let (own, affine) = match given {
            StatedPlace::Somewhere { affine, system } => (system.take(), *affine),
            StatedPlace::Numbers { x, z, origin } => {
                (None, Some(Affine::north_up([*x, *z], Some(*origin), depth)))
            }
            StatedPlace::Nothing | StatedPlace::Sure(..) => (None, None),
        };
        let beside = self.system.take();
        let system = match (self.later_system.take(), own, beside) {
            (Some(later), ..) => later,
            (None, Some(own), Some(beside)) if own.plane.is_none() => {
                System { up: own.up.or(beside.up), ..beside }
            }
            (None, own, beside) => own.or(beside).unwrap_or_default(),
        };
        (system, self.later_affine.or(affine).or(self.affine))
    }

    /// Where a raster of `size` samples lies, and the unit of its heights by its coordinate system. Each
    /// guess is noted.
    pub(in crate::elevation) fn ground(
        &mut self,
        size: [usize; 2],
        mut given: StatedPlace,
        options: &ReadOptions,
    ) -> (Ground, Option<Length>) {
        let unknown = Ground { cell: CellSize::Unknown, place: None, turn: Turn::default() };
        let (system, affine) = self.resolved(&mut given, size[1]);
        let up = system.up;
        let is_demanded = matches!(given, StatedPlace::Numbers { .. });
        if let StatedPlace::Sure(cell, place) = &given
            && *cell != CellSize::Unknown
        {
            // Its heights are in metres, even if a .prj of the same name belongs to another file.
            let ground = Ground { cell: *cell, place: place.clone(), ..unknown };
            return (with_cell(ground, options), None);
        }
        let mut system = system.with_unit(options.map_unit);
        self.notes.append(&mut system.notes);
        let Some(affine) = affine else { return (with_cell(unknown, options), up) };
        let Some(mut placed) = affine.placed(size) else {
            let [x, z] = [affine.along_row, affine.along_column].map(|[a, b]| libm::hypot(a, b));
            let cell = CellSize::Metres { x, z };
            if is_demanded {
                return (Ground { cell, ..unknown }, up);
            }
            if options.cell.is_none() {
                self.notes
                    .push(format!("its cell size of {x} × {z} makes no sense and is ignored; give one"));
            }
            return (with_cell(unknown, options), up);
        };
        if let StatedPlace::Numbers { origin, .. } = given
            && self.later_affine.is_none()
        {
            // Exactly as it was written, and not computed from the northern edge.
            placed.corner = Some([origin.west, origin.south]);
        }
        if let Some(Plane::Lengths(unit)) = system.plane
            && (unit.metres - 1.0).abs() > 0.01
            && up.is_none()
            && self.band.unit.is_none()
            && options.height_unit.is_none()
        {
            self.notes.push(format!(
                "nothing says that its heights are in the unit of its map, {}, too: they are not \
                 converted to metres; give their unit if they should be",
                unit.name
            ));
        }
        if let Some(what) = placed.turn.description() {
            self.notes.push(format!("{what}; it was turned to have north at the top"));
        }
        if let Some(angle) = placed.angle {
            self.notes.push(format!(
                "its raster is turned by {angle:.1}° on its map and is read as if it were not; `gdalwarp in.tif \
                 out.tif` turns it"
            ));
        }
        let land = placed.turn.land_size(size);
        let cell = match options.cell {
            None => system.ground(&placed, land, &mut self.notes),
            Some(_) => CellSize::Unknown,
        };
        let ground = Ground { cell, place: system.place(&placed, cell), turn: placed.turn };
        if options.cell.is_none() && !cell.is_usable() && !is_demanded {
            self.notes.push(format!("its cell size of {cell} makes no sense and is ignored; give one"));
            return (Ground { turn: ground.turn, ..unknown }, up);
        }
        (with_cell(ground, options), up)
    }
}

/// The system, with the name of its file before its notes.
fn reported(name: &str, mut system: System) -> System {
    system.notes.iter_mut().for_each(|note| *note = format!("{name}: {note}"));
    system
}

/// Replaces the file's cell size by the requested one.
fn with_cell(ground: Ground, options: &ReadOptions) -> Ground {
    let Some(size) = options.cell else { return ground };
    // A place without a coordinate system would be read back in the units of the new cells.
    let place = ground.place.filter(|place| place.definition().is_some());
    Ground { cell: CellSize::Metres { x: size, z: size }, place, ..ground }
}

/// Names of world files next to `path`: with the first and last letter of its extension and `w`, with the
/// whole extension and `w`, and `.wld`.
fn world_files(path: &Path) -> Vec<PathBuf> {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let (Some(first), Some(last)) = (extension.chars().next(), extension.chars().last()) else {
        return Vec::new();
    };
    let names = [format!("{first}{last}w"), format!("{extension}w"), "wld".to_owned()];
    names
        .iter()
        .flat_map(|name| [name.clone(), name.to_uppercase()])
        .map(|name| path.with_extension(name))
        .collect()
}

/// The six lines of a world file: cell size and turn, and the middle of the first sample.
fn world(text: &str) -> Option<Affine> {
    let number = |word: &str| word.parse().or_else(|_| word.replace(',', ".").parse()).ok();
    let [a, d, b, e, c, f] = six(text.split_whitespace().take(6).map(number))?;
    let middles = Affine { corner: Some([c, f]), along_row: [a, d], along_column: [b, e] };
    Some(middles.moved_by_half_a_cell())
}

/// Six numbers in GDAL's order: those of [`MapPlace::transform`](crate::elevation::map::MapPlace::transform).
fn transform(text: &str) -> Option<Affine> {
    let [a, b, c, d, e, f] = six(text.split(',').map(|number| number.trim().parse().ok()))?;
    Some(Affine { corner: Some([a, d]), along_row: [b, e], along_column: [c, f] })
}

fn six(numbers: impl Iterator<Item = Option<f64>>) -> Option<[f64; 6]> {
    let numbers: Vec<f64> = numbers.take(7).collect::<Option<_>>()?;
    let numbers: [f64; 6] = numbers.try_into().ok()?;
    numbers.iter().all(|number| number.is_finite()).then_some(numbers)
}

/// The element of a band, counted from 0, among those of all. Files leave out bands of which they say
/// nothing.
fn band_of(bands: &str, number: usize) -> Option<&str> {
    let mut elements = bands.split("<PAMRasterBand").skip(1).enumerate();
    let own = |element: &str| {
        let (_, value) = element.split('>').next()?.split_once("band=")?;
        value.trim_start_matches(['"', '\'']).split(['"', '\'']).next()?.trim().parse::<usize>().ok()
    };
    let is_it = |(index, element): &(usize, &str)| own(element).unwrap_or(index + 1) == number + 1;
    let (_, element) = elements.find(is_it)?;
    element.split("</PAMRasterBand>").next()
}

/// The text of the first element called `tag`.
fn element(xml: &str, tag: &str) -> Option<String> {
    let open = format!("<{tag}");
    let start = xml.match_indices(&open).map(|(at, _)| &xml[at + open.len()..]);
    let rest = start.into_iter().find(|rest| rest.starts_with(['>', ' ', '\t', '\n', '\r']))?;
    let text = rest.split_once('>')?.1;
    let text = text.split_once("</")?.0;
    let pairs =
        [("&quot;", "\""), ("&apos;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&#34;", "\""), ("&amp;", "&")];
    Some(pairs.iter().fold(text.to_owned(), |text, (name, letter)| text.replace(name, letter)))
}

/// A text in UTF-8, or in UTF-16 with a byte order mark.
fn text(bytes: &[u8]) -> String {
    let wide = |from: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes[2..].as_chunks::<2>().0.iter().map(|pair| from(*pair)).collect();
        String::from_utf16_lossy(&units)
    };
    match bytes {
        [0xff, 0xfe, ..] => wide(u16::from_le_bytes),
        [0xfe, 0xff, ..] => wide(u16::from_be_bytes),
        _ => String::from_utf8_lossy(bytes).trim_start_matches('\u{feff}').to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elevation::formats::meaning::Meaning;
    use crate::elevation::formats::nodata::Numbers;

    fn ground(affine: Option<Affine>, given: StatedPlace) -> Ground {
        let mut beside = Companions { affine, ..Companions::default() };
        beside.ground([37, 29], given, &ReadOptions::default()).0
    }

    fn origin(ground: &Ground) -> Option<Origin> {
        ground.place.as_ref().and_then(MapPlace::origin)
    }

    #[test]
    fn a_world_file_gives_the_corner_from_the_middle_of_a_sample() {
        let at = Some(Origin { west: 500_000.0, south: 4_999_275.0 });
        let north_up =
            ground(world("25\r\n0\r\n0\r\n-25\r\n500012.5\r\n4999987.5\r\n"), StatedPlace::Nothing);
        assert_eq!((north_up.cell, origin(&north_up)), (CellSize::Metres { x: 25.0, z: 25.0 }, at));
        assert!(north_up.turn.is_none());
        assert_eq!(world("25 0 0"), None);
        assert_eq!(world("25 0 0 x 1 1"), None);
        let south_up = ground(world("25 0 0 25 500012.5 4999287.5"), StatedPlace::Nothing);
        assert_eq!((south_up.turn.backwards, origin(&south_up)), ([false, true], at));
        let none = ground(world("0 0 0 0 0 0"), StatedPlace::Nothing);
        assert_eq!((none.cell, none.place), (CellSize::Unknown, None));
    }

    #[test]
    fn metadata_that_was_added_later_comes_first() {
        let affine = |cell: f64| Affine {
            corner: Some([5e5, 5e6]),
            along_row: [cell, 0.0],
            along_column: [0.0, -cell],
        };
        let of_raster =
            || StatedPlace::Somewhere { affine: Some(affine(25.0)), system: Some(System::of_code(32_632)) };
        let cell =
            |beside: &mut Companions, given| beside.ground([2, 2], given, &ReadOptions::default()).0.cell;
        let world = Some(affine(7.0));
        let mut beside = Companions { affine: world, ..Companions::default() };
        assert_eq!(cell(&mut beside, of_raster()), CellSize::Metres { x: 25.0, z: 25.0 });
        assert_eq!(cell(&mut beside, StatedPlace::Nothing), CellSize::Metres { x: 7.0, z: 7.0 });
        let mut beside = Companions { later_affine: world, ..Companions::default() };
        assert_eq!(cell(&mut beside, of_raster()), CellSize::Metres { x: 7.0, z: 7.0 });
        // A requested size needs no guess.
        let options = ReadOptions { cell: Some(3.0), ..ReadOptions::default() };
        let mut beside = Companions::default();
        assert_eq!(beside.ground([2, 2], of_raster(), &options).0.cell, CellSize::Metres { x: 3.0, z: 3.0 });
        assert!(beside.notes.is_empty());
    }

    #[test]
    fn metadata_of_the_first_band_is_taken() {
        let xml = "<PAMDataset><SRS>LOCAL_CS[&quot;l&quot;,UNIT[&quot;ft&quot;,0.3048]]</SRS>\
            <GeoTransform> 5e5, 1e2, 0, 5e6, 0, -1e2</GeoTransform>\
            <PAMRasterBand band=\"1\"><NoDataValue le_hex_equiv=\"0\">-1</NoDataValue><UnitType>ft</UnitType>\
            <Offset>-500</Offset><Scale>0.1</Scale></PAMRasterBand>\
            <PAMRasterBand band=\"2\"><NoDataValue>7</NoDataValue></PAMRasterBand></PAMDataset>";
        let mut beside = Companions::default();
        beside.take_pam("x.aux.xml", xml);
        let meaning = Meaning::of(beside.band, Numbers::F32, (None, None), &mut Vec::new());
        assert_eq!(meaning.height(6000.0), ((6000.0 * 0.1 - 500.0) * 0.3048) as f32);
        assert!(meaning.height(-1.0).is_nan());
        assert!(beside.notes.is_empty(), "{:?}", beside.notes);
        let (ground, _) = beside.ground([2, 2], StatedPlace::Nothing, &ReadOptions::default());
        assert_eq!(ground.cell, CellSize::Metres { x: 30.48, z: 30.48 });
        beside.choose_band(1);
        assert_eq!(beside.band, Band { nodata: Some(7.0), ..Band::default() });
        // Files leave out bands of which they say nothing: this one is not the first.
        let mut second = Companions::default();
        second.take_pam("x", "<PAMRasterBand band=\"2\"><Scale>9</Scale></PAMRasterBand>");
        assert_eq!(second.band, Band::default());
        second.choose_band(1);
        assert_eq!(second.band.scale, Some(9.0));
        beside.notes.clear();
        beside.take_pam("x", "<PAMRasterBand><Scale>x</Scale><UnitType>cubit</UnitType></PAMRasterBand>");
        assert_eq!(beside.notes.len(), 2, "{:?}", beside.notes);
    }
}

//! TIFFs of every odd kind, made here tag by tag: systems and units by GeoKeys, places, colours, masks,
//! directories.

use upland_core::formats::{self, HeightChannel, ReadOptions};
use upland_core::{CellSize, ElevationFile, ElevationFileOptions, Origin, Raster, Window, Work};

use crate::beside;

/// The values of a tag.
#[derive(Clone)]
enum Value {
    Short(Vec<u16>),
    Long(Vec<u32>),
    Double(Vec<f64>),
    Text(&'static str),
}

use Value::{Double, Long, Short, Text};

type Tags = Vec<(u16, Value)>;

/// Adds an image of one strip, and returns the place of its directory; `next` is that of the one that
/// follows.
fn add(file: &mut Vec<u8>, tags: &Tags, pixels: &[u8], next: u32) -> u32 {
    let mut tags = tags.clone();
    tags.push((273, Long(vec![file.len() as u32])));
    tags.push((279, Long(vec![pixels.len() as u32])));
    tags.sort_by_key(|(tag, _)| *tag);
    file.extend(pixels);
    let mut entries = Vec::new();
    for (tag, value) in &tags {
        let (kind, count, bytes): (u16, usize, Vec<u8>) = match value {
            Short(values) => (3, values.len(), values.iter().flat_map(|value| value.to_le_bytes()).collect()),
            Long(values) => (4, values.len(), values.iter().flat_map(|value| value.to_le_bytes()).collect()),
            Double(values) => {
                (12, values.len(), values.iter().flat_map(|value| value.to_le_bytes()).collect())
            }
            Text(text) => (2, text.len() + 1, [text.as_bytes(), &[0]].concat()),
        };
        entries.extend([tag.to_le_bytes(), kind.to_le_bytes()].concat());
        entries.extend((count as u32).to_le_bytes());
        if bytes.len() <= 4 {
            entries.extend(&bytes);
            entries.resize(entries.len() + 4 - bytes.len(), 0);
        } else {
            entries.extend((file.len() as u32).to_le_bytes());
            file.extend(bytes);
        }
    }
    let place = file.len() as u32;
    file.extend((tags.len() as u16).to_le_bytes());
    file.extend(entries);
    file.extend(next.to_le_bytes());
    place
}

/// A TIFF whose first directory is this.
fn with_first(mut file: Vec<u8>, place: u32) -> Vec<u8> {
    file[..4].copy_from_slice(b"II*\0");
    file[4..8].copy_from_slice(&place.to_le_bytes());
    file
}

fn tiff(tags: &Tags, pixels: &[u8]) -> Vec<u8> {
    let mut file = vec![0; 8];
    let place = add(&mut file, tags, pixels, 0);
    with_first(file, place)
}

fn image(width: u32, depth: u32, bits: Vec<u16>, photometric: u16, format: u16) -> Tags {
    vec![
        (256, Long(vec![width])),
        (257, Long(vec![depth])),
        (258, Short(bits.clone())),
        (259, Short(vec![1])),
        (262, Short(vec![photometric])),
        (277, Short(vec![bits.len() as u16])),
        (278, Long(vec![depth])),
        (339, Short(vec![format; bits.len()])),
    ]
}

/// 4 × 3 heights, 0 to 11.
fn heights() -> Vec<u8> {
    (0..12).flat_map(|height| (height as f32).to_le_bytes()).collect()
}

/// 4 × 3 heights with these tags beside.
fn grey(more: Tags) -> Vec<u8> {
    let mut tags = image(4, 3, vec![32], 1, 3);
    tags.extend(more);
    tiff(&tags, &heights())
}

fn keys(keys: &[[u16; 4]]) -> (u16, Value) {
    let head = [1, 1, 0, keys.len() as u16];
    (34_735, Short([&head, keys.as_flattened()].concat()))
}

/// Cells of this size, the north-western corner here.
fn place(cell: f64, west: f64, north: f64) -> Tags {
    vec![(33_550, Double(vec![cell, cell, 0.0])), (33_922, Double(vec![0.0, 0.0, 0.0, west, north, 0.0]))]
}

fn read_as(bytes: &[u8], options: ReadOptions) -> Raster {
    formats::read_bytes("x.tif", bytes, &options).unwrap_or_else(|error| panic!("{error}"))
}

fn read(bytes: &[u8]) -> Raster {
    read_as(bytes, ReadOptions::default())
}

fn metres(raster: &Raster) -> (f64, f64) {
    let CellSize::Metres { x, z } = raster.cell() else { panic!("{:?}", raster.cell()) };
    (x, z)
}

/// Checks that there is one note, and that it has these words.
fn assert_note(raster: &Raster, words: &str) {
    let notes = raster.notes();
    assert!(notes.len() == 1 && notes[0].contains(words), "{words}: {notes:?}");
}

/// The same land with these keys, 30 m apart at 500 km east and 5000 km north.
fn with_keys(own: &[[u16; 4]], floats: &[f64]) -> Raster {
    let mut tags = place(30.0, 5e5, 5e6);
    tags.push(keys(own));
    if !floats.is_empty() {
        tags.push((34_736, Double(floats.to_vec())));
    }
    read(&grey(tags))
}

#[test]
fn a_local_system_gives_the_unit_of_its_lengths() {
    let _beside = beside();
    // Without a model type, and with the one of neither.
    let feet = with_keys(&[[3076, 0, 1, 9002]], &[]);
    assert!((metres(&feet).0 - 9.144).abs() < 1e-9, "{:?}", feet.cell());
    let model = with_keys(&[[1024, 0, 1, 32_767], [3076, 0, 1, 9001]], &[]);
    assert_eq!(metres(&model), (30.0, 30.0));
    assert!(model.notes().is_empty(), "{:?}", model.notes());
}

#[test]
fn a_map_in_feet_says_nothing_of_its_heights() {
    let _beside = beside();
    let raster = with_keys(&[[1024, 0, 1, 1], [3072, 0, 1, 2222]], &[]);
    assert_eq!(raster.range(), (0.0, 11.0));
    let notes = raster.notes();
    assert!(notes.len() == 2 && notes[0].contains("nothing says that its heights"), "{notes:?}");
    assert!(notes[1].contains("lengths on its map are converted"), "{notes:?}");
    let height_unit = Some(0.3048);
    let mut tags = place(30.0, 5e5, 5e6);
    tags.push(keys(&[[1024, 0, 1, 1], [3072, 0, 1, 2222]]));
    let given = read_as(&grey(tags), ReadOptions { height_unit, ..ReadOptions::default() });
    assert!((given.range().1 - 11.0 * 0.3048).abs() < 1e-5);
    assert!(!given.notes().iter().any(|note| note.contains("nothing says")), "{:?}", given.notes());
}

#[test]
fn a_vertical_code_is_believed_before_a_vertical_unit() {
    let _beside = beside();
    let utm = [[1024, 0, 1, 1], [3072, 0, 1, 26_910]];
    // NAVD88 in metres, and a key of US survey feet; the reverse; and the key alone.
    for (more, high, note) in [
        (&[[4096, 0, 1, 5703], [4099, 0, 1, 9003]][..], 11.0, "EPSG:5703, which is used"),
        (&[[4096, 0, 1, 6360], [4099, 0, 1, 9001]], 11.0 * 1200.0 / 3937.0, "EPSG:6360, which is used"),
        (&[[4099, 0, 1, 9003]], 11.0 * 1200.0 / 3937.0, "US survey foot"),
    ] {
        let raster = with_keys(&[&utm, more].concat(), &[]);
        assert!((f64::from(raster.range().1) - high).abs() < 1e-5, "{more:?}: {:?}", raster.range());
        assert!(raster.notes().iter().any(|found| found.contains(note)), "{more:?}: {:?}", raster.notes());
    }
}

#[test]
fn the_scale_of_a_projection_by_keys_is_that_of_its_latitude() {
    let _beside = beside();
    let axis: f64 = 1_737_400.0;
    // A cylinder about the Moon whose northings begin at 60° north, 5000 km south of the land: beyond the
    // pole, so at 5e6 m the origin lies at -104.9°.
    let origin = 60.0 - (5e6 / axis).to_degrees();
    let floats = [axis, 0.0, origin];
    let own = [
        [1024, 0, 1, 1],
        [2057, 34_736, 1, 0],
        [2059, 34_736, 1, 1],
        [3072, 0, 1, 32_767],
        [3075, 0, 1, 17],
        [3076, 0, 1, 9001],
        [3089, 34_736, 1, 2],
    ];
    let (x, z) = metres(&with_keys(&own, &floats));
    assert!((x - 15.0).abs() < 0.01 && z == 30.0, "{x} {z}");
    // The same axis in kilometres.
    let mut in_km = own.to_vec();
    in_km.insert(1, [2052, 0, 1, 9036]);
    let kilometres = metres(&with_keys(&in_km, &[axis / 1000.0, 0.0, origin]));
    assert!((kilometres.0 - x).abs() < 1e-6, "{kilometres:?}");
    // Polar stereographic about the Earth, true to scale at 70° north: EPSG:3413 by hand.
    let polar = [
        [1024, 0, 1, 1],
        [2057, 34_736, 1, 0],
        [2059, 34_736, 1, 1],
        [3072, 0, 1, 32_767],
        [3075, 0, 1, 15],
        [3076, 0, 1, 9001],
        [3081, 34_736, 1, 2],
    ];
    let by_hand = with_keys(&polar, &[6_378_137.0, 298.257_223_563, 70.0]);
    let by_code = with_keys(&[[1024, 0, 1, 1], [3072, 0, 1, 3413]], &[]);
    // 5025 km from the pole, where a map length is a seventh longer than one on the ground.
    assert!((metres(&by_hand).0 - metres(&by_code).0).abs() < 1e-9);
    assert!((26.0..27.0).contains(&metres(&by_code).0), "{:?}", by_code.cell());
    assert_note(&by_code, "its map is stretched");
    for uneven in [
        &[[1024, 0, 1, 1], [3072, 0, 1, 6933]][..],
        &[[1024, 0, 1, 1], [3072, 0, 1, 32_767], [3075, 0, 1, 23], [3076, 0, 1, 9001]],
    ] {
        assert_note(&with_keys(uneven, &[]), "does not preserve lengths");
    }
}

#[test]
fn a_map_that_reaches_far_north_and_south_is_reported() {
    let _beside = beside();
    let geographic = keys(&[[1024, 0, 1, 2], [2048, 0, 1, 4326]]);
    let degrees = |cell: f64, north: f64| {
        let mut tags = place(cell, 10.0, north);
        tags.push(geographic.clone());
        read(&grey(tags))
    };
    assert!(degrees(1.0 / 3.0, 61.0).notes().is_empty());
    assert_note(&degrees(5.0, 60.0), "differ by 18 % between its middle and its edges");
    let mut tags = place(1e6, 0.0, 8.4e6);
    tags.push(keys(&[[1024, 0, 1, 1], [3072, 0, 1, 3857]]));
    let mercator = read(&grey(tags));
    assert!(mercator.notes().iter().any(|note| note.contains("reaches so far")), "{:?}", mercator.notes());
}

#[test]
fn cells_of_a_raster_turned_in_degrees_are_as_long_as_on_the_ground() {
    let _beside = beside();
    // Turned by 30° on the map, at 60° north, where a degree of longitude is half as long.
    let (sin, cos) = (0.01 * 0.5, 0.01 * 30f64.to_radians().cos());
    let matrix = vec![cos, sin, 0.0, 10.0, sin, -cos, 0.0, 60.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    let raster = read(&grey(vec![(34_264, Double(matrix)), keys(&[[1024, 0, 1, 2], [2048, 0, 1, 4326]])]));
    let (x, z) = metres(&raster);
    // 55.8 and 111.4 km are degrees there.
    let expected = |east: f64, north: f64| (east * 55_800.0_f64).hypot(north * 111_412.0);
    assert!((x / expected(cos, sin) - 1.0).abs() < 1e-3, "{x}");
    assert!((z / expected(sin, cos) - 1.0).abs() < 1e-3, "{z}");
    assert_note(&raster, "turned by 30.0°");
}

#[test]
fn places_of_whole_numbers_and_half_a_place_are_understood() {
    let _beside = beside();
    let utm = keys(&[[1024, 0, 1, 1], [3072, 0, 1, 32_632]]);
    let whole = grey(vec![
        (33_550, Short(vec![30, 30, 0])),
        (33_922, Long(vec![0, 0, 0, 500_000, 5_000_000, 0])),
        utm.clone(),
    ]);
    let raster = read(&whole);
    assert_eq!((metres(&raster), raster.notes().len()), ((30.0, 30.0), 0));
    assert_eq!(raster.origin(), Some(Origin { west: 500_000.0, south: 4_999_910.0 }));
    let tie = (33_922, Double(vec![0.0, 0.0, 0.0, 5e5, 5e6, 0.0]));
    let one = read(&grey(vec![tie, utm.clone()]));
    assert_eq!(one.cell(), CellSize::Unknown);
    assert_note(&one, "one control point without a size of its cells");
    let ties = (33_922, Double(vec![0.0; 24]));
    assert_note(&read(&grey(vec![ties, utm])), "4 control points");
}

#[test]
fn what_is_ignored_is_reported() {
    let _beside = beside();
    let turned = read(&grey(vec![(274, Short(vec![3]))]));
    assert_eq!(turned.range(), (0.0, 11.0));
    assert_note(&turned, "orientation, 3, is ignored");
    assert!(read(&grey(vec![(274, Short(vec![1]))])).notes().is_empty());
    let range = ReadOptions { range: Some((0.0, 1.0)), ..ReadOptions::default() };
    let floats = read_as(&grey(Vec::new()), range);
    assert_eq!(floats.range(), (0.0, 11.0));
    assert_note(&floats, "the range is ignored");
    let asc = b"ncols 2\nnrows 1\nxllcorner 5e5\nyllcorner 5e6\ncellsize 30\n1 2\n";
    let text = formats::read_bytes("x.asc", asc, &range).unwrap();
    assert!(text.notes().iter().any(|note| note.contains("the range is ignored")), "{:?}", text.notes());
}

#[test]
fn only_the_first_of_several_images_is_read_and_damage_behind_it_is_no_hindrance() {
    let _beside = beside();
    let own = image(4, 3, vec![32], 1, 3);
    let mut file = vec![0; 8];
    let second = add(&mut file, &own, &[0; 48], 0);
    let first = add(&mut file, &own, &heights(), second);
    let raster = read(&with_first(file, first));
    assert_eq!(raster.range(), (0.0, 11.0));
    assert_note(&raster, "it holds 2 images of this size; the first is read");
    for next in [u32::MAX - 1, 4] {
        let mut file = vec![0; 8];
        let first = add(&mut file, &own, &heights(), next);
        let raster = read(&with_first(file, first));
        assert_eq!(raster.range(), (0.0, 11.0), "{next}");
        assert_note(&raster, "its image 2 (a mask, a smaller copy or another image) is damaged and ignored");
    }
}

/// A mask of 4 × 3 samples for each of `bands`, that hides the sample whose number is that of the band.
fn mask(bands: usize) -> (Tags, Vec<u8>) {
    let mut tags = image(4, 3, vec![8; bands], 1, 1);
    tags.push((254, Long(vec![4])));
    let pixels = (0..12).flat_map(|at| (0..bands).map(move |band| if at == band + 1 { 0 } else { 255 }));
    (tags, pixels.collect())
}

#[test]
fn masks_inside_an_image_and_masks_of_bands_are_found() {
    let _beside = beside();
    let (tags, pixels) = mask(1);
    let mut file = vec![0; 8];
    let inside = add(&mut file, &tags, &pixels, 0);
    let mut own = image(4, 3, vec![32], 1, 3);
    own.push((330, Long(vec![inside])));
    let first = add(&mut file, &own, &heights(), 0);
    let raster = read(&with_first(file, first));
    assert!(raster.filled() == 1 && raster.was_hole(1, 0), "{:?}", raster.filled());

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.tif");
    let two: Vec<u8> = (0..24).flat_map(|height| (height as f32).to_le_bytes()).collect();
    std::fs::write(&path, tiff(&image(4, 3, vec![32, 32], 1, 3), &two)).unwrap();
    let of_band = |band: &str| {
        let channel = HeightChannel::of(band).unwrap();
        formats::read(&path, &ReadOptions { channel, ..ReadOptions::default() }).unwrap()
    };
    for planar in [1, 2] {
        let (mut tags, pixels) = mask(2);
        tags.push((284, Short(vec![planar])));
        if planar == 2 {
            // Both strips lie one behind the other.
            let (first, second): (Vec<u8>, Vec<u8>) = pixels.chunks(2).map(|pair| (pair[0], pair[1])).unzip();
            let mut file = vec![0; 8];
            file.extend(&first);
            file.extend(&second);
            tags.push((273, Long(vec![8, 20])));
            tags.push((279, Long(vec![12, 12])));
            let place = add_without_strip(&mut file, &tags);
            std::fs::write(folder.path().join("x.tif.msk"), with_first(file, place)).unwrap();
        } else {
            std::fs::write(folder.path().join("x.tif.msk"), tiff(&tags, &pixels)).unwrap();
        }
        assert!(of_band("1").filled() == 1 && of_band("1").was_hole(1, 0), "{planar}");
        assert!(of_band("2").filled() == 1 && of_band("2").was_hole(2, 0), "{planar}");
    }
}

#[test]
fn a_truncated_mask_is_reported_whatever_type_its_tag_has() {
    let _beside = beside();
    // One image of 2 × 2 bytes, big-endian, and behind it a directory of which only the first tag is there.
    let file = |is_big: bool, kind: u16, value: &[u8]| {
        let word = |number: u64| {
            if is_big { number.to_be_bytes().to_vec() } else { (number as u32).to_be_bytes().to_vec() }
        };
        let entry = |tag: u16, kind: u16, value: &[u8]| {
            let mut bytes = [tag.to_be_bytes(), kind.to_be_bytes()].concat();
            bytes.extend(word(1));
            bytes.extend(value);
            bytes.resize(if is_big { 20 } else { 12 }, 0);
            bytes
        };
        let count = |number: u16| {
            if is_big { u64::from(number).to_be_bytes().to_vec() } else { number.to_be_bytes().to_vec() }
        };
        let short = |tag: u16, value: u16| entry(tag, 3, &value.to_be_bytes());
        let head = if is_big { 16 } else { 8 };
        let tags = [
            short(256, 2),
            short(257, 2),
            short(258, 8),
            short(259, 1),
            short(262, 1),
            entry(273, 4, &(head as u32).to_be_bytes()),
            short(277, 1),
            short(278, 2),
            entry(279, 4, &4u32.to_be_bytes()),
        ];
        let mut bytes = if is_big { b"MM\0\x2b\0\x08\0\0".to_vec() } else { b"MM\0\x2a".to_vec() };
        bytes.extend(word(head + 4));
        bytes.extend([1, 2, 3, 4]);
        bytes.extend(count(tags.len() as u16));
        bytes.extend(tags.concat());
        let behind = bytes.len() + word(0).len();
        bytes.extend(word(behind as u64));
        bytes.extend(count(9));
        bytes.extend(entry(254, kind, value));
        bytes
    };
    for (is_big, kind, mask, other) in [
        (false, 3, &[0, 4][..], &[0, 1][..]),
        (false, 4, &[0, 0, 0, 4], &[0, 0, 0, 1]),
        (false, 1, &[4], &[1]),
        (true, 3, &[0, 4], &[0, 1]),
        (true, 16, &[0, 0, 0, 0, 0, 0, 0, 4], &[0, 0, 0, 0, 0, 0, 0, 1]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.tif");
        std::fs::write(&path, file(is_big, kind, mask)).unwrap();
        assert!(formats::read(&path, &ReadOptions::default()).is_err(), "type {kind}");
        let raster = read(&file(is_big, kind, other));
        assert_eq!(raster.range(), (1.0, 4.0));
        assert_note(&raster, "its image 2 (a mask, a smaller copy or another image) is damaged and ignored");
    }
}

/// As [`add`], of a directory that says where its strips lie.
fn add_without_strip(file: &mut Vec<u8>, tags: &Tags) -> u32 {
    let mut bytes = Vec::new();
    let own = file.len();
    let place =
        add(&mut bytes, &tags.iter().filter(|(tag, _)| ![273, 279].contains(tag)).cloned().collect(), &[], 0);
    let mut directory = bytes;
    for entry in 0..tags.len() {
        let at = place as usize + 2 + 12 * entry;
        let tag = u16::from_le_bytes([directory[at], directory[at + 1]]);
        let Some((_, Long(values))) =
            tags.iter().find(|(known, _)| *known == tag && [273, 279].contains(known))
        else {
            continue;
        };
        directory[at + 4..at + 8].copy_from_slice(&(values.len() as u32).to_le_bytes());
        let values: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let end = (own + directory.len()) as u32;
        directory[at + 8..at + 12].copy_from_slice(&end.to_le_bytes());
        directory.extend(values);
    }
    file.extend(directory);
    own as u32 + place
}

#[test]
fn colours_that_stand_for_heights_are_decoded_in_a_tiff_too() {
    let _beside = beside();
    let height = |at: usize| -> f64 {
        let (x, y): (f64, f64) = ((at % 64) as f64 / 64.0, (at / 64) as f64 / 64.0);
        400.0 + 200.0 * ((9.0 * x).sin() * (7.0 * y).cos())
    };
    let coded: Vec<u8> = (0..64 * 64)
        .flat_map(|at| {
            let number = ((height(at) + 10_000.0) * 10.0) as u32;
            [(number >> 16) as u8, (number >> 8) as u8, number as u8]
        })
        .collect();
    let tags = image(64, 64, vec![8; 3], 2, 1);
    let bytes = tiff(&tags, &coded);
    let with = |channel: &str| {
        read_as(
            &bytes,
            ReadOptions { channel: HeightChannel::of(channel).unwrap(), ..ReadOptions::default() },
        )
    };
    let raster = with("auto");
    assert!((0..64 * 64).all(|at| (f64::from(raster.values()[at]) - height(at)).abs() < 0.11));
    assert_note(&raster, "its colours are read as heights");
    assert_eq!(with("mapbox").values(), raster.values());
    assert!(with("mapbox").notes().is_empty());
    assert!(with("terrarium").range().1 < -30_000.0 && with("luma").range().1 <= 255.0);
    let file =
        ElevationFile::from_bytes("x.tif", bytes, &ElevationFileOptions::default(), &Work::new()).unwrap();
    let part = file.raster(Window { level: 0, first: [5, 9], size: [3, 2] }, &Work::new()).unwrap();
    assert_eq!((part.at(0, 0), part.at(2, 1)), (raster.at(5, 9), raster.at(7, 10)));
    // An ordinary picture is read by its brightness, which is reported.
    let plain: Vec<u8> = (0..64 * 64).flat_map(|at| [(height(at) / 4.0) as u8, 90, 30]).collect();
    let picture = read(&tiff(&tags, &plain));
    assert!(picture.range().1 <= 255.0);
    assert_note(&picture, "the brightness of its colours is read");
    // 16 bits are no such colours.
    let options = ReadOptions { channel: HeightChannel::Mapbox, ..ReadOptions::default() };
    let deep = tiff(&image(2, 2, vec![16; 3], 2, 1), &[0; 24]);
    let message = formats::read_bytes("x.tif", &deep, &options).unwrap_err().to_string();
    assert!(message.contains("8-bit red, green and blue"), "{message}");
    let message = formats::read_bytes("x.tif", &self::grey(Vec::new()), &options).unwrap_err().to_string();
    assert!(message.contains("need red, green and blue"), "{message}");
}

#[test]
fn a_name_without_a_unit_is_no_reason_to_refuse() {
    let _beside = beside();
    let citation = (34_737, Text("My grid in US survey feet|"));
    let mut tags = place(30.0, 5e5, 5e6);
    tags.extend([keys(&[[1024, 0, 1, 1], [1026, 34_737, 26, 0], [3072, 0, 1, 32_767]]), citation]);
    let raster = read(&grey(tags));
    assert!((metres(&raster).0 - 30.0 * 1200.0 / 3937.0).abs() < 1e-9);
    assert!(
        raster.notes().iter().any(|note| note.contains("name of its coordinate system")),
        "{:?}",
        raster.notes()
    );
}

//! EXRs from arbitrary bytes: a header that makes sense, with up to three attributes changed, and chunks of
//! the length that their place requires.

use arbitrary::{Result, Unstructured};

use crate::png::zlib_stored;

/// An attribute of a header: its name, its type, its bytes.
type Attribute = (&'static str, &'static str, Vec<u8>);

const NAMES: [&str; 20] = [
    "channels",
    "compression",
    "dataWindow",
    "displayWindow",
    "lineOrder",
    "pixelAspectRatio",
    "screenWindowCenter",
    "screenWindowWidth",
    "tiles",
    "type",
    "name",
    "chunkCount",
    "view",
    "version",
    "maxSamplesPerPixel",
    "preview",
    "upland:cell",
    "upland:origin",
    "upland:range",
    "dwaCompressionLevel",
];

const TYPES: [&str; 20] = [
    "chlist",
    "compression",
    "box2i",
    "lineOrder",
    "float",
    "v2f",
    "tiledesc",
    "string",
    "int",
    "double",
    "preview",
    "stringvector",
    "chromaticities",
    "keycode",
    "timecode",
    "rational",
    "m33f",
    "box2f",
    "envmap",
    "opaque",
];

/// An EXR.
pub fn exr(u: &mut Unstructured) -> Result<Vec<u8>> {
    let side = |u: &mut Unstructured| {
        Ok(if u.ratio(1, 16)? { u.arbitrary::<i32>()? } else { u.int_in_range(1..=40)? })
    };
    let (width, depth) = (side(u)?, side(u)?);
    let corner = |u: &mut Unstructured| Ok(if u.ratio(1, 8)? { u.arbitrary::<i32>()? } else { 0 });
    let (left, top) = (corner(u)?, corner(u)?);
    let (right, bottom) = (left.wrapping_add(width).wrapping_sub(1), top.wrapping_add(depth).wrapping_sub(1));
    let window: Vec<u8> = [left, top, right, bottom].into_iter().flat_map(i32::to_le_bytes).collect();
    // None, run lengths, ZIP by line, ZIP, PIZ, PXR24, B44, B44A, and the two DWA.
    let compression = u.int_in_range(0..=9u8)?;
    let lines = [1, 1, 1, 16, 32, 16, 32, 32, 32, 256][usize::from(compression)];
    let tiled = u.ratio(1, 4)?;
    let multipart = u.ratio(1, 8)?;

    let mut channels = Vec::new();
    let mut pixel_bytes = 0;
    for name in *u.choose(&[&["Y"][..], &["B", "G", "R"], &["A", "B", "G", "R"], &["Z", "a.b"], &[]])? {
        let kind = u.int_in_range(0..=2u32)?;
        let sampling = if u.ratio(1, 16)? { u.int_in_range(0..=3u32)? } else { 1 };
        pixel_bytes += if kind == 1 { 2 } else { 4 };
        channels.extend(name.bytes().chain([0]));
        channels.extend(kind.to_le_bytes());
        channels.extend([u8::from(u.ratio(1, 8)?), 0, 0, 0]);
        channels.extend(sampling.to_le_bytes());
        channels.extend(sampling.to_le_bytes());
    }
    channels.push(0);
    let blocks = (depth.max(1) as u32).div_ceil(lines).min(64);
    let mut attributes: Vec<Attribute> = vec![
        ("channels", "chlist", channels),
        ("compression", "compression", vec![compression]),
        ("dataWindow", "box2i", window.clone()),
        ("displayWindow", "box2i", window),
        ("lineOrder", "lineOrder", vec![u.int_in_range(0..=2)?]),
        ("pixelAspectRatio", "float", 1f32.to_le_bytes().to_vec()),
        ("screenWindowCenter", "v2f", vec![0; 8]),
        ("screenWindowWidth", "float", 1f32.to_le_bytes().to_vec()),
    ];
    if tiled {
        let side = u.int_in_range(1..=64u32)?.to_le_bytes();
        let mode = if u.ratio(3, 4)? { 0 } else { u.arbitrary()? };
        attributes.push(("tiles", "tiledesc", [&side[..], &side, &[mode]].concat()));
    }
    if multipart {
        let kind = *u.choose(&["scanlineimage", "tiledimage", "deepscanline", "deeptile"])?;
        attributes.push(("type", "string", kind.into()));
        attributes.push(("name", "string", b"land".to_vec()));
        attributes.push(("chunkCount", "int", blocks.to_le_bytes().to_vec()));
    }
    if u.ratio(1, 4)? {
        let text =
            *u.choose(&["metres 30 30", "degrees 0.1 0.1 89", "1 2", "metres 1e-30 1e30", "\x1b[2J"])?;
        attributes.push((NAMES[u.int_in_range(16..=18)?], "string", text.into()));
    }
    for _ in 0..u.int_in_range(0..=3)? {
        bend(u, &mut attributes)?;
    }

    let flags = (u32::from(tiled && !multipart) << 9) | (u32::from(multipart) << 12);
    let mut file = 20_000_630u32.to_le_bytes().to_vec();
    let version = if u.ratio(1, 16)? { u.arbitrary()? } else { 2 | flags };
    file.extend(version.to_le_bytes());
    for (name, kind, value) in attributes {
        file.extend(name.bytes().chain([0]).chain(kind.bytes()).chain([0]));
        file.extend((value.len() as u32).to_le_bytes());
        file.extend(value);
    }
    file.extend(if multipart { &[0, 0][..] } else { &[0] });

    let table = file.len() as u64 + 8 * u64::from(blocks);
    let line = pixel_bytes * width.clamp(0, 64) as usize;
    let mut chunks = Vec::new();
    let mut offsets = Vec::new();
    for block in 0..blocks {
        let rows = (depth as u32).saturating_sub(block * lines).min(lines) as usize;
        let mut data = vec![0; (line * rows).min(4096)];
        let given = u.arbitrary_len::<u8>()?.min(data.len());
        u.fill_buffer(&mut data[..given])?;
        let data = if matches!(compression, 2 | 3 | 5) && u.ratio(3, 4)? { zlib_stored(&data) } else { data };
        offsets.push(table + chunks.len() as u64);
        if multipart {
            chunks.extend(0u32.to_le_bytes());
        }
        if tiled {
            [block, 0, 0, 0].into_iter().for_each(|number| chunks.extend(number.to_le_bytes()));
        } else {
            chunks.extend(top.wrapping_add((block * lines) as i32).to_le_bytes());
        }
        let length = if u.ratio(1, 32)? { u.arbitrary()? } else { data.len() as u32 };
        chunks.extend(length.to_le_bytes());
        chunks.extend(data);
    }
    offsets.into_iter().for_each(|offset| file.extend(offset.to_le_bytes()));
    file.extend(chunks);
    Ok(file)
}

/// Changes, adds or removes one attribute.
fn bend(u: &mut Unstructured, attributes: &mut Vec<Attribute>) -> Result<()> {
    let bytes = |u: &mut Unstructured| {
        let length = u.int_in_range(0..=40usize)?.min(u.len());
        Ok(u.bytes(length)?.to_vec())
    };
    if attributes.is_empty() || u.ratio(1, 4)? {
        attributes.push((u.choose(&NAMES)?, u.choose(&TYPES)?, bytes(u)?));
        return Ok(());
    }
    let at = u.choose_index(attributes.len())?;
    match u.int_in_range(0..=3)? {
        0 => drop(attributes.swap_remove(at)),
        1 => attributes[at].1 = u.choose(&TYPES)?,
        2 => attributes[at].2 = bytes(u)?,
        _ => {
            let value = &mut attributes[at].2;
            if !value.is_empty() {
                let place = u.choose_index(value.len())?;
                value[place] = u.arbitrary()?;
            }
        }
    }
    Ok(())
}

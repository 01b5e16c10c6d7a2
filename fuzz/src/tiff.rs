//! TIFFs from arbitrary bytes: a directory that makes sense, with up to four fields changed, and data that
//! are packed as the directory says.

use arbitrary::{Result, Unstructured};

use crate::png::zlib_stored;

const SHORT: u16 = 3;
const LONG: u16 = 4;
const DOUBLE: u16 = 12;

/// A field of the directory. Values are kept as bytes in the file's order.
struct Field {
    tag: u16,
    kind: u16,
    count: u64,
    value: Vec<u8>,
}

/// How numbers are written.
#[derive(Clone, Copy)]
struct Order {
    big_endian: bool,
    /// With 64-bit offsets.
    big_tiff: bool,
}

impl Order {
    fn put(self, out: &mut Vec<u8>, number: u64, bytes: usize) {
        let little = &number.to_le_bytes()[..bytes];
        if self.big_endian {
            out.extend(little.iter().rev());
        } else {
            out.extend(little);
        }
    }

    fn field(self, tag: u16, kind: u16, numbers: &[u64]) -> Field {
        let bytes = match kind {
            1 | 2 | 6 | 7 => 1,
            SHORT | 8 => 2,
            LONG | 9 | 11 => 4,
            _ => 8,
        };
        let mut value = Vec::new();
        numbers.iter().for_each(|&number| self.put(&mut value, number, bytes));
        Field { tag, kind, count: numbers.len() as u64, value }
    }
}

const TAGS: [u16; 30] = [
    254, 256, 257, 258, 259, 262, 266, 273, 277, 278, 279, 284, 317, 320, 322, 323, 324, 325, 330, 338, 339,
    347, 513, 33550, 33922, 34264, 34735, 34736, 42113, 700,
];

/// A TIFF.
pub fn tiff(u: &mut Unstructured) -> Result<Vec<u8>> {
    let order = Order { big_endian: u.arbitrary()?, big_tiff: u.ratio(1, 4)? };
    let side = |u: &mut Unstructured| {
        Ok(if u.ratio(1, 16)? { u64::from(u.arbitrary::<u32>()?) } else { u.int_in_range(1..=40)? })
    };
    let (width, depth) = (side(u)?, side(u)?);
    let bits = *u.choose(&[8u64, 16, 32, 64, 1, 12])?;
    let format = *u.choose(&[1u64, 2, 3])?;
    let samples = if u.ratio(1, 16)? { u.int_in_range(0..=70)? } else { u.int_in_range(1..=4u64)? };
    let compression = *u.choose(&[1u64, 5, 8, 32773, 32946, 2, 7, 50000])?;
    let photometric = *u.choose(&[1u64, 0, 2, 3, 5, 6])?;
    let planar = *u.choose(&[1u64, 1, 2])?;
    let predictor = *u.choose(&[1u64, 1, 2, 3])?;
    let tiled = u.ratio(1, 3)?;
    let (chunk_width, chunk_depth) = if tiled {
        (16 * u.int_in_range(1..=4)?, 16 * u.int_in_range(1..=4)?)
    } else {
        (width.max(1), u.int_in_range(1..=depth.clamp(1, 64))?)
    };
    let chunks = width.div_ceil(chunk_width).saturating_mul(depth.div_ceil(chunk_depth));
    let chunks = chunks.saturating_mul(if planar == 2 { samples } else { 1 }).clamp(1, 64) as usize;
    let in_pixel = if planar == 2 { 1 } else { samples };
    let length =
        chunk_width.saturating_mul(chunk_depth).saturating_mul(in_pixel).saturating_mul(bits).div_ceil(8);
    let length = length.min(8192) as usize;
    let mut data = vec![0; length];
    let given = u.arbitrary_len::<u8>()?.min(length);
    u.fill_buffer(&mut data[..given])?;
    let packed = match compression {
        _ if u.ratio(1, 16)? => data,
        5 => lzw_stored(&data),
        8 | 32946 => zlib_stored(&data),
        32773 => data.chunks(128).flat_map(|part| [&[part.len() as u8 - 1], part].concat()).collect(),
        _ => data,
    };

    let start = if order.big_tiff { 16 } else { 8 };
    // All strips or tiles share their bytes: a short file of many.
    let (offsets, counts) = (vec![start; chunks], vec![packed.len() as u64; chunks]);
    let per_sample = |number: u64| vec![number; samples as usize];
    let mut fields = vec![
        order.field(256, LONG, &[width]),
        order.field(257, LONG, &[depth]),
        order.field(258, SHORT, &per_sample(bits)),
        order.field(259, SHORT, &[compression]),
        order.field(262, SHORT, &[photometric]),
        order.field(277, SHORT, &[samples]),
        order.field(284, SHORT, &[planar]),
        order.field(317, SHORT, &[predictor]),
        order.field(339, SHORT, &per_sample(format)),
    ];
    if tiled {
        fields.push(order.field(322, LONG, &[chunk_width]));
        fields.push(order.field(323, LONG, &[chunk_depth]));
        fields.push(order.field(324, LONG, &offsets));
        fields.push(order.field(325, LONG, &counts));
    } else {
        fields.push(order.field(273, LONG, &offsets));
        fields.push(order.field(278, LONG, &[chunk_depth]));
        fields.push(order.field(279, LONG, &counts));
    }
    if u.arbitrary()? {
        place(u, order, &mut fields)?;
    }
    for _ in 0..u.int_in_range(0..=4)? {
        bend(u, order, &mut fields)?;
    }
    fields.sort_by_key(|field| field.tag);
    Ok(written(order, &packed, &fields))
}

/// Adds the fields that place a TIFF on a map.
fn place(u: &mut Unstructured, order: Order, fields: &mut Vec<Field>) -> Result<()> {
    let number = |u: &mut Unstructured| {
        Ok(if u.ratio(1, 8)? { u.arbitrary::<f64>()? } else { f64::from(u.arbitrary::<i32>()?) / 1024.0 }
            .to_bits())
    };
    let (x, z) = (number(u)?, number(u)?);
    fields.push(order.field(33550, DOUBLE, &[x, z, 0]));
    let (west, north) = (number(u)?, number(u)?);
    fields.push(order.field(33922, DOUBLE, &[0, 0, 0, west, north, 0]));
    let (model, unit) = (*u.choose(&[1u64, 2, 3])?, *u.choose(&[9001u64, 9002, 9003, 9102])?);
    let keys = [1, 1, 0, 4, 1024, 0, 1, model, 1025, 0, 1, 1, 3076, 0, 1, unit, 4099, 0, 1, unit];
    fields.push(order.field(34735, SHORT, &keys));
    if u.arbitrary()? {
        let text = u.choose(&["-9999", "nan", "0", "1e40", "none", "\x1b[2J"])?;
        fields.push(order.field(42113, 2, &text.bytes().chain([0]).map(u64::from).collect::<Vec<_>>()));
    }
    Ok(())
}

/// Changes, duplicates, adds or removes one field.
fn bend(u: &mut Unstructured, order: Order, fields: &mut Vec<Field>) -> Result<()> {
    let at = u.choose_index(fields.len())?;
    match u.int_in_range(0..=5)? {
        0 => drop(fields.swap_remove(at)),
        1 => fields[at].count = if u.arbitrary()? { u.int_in_range(0..=9)? } else { u.arbitrary()? },
        2 => fields[at].kind = u.int_in_range(0..=18)?,
        3 => {
            let numbers = [u.arbitrary::<u64>()? >> u.int_in_range(0..=63)?];
            fields[at] = order.field(fields[at].tag, *u.choose(&[SHORT, LONG, 16])?, &numbers);
        }
        4 => fields[at].tag = *u.choose(&TAGS)?,
        _ => {
            let length = u.int_in_range(0..=40)?.min(u.len());
            let value = u.bytes(length)?.to_vec();
            let kind = u.int_in_range(1..=13)?;
            fields.push(Field { tag: *u.choose(&TAGS)?, kind, count: value.len() as u64, value });
        }
    }
    if fields.is_empty() {
        fields.push(order.field(256, LONG, &[1]));
    }
    Ok(())
}

fn written(order: Order, data: &[u8], fields: &[Field]) -> Vec<u8> {
    let (wide, room) = if order.big_tiff { (8, 8) } else { (4, 4) };
    let mut out = if order.big_endian { b"MM".to_vec() } else { b"II".to_vec() };
    let start = if order.big_tiff { 16 } else { 8 };
    let directory = start + data.len();
    if order.big_tiff {
        [43, 8, 0].into_iter().for_each(|number| order.put(&mut out, number, 2));
    } else {
        order.put(&mut out, 42, 2);
    }
    order.put(&mut out, directory as u64, wide);
    out.extend(data);
    order.put(&mut out, fields.len() as u64, if order.big_tiff { 8 } else { 2 });
    let mut behind =
        directory + if order.big_tiff { 8 + 20 * fields.len() + 8 } else { 2 + 12 * fields.len() + 4 };
    let mut values = Vec::<u8>::new();
    for field in fields {
        order.put(&mut out, field.tag.into(), 2);
        order.put(&mut out, field.kind.into(), 2);
        order.put(&mut out, field.count, wide);
        if field.value.len() <= room {
            out.extend(field.value.iter().copied().chain(std::iter::repeat(0)).take(room));
        } else {
            order.put(&mut out, behind as u64, wide);
            behind += field.value.len();
            values.extend(&field.value);
        }
    }
    order.put(&mut out, 0, wide);
    out.extend(values);
    out
}

/// LZW in codes of 9 bits only: the table is cleared before it grows beyond them.
fn lzw_stored(bytes: &[u8]) -> Vec<u8> {
    let codes =
        bytes.chunks(200).flat_map(|part| std::iter::once(256).chain(part.iter().map(|&b| u32::from(b))));
    let (mut out, mut buffer, mut filled) = (Vec::new(), 0u32, 0);
    for code in codes.chain([257, 0]) {
        buffer = buffer << 9 | code;
        filled += 9;
        while filled >= 8 {
            filled -= 8;
            out.push((buffer >> filled) as u8);
        }
    }
    out
}

//! PNGs from arbitrary bytes: chunks in any order, with correct lengths and checksums, mostly around pixels
//! that fit the header.

use arbitrary::{Result, Unstructured};

const KINDS: [&[u8; 4]; 24] = [
    b"PLTE", b"tRNS", b"IDAT", b"gAMA", b"cHRM", b"sRGB", b"iCCP", b"sBIT", b"tEXt", b"zTXt", b"iTXt",
    b"pHYs", b"tIME", b"bKGD", b"hIST", b"eXIf", b"acTL", b"fcTL", b"fdAT", b"IHDR", b"IEND", b"cICP",
    b"mDCV", b"abCd",
];

const NOTES: [&str; 5] =
    ["upland:cell\0metres ", "upland:cell\0degrees ", "upland:range\0", "upland:origin\0", "Comment\0"];

/// A PNG.
pub fn png(u: &mut Unstructured) -> Result<Vec<u8>> {
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let side = |u: &mut Unstructured| {
        Ok(if u.ratio(1, 16)? { u.arbitrary::<u32>()? } else { u.int_in_range(1..=40)? })
    };
    let (width, depth) = (side(u)?, side(u)?);
    let bits = *u.choose(&[8u8, 16, 1, 2, 4, 8, 3])?;
    let colour = *u.choose(&[0u8, 2, 3, 4, 6, 3, 3, 1])?;
    let interlaced = u8::from(u.ratio(1, 8)?);
    let mut header = [width.to_be_bytes(), depth.to_be_bytes()].concat();
    header.extend([bits, colour, 0, 0, interlaced]);
    chunk(&mut file, b"IHDR", &header);
    if colour == 3 && u.ratio(7, 8)? {
        let length =
            if u.ratio(7, 8)? { 3 * u.int_in_range(1..=256usize)? } else { u.int_in_range(0..=800usize)? };
        let palette: Vec<u8> = (0..length).map(|index| (index * 7) as u8).collect();
        chunk(&mut file, b"PLTE", &palette);
    }
    some_chunks(u, &mut file)?;

    let channels = [1, 1, 3, 1, 2, 1, 4][usize::from(colour.min(6))];
    let row = (u64::from(width) * channels * u64::from(bits)).div_ceil(8) + 1;
    let length = row.saturating_mul(u64::from(depth)).min(4096) as usize;
    let mut pixels = vec![0; length];
    let given = u.arbitrary_len::<u8>()?.min(length);
    u.fill_buffer(&mut pixels[..given])?;
    if u.ratio(3, 4)? {
        // Filters that exist.
        pixels.iter_mut().step_by(row as usize).for_each(|filter| *filter %= 5);
    }
    let packed = if u.ratio(15, 16)? { zlib_stored(&pixels) } else { pixels };
    let cut = if u.ratio(1, 8)? { u.int_in_range(0..=packed.len())? } else { packed.len() };
    let (first, second) = packed.split_at(cut);
    chunk(&mut file, b"IDAT", first);
    if !second.is_empty() {
        some_chunks(u, &mut file)?;
        chunk(&mut file, b"IDAT", second);
    }
    some_chunks(u, &mut file)?;
    chunk(&mut file, b"IEND", &[]);
    Ok(file)
}

fn some_chunks(u: &mut Unstructured, file: &mut Vec<u8>) -> Result<()> {
    for _ in 0..u.int_in_range(0..=3)? {
        let kind = *u.choose(&KINDS)?;
        let mut data = Vec::new();
        if kind == b"tEXt" {
            data.extend(u.choose(&NOTES)?.bytes());
        }
        let length = u.int_in_range(0..=64usize)?.min(u.len());
        data.extend(u.bytes(length)?);
        match kind {
            b"zTXt" | b"iCCP" => {
                let packed = zlib_stored(&data);
                chunk(file, kind, &[b"name\0\0", packed.as_slice()].concat());
            }
            _ => chunk(file, kind, &data),
        }
    }
    Ok(())
}

/// Appends a chunk with its length before it and its checksum after it.
pub fn chunk(file: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    file.extend((data.len() as u32).to_be_bytes());
    let start = file.len();
    file.extend(kind);
    file.extend(data);
    let crc = !file[start..].iter().fold(!0, |crc, byte| (crc >> 8) ^ CRC[usize::from(crc as u8 ^ byte)]);
    file.extend(crc.to_be_bytes());
}

/// The effect of a byte on the checksum.
const CRC: [u32; 256] = {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 8 * 256 {
        let (byte, bit) = (at / 8, at % 8);
        let crc: u32 = if bit == 0 { byte as u32 } else { table[byte] };
        table[byte] = if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 };
        at += 1;
    }
    table
};

/// A zlib stream that stores the bytes as they are.
pub fn zlib_stored(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0x78, 0x01];
    let mut blocks = bytes.chunks(0xFFFF).peekable();
    if blocks.peek().is_none() {
        out.extend([1, 0, 0, 0xFF, 0xFF]);
    }
    while let Some(block) = blocks.next() {
        let length = block.len() as u16;
        out.push(u8::from(blocks.peek().is_none()));
        out.extend(length.to_le_bytes());
        out.extend((!length).to_le_bytes());
        out.extend(block);
    }
    let (a, b) = bytes.iter().fold((1u32, 0u32), |(a, b), &byte| {
        let a = (a + u32::from(byte)) % 65521;
        (a, (b + a) % 65521)
    });
    out.extend((b << 16 | a).to_be_bytes());
    out
}

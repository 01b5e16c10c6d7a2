//! The JPEGs in a TIFF. Each states its own size, and the decoder allocates that much, whatever the TIFF
//! says. Each also needs the tables that all of them share, which are tidied once.

use crate::elevation::formats::label::Label;
use crate::error::Error;

/// The tables that the decoder needs, as a JPEG without an image: the last of each kind and number. Without
/// this, everything else among them would be read again for every tile.
pub(super) fn tables(bytes: &[u8]) -> Vec<u8> {
    const QUANTISATION: u8 = 0xDB;
    const HUFFMAN: u8 = 0xC4;
    const INTERVAL: u8 = 0xDD;
    // By marker, and the byte that says which table it is.
    let mut last: std::collections::BTreeMap<(u8, u8), &[u8]> = std::collections::BTreeMap::new();
    let mut rest = bytes.strip_prefix(b"\xFF\xD8").unwrap_or(bytes);
    while let [0xFF, marker, after @ ..] = rest {
        if *marker == 0xFF {
            rest = &rest[1..];
            continue;
        }
        let [high, low, ..] = *after else { break };
        let length = usize::from(u16::from_be_bytes([high, low]));
        let Some(mut segment) = after.get(2..length) else { break };
        rest = &after[length..];
        // One segment may hold several tables.
        while let Some(&which) = segment.first() {
            let size = match *marker {
                QUANTISATION => 1 + if which >> 4 == 0 { 64 } else { 128 },
                HUFFMAN => {
                    let counts = segment.get(1..17).unwrap_or_default();
                    17 + counts.iter().map(|&count| usize::from(count)).sum::<usize>()
                }
                INTERVAL => segment.len(),
                _ => break,
            };
            let which = if *marker == INTERVAL { 0 } else { which };
            let Some((table, others)) = segment.split_at_checked(size) else { break };
            last.insert((*marker, which), table);
            segment = others;
        }
    }
    let mut tables = b"\xFF\xD8".to_vec();
    for ((marker, _), table) in last {
        tables.extend([0xFF, marker]);
        tables.extend((table.len() as u16 + 2).to_be_bytes());
        tables.extend(table);
    }
    tables.extend(b"\xFF\xD9");
    tables
}

/// Refuses JPEGs that claim more than `most` pixels each way.
pub(super) fn check(label: Label, bytes: &[u8], most: (usize, usize)) -> Result<(), Error> {
    match largest(bytes) {
        Some((width, depth)) if width > most.0 || depth > most.1 => {
            let most = format!("{}×{}", most.0, most.1);
            let reason = format!("the TIFF is damaged (a strip or tile of at most {most} pixels");
            Err(label.error(format!("{reason} is a JPEG of {width}×{depth})")))
        }
        _ => Ok(()),
    }
}

/// The largest width and depth in the frame headers of a JPEG. These markers can't occur by chance: in
/// compressed data, 0xFF is never followed by these bytes.
fn largest(bytes: &[u8]) -> Option<(usize, usize)> {
    // Searched byte by byte, not parsed: bytes of the image may look like a frame, which only makes the
    // answer larger. 0xC4, 0xC8 and 0xCC are other markers in this range.
    let frames = bytes.windows(9).filter_map(|window| match *window {
        [0xFF, 0xC0..=0xC3 | 0xC5..=0xC7 | 0xC9..=0xCB | 0xCD..=0xCF, _, _, _, a, b, c, d] => {
            Some((usize::from(u16::from_be_bytes([c, d])), usize::from(u16::from_be_bytes([a, b]))))
        }
        _ => None,
    });
    frames.reduce(|a, b| (a.0.max(b.0), a.1.max(b.1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_table_of_each_kind_is_kept() {
        let comment = [b"\xFF\xFE\0\x06abcd".as_slice(); 100].concat();
        let quantisation = |value: u8| [b"\xFF\xDB\0\x43\0".as_slice(), &[value; 64]].concat();
        let huffman = [b"\xFF\xC4\0\x15\x10".as_slice(), &[0, 2], &[0; 14], &[7, 8]].concat();
        let all =
            [b"\xFF\xD8".as_slice(), &comment, &quantisation(1), &huffman, &quantisation(2), b"\xFF\xD9"];
        let wanted = [b"\xFF\xD8".as_slice(), &huffman, &quantisation(2), b"\xFF\xD9"].concat();
        assert_eq!(tables(&all.concat()), wanted);
        assert_eq!(tables(&wanted), wanted);
        for end in 0..wanted.len() {
            assert!(tables(&wanted[..end]).len() <= wanted.len());
        }
        assert_eq!(tables(b""), b"\xFF\xD8\xFF\xD9");
    }

    #[test]
    fn the_frame_says_how_large_a_jpeg_is() {
        let start = b"\xFF\xD8\xFF\xDB\0\x04\x01\x02";
        let frame = b"\xFF\xC0\0\x0B\x08\x00\x20\x01\x02\x01\x01\x11\0\xFF\xDA";
        assert_eq!(largest(&[start.as_slice(), frame].concat()), Some((258, 32)));
        assert_eq!(
            largest(&[frame.as_slice(), b"\xFF\xC2\0\x0B\x08\x40\0\x40\0"].concat()),
            Some((16384, 16384))
        );
        assert_eq!(largest(start), None);
    }
}

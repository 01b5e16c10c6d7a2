//! How raw numbers lie in a file.

use crate::elevation::formats::nodata::Numbers;

/// The layout of raw numbers in a file that doesn't record it. By default it is that of a `.hdr` next to the
/// file, or else unsigned 16-bit numbers, little-endian, from the first byte on, row by row from the
/// north-west.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub struct RawLayout {
    /// The type of the numbers.
    pub sample: Option<SampleType>,
    /// The order of the bytes of a number.
    pub order: Option<ByteOrder>,
    /// Bytes before the first number, such as a header, that are skipped.
    pub skip: Option<u64>,
    /// Whether the first row is the southern one.
    pub flip_rows: bool,
    /// Whether the first column is the eastern one.
    pub flip_columns: bool,
}

/// The order of the bytes of a number.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum ByteOrder {
    /// The lowest byte first, as on PCs.
    Little,
    /// The highest byte first.
    Big,
}

/// The type of raw numbers.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum SampleType {
    /// Unsigned, 8 bits.
    U8,
    /// Unsigned, 16 bits.
    U16,
    /// Signed, 16 bits.
    I16,
    /// Unsigned, 32 bits.
    U32,
    /// Signed, 32 bits.
    I32,
    /// Floating point, 32 bits.
    F32,
    /// Floating point, 64 bits.
    F64,
}

impl SampleType {
    /// Every type, with its name.
    const NAMES: [(&str, Self); 7] = [
        ("u8", Self::U8),
        ("u16", Self::U16),
        ("i16", Self::I16),
        ("u32", Self::U32),
        ("i32", Self::I32),
        ("f32", Self::F32),
        ("f64", Self::F64),
    ];

    /// The type of a name such as `u16` or `f32`; `None` for another text.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, sample)| *sample)
    }

    /// Its name, such as `u16`.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, sample)| *sample == self).map_or("", |(name, _)| name)
    }

    /// Bytes of a number.
    pub fn bytes(self) -> u64 {
        match self {
            Self::U8 => 1,
            Self::U16 | Self::I16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// The type that a `.hdr` describes. Numbers of more than 8 bits without a kind are signed, as GDAL reads
    /// them.
    pub(in crate::elevation::formats) fn of(bits: u64, kind: &str, is_float: bool) -> Option<Self> {
        Some(match (bits, kind) {
            (8, "" | "UNSIGNEDINT") => Self::U8,
            (16, "UNSIGNEDINT") => Self::U16,
            (16, "" | "SIGNEDINT") => Self::I16,
            (32, "FLOAT") => Self::F32,
            (32, "") if is_float => Self::F32,
            (32, "UNSIGNEDINT") => Self::U32,
            (32, "" | "SIGNEDINT") => Self::I32,
            (64, "" | "FLOAT") => Self::F64,
            _ => return None,
        })
    }

    /// The kind of its numbers.
    pub(in crate::elevation::formats) fn numbers(self) -> Numbers {
        match self {
            Self::F32 => Numbers::F32,
            Self::F64 => Numbers::F64,
            _ => Numbers::Whole,
        }
    }

    /// The lowest and the highest number; `None` for floating point.
    pub(in crate::elevation::formats) fn range(self) -> Option<(f64, f64)> {
        Some(match self {
            Self::U8 => (0.0, 255.0),
            Self::U16 => (0.0, 65_535.0),
            Self::I16 => (-32_768.0, 32_767.0),
            Self::U32 => (0.0, f64::from(u32::MAX)),
            Self::I32 => (f64::from(i32::MIN), f64::from(i32::MAX)),
            Self::F32 | Self::F64 => return None,
        })
    }

    /// The number that the first bytes encode.
    pub(in crate::elevation::formats) fn number(self, bytes: &[u8], order: ByteOrder) -> f64 {
        fn first<const N: usize>(bytes: &[u8], order: ByteOrder) -> [u8; N] {
            // Callers pass whole samples; a short one at a damaged end becomes 0.
            let mut number = bytes.first_chunk().copied().unwrap_or([0; N]);
            if order == ByteOrder::Big {
                number.reverse();
            }
            number
        }
        match self {
            Self::U8 => f64::from(bytes.first().copied().unwrap_or(0)),
            Self::U16 => f64::from(u16::from_le_bytes(first(bytes, order))),
            Self::I16 => f64::from(i16::from_le_bytes(first(bytes, order))),
            Self::U32 => f64::from(u32::from_le_bytes(first(bytes, order))),
            Self::I32 => f64::from(i32::from_le_bytes(first(bytes, order))),
            Self::F32 => f64::from(f32::from_le_bytes(first(bytes, order))),
            Self::F64 => f64::from_le_bytes(first(bytes, order)),
        }
    }
}

//! Writing PNG pictures with constant memory.

use std::io::Write;
use std::path::Path;

use png::{DeflateCompression, Encoder, EncodingError, Filter};

use crate::error::{Error, Result};

/// Bytes of compressed pixels per chunk.
const CHUNK: usize = 1 << 16;

/// Writes a picture row by row, with constant memory: the encoder's one-shot filtering and compression would
/// take more than as much again as the pixels.
///
/// # Errors
/// [`Error`] naming `path` when the file cannot be written.
pub fn write_png_rows<W: Write, Row: AsRef<[u8]>>(
    path: &Path,
    mut encoder: Encoder<W>,
    texts: Vec<(String, String)>,
    rows: impl Iterator<Item = Row>,
) -> Result<()> {
    // Other settings take more than twice as long and save a tenth: noise hardly compresses.
    encoder.set_deflate_compression(DeflateCompression::FdeflateUltraFast);
    encoder.set_filter(Filter::Adaptive);
    let write = || {
        for (key, text) in texts {
            encoder.add_text_chunk(key, text)?;
        }
        let mut writer = encoder.write_header()?;
        let mut stream = writer.stream_writer_with_size(CHUNK)?;
        for row in rows {
            stream.write_all(row.as_ref())?;
        }
        stream.finish()?;
        writer.finish()
    };
    write().map_err(|error| match error {
        EncodingError::IoError(error) => Error::io(path, "write", error),
        error => Error::file(path, format!("cannot be written as PNG ({error})")),
    })
}

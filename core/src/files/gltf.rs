//! The parts that all our glTF 2.0 files have: the description of one buffer, and the binary container.
//!
//! Khronos Group, "glTF 2.0 Specification", section 4.4 for the container (GLB).

use serde_json::{Value, json};

/// The type of a number. glTF has the codes of OpenGL.
#[derive(Clone, Copy)]
pub(crate) enum Component {
    UnsignedByte,
    UnsignedShort,
    UnsignedInt,
    Float,
}

impl Component {
    fn code(self) -> u32 {
        match self {
            // The constants of OpenGL, which glTF uses as they are.
            Self::UnsignedByte => 5121,
            Self::UnsignedShort => 5123,
            Self::UnsignedInt => 5125,
            Self::Float => 5126,
        }
    }
}

/// The use of a part of the buffer, from which its OpenGL target follows.
#[derive(Clone, Copy)]
pub(crate) enum Purpose {
    Vertices,
    Indices,
    /// Data without a target: pictures, and the places of instances.
    Other,
}

/// Bytes before the content of a chunk: its length and its kind; and at the beginning of the file: magic,
/// version and length.
const CHUNK_HEADER: u64 = 8;
const FILE_HEADER: u64 = 12;

/// More bytes than the description of a file with about ten parts takes.
const DESCRIPTION: u64 = 1 << 16;

/// The parts of a file's one buffer: each begins at a multiple of four bytes.
#[derive(Default)]
pub(crate) struct Buffer {
    length: u64,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Buffer {
    /// A buffer that nothing refers to: a file must have bytes even where there is nothing to draw.
    pub(crate) fn without_parts(length: u64) -> Self {
        Self { length, ..Self::default() }
    }

    /// Adds a part of this length at the end; returns the index of its view.
    pub(crate) fn part(&mut self, bytes: u64, purpose: Purpose) -> usize {
        let mut view = json!({ "buffer": 0, "byteOffset": self.length, "byteLength": bytes });
        match purpose {
            // ARRAY_BUFFER and ELEMENT_ARRAY_BUFFER.
            Purpose::Vertices => view["target"] = json!(34962),
            Purpose::Indices => view["target"] = json!(34963),
            Purpose::Other => {}
        }
        // glTF 2.0, 3.6.2.4: accessors begin at multiples of their component's size, of 4 bytes at most.
        self.length += bytes.next_multiple_of(4);
        self.views.push(view);
        self.views.len() - 1
    }

    /// Describes the numbers of a part; returns the index of the accessor. `kind` is glTF's name of their
    /// arrangement, such as `VEC3`; `more` is an object with what else is known of them, or null.
    pub(crate) fn accessor(
        &mut self,
        view: usize,
        count: u64,
        component: Component,
        kind: &str,
        more: Value,
    ) -> usize {
        let mut accessor =
            json!({ "bufferView": view, "count": count, "componentType": component.code(), "type": kind });
        for (key, value) in more.as_object().into_iter().flatten() {
            accessor[key] = value.clone();
        }
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// The description of a file with this buffer. `content` has the scene, and everything else that does not
    /// describe the buffer. In a text file, `uri` holds the buffer's bytes.
    pub(crate) fn describe(self, mut content: Value, uri: Option<String>) -> Value {
        content["asset"] =
            json!({ "version": "2.0", "generator": concat!("upland ", env!("CARGO_PKG_VERSION")) });
        let mut buffer = json!({ "byteLength": self.length });
        if let Some(uri) = uri {
            buffer["uri"] = json!(uri);
        }
        content["buffers"] = json!([buffer]);
        // glTF has no empty lists.
        for (name, list) in [("bufferViews", self.views), ("accessors", self.accessors)] {
            if !list.is_empty() {
                content[name] = Value::Array(list);
            }
        }
        content
    }
}

/// A buffer together with its bytes, for files that are made in memory.
#[derive(Default)]
pub(crate) struct FilledBuffer {
    pub(crate) buffer: Buffer,
    pub(crate) bytes: Vec<u8>,
}

impl FilledBuffer {
    /// Adds a part at the end; returns the index of its view.
    pub(crate) fn part(&mut self, bytes: &[u8], purpose: Purpose) -> usize {
        self.bytes.extend(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.buffer.part(bytes.len() as u64, purpose)
    }
}

/// The most bytes that a binary file takes whose buffer has `buffer` bytes.
pub(crate) fn most_bytes(buffer: u64) -> u64 {
    buffer + DESCRIPTION
}

/// The beginning of a binary file: everything before its buffer, which has `length` bytes.
pub(crate) fn before_buffer(description: &Value, length: u64) -> Vec<u8> {
    let mut description = description.to_string().into_bytes();
    // Chunks are padded to 4 bytes, JSON by spaces.
    description.resize(description.len().next_multiple_of(4), b' ');
    let all = FILE_HEADER + 2 * CHUNK_HEADER + description.len() as u64 + length;
    // Lengths have 32 bits in this format; larger buffers are refused before.
    let number = |number: u64| (number as u32).to_le_bytes();
    let mut bytes = [*b"glTF", number(2), number(all)].concat();
    bytes.extend([number(description.len() as u64), *b"JSON"].concat());
    bytes.extend(description);
    bytes.extend([number(length), *b"BIN\0"].concat());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_begin_at_multiples_of_four_bytes() {
        let mut buffer = Buffer::default();
        let views = [5, 8, 1].map(|bytes| buffer.part(bytes, Purpose::Other));
        let description = buffer.describe(json!({}), None);
        assert_eq!((views, &description["buffers"][0]["byteLength"]), ([0, 1, 2], &json!(20)));
        let offsets = [0, 1, 2].map(|index| description["bufferViews"][index]["byteOffset"].clone());
        assert_eq!(offsets, [0, 8, 16]);
    }

    #[test]
    fn a_buffer_without_parts_is_described_without_empty_lists() {
        let description = Buffer::without_parts(4).describe(json!({}), None);
        assert_eq!(description["buffers"], json!([{ "byteLength": 4 }]));
        assert!(description.get("bufferViews").is_none() && description.get("accessors").is_none());
    }

    #[test]
    fn a_binary_file_says_how_long_it_and_its_chunks_are() {
        let bytes = before_buffer(&json!({ "asset": {} }), 8);
        let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        assert_eq!((&bytes[..4], number(4), number(8)), (&b"glTF"[..], 2, bytes.len() + 8));
        assert_eq!((&bytes[16..20], number(12) % 4), (&b"JSON"[..], 0));
        let chunk = 20 + number(12);
        assert_eq!((number(chunk), &bytes[chunk + 4..]), (8, &b"BIN\0"[..]));
    }
}

//! The bytes of an object in a store, for a reader of files.

use std::io;
use std::sync::{Mutex, PoisonError};

use upland_core::Error;
use upland_core::files::ReadAt;

use crate::store::Store;

/// An object whose beginning is in memory already.
pub(super) struct ObjectAt<'a> {
    store: &'a Store,
    key: &'a str,
    head: &'a [u8],
    length: u64,
    /// Why the store could not be read.
    failure: Mutex<Option<Error>>,
}

impl<'a> ObjectAt<'a> {
    pub(super) fn new(store: &'a Store, key: &'a str, head: &'a [u8], length: u64) -> Self {
        Self { store, key, head, length, failure: Mutex::new(None) }
    }

    /// Why the store could not be read, if that is why a reader failed. Otherwise the object is damaged.
    pub(super) fn into_failure(self) -> Option<Error> {
        self.failure.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ReadAt for ObjectAt<'_> {
    fn len(&self) -> u64 {
        self.length
    }

    fn read_at(&self, place: u64, out: &mut [u8]) -> io::Result<usize> {
        let in_head =
            usize::try_from(place).ok().and_then(|place| self.head.get(place..)).unwrap_or_default();
        if !in_head.is_empty() {
            let count = in_head.len().min(out.len());
            out[..count].copy_from_slice(&in_head[..count]);
            return Ok(count);
        }
        match self.store.get_range(self.key, place, out.len() as u64) {
            // It may be shorter than its header says.
            Ok(bytes) => {
                let bytes = bytes.unwrap_or_default();
                let count = bytes.len().min(out.len());
                out[..count].copy_from_slice(&bytes[..count]);
                Ok(count)
            }
            Err(error) => {
                *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                Err(io::Error::other("the store cannot be read"))
            }
        }
    }
}

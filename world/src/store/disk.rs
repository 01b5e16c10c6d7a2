//! Blocks of a store's objects on this machine's disk, so that land that was seen once is not read from far
//! away again.
//!
//! A block is a file of its own, named by a hash of the plan, the object and its number. It is written under
//! another name and renamed, so that it is there as a whole or not at all, and begins with the SHA-256 of its
//! bytes: a damaged one is removed and fetched again. Any number of processes share the folder. The blocks
//! that were used longest ago are removed when all take more than a limit.

use std::fs::{self, File, FileTimes};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};

/// Bytes of a block; the last one of an object has fewer.
const BLOCK: u64 = 256 << 10;

/// How the file of a block begins, before the SHA-256 of the rest.
const MAGIC: &[u8; 8] = b"upland-1";
const HEAD: usize = 8 + 32;

/// The most blocks of one request.
const MOST_TOGETHER: usize = 64;

/// The share of the limit that is left after blocks were removed, so that this is done rarely.
const KEPT: f64 = 0.9;

/// A use is written down if the last one was longer ago than this.
const TOUCHED: Duration = Duration::from_secs(600);

/// See the module.
pub(crate) struct DiskCache {
    root: PathBuf,
    /// The plan whose objects these are.
    plan: String,
    /// The most bytes of all files.
    most: u64,
    /// Bytes that this process has written since it last counted all; `u64::MAX` before it has counted.
    written: AtomicU64,
    is_counting: AtomicBool,
}

/// Reads bytes of an object from its store: from where, and how many; `None` if there is no such object.
type Fetch<'a, E> = dyn Fn(u64, u64) -> Result<Option<Vec<u8>>, E> + 'a;

impl DiskCache {
    /// Blocks in this folder, of the objects of a plan with this hash, of at most `most` bytes in all.
    pub(crate) fn new(root: PathBuf, plan: &str, most: u64) -> Self {
        let (written, is_counting) = (AtomicU64::new(u64::MAX), AtomicBool::new(false));
        Self { root, plan: plan.to_owned(), most, written, is_counting }
    }

    /// The bytes `from..from + length` of an object, fewer where it ends before; `None` if there is no such
    /// object. What isn't here is fetched, neighbouring blocks by one request.
    ///
    /// # Errors
    /// Those of `fetch`. A disk that is full or cannot be written only costs time.
    pub(super) fn range<E>(
        &self,
        key: &str,
        from: u64,
        length: u64,
        fetch: &Fetch<'_, E>,
    ) -> Result<Option<Vec<u8>>, E> {
        let Some(last) = length.checked_sub(1) else { return Ok(Some(Vec::new())) };
        let (first, last) = (from / BLOCK, from.saturating_add(last) / BLOCK);
        let mut bytes = Vec::new();
        let mut number = first;
        while number <= last {
            let block = match self.load(key, number) {
                Some(block) => block,
                None => {
                    // All that follow and are not here either.
                    let is_missing = |number: &u64| !self.path(key, *number).exists();
                    let others = (number + 1..=last).take(MOST_TOGETHER - 1).take_while(is_missing);
                    let end = others.last().unwrap_or(number) + 1;
                    let Some(run) = fetch(number * BLOCK, (end - number) * BLOCK)? else { return Ok(None) };
                    for (place, block) in run.chunks(BLOCK as usize).enumerate() {
                        self.save(key, number + place as u64, block);
                    }
                    // The last block of the run is looked at below: an object may end with it.
                    number = end - 1;
                    run
                }
            };
            let is_end = !(block.len() as u64).is_multiple_of(BLOCK) || block.is_empty();
            bytes.extend_from_slice(&block);
            number += 1;
            // A run that is shorter than was asked for ends the object as well.
            if is_end || (bytes.len() as u64) < (number - first) * BLOCK {
                break;
            }
        }
        let skipped = (from - first * BLOCK).min(bytes.len() as u64) as usize;
        bytes.drain(..skipped);
        bytes.truncate(usize::try_from(length).unwrap_or(usize::MAX));
        Ok(Some(bytes))
    }

    /// Removes the blocks of an object, which turned out to be damaged in its store.
    pub(super) fn forget(&self, key: &str, length: u64) {
        for number in 0..length.div_ceil(BLOCK) {
            _ = fs::remove_file(self.path(key, number));
        }
    }

    /// The file of a block.
    fn path(&self, key: &str, number: u64) -> PathBuf {
        let hash = Sha256::digest(format!("{}\n{key}\n{number}", self.plan));
        let name: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        // In 256 folders, since many file systems are slow with a hundred thousand files in one.
        self.root.join(&name[..2]).join(&name[2..])
    }

    fn load(&self, key: &str, number: u64) -> Option<Vec<u8>> {
        let path = self.path(key, number);
        let mut file = File::open(&path).ok()?;
        let mut bytes = Vec::new();
        let is_read = (&mut file).take(HEAD as u64 + BLOCK + 1).read_to_end(&mut bytes).is_ok();
        let block = bytes.get(HEAD..).filter(|block| {
            is_read && bytes.starts_with(MAGIC) && bytes[MAGIC.len()..HEAD] == Sha256::digest(block)[..]
        });
        let Some(block) = block.map(<[u8]>::to_vec) else {
            // Damaged, or of another format: it is fetched again.
            _ = fs::remove_file(&path);
            return None;
        };
        touch(&path, &file);
        Some(block)
    }

    /// Writes a block, if the disk lets it be written.
    fn save(&self, key: &str, number: u64, block: &[u8]) {
        let path = self.path(key, number);
        if self.written(&path, block).is_ok() {
            self.count(HEAD as u64 + block.len() as u64);
        }
    }

    fn written(&self, path: &Path, block: &[u8]) -> std::io::Result<()> {
        let folder = path.parent().unwrap_or(&self.root);
        fs::create_dir_all(folder)?;
        let mut part = tempfile::Builder::new().prefix(".part-").tempfile_in(folder)?;
        part.write_all(MAGIC)?;
        part.write_all(&Sha256::digest(block))?;
        part.write_all(block)?;
        part.persist(path).map(|_| ()).map_err(|error| error.error)
    }

    /// Adds to what was written, and removes the oldest blocks if all take too much.
    fn count(&self, bytes: u64) {
        let before = self.written.load(Ordering::Relaxed);
        let now = before.saturating_add(bytes);
        self.written.store(now, Ordering::Relaxed);
        // What others write meanwhile is counted the next time.
        if now > self.most && !self.is_counting.swap(true, Ordering::AcqRel) {
            let left = self.trim();
            self.written.store(left, Ordering::Relaxed);
            self.is_counting.store(false, Ordering::Release);
        }
    }

    /// Removes the blocks that were used longest ago until the rest fits. Returns the bytes of the rest.
    fn trim(&self) -> u64 {
        let mut files = Vec::new();
        for folder in fs::read_dir(&self.root).into_iter().flatten().flatten() {
            for entry in fs::read_dir(folder.path()).into_iter().flatten().flatten() {
                if let Ok(about) = entry.metadata()
                    && about.is_file()
                {
                    let used = about.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                    files.push((used, about.len(), entry.path()));
                }
            }
        }
        let mut all: u64 = files.iter().map(|(_, bytes, _)| bytes).sum();
        if all <= self.most {
            return all;
        }
        files.sort();
        let most = (self.most as f64 * KEPT) as u64;
        for (_, bytes, path) in files {
            if all <= most {
                break;
            }
            // Another process may have removed it already.
            _ = fs::remove_file(path);
            all -= bytes;
        }
        all
    }
}

/// Notes that a file was used, for the order in which files are removed.
fn touch(path: &Path, file: &File) {
    let now = SystemTime::now();
    let modified = file.metadata().and_then(|about| about.modified());
    if modified.is_ok_and(|modified| now.duration_since(modified).is_ok_and(|age| age > TOUCHED)) {
        // Only a handle for writing may change the time on some systems.
        let times = FileTimes::new().set_modified(now);
        _ = File::options().append(true).open(path).and_then(|file| file.set_times(times));
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    /// An object, and which ranges of it were fetched.
    struct Object {
        bytes: Vec<u8>,
        fetched: RefCell<Vec<(u64, u64)>>,
    }

    impl Object {
        fn new(length: u64) -> Self {
            let bytes = (0..length).map(|index| (index % 251) as u8).collect();
            Self { bytes, fetched: RefCell::default() }
        }

        fn read(&self, cache: &DiskCache, from: u64, length: u64) -> Vec<u8> {
            let fetch = |from: u64, length: u64| {
                self.fetched.borrow_mut().push((from, length));
                let end = (from + length).min(self.bytes.len() as u64) as usize;
                Ok::<_, ()>(Some(self.bytes.get(from as usize..end).unwrap_or_default().to_vec()))
            };
            cache.range("heights/a.tif", from, length, &fetch).unwrap().unwrap()
        }

        fn part(&self, from: u64, length: u64) -> &[u8] {
            let end = (from + length).min(self.bytes.len() as u64);
            &self.bytes[from.min(end) as usize..end as usize]
        }

        fn take_fetched(&self) -> Vec<(u64, u64)> {
            self.fetched.take()
        }
    }

    fn files(root: &Path) -> Vec<PathBuf> {
        let folders = fs::read_dir(root).into_iter().flatten().flatten();
        folders
            .flat_map(|folder| fs::read_dir(folder.path()).unwrap())
            .map(|file| file.unwrap().path())
            .collect()
    }

    #[test]
    fn what_was_read_once_is_not_fetched_again() {
        let root = tempfile::tempdir().unwrap();
        let cache = DiskCache::new(root.path().join("blocks"), "plan", 1 << 30);
        let object = Object::new(3 * BLOCK + 100);
        assert_eq!(object.read(&cache, BLOCK + 5, 9), object.part(BLOCK + 5, 9));
        assert_eq!(object.take_fetched(), [(BLOCK, BLOCK)]);
        for (from, length) in
            [(0, 10), (7, 2 * BLOCK), (3 * BLOCK + 90, 50), (0, 9 * BLOCK), (9 * BLOCK, 5), (4, 0)]
        {
            assert!(object.read(&cache, from, length) == object.part(from, length), "{from}, {length}");
        }
        object.take_fetched();
        // Another process has the same folder.
        let other = DiskCache::new(root.path().join("blocks"), "plan", 1 << 30);
        assert!(object.read(&other, 3, 3 * BLOCK + 97) == object.part(3, 4 * BLOCK));
        assert_eq!(object.take_fetched(), []);
        let of_another_plan = DiskCache::new(root.path().join("blocks"), "other", 1 << 30);
        object.read(&of_another_plan, 0, 1);
        assert_eq!(object.take_fetched(), [(0, BLOCK)]);
        let none = cache.range("none", 0, 9, &|_, _| Ok::<_, ()>(None)).unwrap();
        assert_eq!(none, None);
    }

    #[test]
    fn neighbouring_blocks_come_by_one_request_around_those_that_are_there() {
        let root = tempfile::tempdir().unwrap();
        let cache = DiskCache::new(root.path().into(), "plan", 1 << 30);
        let object = Object::new(6 * BLOCK);
        object.read(&cache, 2 * BLOCK, 1);
        object.take_fetched();
        assert!(object.read(&cache, 10, 6 * BLOCK) == object.part(10, 6 * BLOCK));
        assert_eq!(object.take_fetched(), [(0, 2 * BLOCK), (3 * BLOCK, 4 * BLOCK)]);
    }

    #[test]
    fn damaged_blocks_are_fetched_again_and_forgotten_ones_too() {
        let root = tempfile::tempdir().unwrap();
        let cache = DiskCache::new(root.path().into(), "plan", 1 << 30);
        let object = Object::new(2 * BLOCK);
        object.read(&cache, 0, 2 * BLOCK);
        object.take_fetched();
        for path in files(root.path()) {
            let bytes = fs::read(&path).unwrap();
            for damaged in
                [&bytes[..20], &bytes[..bytes.len() - 1], &[&bytes[..99], b"x", &bytes[100..]].concat()]
            {
                fs::write(&path, damaged).unwrap();
                assert!(object.read(&cache, 0, 2 * BLOCK) == object.bytes);
                assert_eq!(object.take_fetched().len(), 1);
            }
        }
        cache.forget("heights/a.tif", 2 * BLOCK);
        assert_eq!(files(root.path()).len(), 0);
    }

    #[test]
    fn the_blocks_used_longest_ago_are_removed_when_all_take_too_much() {
        let root = tempfile::tempdir().unwrap();
        let object = Object::new(8 * BLOCK);
        let cache = DiskCache::new(root.path().into(), "plan", 5 * BLOCK);
        object.read(&cache, 0, 4 * BLOCK);
        for number in 0..4 {
            let age = Duration::from_secs(1_000_000 * (4 - number));
            let file = File::options().append(true).open(cache.path("heights/a.tif", number)).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000) - age).unwrap();
        }
        // Its use makes the oldest one the newest.
        object.read(&cache, 0, 1);
        object.read(&cache, 4 * BLOCK, 2 * BLOCK);
        let is_there = |number| cache.path("heights/a.tif", number).exists();
        assert!(is_there(0) && !is_there(1), "the order is that of the last use");
        let bytes: u64 = files(root.path()).iter().map(|path| fs::metadata(path).unwrap().len()).sum();
        assert!(bytes <= 5 * BLOCK, "{bytes}");
    }

    #[test]
    fn a_folder_that_cannot_be_written_costs_only_requests() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("file");
        fs::write(&file, "in the way").unwrap();
        let cache = DiskCache::new(file, "plan", 1 << 30);
        let object = Object::new(BLOCK);
        for _ in 0..2 {
            assert_eq!(object.read(&cache, 3, 4), object.part(3, 4));
        }
        assert_eq!(object.take_fetched().len(), 2);
    }
}

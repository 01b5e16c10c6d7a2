//! Checks for free memory, before much of it is taken.
//!
//! Free is the least of what the system has, what the process's control groups leave it (a container, a
//! batch job, a service) and what its own limits do (`ulimit -v`, `ulimit -d`). All of these are read from
//! Linux's files; on other systems nothing is known and nothing is refused.
//!
//! Crates that were considered: `sysinfo` (0.40) knows both versions of control groups but counts the page
//! cache as used, so that a job that has read many files would be refused memory that it can have; it ignores
//! `ulimit`, and has 14,000 lines. `effective-limits` (0.7) knows `ulimit` but not how much of it is used,
//! and no control groups.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::grid::Grid;

/// Reserve for memory in addition to the requested amount: stacks, tables, blocks of rows that threads work
/// on.
const BESIDE: u64 = 8 << 20;

/// Refuses work on a field of `grid` that needs `bytes` when less is free. Where the system doesn't say how
/// much is free, nothing is refused.
///
/// # Errors
/// [`Error::Size`] naming both amounts.
#[doc(hidden)]
pub fn require(grid: Grid, bytes: u64) -> Result<()> {
    refuse(grid, bytes, System::this().free())
}

/// Free memory in bytes; `None` where the system doesn't say.
#[doc(hidden)]
pub fn free() -> Option<u64> {
    System::this().free().map(|free| free.bytes)
}

/// As [`require`], for a picture of `width × depth` texels.
///
/// # Errors
/// [`Error::Parameter`] naming both amounts.
#[doc(hidden)]
pub fn require_for_picture((width, depth): (usize, usize), bytes: u64) -> Result<()> {
    too_little(bytes, System::this().free())
        .map_err(|reason| Error::parameter("texture.resolution", format!("{width}×{depth} texels {reason}")))
}

/// Makes every thread reserve its allocator's address space now, if address space is limited, so that this
/// space isn't counted as free later.
#[doc(hidden)]
pub fn settle() {
    if System::this().left_by_limits().is_some() {
        rayon::broadcast(|_| drop(std::hint::black_box(vec![0u8; 1 << 10])));
    }
}

fn refuse(grid: Grid, bytes: u64, free: Option<Free>) -> Result<()> {
    let Grid { width, depth, .. } = grid;
    too_little(bytes, free).map_err(|reason| Error::Size { width, depth, reason })
}

/// Checks `bytes` against what is free; the error is the message.
fn too_little(bytes: u64, free: Option<Free>) -> Result<(), String> {
    let Some(free) = free.filter(|free| bytes.saturating_add(BESIDE) > free.bytes) else { return Ok(()) };
    let (need, have) = (Amount(bytes), Amount(free.bytes));
    let left = match free.within {
        LimitedBy::System => format!("{have} are free; use fewer"),
        LimitedBy::Group => format!(
            "its control group (container, service or batch job) has {have} left; use fewer, or raise its limit"
        ),
        LimitedBy::Limits => {
            format!("this process may take {have} more (ulimit); use fewer, or raise the limit")
        }
    };
    Err(format!("need {need} of memory to be made, and {left}"))
}

/// Bytes, for people.
struct Amount(u64);

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0 as f64;
        match self.0 >> 30 {
            0 => write!(f, "{:.0} MiB", bytes / f64::from(1 << 20)),
            _ => write!(f, "{:.1} GiB", bytes / f64::from(1 << 30)),
        }
    }
}

/// Free memory in bytes, and what limits it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Free {
    bytes: u64,
    within: LimitedBy,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum LimitedBy {
    System,
    Group,
    Limits,
}

/// The files through which Linux reports memory.
struct System {
    /// Stands for `/`; tests put a folder here.
    root: PathBuf,
}

impl System {
    fn this() -> Self {
        Self { root: PathBuf::from("/") }
    }

    /// The least of all limits on the process.
    fn free(&self) -> Option<Free> {
        let found = [
            (self.left_by_system(), LimitedBy::System),
            (self.left_by_groups(), LimitedBy::Group),
            (self.left_by_limits(), LimitedBy::Limits),
        ];
        let known = found.into_iter().filter_map(|(bytes, within)| Some(Free { bytes: bytes?, within }));
        known.min_by_key(|free| free.bytes)
    }

    /// Memory available without swapping, as Linux estimates it, in bytes.
    fn left_by_system(&self) -> Option<u64> {
        kibibytes(&self.read("proc/meminfo")?, "MemAvailable:")
    }

    /// What the process may still map, or still take as data, in bytes.
    fn left_by_limits(&self) -> Option<u64> {
        let limits = self.read("proc/self/limits")?;
        // "unlimited" is not a number.
        let limit = |name: &str| -> Option<u64> {
            limits.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
        };
        let of = |limit: Option<u64>, taken: &str| {
            let taken = kibibytes(&self.read("proc/self/status")?, taken)?;
            Some(limit?.saturating_sub(taken))
        };
        let left = [of(limit("Max address space"), "VmSize:"), of(limit("Max data size"), "VmData:")];
        left.into_iter().flatten().min()
    }

    /// What the control groups leave: that of the process and all its ancestors, in bytes.
    fn left_by_groups(&self) -> Option<u64> {
        let groups = self.read("proc/self/cgroup")?;
        let mounts = self.read("proc/self/mountinfo")?;
        let left = groups.lines().filter_map(|line| {
            // "4:memory:/path" in version 1, "0::/path" in version 2.
            let mut parts = line.splitn(3, ':').skip(1);
            let (controllers, path) = (parts.next()?, Path::new(parts.next()?));
            let names = match controllers {
                "" => &VERSION_2,
                _ if controllers.split(',').any(|name| name == "memory") => &VERSION_1,
                _ => return None,
            };
            let Mount { root, at } = mounts.lines().find_map(|line| Mount::of_groups(line, names))?;
            // In a container the path may lead outside the mount: then the mount is the group.
            let below = path.strip_prefix(root).unwrap_or(Path::new(""));
            let at = self.root.join(at.strip_prefix("/").ok()?);
            let mut group = at.join(below);
            let mut least: Option<u64> = None;
            loop {
                // A limit of any ancestor applies as well, so all are read up to the mount point.
                if let Some(left) = names.left(&group) {
                    least = Some(least.map_or(left, |least| least.min(left)));
                }
                if group == at || !group.pop() {
                    return least;
                }
            }
        });
        left.min()
    }

    fn read(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.root.join(path)).ok()
    }
}

/// Where a hierarchy of control groups is mounted.
struct Mount<'a> {
    /// The group at the mount point.
    root: &'a Path,
    at: &'a Path,
}

impl<'a> Mount<'a> {
    /// Parses a line of mountinfo: "… … … ROOT AT OPTIONS … - KIND SOURCE OPTIONS".
    fn of_groups(line: &'a str, names: &Names) -> Option<Self> {
        let (mount, kind) = line.split_once(" - ")?;
        let mut kind = kind.split(' ');
        let is_it = kind.next() == Some(names.kind)
            && names.option.is_none_or(|option| {
                kind.nth(1).is_some_and(|options| options.split(',').any(|given| given == option))
            });
        let mut mount = mount.split(' ').skip(3);
        is_it.then_some(Self { root: Path::new(mount.next()?), at: Path::new(mount.next()?) })
    }
}

/// The names of files and fields in a version of control groups.
struct Names {
    kind: &'static str,
    option: Option<&'static str>,
    limit: &'static str,
    taken: &'static str,
    /// The reclaimable page cache, including that of the groups below.
    cache: [&'static str; 2],
}

const VERSION_1: Names = Names {
    kind: "cgroup",
    option: Some("memory"),
    limit: "memory.limit_in_bytes",
    taken: "memory.usage_in_bytes",
    cache: ["total_inactive_file ", "total_active_file "],
};

const VERSION_2: Names = Names {
    kind: "cgroup2",
    option: None,
    limit: "memory.max",
    taken: "memory.current",
    cache: ["inactive_file ", "active_file "],
};

impl Names {
    /// What a group has left, in bytes; `None` for a group without a limit, as the topmost ones are.
    fn left(&self, group: &Path) -> Option<u64> {
        let read = |name: &str| std::fs::read_to_string(group.join(name)).ok();
        let limit: u64 = read(self.limit)?.trim().parse().ok()?;
        let taken: u64 = read(self.taken)?.trim().parse().ok()?;
        let statistics = read("memory.stat").unwrap_or_default();
        let cached = |name: &&str| -> Option<u64> {
            statistics.lines().find_map(|line| line.strip_prefix(name))?.trim().parse().ok()
        };
        // The kernel gives up these pages before it refuses memory, so they count as free.
        let cache = self.cache.iter().filter_map(cached).fold(0, u64::saturating_add);
        // Saturating: both files are read at different moments and need not agree.
        Some(limit.saturating_sub(taken.saturating_sub(cache)))
    }
}

/// The value of a line such as "VmSize:    4711 kB", in bytes.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_is_free_is_refused_with_both_amounts() {
        let grid = Grid::new(4096, 2048, 1.0).unwrap();
        let free = |bytes, within| Some(Free { bytes, within });
        assert!(refuse(grid, 3 << 30, free((3 << 30) + BESIDE, LimitedBy::System)).is_ok());
        assert!(refuse(grid, u64::MAX, None).is_ok());
        let say = |within| refuse(grid, 3 << 30, free(1 << 29, within)).unwrap_err().to_string();
        let need = "4096×2048 samples need 3.0 GiB of memory to be made, and ";
        for (within, have) in [
            (LimitedBy::System, "512 MiB are free; use fewer"),
            (
                LimitedBy::Group,
                "its control group (container, service or batch job) has 512 MiB left; use fewer, or raise its limit",
            ),
            (LimitedBy::Limits, "this process may take 512 MiB more (ulimit); use fewer, or raise the limit"),
        ] {
            assert_eq!(say(within), format!("{need}{have}"));
        }
    }

    /// A root folder with these files in it.
    fn system(files: &[(&str, &str)]) -> (tempfile::TempDir, System) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let root = folder.path().to_owned();
        (folder, System { root })
    }

    const MEMINFO: (&str, &str) = ("proc/meminfo", "MemTotal:  9000 kB\nMemAvailable:   8000 kB\n");

    #[test]
    fn without_limits_the_systems_memory_counts() {
        let (_folder, empty) = system(&[]);
        assert_eq!(empty.free(), None);
        let limits = "Max data size             unlimited            unlimited            bytes\n\
                      Max address space         unlimited            unlimited            bytes\n";
        let (_folder, system) = system(&[
            MEMINFO,
            ("proc/self/limits", limits),
            ("proc/self/status", "VmSize:\t  100 kB\nVmData:\t  10 kB\n"),
            ("proc/self/cgroup", "0::/\n"),
            ("proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"),
        ]);
        assert_eq!(system.free(), Some(Free { bytes: 8000 << 10, within: LimitedBy::System }));
    }

    #[test]
    fn limits_of_the_process_count_what_it_has_mapped() {
        let limits = "Max data size             1048576              unlimited            bytes\n\
                      Max address space         2097152              unlimited            bytes\n";
        for (size, data, left) in [(1500, 24, 548 << 10), (1100, 1000, 24 << 10), (9000, 0, 0)] {
            let status = format!("Name:\tupland\nVmSize:\t  {size} kB\nVmData:\t  {data} kB\n");
            let (_folder, system) =
                system(&[MEMINFO, ("proc/self/limits", limits), ("proc/self/status", &status)]);
            assert_eq!(system.free(), Some(Free { bytes: left, within: LimitedBy::Limits }));
        }
    }

    #[test]
    fn the_tightest_of_a_group_and_its_ancestors_counts() {
        let mounts = "23 29 0:22 / /proc rw - proc proc rw\n\
                      30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
        let (_folder, system) = system(&[
            MEMINFO,
            ("proc/self/cgroup", "0::/jobs/mine\n"),
            ("proc/self/mountinfo", mounts),
            ("sys/fs/cgroup/jobs/mine/memory.max", "max\n"),
            ("sys/fs/cgroup/jobs/mine/memory.current", "1000\n"),
            ("sys/fs/cgroup/jobs/memory.max", "1000000\n"),
            ("sys/fs/cgroup/jobs/memory.current", "900000\n"),
            // This much of the group's memory could be reclaimed.
            ("sys/fs/cgroup/jobs/memory.stat", "anon 1\nfile 9\ninactive_file 30000\nactive_file 20000\n"),
        ]);
        assert_eq!(system.free(), Some(Free { bytes: 150_000, within: LimitedBy::Group }));
    }

    #[test]
    fn groups_of_version_1_are_read_also_inside_a_container() {
        let mounts = "35 34 0:30 /docker/abc /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n\
                      36 34 0:31 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n";
        let group = "sys/fs/cgroup/memory";
        for path in ["/docker/abc", "/docker/abc/inner", "/elsewhere"] {
            let (_folder, system) = system(&[
                MEMINFO,
                ("proc/self/cgroup", &format!("5:cpu,cpuacct:/docker/abc\n4:memory:{path}\n0::/\n")),
                ("proc/self/mountinfo", mounts),
                (&format!("{group}/memory.limit_in_bytes"), "500000\n"),
                (&format!("{group}/memory.usage_in_bytes"), "200000\n"),
                (&format!("{group}/memory.stat"), "inactive_file 7\ntotal_inactive_file 50000\n"),
                (&format!("{group}/inner/memory.limit_in_bytes"), "9223372036854771712\n"),
                (&format!("{group}/inner/memory.usage_in_bytes"), "1\n"),
            ]);
            assert_eq!(system.free(), Some(Free { bytes: 350_000, within: LimitedBy::Group }), "{path}");
        }
    }
}

//! The arguments of `upland work`.

use std::ops::Range;

use clap::Args;
use upland_world::PassKind;

#[derive(Args)]
pub(in crate::cli) struct WorkArguments {
    /// The place of the plan, as `upland plan --into` has it
    #[arg(long, value_name = "PLACE")]
    pub(in crate::cli) plan: String,
    /// Make only this pass: base, heights, colours or index
    #[arg(long, value_name = "PASS", value_parser = pass)]
    pub(in crate::cli) pass: Option<PassKind>,
    /// Make only the tiles from number A on and before number B, counted from 0 row by row. Base and index
    /// are then made only if --pass names them
    #[arg(long, value_name = "A..B", value_parser = tiles)]
    pub(in crate::cli) tiles: Option<Range<u32>>,
    /// Make only one of N equal shares of the tiles, counted from 0: for the tasks of a batch job
    #[arg(long, value_name = "I/N", value_parser = share, conflicts_with = "tiles")]
    pub(in crate::cli) share: Option<TileShare>,
    /// Processes that make tiles at the same time. By default as many as there are processor cores and memory
    /// for, and one with --tiles or --share
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(in crate::cli) jobs: Option<u32>,
    /// Make the tiles whose numbers are read from standard input, for `upland work --jobs`
    #[arg(long, hide = true, requires = "pass", conflicts_with_all = ["tiles", "share", "jobs"])]
    pub(in crate::cli) serve: bool,
}

/// One of several equal shares of a plan's tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) struct TileShare {
    number: u32,
    count: u32,
}

impl TileShare {
    /// The tiles in it, of this many.
    pub(in crate::cli) fn of(self, tiles: u32) -> Range<u32> {
        let end_of = |number: u32| u64::from(tiles) * u64::from(number) / u64::from(self.count);
        end_of(self.number) as u32..end_of(self.number + 1) as u32
    }
}

fn pass(text: &str) -> Result<PassKind, String> {
    let names = PassKind::ALL.map(PassKind::name);
    PassKind::named(text).ok_or_else(|| format!("there is no pass `{text}`; there are {}", names.join(", ")))
}

fn tiles(text: &str) -> Result<Range<u32>, String> {
    let read = || {
        let (first, end) = match text.split_once("..") {
            None => (text.parse().ok()?, text.parse::<u32>().ok()?.checked_add(1)?),
            Some((first, end)) => (first.parse().ok()?, end.parse().ok()?),
        };
        (first < end).then_some(first..end)
    };
    read().ok_or_else(|| {
        format!("`{text}` names no tiles; give the first and the one after the last, such as 0..16")
    })
}

fn share(text: &str) -> Result<TileShare, String> {
    let read = || {
        let (number, count) = text.split_once('/')?;
        let share = TileShare { number: number.parse().ok()?, count: count.parse().ok()? };
        (share.number < share.count).then_some(share)
    };
    read().ok_or_else(|| {
        format!("`{text}` is not a share; give its number from 0 and how many there are, such as 0/16")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_cover_all_tiles_once() {
        for tiles in [0, 1, 7, 64, 15_129] {
            for count in [1, 2, 5, 100] {
                let all: Vec<u32> =
                    (0..count).flat_map(|number| TileShare { number, count }.of(tiles)).collect();
                assert_eq!(all, (0..tiles).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn tiles_are_a_range_or_one() {
        assert_eq!((tiles("3..9").unwrap(), tiles("7").unwrap()), (3..9, 7..8));
        for text in ["", "9..3", "3..3", "..", "a..b", "-1..2", "4294967295"] {
            assert!(tiles(text).unwrap_err().contains("such as 0..16"), "{text}");
        }
        assert!(share("4/4").is_err() && share("0/0").is_err() && share("0/1").is_ok());
    }
}

//! Ctrl C, a closed terminal, an asked-for end: half-written files go first.

use crate::elevation::formats::remove_unfinished;

/// From now on, whoever ends the program by a signal leaves no temporary files behind. The shell still
/// sees by which signal it ended.
#[cfg(unix)]
pub(super) fn clean_up_when_ended() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    // `nohup`, or a shell that starts us in the background, have said what shall not end us.
    let ignored = ignored_signals();
    let ends = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
    // Without the handler the program works as well, only less tidily.
    let Ok(mut signals) = Signals::new(ends) else { return };
    let wait = move || {
        if let Some(signal) = signals.forever().next() {
            remove_unfinished();
            let _ = emulate_default_handler(signal);
            std::process::exit(128 + signal);
        }
    };
    let _ = std::thread::Builder::new().name("signals".into()).spawn(wait);
}

/// The signals that were being ignored when the program started, the first as the lowest bit. Where the
/// system doesn't say, hanging up counts as ignored.
#[cfg(unix)]
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(1 << (signal_hook::consts::SIGHUP - 1))
}

/// From now on, whoever ends the program by Ctrl C leaves no temporary files behind.
#[cfg(not(unix))]
pub(super) fn clean_up_when_ended() {
    // Without the handler the program works as well, only less tidily.
    let _ = ctrlc::set_handler(|| {
        remove_unfinished();
        std::process::exit(130);
    });
}

//! On Ctrl C, a closed terminal or a request to terminate, removes half-written files first.

use crate::files;

/// Removes what commands are writing.
fn remove_unfinished() {
    files::remove_unfinished();
    #[cfg(feature = "world")]
    upland_world::remove_unfinished();
}

/// Installs a handler that removes temporary files when a signal ends the program. The shell still sees which
/// signal it was.
#[cfg(unix)]
pub(super) fn clean_up_when_ended() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    // Keep ignoring signals that `nohup`, or a shell that started the program in the background, has set to
    // be ignored.
    let ignored = ignored_signals();
    let ends = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
    // The program also works without the handler; it only leaves files behind.
    let Ok(mut signals) = Signals::new(ends) else { return };
    let wait = move || {
        if let Some(signal) = signals.forever().next() {
            remove_unfinished();
            // The default ends the program by the same signal, from which the shell learns that it was
            // interrupted.
            let _ = emulate_default_handler(signal);
            std::process::exit(128 + signal);
        }
    };
    let _ = std::thread::Builder::new().name("signals".into()).spawn(wait);
}

/// The signals that were ignored when the program started, the first as the lowest bit. Where the system
/// doesn't report it, SIGHUP counts as ignored.
#[cfg(unix)]
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(1 << (signal_hook::consts::SIGHUP - 1))
}

/// Installs a handler that removes temporary files when Ctrl C ends the program.
#[cfg(not(unix))]
pub(super) fn clean_up_when_ended() {
    // The program also works without the handler; it only leaves files behind.
    let _ = ctrlc::set_handler(|| {
        remove_unfinished();
        std::process::exit(130);
    });
}

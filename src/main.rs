//! The `upland` program: parse, run, report.

use std::process::ExitCode;

fn main() -> ExitCode {
    upland::cli::main()
}

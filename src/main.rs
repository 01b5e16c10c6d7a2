//! The `upland` program; see the module `cli`.

use std::process::ExitCode;

fn main() -> ExitCode {
    upland::cli::main()
}

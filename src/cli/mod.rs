//! The command line: what can be asked, and the exit codes.
//!
//! Results go to standard output, messages to standard error. Exit code 0 is success, 1 a failure,
//! 2 bad usage.

mod arguments;
mod bake;
mod blend;
mod convert;
mod generate;
mod info;
mod land;
mod picture;
mod presets;
mod progress;
#[cfg(feature = "viewer")]
mod render;
#[cfg(feature = "viewer")]
mod view;

use std::io::Write;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use crate::error::{Error, Result};
use arguments::{Arguments, Command};

/// Runs the program with the process's arguments.
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version come this way too, and are a success.
            let _ = error.print();
            return ExitCode::from(error.exit_code() as u8);
        }
    };
    crate::memory::settle();
    match run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Usage(message)) => {
            report(&format!("{message}\n\nFor more information, try 'upland --help'."));
            ExitCode::from(2)
        }
        Err(Failure::Error(error)) => {
            report(&error.to_string());
            ExitCode::FAILURE
        }
        #[cfg(feature = "viewer")]
        Err(Failure::Quiet) => ExitCode::FAILURE,
    }
}

/// Why a command did not do what it was asked.
enum Failure {
    /// It was asked wrongly.
    Usage(String),
    /// It could not.
    Error(Error),
    /// It could not, and has said so itself.
    #[cfg(feature = "viewer")]
    Quiet,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

type Outcome = std::result::Result<(), Failure>;

fn run(arguments: Arguments) -> Outcome {
    match arguments.command() {
        Some(Command::Generate(generate)) => generate::run(&generate),
        Some(Command::Bake(bake)) => bake::run(&bake),
        Some(Command::Blend(blend)) => blend::run(&blend),
        Some(Command::Convert(convert)) => convert::run(&convert),
        Some(Command::Info(info)) => info::run(&info),
        Some(Command::Presets { name }) => presets::run(name.as_deref()),
        #[cfg(feature = "viewer")]
        Some(Command::Render(render)) => render::run(&render),
        #[cfg(feature = "viewer")]
        Some(Command::View(view)) => view::run(&view),
        None => {
            let _ = <Arguments as CommandFactory>::command().print_help();
            Ok(())
        }
    }
}

fn report(message: &str) {
    let _ = writeln!(std::io::stderr(), "upland: {message}");
}

/// Prints a result. A reader that closed the pipe has seen what it wanted.
fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Error::io("standard output", "write", error))
        }
        _ => Ok(()),
    }
}

//! The command line: commands and exit codes.
//!
//! Results go to standard output, messages to standard error. Exit code 0 is success, 1 a failure,
//! 2 bad usage.

mod arguments;
mod bake;
mod bench;
mod blend;
mod bug;
#[cfg(feature = "viewer")]
mod compare;
mod convert;
mod costs;
#[cfg(feature = "viewer")]
mod drawing;
mod frames;
mod generate;
mod info;
mod interrupt;
mod land;
mod lesson;
mod mesh;
mod mistakes;
mod outputs;
mod plant;
mod plot;
mod presets;
mod progress;
#[cfg(feature = "viewer")]
mod render;
mod scatter;
mod steps;
mod stretch;
#[cfg(feature = "viewer")]
mod tour;
#[cfg(feature = "viewer")]
mod view;
mod viewshed;

use std::io::Write;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use crate::error::{Error, Result};
use crate::shown::shown;
use arguments::{Arguments, Command};

/// Runs the program with the process's arguments.
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version also arrive here, and are successes. If an argument contains control sequences, as
            // a shell may take from file names, the message is printed without colours.
            let is_plain = |argument: std::ffi::OsString| {
                let argument = argument.to_string_lossy();
                shown(&argument) == argument
            };
            if std::env::args_os().all(is_plain) {
                let _ = error.print();
            } else {
                let _ = write!(std::io::stderr(), "{}", shown(&error.render().to_string()));
            }
            return ExitCode::from(error.exit_code() as u8);
        }
    };
    crate::grid::memory::settle();
    interrupt::clean_up_when_ended();
    bug::keep_quiet();
    ExitCode::from(tell(bug::without_panic(|| run(arguments))))
}

/// Reports why a command failed, if it did, and returns the exit code.
fn tell(outcome: Outcome) -> u8 {
    match outcome {
        Ok(()) => 0,
        Err(Failure::Usage(message)) => {
            report_error(&format!("{message}\n\nFor more information, try 'upland --help'."));
            2
        }
        Err(Failure::Error(error)) => {
            report_error(&error.to_string());
            1
        }
        Err(Failure::Bug(message)) => {
            report_error(&message);
            1
        }
        #[cfg(feature = "viewer")]
        Err(Failure::Quiet) => 1,
    }
}

/// Why a command failed.
enum Failure {
    /// The arguments were wrong.
    Usage(String),
    /// The command failed.
    Error(Error),
    /// A bug in this program, with its report.
    Bug(String),
    /// The command failed and has reported it.
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
        Some(Command::Mesh(mesh)) => mesh::run(&mesh),
        Some(Command::Scatter(scatter)) => scatter::run(&scatter),
        Some(Command::Costs(costs)) => costs::run(&costs),
        Some(Command::Plant(plant)) => plant::run(&plant),
        Some(Command::Info(info)) => info::run(&info),
        Some(Command::Viewshed(viewshed)) => viewshed::run(&viewshed),
        Some(Command::Plot(plot)) => plot::run(&plot),
        Some(Command::Bench(bench)) => bench::run(&bench),
        Some(Command::Steps(steps)) => steps::run(&steps),
        Some(Command::Presets { name }) => presets::run(name.as_deref()),
        Some(Command::Lesson(lesson)) => lesson::run(&lesson),
        Some(Command::Mistakes(mistakes)) => mistakes::run(&mistakes),
        #[cfg(feature = "viewer")]
        Some(Command::Compare(compare)) => compare::run(&compare),
        #[cfg(feature = "viewer")]
        Some(Command::Tour(tour)) => tour::run(&tour),
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

/// Reports what has failed, as bad usage is reported.
fn report_error(message: &str) {
    say(&format!("error: {message}"));
}

/// Reports what should be known although nothing has failed.
fn note(message: &str) {
    say(&format!("note: {message}"));
}

/// Prints a message.
fn say(message: &str) {
    let _ = writeln!(std::io::stderr(), "{}", shown(message));
}

/// Prints a result. A closed pipe is not an error: the reader has seen enough.
fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(shown(text).as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Error::io("standard output", "write", error))
        }
        _ => Ok(()),
    }
}

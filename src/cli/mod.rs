//! The command line: commands and exit codes.
//!
//! Results go to standard output, messages to standard error. Exit code 0 is success, 1 a failure,
//! 2 bad usage.

mod arguments;
mod bug;
mod commands;
#[cfg(feature = "render")]
mod drawing;
mod frames;
mod interrupt;
mod land;
mod outputs;
mod progress;
mod reading;
mod report;
mod stretch;

use std::io::Write;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use crate::shown::shown;
use arguments::{Arguments, Command};
use report::{Failure, Outcome, report_error};

/// Runs the program with the process's arguments.
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version also arrive here, and are successes. If an argument contains control
            // sequences, as file names that a shell expands may, the message is printed without colours.
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
    let outcome = bug::without_panic(|| run(arguments));
    #[cfg(feature = "world")]
    upland_world::take_notes().iter().for_each(|said| report::note(said));
    ExitCode::from(tell(outcome))
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
        #[cfg(feature = "render")]
        Err(Failure::Quiet) => 1,
    }
}

/// The message of `upland view` in a program without the window.
#[cfg(not(feature = "viewer"))]
const NO_WINDOW: &str = if cfg!(feature = "render") {
    "this program was built without a window; `upland render` draws a landscape into a picture"
} else {
    "this program was built without a window; build it with the feature `viewer`, or with `render` to draw pictures"
};

fn run(arguments: Arguments) -> Outcome {
    // Recipes may name plans.
    #[cfg(feature = "world")]
    upland_world::register()?;
    match arguments.command() {
        Some(Command::Generate(generate)) => commands::generate::run(&generate),
        Some(Command::Bake(bake)) => commands::bake::run(&bake),
        Some(Command::Blend(blend)) => commands::blend::run(&blend),
        Some(Command::Convert(convert)) => commands::convert::run(&convert),
        Some(Command::Mesh(mesh)) => commands::mesh::run(&mesh),
        Some(Command::Scatter(scatter)) => commands::scatter::run(&scatter),
        Some(Command::Costs(costs)) => commands::costs::run(&costs),
        Some(Command::Plant(plant)) => commands::plant::run(&plant),
        Some(Command::Info(info)) => commands::info::run(&info),
        Some(Command::Viewshed(viewshed)) => commands::viewshed::run(&viewshed),
        Some(Command::Plot(plot)) => commands::plot::run(&plot),
        Some(Command::Fit(fit)) => commands::fit::run(&fit),
        Some(Command::Bench(bench)) => commands::bench::run(&bench),
        Some(Command::Steps(steps)) => commands::steps::run(&steps),
        Some(Command::Presets { name }) => commands::presets::run(name.as_deref()),
        Some(Command::Lesson(lesson)) => commands::lesson::run(&lesson),
        Some(Command::Mistakes(mistakes)) => commands::mistakes::run(&mistakes),
        #[cfg(feature = "world")]
        Some(Command::Plan(plan)) => commands::world::plan::run(&plan),
        #[cfg(feature = "world")]
        Some(Command::Work(work)) => commands::world::work::run(&work),
        #[cfg(feature = "world")]
        Some(Command::Status(status)) => commands::world::status::run(&status),
        #[cfg(feature = "world")]
        Some(Command::Verify(verify)) => commands::world::verify::run(&verify),
        #[cfg(feature = "render")]
        Some(Command::Compare(compare)) => commands::compare::run(&compare),
        #[cfg(feature = "render")]
        Some(Command::Tour(tour)) => commands::tour::run(&tour),
        #[cfg(feature = "render")]
        Some(Command::Render(render)) => commands::render::run(&render),
        #[cfg(feature = "viewer")]
        Some(Command::View(view)) => commands::view::run(&view),
        #[cfg(not(feature = "viewer"))]
        Some(Command::View { .. }) => Err(Failure::Usage(NO_WINDOW.to_owned())),
        None => {
            let _ = <Arguments as CommandFactory>::command().print_help();
            Ok(())
        }
    }
}

//! The program as a person runs it: commands, their output, their files and their errors.
#![cfg(feature = "cli")]

mod cli;
mod writing;

//! The repository itself: which room uses which, and whether its pages say what the code does.

mod circles;
mod discards;
mod docs;
mod imports;
mod late_commands;
mod paths;
mod rooms;
mod step_pages;
mod threads;
mod twins;

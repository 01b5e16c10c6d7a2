//! The repository itself: which room uses which, and whether its pages say what the code does.

mod docs;
mod rooms;
mod step_pages;
mod threads;
mod twins;

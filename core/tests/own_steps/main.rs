//! Steps and factors that a game registers. A program of its own, since what is registered is there for the
//! whole process, and laws of all built-in steps would find it.

mod factors;
mod layers;
mod steps;

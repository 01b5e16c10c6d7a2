//! Each step: what it computes, its parameters, and that it is the same everywhere.

mod cuestas;
mod earthworks;
mod extremes;
mod fans;
mod filters;
mod frames;
mod generators;
mod golden;
mod holes;
mod lakes;
mod meanders;
mod parameters;
mod rivers;
mod sculpt;
mod snow;
mod spectrum;
mod streams;
mod water;

//! The species: each a file with its parameters and the way in which it grows.

mod beech;
mod birch;
mod boulder;
mod dead_wood;
mod flowers;
mod grass;
mod hazel;
mod juniper;
mod palm;
mod spruce;
mod stone;

pub use beech::Beech;
pub use birch::Birch;
pub use boulder::Boulder;
pub use dead_wood::DeadWood;
pub use flowers::Flowers;
pub use grass::Grass;
pub use hazel::Hazel;
pub use juniper::Juniper;
pub use palm::Palm;
pub use spruce::Spruce;
pub use stone::Stone;

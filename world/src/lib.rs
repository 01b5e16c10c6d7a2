//! Worlds that outgrow one machine: plans that list what will be made, the tiles of a plan in object stores, and
//! land that is read from them.

//! What a land is like whatever it wears: how much of the sky each place sees, where its shadows fall, and
//! all that is measured of its surroundings, made once and kept while textures change.

pub(super) mod shadow;
pub(super) mod sky;
pub(super) mod surroundings;

//! Steps that lay loose material over the land and let it slide until it rests: [`pile`] moves it.

mod pile;
pub(super) mod snow;
pub(super) mod talus;

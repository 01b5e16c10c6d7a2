//! Filters: each changes the heights or the layers of a ground.
//!
//! A new one is a file in one of the rooms here (a struct declared by `params!`, its
//! [`Operation`](crate::steps::Operation), its tests), its `mod` line there, and its row in the table below.

mod coast;
mod detail;
mod drainage;
mod earthworks;
mod erode;
mod glacier;
mod loose;
mod overhang;
mod paint;
mod remap;
mod sand;
mod smooth;
mod strata;
mod strokes;

pub use drainage::HollowGround;
pub use earthworks::*;
pub use erode::Outlets;
pub use overhang::*;
pub use remap::*;
pub use sand::*;
pub use smooth::*;

pub(crate) use earthworks::{NearRoads, Roads, StampPicture};

use crate::steps::built_in::built_in;

// The path of each filter, in the order in which they are listed.
built_in! {
    remap::normalize::Normalize,
    remap::scale::Scale,
    remap::clamp::Clamp,
    remap::power::Power,
    remap::terrace::Terrace,
    remap::curve::Curve,
    remap::invert::Invert,
    remap::island::Island,
    remap::warp::Warp,
    smooth::mean::Mean,
    smooth::gaussian::Gaussian,
    smooth::binomial::Binomial,
    smooth::low_pass::LowPass,
    smooth::convolve::Convolve,
    smooth::majority_of_many::Majority,
    strata::Strata,
    erode::Erode,
    glacier::Glacier,
    drainage::Drainage,
    coast::Coast,
    detail::gullies::Gullies,
    detail::ledges::Ledges,
    detail::stones::Stones,
    detail::ripples::Ripples,
    loose::talus::Talus,
    sand::dunes::Dunes,
    loose::snow::Snow,
    overhang::undercut::Undercut,
    overhang::sculpt_vector::SculptVector,
    strokes::SculptStrokes,
    paint::Paint,
    earthworks::road::Road,
    earthworks::platform::Platform,
    earthworks::stamp::Stamp,
    earthworks::hole::Hole,
}

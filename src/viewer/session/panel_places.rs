//! The panels that can be docked, and where each one is.

use serde::{Deserialize, Serialize};

/// Declares the panels: each with its title and where it is until the user moves it.
macro_rules! panels {
    ($($(#[$about:meta])+ $Panel:ident $title:literal $home:expr;)+) => {
        /// A panel that can be docked, or the land.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub(crate) enum Tab {
            /// The land itself, which is always there and has no title.
            Land,
            $($(#[$about])+ $Panel,)+
        }

        impl Tab {
            /// All but the land.
            pub const PANELS: [Self; [$($title),+].len()] = [$(Self::$Panel),+];

            pub fn title(self) -> &'static str {
                match self {
                    Self::Land => "Land",
                    $(Self::$Panel => $title,)+
                }
            }

            /// Where it is until the user moves it.
            pub fn first_home(self) -> Home {
                match self {
                    Self::Land => Home::default(),
                    $(Self::$Panel => $home,)+
                }
            }
        }
    };
}

panels! {
    /// The editor of the recipe.
    Recipe "Landscape" Home::Beside(Side::Left, 366.0);
    /// Plots.
    Inside "Look inside" over(460.0, 500.0);
    /// The player of a recorded build.
    Watch "Watch it work" Home::Beside(Side::Bottom, 190.0);
    /// The probe.
    Probe "Probe" over(500.0, 540.0);
    /// The brush.
    Sculpt "Sculpt" over(330.0, 290.0);
    /// The difference of two lands. Over the land, it would hide one of them.
    Difference "Difference" Home::Beside(Side::Right, 400.0);
    /// How alike two lands are.
    Likeness "Likeness" Home::Beside(Side::Right, 460.0);
    /// Frame times.
    Times "Frame times" over(396.0, 420.0);
}

/// At the right edge of the land, over it.
fn over(width: f32, height: f32) -> Home {
    Home::Over { left: f32::MAX, top: 16.0, width, height }
}

/// A side of the land.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Side {
    Left,
    Right,
    Top,
    Bottom,
}

impl Side {
    /// Whether panels on this side are as high as the land, and have a width.
    pub fn is_across(self) -> bool {
        matches!(self, Self::Left | Self::Right)
    }
}

/// Where a panel is, logical pixels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Home {
    /// Next to the land, with this width or height.
    Beside(Side, f32),
    /// Behind the same title bar as another panel.
    With(Tab),
    /// Over the land. A corner outside the window is moved inwards.
    Over { left: f32, top: f32, width: f32, height: f32 },
}

impl Home {
    /// The same place, for text enlarged by this factor.
    pub fn enlarged(self, scale: f32) -> Self {
        match self {
            Self::Beside(side, size) => Self::Beside(side, size * scale),
            Self::With(tab) => Self::With(tab),
            Self::Over { left, top, width, height } => {
                Self::Over { left, top, width: width * scale, height: height * scale }
            }
        }
    }

    /// Whether both are the same, apart from rounding.
    pub fn is_near(&self, other: &Self) -> bool {
        let near = |a: f32, b: f32| (a - b).abs() < 0.75;
        match (*self, *other) {
            (Self::Beside(side, a), Self::Beside(other, b)) => side == other && near(a, b),
            (Self::With(a), Self::With(b)) => a == b,
            (
                Self::Over { left, top, width, height },
                Self::Over { left: x, top: y, width: w, height: h },
            ) => near(left, x) && near(top, y) && near(width, w) && near(height, h),
            _ => false,
        }
    }
}

impl Default for Home {
    fn default() -> Self {
        Self::Beside(Side::Right, 420.0)
    }
}

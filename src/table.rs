//! The table that turns a list of things with parameters into one enum with names.

/// Declares an enum over types that have [`Params`](crate::params::Params) and share a trait. One
/// line holds the name in recipes, the type and the title for people.
macro_rules! table {
    (
        $(#[$meta:meta])*
        pub enum $Enum:ident: $Trait:ident {
            $($name:ident: $Type:ident = $title:literal,)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $Enum {
            $(
                #[doc = $title]
                $Type($Type),
            )+
        }

        impl $Enum {
            /// The names in recipes, in the table's order.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),+];

            /// The one called `name` in recipes, with its default parameters.
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $(stringify!($name) => Some(Self::$Type($Type::default())),)+
                    _ => None,
                }
            }

            /// Its name in recipes.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Self::$Type(_) => stringify!($name),)+
                }
            }

            /// Its title for people.
            pub fn title(&self) -> &'static str {
                match self {
                    $(Self::$Type(_) => $title,)+
                }
            }

            /// Its parameters, to be read or changed.
            pub fn params(&mut self) -> &mut dyn $crate::params::Params {
                match self {
                    $(Self::$Type(inner) => inner,)+
                }
            }
        }

        impl std::ops::Deref for $Enum {
            type Target = dyn $Trait + Send + Sync;

            fn deref(&self) -> &Self::Target {
                match self {
                    $(Self::$Type(inner) => inner,)+
                }
            }
        }
    };
}
pub(crate) use table;

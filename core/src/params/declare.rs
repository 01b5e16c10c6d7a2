//! The macros that declare parameters: `params!` for structs, `choice!` for enums.

/// Declares a struct of parameters: their names, defaults, units, ranges and explanations. It derives
/// [`Params`](crate::params::Params), `Default`, `Clone`, `Debug` and `PartialEq`.
///
/// After the default come, where they apply, the unit and the range, then any of these words: `log` for a
/// logarithmic slider, `odd` or `even` where only such whole numbers are accepted, `required` for a value
/// that a recipe must give, `bare` for an optional value that is written without `Some`, `unless empty` for
/// one that is not written while it is an empty text or list, false, or a group with its defaults, `or WORD` for a word that may stand
/// in place of the value, `was NAME` for the name in older recipes, `unlimited below` or `unlimited above`
/// for a limit that has no effect at that end of the range.
///
/// ```
/// # use upland_core as upland;
/// upland::params! {
///     /// What the whole does.
///     pub struct Hills {
///         /// What this one does.
///         pub height: f32 = 100.0, "m" in 0.0..=9000.0, log;
///         /// What that one does.
///         pub wrap: bool = false;
///     }
/// }
/// assert_eq!(Hills::default().height, 100.0);
/// ```
///
/// A field may be another struct of parameters, a `Vec` of such structs, whose range is the number of its
/// entries, or an `Option`. A group's range and unit apply to the numbers in it that have none of their own.
/// After the struct may come `law FUNCTION;`, which checks values against each other, and `follow FUNCTION;`,
/// which is called with the name of the value that the user has changed: see
/// [`Params::law`](crate::params::Params::law) and [`Params::follow`](crate::params::Params::follow). Last
/// may come `beside { … }` with fields of the struct that are not parameters, each with a default.
#[macro_export]
macro_rules! params {
    (
        $(#[doc = $doc:literal])+
        pub struct $Struct:ident {
            $(
                $(#[doc = $field_doc:literal])+
                pub $field:ident: $Type:ty = $default:expr
                $(, $unit:literal in $range:expr)? $(, $flag:ident $($word:ident)?)*;
            )*
        }
        $(law $law:expr;)?
        $(follow $follow:expr;)?
        $(beside {
            $(
                $(#[doc = $other_doc:literal])+
                pub $other:ident: $Other:ty = $other_default:expr;
            )*
        })?
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Debug, PartialEq)]
        pub struct $Struct {
            $(
                $(#[doc = $field_doc])+
                $(#[doc = concat!("\n\nIn `", stringify!($range), "` ", $unit, ".")])?
                #[doc = concat!("\n\nDefault `", stringify!($default), "`.")]
                pub $field: $Type,
            )*
            $($(
                $(#[doc = $other_doc])+
                pub $other: $Other,
            )*)?
        }

        impl Default for $Struct {
            fn default() -> Self {
                Self { $($field: $default,)* $($($other: $other_default,)*)? }
            }
        }

        impl $crate::params::Params for $Struct {
            #[allow(unused_variables)]
            fn read(
                &self,
                visitor: &mut dyn FnMut(&$crate::params::Param, $crate::params::Reading<'_>),
            ) {
                $(
                    let param = $crate::param!($field, [$($field_doc)+] $($unit in $range)?, $($flag $($word)?,)*);
                    visitor(&param, $crate::params::Parameter::reading(&self.$field));
                )*
            }

            #[allow(unused_variables)]
            fn visit(
                &mut self,
                visitor: &mut dyn FnMut(&$crate::params::Param, $crate::params::Value<'_>),
            ) {
                $(
                    let param = $crate::param!($field, [$($field_doc)+] $($unit in $range)?, $($flag $($word)?,)*);
                    visitor(&param, $crate::params::Parameter::value(&mut self.$field));
                )*
            }

            fn doc(&self) -> &'static str {
                $crate::joined_doc!($($doc)+)
            }

            fn type_name(&self) -> &'static str {
                stringify!($Struct)
            }

            fn is_default(&self) -> bool {
                *self == Self::default()
            }

            $(
                fn law(&self) -> ::std::result::Result<(), ::std::string::String> {
                    $law(self)
                }
            )?

            $(
                fn follow(&mut self, changed: &str) {
                    $follow(self, changed);
                }
            )?
        }

        impl $crate::params::Parameter for $Struct {
            fn reading(&self) -> $crate::params::Reading<'_> {
                $crate::params::Reading::Group(self)
            }

            fn value(&mut self) -> $crate::params::Value<'_> {
                $crate::params::Value::Group(self)
            }
        }
    };
}
pub(crate) use params;

/// The [`Param`] of one field of `params!`.
#[doc(hidden)]
#[macro_export]
macro_rules! param {
    ($field:ident, [$($doc:literal)+] $($unit:literal in $range:expr)?, $($flag:ident $($word:ident)?,)*) => {{
        #[allow(unused_mut)]
        let mut param = $crate::params::Param {
            doc: $crate::joined_doc!($($doc)+),
            ..$crate::params::Param::new(stringify!($field))
        };
        $( param.unit = $unit; param.range = $range; )?
        $( $crate::param_flag!(param, $flag $($word)?); )*
        param
    }};
}
pub(crate) use param;

/// Applies one of the words after a field of `params!`.
#[doc(hidden)]
#[macro_export]
macro_rules! param_flag {
    ($param:ident, log) => {
        $param.logarithmic = true
    };
    ($param:ident, odd) => {
        $param.parity = Some($crate::params::Parity::Odd)
    };
    ($param:ident, even) => {
        $param.parity = Some($crate::params::Parity::Even)
    };
    ($param:ident, required) => {
        $param.required = true
    };
    ($param:ident, bare) => {
        $param.bare = true
    };
    ($param:ident, unless empty) => {
        $param.unless_empty = true
    };
    ($param:ident, or $word:ident) => {
        $param.or = Some(stringify!($word))
    };
    ($param:ident, was $old:ident) => {
        $param.was = Some(stringify!($old))
    };
    ($param:ident, unlimited below) => {
        $param.unlimited = Some($crate::params::RangeEnd::Below)
    };
    ($param:ident, unlimited above) => {
        $param.unlimited = Some($crate::params::RangeEnd::Above)
    };
}

/// Implements serde for structs of parameters and for types with forms, so that RON can read and write them
/// directly.
macro_rules! in_recipes {
    ($($Type:ty),+ $(,)?) => {$(
        impl serde::Serialize for $Type {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                $crate::params::as_struct::serialize(self, to)
            }
        }

        impl<'de> serde::Deserialize<'de> for $Type {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                $crate::params::as_struct::deserialize(from)
            }
        }
    )+};
}
pub(crate) use in_recipes;

/// Declares an enum that is a parameter: its first variant is the default.
#[macro_export]
macro_rules! choice {
    (
        $(#[doc = $doc:literal])+
        pub enum $Enum:ident {
            $(#[doc = $first_doc:literal])+ $First:ident = $first_name:literal,
            $($(#[doc = $variant_doc:literal])+ $Variant:ident = $name:literal,)*
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum $Enum {
            $(#[doc = $first_doc])+
            #[default]
            $First,
            $($(#[doc = $variant_doc])+ $Variant,)*
        }

        impl $crate::params::Choice for $Enum {
            fn names(&self) -> &'static [&'static str] {
                &[$first_name, $($name),*]
            }

            fn docs(&self) -> &'static [&'static str] {
                const { &[$crate::joined_doc!($($first_doc)+), $($crate::joined_doc!($($variant_doc)+)),*] }
            }

            fn index(&self) -> usize {
                *self as usize
            }

            fn set_index(&mut self, index: usize) {
                if let Some(variant) = [Self::$First, $(Self::$Variant),*].get(index) {
                    *self = *variant;
                }
            }
        }

        impl $crate::params::Parameter for $Enum {
            fn reading(&self) -> $crate::params::Reading<'_> {
                $crate::params::Reading::Choice(self)
            }

            fn value(&mut self) -> $crate::params::Value<'_> {
                $crate::params::Value::Choice(self)
            }
        }
    };
}
pub(crate) use choice;

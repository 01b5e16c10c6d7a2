//! What has parameters, and their values: to be read, and to be changed.

use glam::Vec2;

use super::Name;
use super::param::Param;
use crate::files::FilePath;

/// Something that has parameters.
pub trait Params {
    /// Shows every parameter to `visitor`, in order, to be read.
    fn read(&self, visitor: &mut dyn FnMut(&Param, Reading<'_>));

    /// Shows every parameter to `visitor`, in the same order, to be read or changed.
    fn visit(&mut self, visitor: &mut dyn FnMut(&Param, Value<'_>));

    /// What the struct as a whole does, for people.
    fn doc(&self) -> &'static str;

    /// The struct's name, which a recipe may write before the parenthesis.
    fn type_name(&self) -> &'static str {
        ""
    }

    /// Whether all of it is as it is by default. False where that is not known.
    fn is_default(&self) -> bool {
        false
    }

    /// Checks the values against each other, after each has passed its own range.
    ///
    /// # Errors
    /// What is wrong and what would be accepted, for people.
    fn law(&self) -> Result<(), String> {
        Ok(())
    }

    /// Called after the user has changed the parameter `changed`. May adjust others, such as a minimum that
    /// has to stay below its maximum.
    fn follow(&mut self, changed: &str) {
        let _ = changed;
    }

    /// The available forms, for a value that is one of several forms (an enum) and not a struct.
    fn forms(&self) -> Option<&dyn Forms> {
        None
    }

    /// As [`forms`](Self::forms), to be changed.
    fn forms_mut(&mut self) -> Option<&mut dyn Forms> {
        None
    }
}

/// The declaration of the parameter of `params` with this name.
pub fn declared(params: &dyn Params, name: &str) -> Option<Param> {
    let mut found = None;
    params.read(&mut |param, _| {
        if param.name == name {
            found = Some(param.clone());
        }
    });
    found
}

/// The names of all parameters of `params`.
pub fn names(params: &dyn Params) -> Vec<&'static str> {
    let mut names = Vec::new();
    params.read(&mut |param, _| names.push(param.name));
    names
}

/// A Rust type that can be a parameter.
pub trait Parameter {
    /// The value, to be read.
    fn reading(&self) -> Reading<'_>;

    /// The value, to be read or changed.
    fn value(&mut self) -> Value<'_>;
}

/// Declares every kind of value once: [`Value`], by which it is changed, [`Reading`], by which it is read,
/// and [`Parameter`] for the types of `types` and `read_as`. Those of `read_as` are read as one of `types`;
/// those of `traits` have many types behind them, which implement [`Parameter`] themselves.
macro_rules! kinds {
    (
        types {
            $($(#[doc = $doc:literal])+ $Kind:ident($Type:ty) -> $Read:ty = |$value:ident| $read:expr;)+
        }
        read_as {
            $($(#[doc = $as_doc:literal])+ $As:ident($AsType:ty) -> $Of:ident = |$as_value:ident| $as_read:expr;)+
        }
        traits {
            $($(#[doc = $trait_doc:literal])+ $Many:ident(dyn $Trait:ident);)+
        }
    ) => {
        /// The value of a parameter, to be read or changed.
        pub enum Value<'a> {
            $($(#[doc = $doc])+ $Kind(&'a mut $Type),)+
            $($(#[doc = $as_doc])+ $As(&'a mut $AsType),)+
            $($(#[doc = $trait_doc])+ $Many(&'a mut dyn $Trait),)+
        }

        /// The value of a parameter, to be read. See [`Value`].
        #[derive(Clone, Copy)]
        pub enum Reading<'a> {
            $($(#[doc = $doc])+ $Kind($Read),)+
            $($(#[doc = $trait_doc])+ $Many(&'a dyn $Trait),)+
        }

        impl Value<'_> {
            /// The same value, read-only.
            pub fn reading(&self) -> Reading<'_> {
                match self {
                    $(Self::$Kind(value) => Parameter::reading(&**value),)+
                    $(Self::$As(value) => Parameter::reading(&**value),)+
                    $(Self::$Many(value) => Reading::$Many(&**value),)+
                }
            }
        }

        $(
            impl Parameter for $Type {
                fn reading(&self) -> Reading<'_> {
                    let $value = self;
                    Reading::$Kind($read)
                }

                fn value(&mut self) -> Value<'_> {
                    Value::$Kind(self)
                }
            }
        )+

        $(
            impl Parameter for $AsType {
                fn reading(&self) -> Reading<'_> {
                    let $as_value = self;
                    Reading::$Of($as_read)
                }

                fn value(&mut self) -> Value<'_> {
                    Value::$As(self)
                }
            }
        )+
    };
}

kinds! {
    types {
        /// A real number.
        Float(f32) -> f32 = |value| *value;
        /// A whole number.
        Int(u32) -> u32 = |value| *value;
        /// A whole number of 64 bits, of which any is accepted: a seed.
        Seed(u64) -> u64 = |value| *value;
        /// Two numbers of samples, along X and Z. The parameter's range is that of each.
        Size((u32, u32)) -> (u32, u32) = |value| *value;
        /// On or off.
        Flag(bool) -> bool = |value| *value;
        /// A file.
        File(FilePath) -> &'a FilePath = |value| value;
        /// Places on the land, at most [`MAX_POINTS`](super::MAX_POINTS), as shares of its sides: x from west
        /// (0) to east (1), y from north (0) to south (1). The parameter's range is that of every number.
        Points(Vec<Vec2>) -> &'a [Vec2] = |value| value;
        /// The name of a layer.
        Name(Name) -> &'a Name = |value| value;
        /// Free text, such as a name for people.
        Text(String) -> &'a str = |value| value;
        /// sRGB-encoded red, green and blue, each from 0 to 1.
        Colour([f32; 3]) -> [f32; 3] = |value| *value;
        /// sRGB-encoded colours of 8 bits a channel.
        Colours(Vec<[u8; 3]>) -> &'a [[u8; 3]] = |value| value;
        /// A place in space: x, y and z. The parameter's range is that of every number.
        Place((f32, f32, f32)) -> (f32, f32, f32) = |value| *value;
    }
    read_as {
        /// A whole number up to 255.
        Byte(u8) -> Int = |value| u32::from(*value);
        /// A whole number of 16 bits.
        Short(u16) -> Int = |value| u32::from(*value);
    }
    traits {
        /// One of several names.
        Choice(dyn Choice);
        /// Parameters of its own. The parameter's range and unit apply to the numbers in it that have none.
        Group(dyn Params);
        /// A list of things with parameters. The parameter's range is the accepted number of entries.
        List(dyn List);
        /// A value that may be absent.
        Optional(dyn Optional);
    }
}

/// A parameter that is one of several names.
pub trait Choice {
    /// The names, in order.
    fn names(&self) -> &'static [&'static str];
    /// What each name means, in the same order.
    fn docs(&self) -> &'static [&'static str];
    /// The index of the present name.
    fn index(&self) -> usize;
    /// Selects name number `index`; an index out of range changes nothing.
    fn set_index(&mut self, index: usize);
}

/// Something that takes one of several forms, each with its own parameters or none: in a recipe `arid`, or
/// `seasons(season: 0.5)`.
pub trait Forms {
    /// The names of the forms, in order.
    fn names(&self) -> &'static [&'static str];
    /// The index of the present form.
    fn index(&self) -> usize;
    /// The parameters of the present form, if it has any.
    fn inner(&self) -> Option<&dyn Params>;
    /// Switches to form number `index` with default values, and returns its parameters, if it has any.
    fn take(&mut self, index: usize) -> Option<&mut dyn Params>;
}

/// A list of things of one kind that each have parameters.
pub trait List {
    /// The number of entries.
    fn count(&self) -> usize;
    /// Entry number `index`, if it exists.
    fn item(&self, index: usize) -> Option<&dyn Params>;
    /// Entry number `index` to be changed, if it exists.
    fn item_mut(&mut self, index: usize) -> Option<&mut dyn Params>;
    /// Appends an entry with default values.
    fn add(&mut self) -> &mut dyn Params;
    /// Removes entry number `index`, if it exists.
    fn remove(&mut self, index: usize);
    /// Removes all entries.
    fn clear(&mut self);
}

impl<T: Params + Default> List for Vec<T> {
    fn count(&self) -> usize {
        self.len()
    }

    fn item(&self, index: usize) -> Option<&dyn Params> {
        self.get(index).map(|item| item as &dyn Params)
    }

    fn item_mut(&mut self, index: usize) -> Option<&mut dyn Params> {
        self.get_mut(index).map(|item| item as &mut dyn Params)
    }

    fn add(&mut self) -> &mut dyn Params {
        self.push_mut(T::default())
    }

    fn remove(&mut self, index: usize) {
        if index < self.len() {
            Vec::remove(self, index);
        }
    }

    fn clear(&mut self) {
        Vec::clear(self);
    }
}

impl<T: Params + Default> Parameter for Vec<T> {
    fn reading(&self) -> Reading<'_> {
        Reading::List(self)
    }

    fn value(&mut self) -> Value<'_> {
        Value::List(self)
    }
}

/// A value that may be absent.
pub trait Optional {
    /// The value, if present.
    fn reading(&self) -> Option<Reading<'_>>;
    /// The value to be changed, if present.
    fn value(&mut self) -> Option<Value<'_>>;
    /// The value to be changed; a default one is put there first if it is absent.
    fn insert(&mut self) -> Value<'_>;
    /// Removes the value.
    fn clear(&mut self);
    /// Shows the default that [`insert`](Self::insert) would put there.
    fn usual(&self, visitor: &mut dyn FnMut(Reading<'_>));
}

impl<T: Parameter + Default> Optional for Option<T> {
    fn reading(&self) -> Option<Reading<'_>> {
        self.as_ref().map(Parameter::reading)
    }

    fn value(&mut self) -> Option<Value<'_>> {
        self.as_mut().map(Parameter::value)
    }

    fn insert(&mut self) -> Value<'_> {
        self.get_or_insert_default().value()
    }

    fn clear(&mut self) {
        *self = None;
    }

    fn usual(&self, visitor: &mut dyn FnMut(Reading<'_>)) {
        visitor(T::default().reading());
    }
}

impl<T: Parameter + Default> Parameter for Option<T> {
    fn reading(&self) -> Reading<'_> {
        Reading::Optional(self)
    }

    fn value(&mut self) -> Value<'_> {
        Value::Optional(self)
    }
}

/// A member of a group with the group's own range and unit applied.
#[doc(hidden)]
pub struct Within<'a> {
    pub param: &'a Param,
    pub group: &'a mut dyn Params,
}

impl Params for Within<'_> {
    fn read(&self, visitor: &mut dyn FnMut(&Param, Reading<'_>)) {
        self.group.read(&mut |param, value| visitor(&param.within(self.param), value));
    }

    fn visit(&mut self, visitor: &mut dyn FnMut(&Param, Value<'_>)) {
        self.group.visit(&mut |param, value| visitor(&param.within(self.param), value));
    }

    fn doc(&self) -> &'static str {
        self.group.doc()
    }

    fn type_name(&self) -> &'static str {
        self.group.type_name()
    }

    fn law(&self) -> Result<(), String> {
        self.group.law()
    }

    fn follow(&mut self, changed: &str) {
        self.group.follow(changed);
    }

    fn forms(&self) -> Option<&dyn Forms> {
        self.group.forms()
    }

    fn forms_mut(&mut self) -> Option<&mut dyn Forms> {
        self.group.forms_mut()
    }
}

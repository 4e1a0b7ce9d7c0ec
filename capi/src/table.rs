//! One table of what C sees. Macros define each constant and record (here), handle (`crate::handle`) and function
//! (`crate::export`) for Rust, and describe it; the headers are made of the descriptions (`tests/headers`), so they say what there is.
//!
//! Descriptions are constants: what nobody reads is in no library.

/// A part of the interface.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// Its heading.
    pub title: &'static str,
    /// What it holds, in this order.
    pub items: &'static [Item],
}

/// Something that C sees.
#[derive(Clone, Copy, Debug)]
pub enum Item {
    /// A type without contents.
    Opaque(Opaque),
    /// Names of numbers.
    Constants(Constants),
    /// A record whose members C knows.
    Record(Record),
    /// A pointer to a function of the caller.
    Callback(Function),
    /// A macro of the preprocessor.
    Macro(&'static str),
    /// Functions.
    Functions(&'static [Function]),
}

/// A type without contents.
#[derive(Clone, Copy, Debug)]
pub struct Opaque {
    /// Lines of its description.
    pub doc: &'static [&'static str],
    /// Its name.
    pub name: &'static str,
}

/// Names of numbers.
#[derive(Clone, Copy, Debug)]
pub struct Constants {
    /// Lines of their description.
    pub doc: &'static [&'static str],
    /// Lines of each one's description, its name, its number.
    pub entries: &'static [(&'static [&'static str], &'static str, i64)],
}

/// A record.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    /// Lines of its description.
    pub doc: &'static [&'static str],
    /// Its name.
    pub name: &'static str,
    /// Lines of each one's description, its name, its type in Rust.
    pub members: &'static [(&'static [&'static str], &'static str, &'static str)],
}

/// A function.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// Lines of its description.
    pub doc: &'static [&'static str],
    /// Its name.
    pub name: &'static str,
    /// The name and the type in Rust of each parameter.
    pub parameters: &'static [(&'static str, &'static str)],
    /// The type in Rust of what it returns; empty if it returns nothing.
    pub returns: &'static str,
}

/// Names of numbers: `constants! { NAME: type; /// doc \n XFJIT_A = 1; ... }` also defines the description `NAME`.
macro_rules! constants { (
    $(#[doc = $doc:literal])* $table:ident: $type:ty;
    $($(#[doc = $each:literal])* $name:ident = $value:literal;)*
) => {
    $($(#[doc = $each])* pub const $name: $type = $value;)*

    pub(crate) const $table: $crate::table::Item = $crate::table::Item::Constants($crate::table::Constants {
        doc: &[$($doc),*],
        entries: &[$((&[$($each),*], stringify!($name), $value)),*],
    });
} }
pub(crate) use constants;

/// A record as C has it, and its description.
macro_rules! record { (
    $table:ident; $(#[doc = $doc:literal])* $(#[derive($derive:ident)])? struct $record:ident {
        $($(#[doc = $each:literal])* $name:ident: $type:ty,)*
    }
) => {
    $(#[doc = $doc])*
    #[repr(C)]
    #[derive(Clone, Copy $(, $derive)?)]
    #[allow(non_camel_case_types, reason = "the name is that of C")]
    pub struct $record { $($(#[doc = $each])* pub $name: $type),* }

    pub(crate) const $table: $crate::table::Item = $crate::table::Item::Record($crate::table::Record {
        doc: &[$($doc),*],
        name: stringify!($record),
        members: &[$((&[$($each),*], stringify!($name), stringify!($type))),*],
    });

    impl $record {
        /// All bits 0.
        #[allow(dead_code, reason = "not every record is made here")]
        pub(crate) const ZERO: Self = {
            // SAFETY: numbers, arrays of numbers and pointers alone, of all of which zeros are a value.
            unsafe { std::mem::zeroed() }
        };
    }
} }
pub(crate) use record;

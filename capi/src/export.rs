//! Functions for C: the macro that defines them and leaves their descriptions for the headers ([`crate::table`]). Each pointer that comes
//! in comes in here.

/// Functions for C, and their descriptions. Pointers are lent to the body ([`crate::lent`]), other parameters are themselves. Statuses
/// and everything else that may go wrong are the body's matter.
macro_rules! functions { (
    $table:ident;
    $($(#[doc = $doc:literal])* fn $name:ident($($parameter:ident: $type:ty),*) $(-> $returns:ty)? $body:block)*
) => {
    $(
        $(#[doc = $doc])*
        ///
        /// # Safety
        /// Each pointer is null or otherwise no address of memory (`crate::extent` refuses it then), or points to what the description
        /// says, until the call returns: a handle that lives, a record as long as it says, as many values as are named, text with a zero at its
        /// end. So do the pointers in records. Nobody writes what the call reads, but for index lists, and nobody else uses what it writes.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($parameter: $type),*) $(-> $returns)? {
            let scope = $crate::lent::Scope::new();
            let _ = &scope;
            // SAFETY: the contract above is what `Lent` and `LentMut` promise, for as long as this call lasts, and `scope` is a local of it.
            $(let $parameter = unsafe { $crate::lent::Parameter::lend($parameter, &scope) };)*
            $body
        }
    )*

    pub(crate) const $table: $crate::table::Item = $crate::table::Item::Functions(&[$($crate::table::Function {
        doc: &[$($doc),*],
        name: stringify!($name),
        parameters: &[$((stringify!($parameter), stringify!($type))),*],
        returns: concat!($(stringify!($returns))?),
    }),*]);
} }
pub(crate) use functions;

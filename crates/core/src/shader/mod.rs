//! Shaders: programs and fixed-function configurations behind one interface.
//!
//! A [`Shader`] is cheap to clone, can be compared and hashed, and is part of the key of compiled code. Its contents (a
//! program with its configuration, or a configuration of the fixed function) are private to its `FrontEnd`, the trait
//! through which the layers above use it. A `Fallback` runs it without native code. Both traits are below the front ends,
//! so that a new front end changes none of the layers above.

mod fallback;
mod front_end;
mod info;
mod limits;
mod worker;

pub use fallback::Faults;
pub use info::{ProgramInfo, Rows};
pub use limits::Cancel;
pub(crate) use limits::{Call, FREE_SLOTS};
pub use worker::Worker;
pub use {
    fallback::{Fallback, Slots},
    front_end::{FrontEnd, Identity},
    limits::{Allowance, Taken},
};

use crate::ir::func::Func;
use crate::isa::Mask;
use std::any::Any;
use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use xfjit_runtime::batch::Layout;
use xfjit_runtime::format::InputLayout;
use xfjit_runtime::state::OUTPUTS;

/// A program or fixed-function configuration, with everything that determines its results.
///
/// Two are equal if they contain equal values of the same front end. Shaders with equal canonical forms
/// ([`Shader::canonical`]) compute the same; keys of compiled code contain these.
#[derive(Clone, Debug)]
pub struct Shader {
    front: Arc<dyn FrontEnd>,
    inputs: InputLayout,
}

impl Shader {
    /// Creates a shader from a front end's value: a program ([`Microcode`](crate::front::Microcode)), or a configuration of the fixed
    /// function ([`Setup`](crate::front::fixed::Setup)).
    pub fn new(front: impl FrontEnd) -> Self {
        Shader { front: Arc::new(front), inputs: InputLayout::ROWS }
    }

    /// Returns the shader for attributes with this memory layout. Native code then reads them in place, and refuses batches whose
    /// attributes have components that the layout lacks. Attributes with another layout are copied.
    #[must_use]
    pub fn with_inputs(self, inputs: InputLayout) -> Self {
        Shader { inputs, ..self }
    }

    /// The layout of attributes in memory for which native code is compiled.
    pub fn inputs(&self) -> InputLayout {
        self.inputs
    }

    /// The memory layout of outputs.
    pub fn layout(&self) -> Layout {
        self.front.layout()
    }

    /// Rows of constants that the [`Context`](xfjit_runtime::state::Context) must have.
    pub fn rows(&self) -> usize {
        self.front.rows()
    }

    /// The output registers that must have memory, as a mask.
    pub fn live_outputs(&self) -> u32 {
        self.front.live_outputs()
    }

    /// What it reads and writes.
    pub fn info(&self) -> ProgramInfo {
        self.front.info()
    }

    /// The value of a front end; `None` if the shader is of another front end.
    pub fn made_of<T: FrontEnd>(&self) -> Option<&T> {
        let front: &dyn Any = &*self.front;
        front.downcast_ref()
    }
}

/// What layers above ask, and the forms in which it runs.
#[doc(hidden)]
impl Shader {
    /// The shader without anything that cannot matter: if two are equal in this form, they compute equal results.
    #[must_use]
    pub fn canonical(&self) -> Self {
        let inputs = match self.inputs.is_rows() {
            true => InputLayout::ROWS,
            false => self.inputs.only(self.front.live_inputs()),
        };
        Shader { front: self.front.canonical(), inputs }
    }

    /// Returns the shader with a limit of slots for each vertex.
    #[must_use]
    pub fn limited(&self, slots: u16) -> Self {
        let front = self.front.limited(slots).unwrap_or_else(|| Arc::clone(&self.front));
        Shader { front, inputs: self.inputs }
    }

    /// Lowers it to IR of the XF level.
    pub fn lower(&self) -> Func {
        self.lower_within(usize::MAX).expect("without a limit nothing is over it")
    }

    /// Lowers it to IR, unless that has more than `most` instructions.
    pub fn lower_within(&self, most: usize) -> Option<Func> {
        self.front.lower_within(most).map(|func| Func { inputs: self.inputs, ..func })
    }

    /// See [`FrontEnd::reference`].
    pub fn reference(&self) -> Arc<dyn Fallback> {
        self.front.reference()
    }

    /// See [`FrontEnd::fallback`].
    pub fn fallback(&self, lowered: Option<Func>) -> Arc<dyn Fallback> {
        self.front.fallback(lowered)
    }

    /// The output registers that it may write if all are requested, as a mask; a superset.
    pub fn written_outputs(&self) -> u32 {
        self.front.written_outputs()
    }

    /// The components of each output register that it may write if all are requested; a superset.
    pub fn written(&self) -> [Mask; OUTPUTS] {
        self.front.written()
    }

    /// The number of slots that a vertex executes.
    pub fn slots(&self) -> Slots {
        self.front.slots()
    }

    /// Whether vertices must run one after the other, since each may see what those before it have written.
    pub fn is_serial(&self) -> bool {
        self.front.is_serial()
    }

    /// A name of its kind, for reports.
    pub fn name(&self) -> &'static str {
        self.front.name()
    }

    /// The memory held besides the value itself.
    pub fn bytes(&self) -> usize {
        self.front.bytes()
    }
}

impl PartialEq for Shader {
    fn eq(&self, other: &Self) -> bool {
        self.inputs == other.inputs
            && (Arc::ptr_eq(&self.front, &other.front) || self.front.is_same(&*other.front))
    }
}

impl Eq for Shader {}

impl Hash for Shader {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.front.digest());
        self.inputs.hash(state);
    }
}

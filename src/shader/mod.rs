//! What vertices run through, whichever front end it comes from.
//!
//! A [`Shader`] is a value: cheap to clone, to be compared and hashed, and part of the key of compiled code. What it is
//! made of only its [`FrontEnd`] knows (a program with its configuration, a configuration of the fixed function), and what
//! the layers above want to know of it they ask through that trait. How it runs without native code is a [`Fallback`].
//! Both stand below the front ends, so that one more of them is a directory of its own beside theirs.

mod fallback;
mod info;
mod worker;

pub use fallback::{Fallback, Faults, Slots};
pub use info::{ProgramInfo, Rows};
pub use worker::Worker;

use crate::ir::func::Func;
use crate::isa::Mask;
use std::any::Any;
use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use xfjit_runtime::batch::Layout;
use xfjit_runtime::format::InputLayout;
use xfjit_runtime::state::OUTPUTS;

/// What makes shaders of one kind: everything that decides what they compute is in the value.
pub trait FrontEnd: Identity + Debug + Send + Sync {
    /// The same without what cannot matter: what two that are equal in it compute is the same.
    fn canonical(&self) -> Arc<dyn FrontEnd>;

    /// The same with vertices that execute no more than so many slots each; none if they do not anyway.
    fn limited(&self, slots: u16) -> Option<Arc<dyn FrontEnd>> {
        let _ = slots;
        None
    }

    /// As IR of the XF level, unless that has more than `most` instructions. Without a limit, which is `usize::MAX`,
    /// nothing is over it.
    fn lower_within(&self, most: usize) -> Option<Func>;

    /// How it runs in its plainest form, one vertex after the other: what everything else is tested against.
    fn reference(&self) -> Arc<dyn Fallback>;

    /// How it runs where native code does not, as fast as that can be. Whoever has the function that
    /// [`FrontEnd::lower_within`] makes, optimised or not, gives it, so that it need not be made again.
    fn fallback(&self, lowered: Option<Func>) -> Arc<dyn Fallback>;

    /// The attributes that it may read, as a mask; a superset.
    fn live_inputs(&self) -> u16;

    /// How outputs lie in memory.
    fn layout(&self) -> Layout;

    /// Rows of constants that the [`Context`](xfjit_runtime::state::Context) must have.
    fn rows(&self) -> usize;

    /// Output registers that must have a place, as a mask.
    fn live_outputs(&self) -> u32;

    /// Output registers that it may write if all are wanted, as a mask; a superset.
    fn written_outputs(&self) -> u32;

    /// The components of each output register that it may write if all are wanted; a superset.
    fn written(&self) -> [Mask; OUTPUTS];

    /// Slots that a vertex executes.
    fn slots(&self) -> Slots;

    /// Vertices run one after the other, since each may see what those before it have written.
    fn is_serial(&self) -> bool;

    /// What it reads and writes.
    fn info(&self) -> ProgramInfo;

    /// A name of its kind, for reports.
    fn name(&self) -> &'static str;

    /// Memory held beside the value itself.
    fn bytes(&self) -> usize;
}

/// Comparison of values that are known as `dyn` [`FrontEnd`] only. Every type that can be compared and hashed has it.
pub trait Identity: Any {
    /// Whether the other is of the same type, and equal.
    fn is_same(&self, other: &dyn Any) -> bool;

    /// Feeds the value to a hasher.
    fn digest(&self, state: &mut dyn Hasher);
}

impl<T: Any + Eq + Hash> Identity for T {
    fn is_same(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<T>().is_some_and(|other| self == other)
    }

    fn digest(&self, mut state: &mut dyn Hasher) {
        self.hash(&mut state);
    }
}

/// What vertices run through, and everything that decides what it computes.
///
/// Two are equal if they were made of equal values of the same front end. Whether they also compute the same is known of
/// their canonical forms ([`Shader::canonical`]), which is what keys of compiled code hold.
#[derive(Clone, Debug)]
pub struct Shader {
    front: Arc<dyn FrontEnd>,
    inputs: InputLayout,
}

impl Shader {
    /// What a front end has made.
    pub fn new(front: impl FrontEnd) -> Self {
        Shader { front: Arc::new(front), inputs: InputLayout::ROWS }
    }

    /// For attributes that lie in memory so. Native code reads them where they are then, and batches are refused whose
    /// attributes have components that the layout lacks. What lies in memory in another way is copied, as always.
    #[must_use]
    pub fn with_inputs(self, inputs: InputLayout) -> Self {
        Shader { inputs, ..self }
    }

    /// How the attributes lie in memory that native code is made for.
    pub fn inputs(&self) -> InputLayout {
        self.inputs
    }

    /// The same without what cannot matter: what two that are equal in it compute is the same.
    #[must_use]
    pub fn canonical(&self) -> Self {
        let inputs = match self.inputs.is_rows() {
            true => InputLayout::ROWS,
            false => self.inputs.only(self.front.live_inputs()),
        };
        Shader { front: self.front.canonical(), inputs }
    }

    /// With vertices that execute at most so many slots each.
    #[must_use]
    pub fn limited(&self, slots: u16) -> Self {
        let front = self.front.limited(slots).unwrap_or_else(|| Arc::clone(&self.front));
        Shader { front, inputs: self.inputs }
    }

    /// As IR of the XF level.
    pub fn lower(&self) -> Func {
        self.lower_within(usize::MAX).expect("without a limit nothing is over it")
    }

    /// The same unless it has more than `most` instructions.
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

    /// How outputs lie in memory.
    pub fn layout(&self) -> Layout {
        self.front.layout()
    }

    /// Rows of constants that the [`Context`](xfjit_runtime::state::Context) must have.
    pub fn rows(&self) -> usize {
        self.front.rows()
    }

    /// Output registers that must have a place, as a mask.
    pub fn live_outputs(&self) -> u32 {
        self.front.live_outputs()
    }

    /// Output registers that it may write if all are wanted, as a mask; a superset.
    pub fn written_outputs(&self) -> u32 {
        self.front.written_outputs()
    }

    /// The components of each output register that it may write if all are wanted; a superset.
    pub fn written(&self) -> [Mask; OUTPUTS] {
        self.front.written()
    }

    /// Slots that a vertex executes.
    pub fn slots(&self) -> Slots {
        self.front.slots()
    }

    /// Vertices run one after the other, since each may see what those before it have written.
    pub fn is_serial(&self) -> bool {
        self.front.is_serial()
    }

    /// What it reads and writes.
    pub fn info(&self) -> ProgramInfo {
        self.front.info()
    }

    /// A name of its kind, for reports.
    pub fn name(&self) -> &'static str {
        self.front.name()
    }

    /// Memory held beside the value itself.
    pub fn bytes(&self) -> usize {
        self.front.bytes()
    }

    /// What it was made of, for those who write down values of one front end; none if another has made it.
    pub fn made_of<T: FrontEnd>(&self) -> Option<&T> {
        let front: &dyn Any = &*self.front;
        front.downcast_ref()
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
        self.front.digest(state);
        self.inputs.hash(state);
    }
}

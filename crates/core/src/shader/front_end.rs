//! What a front end implements, and how its values are compared without their type being known.

use super::{Fallback, ProgramInfo, Slots};
use crate::ir::func::Func;
use crate::isa::Mask;
use rustc_hash::FxBuildHasher;
use std::any::Any;
use std::fmt::Debug;
use std::hash::{BuildHasher, Hash};
use std::sync::Arc;
use xfjit_runtime::batch::Layout;
use xfjit_runtime::state::OUTPUTS;

/// A kind of shader. The value contains everything that determines the results.
pub trait FrontEnd: Identity + Debug + Send + Sync {
    /// The canonical form: fields without influence are cleared. Values with equal canonical forms compute the same.
    fn canonical(&self) -> Arc<dyn FrontEnd>;

    /// The shader with a limit of the slots that each vertex executes; `None` if its vertices cannot exceed it.
    fn limited(&self, slots: u16) -> Option<Arc<dyn FrontEnd>> {
        let _ = slots;
        None
    }

    /// Lowers to IR of the XF level; `None` if that has more than `most` instructions, which is never so for `usize::MAX`.
    fn lower_within(&self, most: usize) -> Option<Func>;

    /// The reference that all other forms are tested against; it runs one vertex after the other.
    fn reference(&self) -> Arc<dyn Fallback>;

    /// The fast form without native code. `lowered` is the result of [`FrontEnd::lower_within`], optimised or not, if the
    /// caller has it already.
    fn fallback(&self, lowered: Option<Func>) -> Arc<dyn Fallback>;

    /// The attributes that it may read, as a mask; a superset.
    fn live_inputs(&self) -> u16;

    /// The layout of outputs in memory.
    fn layout(&self) -> Layout;

    /// Rows of constants that the [`Context`](xfjit_runtime::state::Context) must have.
    fn rows(&self) -> usize;

    /// Output registers that must have memory, as a mask.
    fn live_outputs(&self) -> u32;

    /// Output registers that it may write if all are wanted, as a mask; a superset.
    fn written_outputs(&self) -> u32;

    /// The components of each output register that it may write if all are wanted; a superset.
    fn written(&self) -> [Mask; OUTPUTS] {
        let registers = self.written_outputs();
        std::array::from_fn(|register| if registers >> register & 1 != 0 { Mask::ALL } else { Mask::NONE })
    }

    /// The number of slots that a vertex executes: none where there are no instructions.
    fn slots(&self) -> Slots {
        Slots::Exactly(0)
    }

    /// Whether vertices must run one after the other, since each may read constants that the previous ones wrote.
    fn is_serial(&self) -> bool {
        false
    }

    /// What it reads and writes.
    fn info(&self) -> ProgramInfo;

    /// A name of its kind, for reports.
    fn name(&self) -> &'static str;

    /// Heap memory in bytes.
    fn bytes(&self) -> usize {
        0
    }
}

/// Comparison and hashing of `dyn` [`FrontEnd`] values, implemented for every type with `Eq` and `Hash`.
pub trait Identity: Any {
    /// Whether the other is of the same type, and equal.
    fn is_same(&self, other: &dyn Any) -> bool;

    /// A digest of the value.
    fn digest(&self) -> u64;
}

impl<T: Any + Eq + Hash> Identity for T {
    fn is_same(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<T>().is_some_and(|other| self == other)
    }

    fn digest(&self) -> u64 {
        // Of a type that is known here, or each number of the value would be a call.
        FxBuildHasher.hash_one(self)
    }
}

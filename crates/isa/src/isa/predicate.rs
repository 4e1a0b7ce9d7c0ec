//! The fields of Rankine and Curie that say when an instruction writes and when it branches (rankine_curie.md 1.1, 1.2,
//! 2.3): a swizzled test, one bit that applies it to the writes, and one register selector.

use super::insn::{Condition, Insn, Swizzle, Test};
use super::op::ScaOp;
use super::{BranchTest, Reading};

/// The raw fields, alike in both generations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Predicate {
    /// Number of the [`Test`].
    pub(crate) test: u16,
    /// Swizzle of the condition register, x highest.
    pub(crate) swizzle: u16,
    /// Apply the test to writes.
    pub(crate) enable: u16,
    /// Condition register.
    pub(crate) reg: u16,
}

/// The swizzle of eight bits, x highest.
pub(crate) fn unpack_swizzle(bits: u16) -> Swizzle {
    Swizzle([6, 4, 2, 0].map(|shift| (bits >> shift & 3) as u8))
}

/// The eight bits of a swizzle.
pub(crate) fn pack_swizzle(swizzle: Swizzle) -> u16 {
    swizzle.0.iter().fold(0, |bits, &c| bits << 2 | u16::from(c & 3))
}

/// Whether an operation looks at the test; BRB and CLB look at a boolean constant instead.
pub(crate) fn tests(op: ScaOp) -> bool {
    op.is_branch() && !op.is_on_boolean()
}

impl Predicate {
    fn condition(self) -> Condition {
        let test = Test::ALL[usize::from(self.test & 7)];
        Condition { test, swizzle: unpack_swizzle(self.swizzle), reg: self.reg as u8 }
    }

    /// What writes depend on.
    pub(crate) fn of_writes(self) -> Condition {
        if self.enable != 0 { self.condition() } else { Condition::ALWAYS }
    }

    /// What a branch depends on.
    pub(crate) fn of_branch(self, reading: Reading, op: ScaOp) -> Condition {
        let tested = match reading.branch_test {
            BranchTest::Field => true,
            BranchTest::Enabled => self.enable != 0,
        };
        if tests(op) && tested { self.condition() } else { Condition::ALWAYS }
    }

    /// The fields of an instruction that has one test for its writes and its branch, or none for its writes.
    pub(crate) fn of(insn: &Insn) -> Predicate {
        let branch = insn.branch.condition;
        let condition = if tests(insn.sca) { branch } else { insn.condition };
        // The bit does no harm where nothing is written, and says the same however branches are read.
        let writes = insn.writes();
        let enable = condition != Condition::ALWAYS && (!writes || insn.condition == condition);
        Predicate {
            test: condition.test as u16,
            swizzle: pack_swizzle(condition.swizzle),
            enable: enable.into(),
            reg: insn.code.map_or(condition.reg, |code| code.reg).into(),
        }
    }
}

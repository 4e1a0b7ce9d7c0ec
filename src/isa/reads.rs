//! What an instruction reads and writes, and the one form that all instructions of equal meaning share.

use super::insn::{
    AddressComponent, Bank, Branch, Condition, Insn, Mask, OutTarget, Source, Swizzle, TempWrite, Test, Unit,
};
use super::kelvin::FOG;
use super::op::{Components, Effect, Kind, ScaOp, Slot, Takes, VecOp};

/// Of the swizzles that agree with `swizzle` on the components `read`, the first of: a replicated component; the
/// identity; the one whose unread components repeat the read one before them (the first read one, if none is).
fn canonical_swizzle(swizzle: Swizzle, read: Mask) -> Swizzle {
    if read == Mask::ALL {
        // Whichever of these it is.
        return swizzle;
    }
    let Swizzle(from) = swizzle;
    let Some(first) = read.components().next() else {
        return Swizzle::IDENTITY;
    };
    if read.components().all(|c| from[c] == from[first]) {
        return Swizzle([from[first]; 4]);
    }
    if read.components().all(|c| usize::from(from[c]) == c) {
        return Swizzle::IDENTITY;
    }
    let mut canonical = [from[first]; 4];
    for c in 1..4 {
        canonical[c] = if read.has(c) { from[c] } else { canonical[c - 1] };
    }
    Swizzle(canonical)
}

fn canonical_write(write: TempWrite, present: bool) -> TempWrite {
    if present && !write.mask.is_empty() { write } else { TempWrite::default() }
}

impl Slot {
    /// The slots, in the order of [`Insn::src`].
    pub const ALL: [Slot; 3] = [Slot::A, Slot::B, Slot::C];
}

impl Insn {
    /// No operation, not the last instruction.
    pub const NOP: Insn = Insn {
        vec: VecOp::Nop,
        sca: ScaOp::Nop,
        src: [Source::UNUSED; 3],
        input: 0,
        constant: 0,
        indexed: false,
        input_indexed: false,
        output_indexed: false,
        address: AddressComponent { reg: 0, component: 0 },
        texture: 0,
        condition: Condition::ALWAYS,
        saturate: false,
        vec_dst: TempWrite { reg: 0, mask: Mask::NONE },
        sca_dst: TempWrite { reg: 0, mask: Mask::NONE },
        address_dst: TempWrite { reg: 0, mask: Mask::NONE },
        code: None,
        out: None,
        branch: Branch::NONE,
        end: false,
    };

    /// The source in `slot`.
    pub(crate) const fn source(&self, slot: Slot) -> &Source {
        &self.src[slot as usize]
    }

    /// Components of a unit's result that some destination takes.
    pub(crate) fn written(&self, unit: Unit) -> Mask {
        let temp = match unit {
            Unit::Vec => self.vec_dst.mask,
            Unit::Sca => self.sca_dst.mask,
        };
        let address = if self.address_from() == Some(unit) { self.address_dst.mask } else { Mask::NONE };
        let out = self.out.map_or(Mask::NONE, |out| out.mask(unit));
        let code = self.code.filter(|code| code.from == unit).map_or(Mask::NONE, |code| code.mask);
        Mask(temp.0 | address.0 | out.0 | code.0)
    }

    /// The unit that writes an address register, if one does. The vector unit goes first.
    pub(crate) fn address_from(&self) -> Option<Unit> {
        if self.vec.effect() == Effect::Address {
            Some(Unit::Vec)
        } else {
            (self.sca.effect() == Effect::Address).then_some(Unit::Sca)
        }
    }

    /// Components of a unit's result that matter: those that are written, and x of what goes to the fog register
    /// ([`FOG`]).
    fn wanted(&self, unit: Unit) -> Mask {
        let Mask(written) = self.written(unit);
        let fog = self.out.is_some_and(|out| {
            out.target == OutTarget::Output(FOG) && !self.output_indexed && !out.mask(unit).is_empty()
        });
        Mask(written | if fog { Components::X.mask(Mask::NONE).0 } else { 0 })
    }

    /// Components of the source in `slot`, after its swizzle, that `unit` reads.
    pub(crate) fn read_by(&self, unit: Unit, slot: Slot) -> Mask {
        self.read_for(unit, slot, self.wanted(unit))
    }

    /// The same if so much of the unit's result matters.
    fn read_for(&self, unit: Unit, slot: Slot, wanted: Mask) -> Mask {
        let components = match unit {
            Unit::Vec => self.vec.components(slot),
            Unit::Sca => self.sca.components(slot),
        };
        components.map_or(Mask::NONE, |components| components.mask(wanted))
    }

    /// Components of the source in `slot`, after its swizzle, that either unit reads.
    pub(crate) fn read(&self, slot: Slot) -> Mask {
        Mask(self.read_by(Unit::Vec, slot).0 | self.read_by(Unit::Sca, slot).0)
    }

    /// Whether some operation reads a register of `bank`.
    pub(crate) fn reads_bank(&self, bank: Bank) -> bool {
        Slot::ALL.iter().any(|&slot| self.source(slot).bank == bank && !self.read(slot).is_empty())
    }

    /// Whether something looks at [`Insn::address`], and whether at its component.
    fn reads_address(&self) -> (bool, bool) {
        let indexed = self.indexed || self.input_indexed || self.output_indexed || self.sca.is_indirect();
        let whole = self.vec.takes() == Takes::Address || self.sca.takes() == Takes::Address;
        (indexed || whole, indexed)
    }

    /// The instruction of the same meaning in which everything that cannot matter has its fixed value: operations
    /// without effect are NOP, sources that nobody reads [`Source::UNUSED`], unread swizzle components as the
    /// others dictate. Idempotent. The destination of the scalar unit is left alone: pairing is settled before.
    pub(crate) fn canonical(mut self) -> Insn {
        self.condition = canonical_condition(self.condition);
        if !self.sca.is_branch() {
            self.branch = Branch::NONE;
        }
        self.branch.condition = canonical_condition(self.branch.condition);
        self.canonical_destinations();
        if self.written(Unit::Vec).is_empty() && self.vec.effect() != Effect::Flow {
            self.vec = VecOp::Nop;
        }
        if self.written(Unit::Sca).is_empty() && !matches!(self.sca.effect(), Effect::Flow | Effect::Address)
        {
            self.sca = ScaOp::Nop;
        }
        if self.vec.takes() != Takes::Texture {
            self.texture = 0;
        }
        self.canonical_sources();
        let (register, component) = self.reads_address();
        self.address = AddressComponent {
            reg: if register { self.address.reg } else { 0 },
            component: if component { self.address.component } else { 0 },
        };
        // A POPA that writes nothing is one whose condition says so.
        if !self.writes() && self.sca.kind() != Kind::Pop {
            self.condition = Condition::ALWAYS;
        }
        self.saturate &= self.vec.has_value() || self.sca.has_value();
        self
    }

    /// Whether anything is written.
    pub(crate) fn writes(&self) -> bool {
        [Unit::Vec, Unit::Sca].iter().any(|&unit| !self.written(unit).is_empty())
    }

    /// Destinations without a result that could go there are dropped.
    fn canonical_destinations(&mut self) {
        let never = self.condition.test == Test::Fl;
        let (vec, sca) = (self.vec.has_value() && !never, self.sca.has_value() && !never);
        self.vec_dst = canonical_write(self.vec_dst, vec);
        self.sca_dst = canonical_write(self.sca_dst, sca);
        // POPA pops even if it writes nothing.
        self.address_dst = canonical_write(self.address_dst, self.address_from().is_some() && !never);
        self.out = self.out.and_then(|mut out| {
            out.vec = if vec { out.vec } else { Mask::NONE };
            out.sca = if sca { out.sca } else { Mask::NONE };
            (!out.vec.is_empty() || !out.sca.is_empty()).then_some(out)
        });
        self.output_indexed &= matches!(self.out, Some(out) if matches!(out.target, OutTarget::Output(_)));
        let from_address = self.address_from();
        self.code = self.code.filter(|code| {
            let present = match code.from {
                Unit::Vec => vec,
                Unit::Sca => sca,
            };
            (present || from_address == Some(code.from)) && !code.mask.is_empty() && !never
        });
    }

    fn canonical_sources(&mut self) {
        let wanted = [Unit::Vec, Unit::Sca].map(|unit| (unit, self.wanted(unit)));
        // Whether the input and the constant are read.
        let mut reads = [false; 2];
        for slot in Slot::ALL {
            let read = wanted.map(|(unit, wanted)| self.read_for(unit, slot, wanted));
            let read = Mask(read[0].0 | read[1].0);
            let source = &mut self.src[slot as usize];
            if !read.is_empty() {
                reads[0] |= source.bank == Bank::Input;
                reads[1] |= source.bank == Bank::Constant;
            }
            if read.is_empty() {
                *source = Source::UNUSED;
            } else if source.bank == Bank::None {
                source.swizzle = Swizzle::IDENTITY;
            } else {
                source.swizzle = canonical_swizzle(source.swizzle, read);
            }
        }
        if !reads[0] {
            (self.input, self.input_indexed) = (0, false);
        }
        if !reads[1] {
            (self.constant, self.indexed) = (0, false);
        }
    }
}

/// A test that looks at no register looks at none in particular.
pub(crate) fn canonical_condition(condition: Condition) -> Condition {
    match condition.test {
        Test::Tr => Condition::ALWAYS,
        Test::Fl => Condition { test: Test::Fl, ..Condition::ALWAYS },
        Test::Lt | Test::Eq | Test::Le | Test::Gt | Test::Ne | Test::Ge => condition,
    }
}

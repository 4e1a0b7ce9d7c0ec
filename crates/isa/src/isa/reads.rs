//! What an instruction reads and writes, and the one form that all instructions of equal meaning share.

use super::insn::{
    AddressComponent, Bank, Branch, Condition, Insn, OutTarget, Source, Swizzle, TempWrite, Test, Unit,
};
use super::kelvin::FOG;
use super::mask::Mask;
use super::op::{Components, Effect, Kind, ScaOp, Slot, Takes, VecOp};

/// The bytes of a mask's components, x lowest.
const BYTES: [u32; 16] = {
    let mut bytes = [0; 16];
    let mut mask = 0;
    while mask < 16 {
        let mut component = 0;
        while component < 4 {
            if Mask(mask as u8).has(component) {
                bytes[mask] |= 0xff << (8 * component);
            }
            component += 1;
        }
        mask += 1;
    }
    bytes
};

/// Of the swizzles that agree with `swizzle` on the components `read`, the first of: a replicated component; the
/// identity; the one whose unread components repeat the read one before them (the first read one, if none is).
fn canonical_swizzle(swizzle: Swizzle, read: Mask) -> Swizzle {
    const IDENTITY: u32 = u32::from_le_bytes(Swizzle::IDENTITY.0);
    if read == Mask::ALL {
        // Whichever of these it is.
        return swizzle;
    }
    if read.is_empty() {
        return Swizzle::IDENTITY;
    }
    let (from, bytes) = (u32::from_le_bytes(swizzle.0), BYTES[usize::from(read.0 & 15)]);
    let first = from >> bytes.trailing_zeros() & 0xff;
    let replicated = first * 0x0101_0101;
    if (from ^ replicated) & bytes == 0 {
        return Swizzle(replicated.to_le_bytes());
    }
    if (from ^ IDENTITY) & bytes == 0 {
        return Swizzle::IDENTITY;
    }
    let mut canonical = [first as u8; 4];
    for c in 1..4 {
        canonical[c] = if read.has(c) { swizzle.0[c] } else { canonical[c - 1] };
    }
    Swizzle(canonical)
}

fn canonical_write(write: &mut TempWrite, present: bool) {
    if !present || write.mask.is_empty() {
        *write = TempWrite::default();
    }
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
    pub fn written(&self, unit: Unit) -> Mask {
        self.written_by()[unit as usize]
    }

    /// For each unit, the components of its result that some destination takes.
    fn written_by(&self) -> [Mask; 2] {
        let mut masks = [self.vec_dst.mask.0, self.sca_dst.mask.0];
        if !self.address_dst.mask.is_empty()
            && let Some(unit) = self.address_from()
        {
            masks[unit as usize] |= self.address_dst.mask.0;
        }
        if let Some(out) = self.out {
            masks[0] |= out.vec.0;
            masks[1] |= out.sca.0;
        }
        if let Some(code) = self.code {
            masks[code.from as usize] |= code.mask.0;
        }
        [Mask(masks[0]), Mask(masks[1])]
    }

    /// The unit that writes an address register, if one does. The vector unit goes first.
    pub fn address_from(&self) -> Option<Unit> {
        if self.vec.effect() == Effect::Address {
            Some(Unit::Vec)
        } else {
            (self.sca.effect() == Effect::Address).then_some(Unit::Sca)
        }
    }

    /// Of the components of each unit's result that are `written`, and x of what goes to the fog register ([`FOG`]): those that matter.
    fn wanted(&self, mut written: [Mask; 2]) -> [Mask; 2] {
        if let Some(out) = self.out
            && out.target == OutTarget::Output(FOG)
            && !self.output_indexed
        {
            for (mask, out) in written.iter_mut().zip([out.vec, out.sca]) {
                mask.0 |= if out.is_empty() { 0 } else { Components::X.mask(Mask::NONE).0 };
            }
        }
        written
    }

    /// Components of the source in `slot`, after its swizzle, that `unit` reads.
    pub(crate) fn read_by(&self, unit: Unit, slot: Slot) -> Mask {
        self.read_for(slot, self.wanted(self.written_by()))[unit as usize]
    }

    /// Components of the source in `slot` that each unit reads, if so much of its result matters.
    #[inline]
    fn read_for(&self, slot: Slot, wanted: [Mask; 2]) -> [Mask; 2] {
        let read = |[within, fixed]: [Mask; 2], wanted: Mask| Mask(wanted.0 & within.0 | fixed.0);
        let slot = slot as usize;
        [read(self.vec.row().reads[slot], wanted[0]), read(self.sca.row().reads[slot], wanted[1])]
    }

    /// Components of the source in `slot`, after its swizzle, that either unit reads.
    pub(crate) fn read(&self, slot: Slot) -> Mask {
        let [vec, sca] = self.read_for(slot, self.wanted(self.written_by()));
        Mask(vec.0 | sca.0)
    }

    /// Whether some operation reads a register of `bank`.
    pub fn reads_bank(&self, bank: Bank) -> bool {
        Slot::ALL.iter().any(|&slot| self.source(slot).bank == bank && !self.read(slot).is_empty())
    }

    /// Whether something looks at [`Insn::address`], and whether at its component.
    pub(crate) fn reads_address(&self) -> (bool, bool) {
        let indexed = self.indexed || self.input_indexed || self.output_indexed || self.sca.is_indirect();
        let whole = self.vec.takes() == Takes::Address || self.sca.takes() == Takes::Address;
        (indexed || whole, indexed)
    }

    /// The instruction of the same meaning in which everything that cannot matter has its fixed value: operations
    /// without effect are NOP, sources that nobody reads [`Source::UNUSED`], unread swizzle components as the
    /// others dictate. Idempotent. The destination of the scalar unit is left alone: pairing is settled before.
    pub(crate) fn canonical(&self) -> Insn {
        let mut insn = *self;
        insn.make_canonical();
        insn
    }

    /// Makes it canonical in place.
    pub(crate) fn make_canonical(&mut self) {
        self.condition = canonical_condition(self.condition);
        if self.sca.is_branch() {
            self.branch.condition = canonical_condition(self.branch.condition);
        } else {
            self.branch = Branch::NONE;
        }
        self.canonical_destinations();
        let written = self.canonical_operations();
        if self.vec.takes() != Takes::Texture {
            self.texture = 0;
        }
        let (register, component) = self.reads_address();
        if !register {
            self.address.reg = 0;
        }
        if !component {
            self.address.component = 0;
        }
        // A POPA that writes nothing is one whose condition says so.
        if written[0].is_empty() && written[1].is_empty() && self.sca.kind() != Kind::Pop {
            self.condition = Condition::ALWAYS;
        }
        self.saturate &= self.vec.has_value() || self.sca.has_value();
    }

    /// Makes an instruction canonical without conditions, branches, textures and what else Kelvin's words cannot say.
    pub(super) fn make_canonical_of_kelvin(&mut self) {
        let (vec, sca) = (self.vec.has_value(), self.sca.has_value());
        self.canonical_results(vec, sca);
        self.canonical_operations();
    }

    /// Operations without effect are dropped, and what nobody reads. Components of each unit's result that are written.
    fn canonical_operations(&mut self) -> [Mask; 2] {
        let written = self.written_by();
        if written[0].is_empty() && self.vec.effect() != Effect::Flow {
            self.vec = VecOp::Nop;
        }
        if written[1].is_empty() && !matches!(self.sca.effect(), Effect::Flow | Effect::Address) {
            self.sca = ScaOp::Nop;
        }
        self.canonical_sources(self.wanted(written));
        written
    }

    /// Whether anything is written.
    pub(crate) fn writes(&self) -> bool {
        self.written_by().iter().any(|mask| !mask.is_empty())
    }

    /// Temporaries and outputs are dropped for which there is no result of the vector unit, or of the scalar one.
    fn canonical_results(&mut self, vec: bool, sca: bool) {
        canonical_write(&mut self.vec_dst, vec);
        canonical_write(&mut self.sca_dst, sca);
        if let Some(out) = &mut self.out {
            out.vec = if vec { out.vec } else { Mask::NONE };
            out.sca = if sca { out.sca } else { Mask::NONE };
            if out.vec.is_empty() && out.sca.is_empty() {
                self.out = None;
            }
        }
    }

    /// Destinations without a result that could go there are dropped.
    fn canonical_destinations(&mut self) {
        let never = self.condition.test == Test::Fl;
        let (vec, sca) = (self.vec.has_value() && !never, self.sca.has_value() && !never);
        self.canonical_results(vec, sca);
        // POPA pops even if it writes nothing.
        let from_address = self.address_from();
        canonical_write(&mut self.address_dst, from_address.is_some() && !never);
        self.output_indexed &= matches!(self.out, Some(out) if matches!(out.target, OutTarget::Output(_)));
        if let Some(code) = self.code {
            let present = match code.from {
                Unit::Vec => vec,
                Unit::Sca => sca,
            };
            if !(present || from_address == Some(code.from)) || code.mask.is_empty() || never {
                self.code = None;
            }
        }
    }

    fn canonical_sources(&mut self, wanted: [Mask; 2]) {
        // Whether the input and the constant are read.
        let mut reads = [false; 2];
        for slot in Slot::ALL {
            let [vec, sca] = self.read_for(slot, wanted);
            let read = Mask(vec.0 | sca.0);
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
#[inline]
pub(crate) fn canonical_condition(condition: Condition) -> Condition {
    match condition.test {
        Test::Tr => Condition::ALWAYS,
        Test::Fl => Condition { test: Test::Fl, ..Condition::ALWAYS },
        Test::Lt | Test::Eq | Test::Le | Test::Gt | Test::Ne | Test::Ge => condition,
    }
}

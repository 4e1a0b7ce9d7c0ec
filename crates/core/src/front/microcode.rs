//! Microcode as a [`Shader`]: a program and its configuration.

use super::{lower, lower_within};
use crate::config::{Config, FogWrite, Viewport};
use crate::interp::{self, Interp, Interpreted, writes_constants};
use crate::ir::func::Func;
use crate::isa::kelvin::FOG;
use crate::isa::{Bank, Generation, Mask, OutTarget, Program};
use crate::shader::{Fallback, FrontEnd, ProgramInfo, Rows, Shader, Slots};
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use xfjit_runtime::batch::Layout;
use xfjit_runtime::state::OUTPUTS;

/// A decoded program and its configuration.
///
/// Programs are compared by their instructions, which can express more than microcode words. If some instructions name
/// slots, equal programs are also in the same slots.
#[derive(Clone, Debug)]
pub struct Microcode {
    /// The instructions.
    pub program: Arc<Program>,
    /// The configuration.
    pub config: Config,
}

impl Microcode {
    /// A program with a configuration.
    pub fn new(program: &Arc<Program>, config: &Config) -> Self {
        Microcode { program: Arc::clone(program), config: config.clone() }
    }

    /// A program as a [`Shader`].
    pub fn shader(program: &Arc<Program>, config: &Config) -> Shader {
        Shader::new(Microcode::new(program, config))
    }

    /// A [`Shader`] for batches in which unwritten outputs keep their values
    /// ([`Outputs::keeping`](xfjit_runtime::batch::Outputs::keeping)): outputs for which the program has no instruction are not requested,
    /// so nothing is computed for them.
    pub fn keeping(program: &Arc<Program>, config: &Config) -> Shader {
        let live_outputs = config.live_outputs & config.written_outputs(program);
        Self::shader(program, &Config { live_outputs, ..config.clone() })
    }

    /// The index of the first instruction that runs; and the lowest slot, if some instruction names a slot.
    fn place(&self) -> (usize, Option<usize>) {
        let Program { insns, first, start, .. } = &*self.program;
        let has_targets = insns.iter().any(|insn| insn.sca.is_branch());
        (start.wrapping_sub(*first), has_targets.then_some(*first))
    }

    fn is_same_program(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.program, &other.program)
            || self.program.insns == other.program.insns && self.place() == other.place()
    }
}

impl From<Microcode> for Shader {
    fn from(microcode: Microcode) -> Self {
        Shader::new(microcode)
    }
}

impl PartialEq for Microcode {
    fn eq(&self, other: &Self) -> bool {
        self.config == other.config && self.is_same_program(other)
    }
}

impl Eq for Microcode {}

impl Hash for Microcode {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.program.insns.hash(state);
        self.place().hash(state);
        self.config.hash(state);
    }
}

impl FrontEnd for Microcode {
    fn canonical(&self) -> Arc<dyn FrontEnd> {
        let Microcode { program, config } = self;
        Arc::new(Microcode { program: Arc::clone(program), config: config.canonical(program) })
    }

    fn limited(&self, slots: u16) -> Option<Arc<dyn FrontEnd>> {
        let Microcode { program, config } = self;
        (config.timeout > slots).then(|| {
            let config = Config { timeout: slots, ..config.clone() };
            Arc::new(Microcode { program: Arc::clone(program), config }) as Arc<dyn FrontEnd>
        })
    }

    fn lower_within(&self, most: usize) -> Option<Func> {
        match most {
            usize::MAX => Some(lower(&self.program, &self.config)),
            most => lower_within(&self.program, &self.config, most),
        }
    }

    fn reference(&self) -> Arc<dyn Fallback> {
        Arc::new(Interpreted::new(Interp::Single, &self.program, &self.config))
    }

    /// Interpreted, whatever its IR is: it steps the instructions.
    fn fallback(&self, _: Option<Func>) -> Arc<dyn Fallback> {
        Arc::new(Interpreted::new(Interp::Batched, &self.program, &self.config))
    }

    fn live_inputs(&self) -> u16 {
        self.program.live_inputs()
    }

    fn layout(&self) -> Layout {
        self.config.layout
    }

    fn rows(&self) -> usize {
        self.config.rows()
    }

    fn live_outputs(&self) -> u32 {
        self.config.live_outputs
    }

    fn written_outputs(&self) -> u32 {
        self.config.written_outputs(&self.program)
    }

    fn written(&self) -> [Mask; OUTPUTS] {
        let mut written = [Mask::NONE; OUTPUTS];
        let Config { generation, ref quirks, .. } = self.config;
        let fog_has_x = generation == Generation::Kelvin && quirks.fog_write == FogWrite::AnyComponent;
        for insn in &self.program.insns {
            for (target, components) in self.config.all_targets(insn) {
                let OutTarget::Output(register) = target else { continue };
                // An index may reach any register that the generation has.
                let reached = match insn.output_indexed {
                    true => 0..OUTPUTS,
                    false => register.into()..usize::from(register) + 1,
                };
                for register in reached.filter(|&register| self.config.has_output(register as u8)) {
                    let mask = &mut written[register];
                    *mask = Mask(mask.0 | components.0);
                    if register == usize::from(FOG) && fog_has_x && !mask.is_empty() {
                        *mask = Mask(mask.0 | 8);
                    }
                }
            }
        }
        written
    }

    fn slots(&self) -> Slots {
        interp::slots(&self.program, &self.config)
    }

    fn is_serial(&self) -> bool {
        writes_constants(&self.program, &self.config)
    }

    fn info(&self) -> ProgramInfo {
        let Microcode { program, config } = self;
        let mut info = ProgramInfo {
            inputs: program.live_inputs(),
            outputs: self.written(),
            slots: program.first..program.first + program.insns.len(),
            ..ProgramInfo::NOTHING
        };
        for insn in &program.insns {
            match insn.reads_bank(Bank::Constant) {
                true if insn.indexed => info.constants_read = Rows::first(self.rows()),
                true => {
                    let row = config.direct(insn.constant).unwrap_or(insn.constant);
                    info.constants_read.insert(row.into());
                }
                false => {}
            }
            for (target, _) in config.all_targets(insn) {
                if let OutTarget::Constant(row) = target
                    && config.constant_writes
                {
                    info.constants_written.insert(row.into());
                }
            }
        }
        if config.viewport == Viewport::Transform && config.generation != Generation::Kelvin {
            let rows = config.generation.viewport_rows();
            rows.into_iter().for_each(|row| info.constants_read.insert(row.into()));
        }
        info
    }

    fn name(&self) -> &'static str {
        self.config.generation.name()
    }

    fn bytes(&self) -> usize {
        size_of_val(&self.program.insns[..])
    }
}

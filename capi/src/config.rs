//! Configurations.

use crate::export::functions;
use crate::format;
use crate::sized::Sized32;
use crate::status::{Failure, argument, call, xfjit_status};
use crate::table::{constants, record};
use xfjit::config::{Access, Addresses, Arithmetic, Forms, Quirk, RowCount, Viewport};
use xfjit::isa::ProgramMode;
use xfjit::runtime::batch::Layout;
use xfjit::runtime::format::InputLayout;
use xfjit::runtime::indices::IndexLayout;
use xfjit::{Config, Emulator, Generation, Model};

constants! {
    /// The generation of chips whose programs run.
    GENERATIONS: u32;
    /// GeForce 3 and 4 Ti, Xbox (NV20, NV25, NV2A).
    XFJIT_KELVIN = 0;
    /// GeForce FX (NV30 to NV38).
    XFJIT_RANKINE = 1;
    /// GeForce 6 and 7, PlayStation 3 (NV40 to G7x, RSX).
    XFJIT_CURIE = 2;
}

constants! {
    /// The arithmetic.
    MODELS: u32;
    /// The chip's arithmetic, bit for bit.
    XFJIT_HW = 0;
    /// IEEE single precision, with operations in the chip's order. This is close to what emulators compute, and faster.
    XFJIT_IEEE = 1;
}

constants! {
    /// Emulators for xfjit_config_like.
    EMULATORS: u32;
    /// nv2a_vsh_cpu. xemu and Cxbx-Reloaded use it for programs that write constants.
    XFJIT_LIKE_NV2A_VSH_CPU = 0;
    /// How xemu draws.
    XFJIT_LIKE_XEMU = 1;
    /// How Cxbx-Reloaded draws.
    XFJIT_LIKE_CXBX = 2;
    /// MAME.
    XFJIT_LIKE_MAME = 3;
    /// Bochs.
    XFJIT_LIKE_BOCHS = 4;
    /// RPCS3 (programs of Curie).
    XFJIT_LIKE_RPCS3 = 5;
}

constants! {
    /// Where an emulator differs from IEEE single precision in the chip's order (xfjit_config.forms): 0 for no difference, or one of the
    /// first three. The others may be added to these.
    FORMS: u32;
    /// As nv2a_vsh_cpu.
    XFJIT_FORMS_NV2A_VSH_CPU = 1;
    /// As MAME.
    XFJIT_FORMS_MAME = 4;
    /// As Bochs.
    XFJIT_FORMS_BOCHS = 5;
    /// ARL works as on the chip. Without this, ARL writes no address under XFJIT_FORMS_NV2A_VSH_CPU, as in programs that nv2a_vsh_cpu has
    /// parsed.
    XFJIT_FORMS_CHIP_ADDRESSES = 256;
    /// Every chip has 512 rows of constants, Curie too, as in Bochs. Each run then needs this many rows.
    XFJIT_FORMS_512_ROWS = 512;
    /// EXP, LOG, LIT, LG2 and EX2 give the bits that the emulator gets from the GNU C library. The interpreter runs programs that use one
    /// of them.
    XFJIT_FORMS_LIBRARY = 1024;
}

constants! {
    /// How outputs are arranged in memory (xfjit_config.output_layout).
    LAYOUTS: u32;
    /// x, y, z, w of one vertex, then the next vertex; the stride separates vertices.
    XFJIT_ROWS = 0;
    /// x of all vertices, then y of all vertices, and so on; the stride separates these planes.
    XFJIT_PLANES = 1;
}

/// The record, and what each member that names a quirk does. Its values are numbered as in [`Quirk::values`].
macro_rules! config { (
    $(#[doc = $doc:literal])*
    { $($(#[doc = $before:literal])* $first:ident: $first_type:ty,)* }
    { $($(#[doc = $quirk_doc:literal])* $quirk:ident,)* }
    { $($(#[doc = $after:literal])* $last:ident: $last_type:ty,)* }
) => {
    record! {
        CONFIG;
        $(#[doc = $doc])*
        #[derive(PartialEq)]
        struct xfjit_config {
            $($(#[doc = $before])* $first: $first_type,)*
            $($(#[doc = $quirk_doc])* $quirk: u32,)*
            $($(#[doc = $after])* $last: $last_type,)*
        }
    }

    /// The members that are quirks.
    #[cfg(test)]
    const QUIRKS: &[(&str, &[&str])] = &[$((stringify!($quirk), &[$($quirk_doc),*])),*];

    fn quirks_of(given: &xfjit_config, config: &mut Config) -> Result<(), Failure> {
        $(choose(config, stringify!($quirk), given.$quirk)?;)*
        Ok(())
    }

    fn fill_quirks(config: &Config, record: &mut xfjit_config) {
        $(record.$quirk = chosen(config, stringify!($quirk));)*
    }
} }

config! {
    /// Everything that decides what a program computes, apart from its words. Call xfjit_config_init or xfjit_config_like to fill it, then
    /// change fields.
    {
        /// sizeof(xfjit_config)
        size: u32,
        /// XFJIT_KELVIN ...
        generation: u32,
        /// XFJIT_HW or XFJIT_IEEE
        model: u32,
        /// The output registers that the caller wants, as a mask of 1 << XFJIT_KELVIN_OPOS and so on. The others are neither computed nor
        /// written. Fewer outputs run faster. A batch needs memory for each of them. Use 0 for programs that only write constants.
        live_outputs: u32,
        /// What happens to output components that the program does not write. 1: they keep their old values. 0: x, y and z become 0, and w
        /// becomes 1.
        keep_outputs: u32,
        /// 1: programs may write constants (state programs). Programs that do so run one vertex after the other.
        constant_writes: u32,
        /// 1: programs may read only the user's constants (XFMODE).
        user_constants_only: u32,
        /// XFJIT_ROWS or XFJIT_PLANES
        output_layout: u32,
    }
    {
        /// If both units write the same component: 0: the scalar unit wins. 1: the vector unit wins. 2: the vector unit's write is dropped.
        write_order,
        /// Masked writes to oFog. 0: x is written whatever the mask. 1: the mask applies.
        fog_write,
        /// ARL. 0: floor. 1: 0.001 is added before floor.
        address_bias,
        /// Rankine, scalar result of paired operations. 0: it goes to R1. 1: it goes to the common destination.
        paired,
        /// Branches without the condition-enable bit. 0: they are tested. 1: they are taken.
        branch_test,
        /// END on a taken branch. 0: it does nothing. 1: it ends the program.
        end_on_branch,
        /// Indirect branches. 0: they use the branch table. 1: they go to the slot in the register.
        indirect,
        /// NaN as an address. 0: it gives 0. 1: it gives the least address.
        address_nan,
        /// ARL, ARR and ARA. 0: they update condition codes. 1: they do not. POPA never does.
        address_codes,
        /// Saturation of NaN. 0: NaN stays. 1: it becomes 0.
        saturate_nan,
        /// Indexed reads of constants that are out of range. 0: they give zeros. 1: the index wraps.
        out_of_range,
        /// Rankine's outputs 17 to 22. 0: they exist. 1: they do not.
        clip_outputs,
    }
    {
        /// Rankine, Curie. 1: PROGRAM_V1, a program of Kelvin's class. 0: V2 and V3.
        mode_v1: u32,
        /// Rankine, Curie. 0: modern arithmetic rules. 1: legacy rules.
        arithmetic_legacy: u32,
        /// Rankine, Curie. The boolean constants.
        branch_bits: u32,
        /// Rankine, Curie. The number of slots that a vertex may execute, 65535 at most.
        timeout: u32,
        /// Rankine, Curie. 1: the viewport transforms the position.
        viewport: u32,
        /// Rankine, Curie. The slots that indirect branches go to.
        branch_table: [u16; 16],
        /// The memory formats of attributes, where they are known: XFJIT_FORMAT(format, components); 0: four floats. Native code reads such
        /// attributes in place. An attribute that is declared as floats accepts any format with at most as many components; the library
        /// then converts it first. An attribute that is declared with another format accepts only that format.
        input_formats: [u32; 16],
        /// The size of an index in bytes, 2 or 4, if batches use index lists; native code then reads attributes in place. 4 serves lists of
        /// both sizes. 0: batches have no index list. Any batch runs whatever this field says, but if the program is not prepared for it,
        /// attributes are copied first.
        index_size: u32,
        /// For XFJIT_IEEE: 0 or XFJIT_FORMS_*. xfjit_config_like fills it in.
        forms: u32,
    }
}

impl Sized32 for xfjit_config {
    const FIRST: usize = size_of::<Self>();
    const NAME: &'static str = "xfjit_config";
    const ZERO: Self = Self::ZERO;
}

fn quirk(name: &str) -> &'static Quirk {
    Quirk::named(name).expect("tests look for each")
}

fn choose(config: &mut Config, name: &str, value: u32) -> Result<(), Failure> {
    let quirk = quirk(name);
    let Some(value) = quirk.values.get(value as usize) else {
        let most = quirk.values.len() - 1;
        return Err(argument(format_args!("xfjit_config.{name} is {value}; it is 0 to {most}")));
    };
    (quirk.set)(&mut config.quirks, value);
    Ok(())
}

fn chosen(config: &Config, name: &str) -> u32 {
    let quirk = quirk(name);
    let name = (quirk.get)(&config.quirks);
    quirk.values.iter().position(|&value| value == name).map_or(0, |at| at as u32)
}

/// A generation by its number.
pub(crate) fn generation(number: u32) -> Result<Generation, Failure> {
    Ok(match number {
        XFJIT_KELVIN => Generation::Kelvin,
        XFJIT_RANKINE => Generation::Rankine,
        XFJIT_CURIE => Generation::Curie,
        other => return Err(argument(format_args!("there is no generation {other}"))),
    })
}

/// A model by its number.
pub(crate) fn model(number: u32) -> Result<Model, Failure> {
    match number {
        XFJIT_HW => Ok(Model::Hw),
        XFJIT_IEEE => Ok(Model::Ieee),
        other => Err(argument(format_args!("there is no model {other}"))),
    }
}

fn emulator(number: u32) -> Result<Emulator, Failure> {
    Ok(match number {
        XFJIT_LIKE_NV2A_VSH_CPU => Emulator::Nv2aVshCpu,
        XFJIT_LIKE_XEMU => Emulator::Xemu,
        XFJIT_LIKE_CXBX => Emulator::Cxbx,
        XFJIT_LIKE_MAME => Emulator::Mame,
        XFJIT_LIKE_BOCHS => Emulator::Bochs,
        XFJIT_LIKE_RPCS3 => Emulator::Rpcs3,
        other => return Err(argument(format_args!("there is no preset {other}"))),
    })
}

/// The emulators that have forms, with their numbers.
const WITH_FORMS: [(u32, Emulator); 3] = [
    (XFJIT_FORMS_NV2A_VSH_CPU, Emulator::Nv2aVshCpu),
    (XFJIT_FORMS_MAME, Emulator::Mame),
    (XFJIT_FORMS_BOCHS, Emulator::Bochs),
];

/// Forms by their number.
fn forms(number: u32, generation: Generation) -> Result<Forms, Failure> {
    let wrong = || argument(format_args!("xfjit_config.forms is {number:#x}; it is 0 or XFJIT_FORMS_*"));
    let whose = number & !(XFJIT_FORMS_CHIP_ADDRESSES | XFJIT_FORMS_512_ROWS | XFJIT_FORMS_LIBRARY);
    let emulator = WITH_FORMS.iter().find(|(number, _)| *number == whose).map(|(_, emulator)| *emulator);
    let mut forms = match emulator {
        Some(emulator) => emulator.forms(generation),
        None if whose == 0 => Forms::default(),
        None => return Err(wrong()),
    };
    if number & XFJIT_FORMS_LIBRARY != 0 {
        let nobody = || argument("XFJIT_FORMS_LIBRARY requires the forms of an emulator");
        forms.library = emulator.ok_or_else(nobody)?.library();
    }
    if number & XFJIT_FORMS_CHIP_ADDRESSES != 0 {
        forms.addresses = Addresses::Clamped;
    }
    if number & XFJIT_FORMS_512_ROWS != 0 {
        forms.rows = RowCount::Most;
    }
    Ok(forms)
}

/// The number of an emulator's forms, which a configuration has as they are.
fn numbered_forms(config: &Config) -> u32 {
    let is_like = |&&(_, emulator): &&(u32, Emulator)| config.forms == emulator.forms(config.generation);
    let found = WITH_FORMS.iter().find(is_like).filter(|_| config.forms != Forms::default());
    found.map_or(0, |(number, _)| *number)
}

/// A member that is 0 or 1.
fn flag(name: &str, value: u32) -> Result<bool, Failure> {
    match value {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(argument(format_args!("xfjit_config.{name} is {other}; it is 0 or 1"))),
    }
}

/// What a record of the caller says.
#[derive(Debug)]
pub(crate) struct Wanted {
    pub(crate) config: Config,
    pub(crate) inputs: InputLayout,
    pub(crate) keep_outputs: bool,
}

impl Wanted {
    pub(crate) fn of(given: &xfjit_config) -> Result<Self, Failure> {
        let mut config = Config::new(generation(given.generation)?).model(model(given.model)?);
        config.live_outputs &= given.live_outputs;
        config.constant_writes = flag("constant_writes", given.constant_writes)?;
        if flag("user_constants_only", given.user_constants_only)? {
            config.access = Access::User;
        }
        if flag("output_layout", given.output_layout)? {
            config.layout = Layout::Planes;
        }
        if config.live_outputs == 0 && !config.constant_writes {
            let text = "xfjit_config.live_outputs names no output, and constant_writes is 0: nothing would be computed; \
                        xfjit_config_init and xfjit_config_like fill a configuration";
            return Err(argument(text));
        }
        quirks_of(given, &mut config)?;
        if flag("mode_v1", given.mode_v1)? {
            config.mode = ProgramMode::V1;
        }
        if flag("arithmetic_legacy", given.arithmetic_legacy)? {
            config.arithmetic = Arithmetic::Legacy;
        }
        config.branch_bits = given.branch_bits;
        config.branch_table = given.branch_table;
        config.timeout = u16::try_from(given.timeout).map_err(|_| {
            argument(format_args!("xfjit_config.timeout is {}; it is at most 65535", given.timeout))
        })?;
        if flag("viewport", given.viewport)? {
            config.viewport = Viewport::Transform;
        }
        let mut inputs = InputLayout::ROWS;
        for (register, &packed) in given.input_formats.iter().enumerate().filter(|(_, packed)| **packed != 0)
        {
            inputs = inputs.with(register, format::unpack(register, packed)?);
        }
        inputs = match given.index_size {
            0 => inputs,
            bytes => inputs.indexed(IndexLayout::shared(format::index_width(bytes)?)),
        };
        config.forms = forms(given.forms, config.generation)?;
        Ok(Wanted { config, inputs, keep_outputs: flag("keep_outputs", given.keep_outputs)? })
    }
}

/// The record of a configuration, whose generation has this number.
fn recorded(number: u32, config: &Config) -> xfjit_config {
    let mut record = xfjit_config {
        generation: number,
        model: match config.model {
            Model::Hw => XFJIT_HW,
            Model::Ieee => XFJIT_IEEE,
        },
        live_outputs: config.live_outputs,
        constant_writes: config.constant_writes.into(),
        user_constants_only: (config.access == Access::User).into(),
        output_layout: (config.layout == Layout::Planes).into(),
        mode_v1: (config.mode == ProgramMode::V1).into(),
        arithmetic_legacy: (config.arithmetic == Arithmetic::Legacy).into(),
        branch_bits: config.branch_bits,
        timeout: config.timeout.into(),
        viewport: (config.viewport == Viewport::Transform).into(),
        branch_table: config.branch_table,
        forms: numbered_forms(config),
        ..xfjit_config::ZERO
    };
    fill_quirks(config, &mut record);
    record
}

functions! {
    FUNCTIONS;
    /// Fills a configuration with the chip's setup for ordinary programs. The caller sets size first. Any thread.
    fn xfjit_config_init(config: *mut xfjit_config, generation: u32) -> xfjit_status {
        call(|| {
            let made = recorded(generation, &Config::new(self::generation(generation)?));
            config.room()?.fill(&made);
            Ok(())
        })
    }
    /// Fills a configuration so that results come as close as possible to an emulator's (XFJIT_LIKE_*). The caller sets size first. Returns
    /// XFJIT_E_ARGUMENT if the emulator does not run programs of this generation. Any thread.
    fn xfjit_config_like(config: *mut xfjit_config, like: u32, generation: u32) -> xfjit_status {
        call(|| {
            let made = Config::like(emulator(like)?, self::generation(generation)?).map_err(argument)?;
            config.room()?.fill(&recorded(generation, &made));
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xfjit::config::Library;

    #[test]
    fn every_quirk_is_a_member_that_says_its_values() {
        for quirk in Quirk::ALL {
            let (_, doc) = QUIRKS.iter().find(|(name, _)| *name == quirk.name).expect(quirk.name);
            let doc = doc.concat();
            for value in 0..quirk.values.len() {
                assert!(doc.contains(&format!(" {value}: ")), "{} does not say what {value} is", quirk.name);
            }
        }
        assert_eq!(QUIRKS.len(), Quirk::ALL.len());
    }

    #[test]
    fn configurations_survive_the_record() {
        let mut seen = 0;
        for emulator in Emulator::ALL {
            for number in XFJIT_KELVIN..=XFJIT_CURIE {
                let Ok(config) = Config::like(emulator, generation(number).expect("there is one")) else {
                    continue;
                };
                assert_eq!(Wanted::of(&recorded(number, &config)).expect("it is one").config, config);
                seen += 1;
            }
        }
        assert!(seen > 6);
        let bochs =
            forms(XFJIT_FORMS_BOCHS | XFJIT_FORMS_512_ROWS, Generation::Kelvin).expect("there are such");
        assert_eq!(bochs.rows, RowCount::Most);
        assert_eq!(Forms { rows: RowCount::Chip, ..bochs }, Emulator::Bochs.forms(Generation::Kelvin));
        let mame = forms(XFJIT_FORMS_MAME | XFJIT_FORMS_LIBRARY, Generation::Kelvin).expect("there are such");
        assert_eq!(mame.library, Library::Mame);
        assert_eq!(Forms { library: Library::Chip, ..mame }, Emulator::Mame.forms(Generation::Kelvin));
        assert!(forms(XFJIT_FORMS_LIBRARY, Generation::Kelvin).is_err());
        let both = XFJIT_FORMS_NV2A_VSH_CPU | XFJIT_FORMS_CHIP_ADDRESSES;
        assert_eq!(forms(both, Generation::Kelvin).expect("there are such").addresses, Addresses::Clamped);
        assert_eq!(forms(0, Generation::Kelvin).expect("there are such"), Forms::default());
        let mut config = Config::new(Generation::Curie).model(Model::Ieee).live_outputs(0x83);
        (config.constant_writes, config.access, config.layout) = (true, Access::User, Layout::Planes);
        (config.mode, config.arithmetic, config.viewport) =
            (ProgramMode::V1, Arithmetic::Legacy, Viewport::Transform);
        (config.branch_bits, config.timeout) = (0x8000_0001, 17);
        config.branch_table = std::array::from_fn(|at| 3 * at as u16);
        for quirk in Quirk::ALL {
            (quirk.set)(&mut config.quirks, quirk.values[1]);
        }
        assert_eq!(Wanted::of(&recorded(XFJIT_CURIE, &config)).expect("it is one").config, config);
    }

    #[test]
    fn numbers_without_a_meaning_are_refused() {
        let good = recorded(XFJIT_KELVIN, &Config::new(Generation::Kelvin));
        type Change = fn(&mut xfjit_config);
        let changes: [(&str, Change); 13] = [
            ("live_outputs", |config| config.live_outputs = 0),
            ("live_outputs", |config| *config = xfjit_config { size: config.size, ..xfjit_config::ZERO }),
            ("generation", |config| config.generation = 3),
            ("model", |config| config.model = 2),
            ("constant_writes", |config| config.constant_writes = 2),
            ("output_layout", |config| config.output_layout = 2),
            ("write_order", |config| config.write_order = 3),
            ("clip_outputs", |config| config.clip_outputs = 2),
            ("timeout", |config| config.timeout = 65536),
            ("keep_outputs", |config| config.keep_outputs = 7),
            ("format", |config| config.input_formats[3] = 0x0f00),
            ("index_size", |config| config.index_size = 1),
            ("forms", |config| config.forms = 2),
        ];
        assert!(Wanted::of(&good).is_ok());
        let state = xfjit_config { live_outputs: 0, constant_writes: 1, ..good };
        assert!(Wanted::of(&state).is_ok(), "programs that write constants alone");
        for (name, change) in changes {
            let mut bad = good;
            change(&mut bad);
            let failure = Wanted::of(&bad).expect_err(name);
            assert!(failure.text.contains(name), "{name}: {}", failure.text);
        }
    }
}

//! Code by hand, and words that are no code.

use super::super::super::address;
use super::super::super::contract::Contract;
use super::super::super::shape::{Ends, Processor, RowNumbers, Shape};
use super::super::super::steps::Fault;
use super::super::decode;
use crate::ir::parse::parse;
use xfjit_runtime::batch::Layout;
use xfjit_testing::Choices;

/// The shape of code by hand: four lanes, whole groups.
const BY_HAND: Shape = Shape {
    processor: Processor::Aarch64,
    lanes: 4,
    ends: Ends::Whole,
    stack_bytes: 16,
    row_numbers: RowNumbers::Followed,
    clears_upper_halves: false,
};

/// `mov x0, x2; ret`: the first group has been left undone.
const LEAVE: [u32; 2] = [0xaa02_03e0, 0xd65f_03c0];

/// Checks the addresses of code for a function that does nothing, with a row of constants.
fn check(code: &[u32], stack_bytes: usize) -> Result<(), Fault> {
    let func = parse("func host hw kelvin window 0..1 {\nbody:\n}").expect("it is a function");
    let contract = Contract::new(&func, Layout::Rows, Shape { stack_bytes, ..BY_HAND });
    let bytes: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
    decode(&bytes).and_then(|code| address::check(&code, &bytes, &contract)).map(drop)
}

fn before_leaving(code: &[u32]) -> Vec<u32> {
    [code, &LEAVE].concat()
}

#[test]
fn what_nobody_can_follow_is_refused() {
    let refused: [(&str, &[u32]); 19] = [
        ("control leaves the code", &[0xaa02_03e0]),
        ("control leaves the code", &[0x1400_0400]), // b .+0x1000
        ("is not on the list", &[0xd61f_0000]),      // br x0
        ("is not on the list", &[0xd63f_0000, 0xd65f_03c0]), // blr x0
        ("is not on the list", &[0xd400_0001, 0xd65f_03c0]), // svc #0
        ("is not on the list", &[0xd51b_4400, 0xd65f_03c0]), // msr fpcr, x0
        ("unknown base", &[0xf940_0080, 0xd65f_03c0]), // ldr x0, [x4]
        ("not inside", &[0xf85f_8004, 0xd65f_03c0]), // ldur x4, [x0, #-8]
        ("not inside", &[0xf940_0804, 0xd65f_03c0]), // ldr x4, [x0, #16], behind the last row
        ("only read", &[0xf900_0024, 0xd65f_03c0]),  // str x4, [x1]
        ("not inside", &[0xb800_03ff, 0xd65f_03c0]), // stur wzr, [sp]
        ("another stack pointer", &[0xf81f_0ff3, 0xd65f_03c0]), // str x19, [sp, #-16]!
        ("leaves the frame", &[0xd100_83ff, 0xd65f_03c0]), // sub sp, sp, #32
        ("leaves the frame", &[0x9100_83ff, 0xd65f_03c0]), // add sp, sp, #32
        ("no vertex of its own", &[0xaa01_03e0, 0xd65f_03c0]), // mov x0, x1
        ("callee-saved", &[0xaa00_03f3, 0xaa02_03e0, 0xd65f_03c0]), // mov x19, x0
        ("callee-saved", &[0xaa00_03f2, 0xaa02_03e0, 0xd65f_03c0]), // mov x18, x0
        ("callee-saved", &[0xaa00_03fe, 0xaa02_03e0, 0xd65f_03c0]), // mov x30, x0
        ("constants outside", &[0x9c00_0000, 0xd65f_03c0]), // ldr q0, itself
    ];
    for (why, code) in refused {
        let fault = check(code, 16).expect_err(why).to_string();
        assert!(fault.contains(why), "{fault}, not {why}");
    }
    // ldr x4, [x0, #8]
    assert_eq!(check(&before_leaving(&[0xf940_0404]), 16), Ok(()));
    // ldr q0, behind the code, where literals are there or not
    let code = [0x9c00_0060, LEAVE[0], LEAVE[1], 0, 0, 0, 0];
    assert_eq!(check(&code, 16), Ok(()));
    assert!(check(&code[..6], 16).is_err());
}

/// Registers of the caller come back from where they have been saved, and halves of vectors as well.
#[test]
fn callee_saved_registers_come_back() {
    let (saves, restores) = (0xf81f_0ff3, 0xf841_07f3); // str x19, [sp, #-16]!; ldr x19, [sp], #16
    let changes = 0xaa00_03f3; // mov x19, x0
    assert_eq!(check(&before_leaving(&[saves, changes, restores]), 16), Ok(()));
    // ldr x20, [sp], #16: both are another's
    assert!(check(&before_leaving(&[saves, changes, 0xf841_07f4]), 16).is_err());
    // stur wzr, [sp]: it has been overwritten
    assert!(check(&before_leaving(&[saves, changes, 0xb800_03ff, restores]), 16).is_err());
    let (saves, restores) = (0xfc1f_0fe8, 0xfc41_07e8); // str d8, [sp, #-16]!; ldr d8, [sp], #16
    let changes = 0x4f00_0408; // movi v8.4s, #0
    assert_eq!(check(&before_leaving(&[saves, changes, restores]), 16), Ok(()));
    assert!(check(&before_leaving(&[changes]), 16).is_err());
    assert!(check(&before_leaving(&[saves, changes, 0xfc41_07e9]), 16).is_err(), "ldr d9");
    // movi v7.4s, #0: it is the callee's.
    assert_eq!(check(&before_leaving(&[0x4f00_0407]), 16), Ok(()));
}

/// A frame of many pages is probed by a loop, below the stack pointer.
#[test]
fn probes_are_followed() {
    let code = |compare: u32| {
        before_leaving(&[
            0xa9bf_7bfd, // stp x29, x30, [sp, #-16]!
            0xd280_0010, // mov x16, #0
            0xd28c_0011, // mov x17, #0x6000
            0xd140_0610, // again: sub x16, x16, #0x1000
            0xb830_6bff, // str wzr, [sp, x16]
            compare,     // cmn x16, x17
            0x54ff_ffac, // b.gt again
            0xcb31_63ff, // sub sp, sp, x17
            0x8b31_63ff, // add sp, sp, x17
            0xa8c1_7bfd, // ldp x29, x30, [sp], #16
        ])
    };
    let right = code(0xab11_021f);
    // The last page is probed as a whole, however little of it belongs to the frame.
    for (stack_bytes, is_right) in [(0x6010, true), (0x5011, true), (0x5010, false), (0x20, false)] {
        assert_eq!(check(&right, stack_bytes).is_ok(), is_right, "{stack_bytes:#x}");
    }
    // cmp x16, x17 is no probe's
    assert!(check(&code(0xeb11_021f), 0x6010).is_err());
    let mut wrong = right;
    wrong[2] = 0xd2a0_0031; // mov x17, #0x10000
    assert_eq!(check(&wrong, 1 << 20), Ok(()));
    wrong[2] = 0xd2a0_0811; // mov x17, #0x400000
    let fault = check(&wrong, 1 << 24).expect_err("it is too much");
    assert!(fault.to_string().contains("for ever"), "{fault}");
}

/// Any words are code that passes, or code that is refused: nothing panics.
#[test]
fn any_words_are_refused_or_not() {
    let mut choices = Choices::seed(31);
    let mut passed = 0;
    for _ in 0..20_000 {
        let length = choices.below(10) as usize;
        let code: Vec<u32> = (0..length)
            .map(|_| {
                let any = choices.below(1 << 16) << 16 | choices.below(1 << 16);
                let row = &super::super::ROWS[choices.below(super::super::ROWS.len() as u32) as usize];
                if choices.below(8) == 0 { any } else { any & !row.mask | row.bits }
            })
            .collect();
        passed += usize::from(check(&before_leaving(&code), 0x6010).is_ok());
    }
    assert!(passed > 100, "{passed} are code");
}

//! Code by hand, and bytes that are no code.

use super::super::super::contract::Contract;
use super::super::super::shape::{RowNumbers, Shape};
use super::{BY_HAND, LEAVE, by_hand, check};
use xfjit_testing::Choices;

/// A frame of many pages is probed by a loop.
#[test]
fn probes_are_followed() {
    // push rbp; mov rbp, rsp; mov r11, rsp; sub r11, 0x6000;
    // again: sub rsp, 0x1000; mov dword [rsp], 0; cmp r11, rsp; jne again;
    // add rsp, 0x6000; mov rsp, rbp; pop rbp; mov rax, rdx; ret
    let code = |pages: u8, compare: [u8; 3]| {
        let before = [0x55, 0x48, 0x89, 0xe5, 0x49, 0x89, 0xe3, 0x49, 0x81, 0xeb, 0, pages << 4, 0, 0];
        let turn = [0x48, 0x81, 0xec, 0, 0x10, 0, 0, 0xc7, 0x04, 0x24, 0, 0, 0, 0];
        let behind = [0x75, 0xed, 0x48, 0x81, 0xc4, 0, 0x60, 0, 0, 0x48, 0x89, 0xec, 0x5d];
        [&before[..], &turn, &compare, &behind, &LEAVE].concat()
    };
    let contract = by_hand(Shape { stack_bytes: 0x6010, ..BY_HAND });
    for compare in [[0x4c, 0x39, 0xdc], [0x49, 0x39, 0xe3]] {
        assert_eq!(check(&code(6, compare), &contract), Ok(()));
        assert!(check(&code(5, compare), &contract).is_err(), "more is given back than was taken");
        // The last page is probed as a whole, however little of it belongs to the frame.
        for (stack_bytes, is_right) in [(0x600f, true), (0x5011, true), (0x5010, false), (0x1f, false)] {
            let contract = by_hand(Shape { stack_bytes, ..BY_HAND });
            assert_eq!(check(&code(6, compare), &contract).is_ok(), is_right, "{stack_bytes:#x}");
        }
    }
    let mut wrong = code(6, [0x4c, 0x39, 0xdc]);
    wrong[11] = 0x68;
    assert!(check(&wrong, &contract).is_err());
    let deep = by_hand(Shape { stack_bytes: 1 << 20, ..BY_HAND });
    assert!(check(&wrong, &deep).is_err_and(|fault| fault.to_string().contains("for ever")));
}

#[test]
fn what_nobody_can_follow_is_refused() {
    let contract = by_hand(BY_HAND);
    let refused: [(&str, &[u8]); 16] = [
        ("control leaves the code", &[0x90]),
        ("control enters an instruction", &[0xeb, 0xff]), // jmp into itself
        ("where nothing can follow", &[0xff, 0xe0]),      // jmp rax
        ("where nothing can follow", &[0xff, 0xd0, 0xc3]), // call rax
        ("a branch that is not on the list", &[0xe2, 0x00, 0xc3]), // loop
        ("unknown base", &[0x48, 0x8b, 0x00, 0xc3]),      // mov rax, [rax]
        ("unknown base", &[0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0, 0xc3]), // mov rax, [0]
        ("not inside", &[0x48, 0x8b, 0x47, 0xf8, 0xc3]),  // mov rax, [rdi - 8]
        ("only read", &[0x48, 0x89, 0x06, 0xc3]),         // mov [rsi], rax
        ("not inside", &[0x48, 0x89, 0x04, 0x24, 0xc3]),  // mov [rsp], rax
        ("another stack pointer", &[0x50, 0xc3]),         // push rax; ret
        ("leaves the frame", &[0x50, 0x50, 0xc3]),        // push rax; push rax; ret
        ("not on the list", &[0x0f, 0xa2, 0xc3]),         // cpuid
        ("another kind", &[0xa4, 0xc3]),                  // movsb
        ("does not name", &[0x66, 0x0f, 0x3a, 0x63, 0xc1, 0, 0xc3]), // pcmpistri xmm0, xmm1, 0
        ("no vertex of its own", &[0x31, 0xc0, 0xc3]),    // xor eax, eax; ret
    ];
    for (why, code) in refused {
        let fault = check(code, &contract).expect_err(why).to_string();
        assert!(fault.contains(why), "{fault}, not {why}");
    }
    // mov rcx, [rdi + 8]; behind the last row
    assert_eq!(check(&[&[0x48, 0x8b, 0x4f, 0x08][..], &LEAVE].concat(), &contract), Ok(()));
    assert!(check(&[&[0x48, 0x8b, 0x4f, 0x10][..], &LEAVE].concat(), &contract).is_err());
}

/// Registers of the caller come back from where they have been saved, if nothing has been stored there since.
#[test]
fn callee_saved_registers_come_back() {
    let contract = by_hand(BY_HAND);
    let code = |between: &[u8], last: u8| [&[0x53][..], between, &[last], &LEAVE].concat();
    // push rbx; xor ebx, ebx; pop rbx
    assert_eq!(check(&code(&[0x31, 0xdb], 0x5b), &contract), Ok(()));
    // .. pop rbp: both are another's
    assert!(check(&code(&[0x31, 0xdb], 0x5d), &contract).is_err());
    // .. pop rcx: it is lost
    assert!(check(&code(&[0x31, 0xdb], 0x59), &contract).is_err());
    // .. mov byte [rsp + 7], 0: it has been overwritten
    assert!(check(&code(&[0xc6, 0x44, 0x24, 0x07, 0], 0x5b), &contract).is_err());
    // rsi and the vector registers belong to the callee, though not to functions of Windows: xor esi, esi; xorps xmm6, xmm6
    assert_eq!(check(&[&[0x31, 0xf6, 0x0f, 0x57, 0xf6][..], &LEAVE].concat(), &contract), Ok(()));
}

/// Any bytes are code that passes, or code that is refused: nothing panics.
#[test]
fn any_bytes_are_refused_or_not() {
    let mut choices = Choices::seed(30);
    let shapes =
        [RowNumbers::Followed, RowNumbers::Verified].map(|row_numbers| Shape { row_numbers, ..BY_HAND });
    let contracts: [Contract; 2] = shapes.map(by_hand);
    // Prefixes and opcodes of which code is made come often.
    let often =
        [0x48, 0x4c, 0x66, 0x0f, 0xc5, 0xf8, 0x62, 0xf1, 0x7c, 0x48, 0x8b, 0x89, 0x8d, 0x75, 0x90, 0xc3];
    let mut passed = 0;
    for _ in 0..20_000 {
        let length = choices.below(40) as usize;
        let mut bytes: Vec<u8> = (0..length)
            .map(|_| {
                if choices.below(2) == 0 {
                    choices.below(256) as u8
                } else {
                    often[choices.below(16) as usize]
                }
            })
            .collect();
        bytes.extend(LEAVE);
        passed += contracts.iter().filter(|contract| check(&bytes, contract).is_ok()).count();
    }
    assert!(passed > 100, "{passed} are code");
}

//! Where the system lets no memory become executable, programs run in the interpreter, and who asks why is told what the
//! system said.
#![cfg(all(feature = "jit", target_os = "linux"))]

use std::io::Write;
use std::sync::Arc;
use xfjit::backend::Backend;
use xfjit::backend::CompileError;
use xfjit::front::Microcode;
use xfjit::runtime::batch::{Attribute, Inputs, Outputs};
use xfjit::runtime::state::Context;
use xfjit::{Config, Engine, Generation, Model, Options, Worker, asm};
use xfjit_native::Jit;

/// From now on this thread gets no executable memory. Whether the system can be told so: emulators of a processor do not know the call.
fn refuse_executable_memory() -> bool {
    let op = |code: u32, yes: u8, no: u8, value: u32| libc::sock_filter {
        code: code as u16,
        jt: yes,
        jf: no,
        k: value,
    };
    let load = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
    let (equal, any) =
        (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K);
    let answer = libc::BPF_RET | libc::BPF_K;
    // `struct seccomp_data`: the number of the call, and from byte 16 on its arguments.
    let mut filter = [
        op(load, 0, 0, 0),
        op(equal, 0, 3, libc::SYS_mprotect as u32),
        op(load, 0, 0, 16 + 2 * 8),
        op(any, 0, 1, libc::PROT_EXEC as u32),
        op(answer, 0, 0, libc::SECCOMP_RET_ERRNO | libc::EACCES as u32),
        op(answer, 0, 0, libc::SECCOMP_RET_ALLOW),
    ];
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    // SAFETY: the filter outlives the calls, which copy it; they concern this thread alone.
    unsafe {
        assert_eq!(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
        let installed = libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program);
        let error = std::io::Error::last_os_error();
        assert!(installed == 0 || error.raw_os_error() == Some(libc::EINVAL), "{error}");
        installed == 0
    }
}

#[test]
fn a_refusal_names_the_systems_error() {
    let parsed = asm::parse(Generation::Kelvin, "MUL oPos, v0, c[0]").expect("it is a program");
    let config = Config::new(Generation::Kelvin).model(Model::Ieee).live_outputs(1);
    let jit = Jit::host().expect("this host has native code");
    let program = Arc::new(parsed);
    jit.prepare(&Microcode::shader(&program, &config)).expect("there is memory as yet");
    let refused = std::thread::spawn(move || {
        if !refuse_executable_memory() {
            let note = "SKIPPED: no memory was refused, since the system filters no calls\n";
            std::io::stderr().write_all(note.as_bytes()).expect("standard error is there");
            return;
        }
        let error =
            jit.prepare(&Microcode::shader(&program, &config)).expect_err("no memory may become executable");
        assert!(matches!(error, CompileError::Memory(_)), "{error:?}");
        let text = error.to_string();
        let system = std::io::Error::from_raw_os_error(libc::EACCES).to_string();
        assert!(text.contains(&system), "{text}");

        let engine = Engine::new(Options::default());
        let handle = engine.decoded((*program).clone(), &config);
        assert_eq!(handle.refusal(), Some(&error));
        let (mut worker, mut context) = (Worker::new(), Context::new(Generation::Kelvin.constants()));
        context.set_row(0, [2.0f32.to_bits(); 4]);
        let positions = [[1.5f32.to_bits(); 4]; 3];
        let inputs = Inputs::new(3).with(0, Attribute::rows(&positions));
        let mut words = [0; 12];
        handle
            .run(&mut worker, &mut context, &inputs, &mut Outputs::interleaved(&mut words, &[0]))
            .expect("the interpreter runs it");
        assert_eq!(words, [3.0f32.to_bits(); 12]);
    });
    refused.join().expect("the thread has not panicked");
}

//! Programs: start slot, modes, constants, vertex state programs; and when pending vertices run.

use crate::{ONE, PROGRAMMABLE, THREE, TWO, WRITING, copying, load, rows, run_programs, unit, vector, word};
use xfjit::runtime::state::Row;
use xfjit::xf::{BATCH, Chip, Command, Output, Register, Type, XfUnit};
use xfjit::{Config, Generation, Model};

/// Triggers a vertex with v0.x.
fn vertex(unit: &mut XfUnit, x: u32) {
    word(unit, Type::Vab, 0, 0, x);
    unit.vertex();
}

/// Runs a program once on (2, 0, 0, 1).
fn once(chip: Chip, text: &str) -> Vec<Row> {
    let mut unit = copying(chip);
    load(&mut unit, 0, text);
    vertex(&mut unit, TWO);
    rows(&mut unit)
}

#[test]
fn programs_run_from_the_start_slot() {
    for chip in PROGRAMMABLE {
        let mut unit = copying(chip);
        load(&mut unit, 17, "ADD o0, v0, v0");
        vertex(&mut unit, TWO);
        unit.set(Register::Start, 17);
        assert_eq!(unit.get(Register::Start), 17);
        vertex(&mut unit, ONE);
        unit.set(Register::Start, 0);
        vertex(&mut unit, THREE);
        let want = [[TWO, 0, 0, ONE], [TWO, 0, 0, TWO], [THREE, 0, 0, ONE]];
        assert_eq!(rows(&mut unit), want, "{chip:?}");
    }
}

#[test]
fn on_kelvin_the_start_slot_is_in_bits_8_to_15_of_xfmode_a() {
    let mut unit = copying(Chip::Nv20);
    load(&mut unit, 17, "ADD o0, v0, v0");
    vector(&mut unit, Type::Mode, 0, [2 << 30, 17 << 8, 0, 0]);
    assert_eq!(unit.get(Register::Start), 17);
    vertex(&mut unit, ONE);
    assert_eq!(rows(&mut unit), [[TWO, 0, 0, TWO]]);
}

#[test]
fn a_start_slot_behind_the_last_one_runs_nothing() {
    for chip in PROGRAMMABLE {
        let mut unit = copying(chip);
        unit.set(Register::Start, 0x3ff);
        let start = unit.get(Register::Start);
        vertex(&mut unit, TWO);
        let want = if start as usize >= chip.sizes().xfpr { [0, 0, 0, ONE] } else { panic!("{start}") };
        assert_eq!(rows(&mut unit), [want], "{chip:?}");
    }
}

#[test]
fn a_constant_takes_effect_between_the_vertices_before_and_after_it() {
    for chip in PROGRAMMABLE {
        let mut unit = copying(chip);
        load(&mut unit, 0, "ADD o0.x, v0, c[120]");
        vertex(&mut unit, ONE);
        vector(&mut unit, Type::Xfctx, 120, [ONE; 4]);
        vertex(&mut unit, ONE);
        // Three words change nothing.
        word(&mut unit, Type::Xfctx, 120, 0, TWO);
        vertex(&mut unit, ONE);
        word(&mut unit, Type::Xfctx, 120, 3, 0);
        vertex(&mut unit, ONE);
        let sums: Vec<u32> = rows(&mut unit).iter().map(|row| row[0]).collect();
        assert_eq!(sums, [ONE, TWO, TWO, THREE], "{chip:?}");
    }
}

#[test]
fn an_instruction_takes_effect_between_the_vertices_before_and_after_it() {
    for chip in PROGRAMMABLE {
        let mut unit = copying(chip);
        vertex(&mut unit, ONE);
        load(&mut unit, 0, "ADD o0, v0, v0");
        vertex(&mut unit, ONE);
        assert_eq!(rows(&mut unit), [[ONE, 0, 0, ONE], [TWO, 0, 0, TWO]], "{chip:?}");
    }
}

#[test]
fn outputs_that_are_not_written_are_0_0_0_1() {
    for chip in PROGRAMMABLE {
        let mut unit = copying(chip);
        unit.set(Register::Outputs, 0b1001);
        vertex(&mut unit, TWO);
        let mut seen = 0;
        unit.drain(|output| {
            let Output::Vertices(vertices) = output else { panic!("{output:?}") };
            assert_eq!((vertices.count, vertices.words.len()), (1, 8));
            assert_eq!(vertices.register(0, 0), Some([TWO, 0, 0, ONE]));
            assert_eq!(vertices.register(0, 3), Some([0, 0, 0, ONE]));
            assert_eq!((vertices.register(0, 1), vertices.register(1, 0)), (None, None));
            seen += 1;
        });
        assert_eq!(seen, 1);
    }
}

#[test]
fn constants_are_written_only_where_the_mode_allows_it() {
    for chip in WRITING {
        for allowed in [false, true] {
            let mut unit = copying(chip);
            run_programs(&mut unit, allowed);
            load(&mut unit, 0, "ADD c[130], v0, c[130]\nMOV o0, c[130]");
            vertex(&mut unit, ONE);
            vertex(&mut unit, ONE);
            let got: Vec<u32> = rows(&mut unit).iter().map(|row| row[0]).collect();
            assert_eq!(got, if allowed { [ONE, TWO] } else { [0, 0] }, "{chip:?}");
            assert_eq!(unit.xfctx(130)[0], if allowed { TWO } else { 0 });
        }
    }
}

#[test]
fn writing_a_constant_its_value_again_is_a_write_where_vertices_write_it_too() {
    for chip in WRITING {
        let mut unit = copying(chip);
        run_programs(&mut unit, true);
        load(&mut unit, 0, "ADD c[130], v0, c[130]\nMOV o0, c[130]");
        vertex(&mut unit, ONE);
        vector(&mut unit, Type::Xfctx, 130, [0; 4]);
        vertex(&mut unit, ONE);
        let got: Vec<u32> = rows(&mut unit).iter().map(|row| row[0]).collect();
        assert_eq!(got, [ONE, ONE], "{chip:?}");
    }
}

#[test]
fn user_access_hides_the_constants_of_the_fixed_function() {
    for full in [false, true] {
        let mut unit = copying(Chip::Nv20);
        load(
            &mut unit,
            0,
            "ADD o0.x, c[5], v0\nADD o0.y, c[0x3a], v0\nADD o0.z, c[0x60], v0"
                .replace("0x3a", "58")
                .replace("0x60", "96")
                .as_str(),
        );
        for row in [5, 0x3a, 0x60] {
            vector(&mut unit, Type::Xfctx, row, [ONE; 4]);
        }
        vector(&mut unit, Type::Mode, 0, [2 << 30 | u32::from(full) << 18, 0, 0, 0]);
        vertex(&mut unit, 0);
        let x = if full { ONE } else { 0 };
        // One constant per instruction: only the row of the fixed function is hidden, not the viewport, not the user's.
        assert_eq!(rows(&mut unit)[0][..3], [x, ONE, ONE]);
    }
}

#[test]
fn rankine_runs_programs_of_both_classes_arithmetic_and_the_viewport_by_xfmode_b() {
    const INFINITY: u32 = 0x7f80_0000;
    let run = |b: u32| {
        let mut unit = copying(Chip::Nv30);
        load(&mut unit, 0, "MOV r0, v1\nMUL o0.x, v0.x, r0.x\nSGT o0.y, v0.w, v0.z");
        vector(&mut unit, Type::Xfctx, 0x76, [TWO; 4]);
        vector(&mut unit, Type::Mode, 0, [0, 0, b, 0]);
        word(&mut unit, Type::Vab, 1, 0, INFINITY);
        vertex(&mut unit, 0);
        rows(&mut unit)[0]
    };
    let (v1, v2, modern, skip) = (2 << 30, 3 << 30, 1 << 17, 1 << 16);
    // Zero times infinity; an operation that programs of Kelvin's class do not have.
    assert_eq!(run(v2 | skip)[..2], [0, ONE]);
    assert_eq!(run(v2 | skip | modern)[..2], [0x7fff_ffff, ONE]);
    assert_eq!(run(v1 | skip)[..2], [0, 0]);
    // The viewport's scale, where it is not skipped.
    assert_eq!(run(v2)[..2], [0, TWO]);
}

#[test]
fn timeout_ends_programs() {
    for chip in [Chip::Nv30, Chip::Nv40] {
        let mut unit = copying(chip);
        load(&mut unit, 0, "MOV o0.x, v0\nMOV o0.y, v0.x\nMOV o0.z, v0.x");
        word(&mut unit, Type::Xtra, 2, 0, 2);
        vertex(&mut unit, TWO);
        assert_eq!(rows(&mut unit), [[TWO, TWO, 0, ONE]], "{chip:?}");
        assert_eq!(unit.stats().faults.timeouts, 1);
    }
    let mut unit = copying(Chip::Nv40);
    load(&mut unit, 0, "MOV o0.x, v0\nMOV o0.y, v0.x\nMOV o0.z, v0.x");
    unit.set(Register::Timeout, 1);
    vertex(&mut unit, TWO);
    assert_eq!(rows(&mut unit), [[TWO, 0, 0, ONE]]);
}

#[test]
fn endless_loops_end() {
    for chip in [Chip::Nv30, Chip::Nv40] {
        assert_eq!(once(chip, "loop: MOV o0, v0\nBRA loop").len(), 1, "{chip:?}");
    }
}

#[test]
fn curie_branch_bits_decide_brb() {
    for bits in [0, 1 << 5] {
        let mut unit = copying(Chip::Nv40);
        load(&mut unit, 0, "MOV o0, v0\nBRB out, b5\nADD o0, v0, v0\nout: NOP");
        unit.set(Register::BranchBits, bits);
        vertex(&mut unit, ONE);
        let got = rows(&mut unit)[0][0];
        assert_eq!(got, if bits == 0 { TWO } else { ONE });
    }
}

#[test]
fn a_state_program_gets_its_parameter_in_v0_writes_constants_and_has_no_outputs() {
    for chip in WRITING {
        // Not even in program mode, and without leave to write constants.
        let mut unit = unit(chip);
        load(&mut unit, 3, "ADD c[140], v0, v0\nMOV o0, v0");
        vector(&mut unit, Type::Param, 0, [ONE, TWO, 0, ONE]);
        word(&mut unit, Type::Run, 0, 0, 3);
        assert_eq!(unit.xfctx(140), [TWO, 0x4080_0000, 0, TWO], "{chip:?}");
        assert_eq!(rows(&mut unit), [] as [Row; 0]);
        assert_eq!(unit.stats().state_programs, 1);
    }
}

#[test]
fn a_state_program_of_curie_changes_nothing() {
    let mut unit = copying(Chip::Nv40);
    let before = unit.save();
    word(&mut unit, Type::Run, 0, 0, 0);
    assert_eq!((unit.stats().state_programs, unit.save()), (1, before));
    assert_eq!(rows(&mut unit), [] as [Row; 0]);
}

#[test]
fn run_takes_the_low_bits_of_its_payload_as_the_start_slot() {
    for (chip, bits) in WRITING.into_iter().zip([8, 9]) {
        let mut unit = unit(chip);
        load(&mut unit, 3, "MOV c[140], v0");
        word(&mut unit, Type::Param, 0, 0, ONE);
        word(&mut unit, Type::Run, 0, 0, 3 | u32::MAX << bits);
        assert_eq!(unit.xfctx(140)[0], ONE, "{chip:?}");
    }
}

#[test]
fn a_state_program_runs_after_the_vertices_before_it() {
    for chip in WRITING {
        let mut unit = copying(chip);
        load(&mut unit, 0, "ADD o0.x, v0, c[140]");
        load(&mut unit, 3, "MOV c[140], v0");
        vertex(&mut unit, ONE);
        word(&mut unit, Type::Param, 0, 0, TWO);
        word(&mut unit, Type::Run, 0, 0, 3);
        vertex(&mut unit, ONE);
        let got: Vec<u32> = rows(&mut unit).iter().map(|row| row[0]).collect();
        assert_eq!(got, [ONE, THREE], "{chip:?}");
    }
}

#[test]
fn modes_that_come_back_reuse_their_handle() {
    for chip in PROGRAMMABLE {
        let mut unit = copying(chip);
        load(&mut unit, 20, "ADD o0, v0, v0");
        for _ in 0..10 {
            unit.set(Register::Start, 20);
            vertex(&mut unit, ONE);
            unit.set(Register::Start, 0);
            vertex(&mut unit, ONE);
        }
        assert_eq!(rows(&mut unit).len(), 20);
        assert_eq!(unit.stats().resolved, 2, "{chip:?}");
    }
}

#[test]
fn a_full_batch_runs_by_itself() {
    let mut unit = copying(Chip::Nv2a);
    for i in 0..2 * BATCH + 3 {
        vertex(&mut unit, (i as f32).to_bits());
    }
    assert_eq!(unit.stats().vertices, 2 * BATCH as u64);
    let got: Vec<u32> = rows(&mut unit).iter().map(|row| row[0]).collect();
    let want: Vec<u32> = (0..2 * BATCH + 3).map(|i| (i as f32).to_bits()).collect();
    assert_eq!(got, want);
}

#[test]
fn writes_without_effect_do_not_cut_batches() {
    let mut unit = copying(Chip::Nv2a);
    vector(&mut unit, Type::Xfctx, 100, [ONE; 4]);
    for _ in 0..10 {
        vertex(&mut unit, ONE);
        vector(&mut unit, Type::Xfctx, 100, [ONE; 4]);
        vector(&mut unit, Type::Nop, 0, [THREE; 4]);
        run_programs(&mut unit, false);
    }
    assert_eq!(unit.stats().batches, 0);
    assert_eq!(rows(&mut unit).len(), 10);
    assert_eq!(unit.stats().batches, 1);
}

#[test]
fn what_is_drained_is_gone() {
    let mut unit = copying(Chip::Nv2a);
    vertex(&mut unit, ONE);
    unit.flush();
    assert!(unit.waiting() > 0);
    assert_eq!(rows(&mut unit).len(), 1);
    assert_eq!((rows(&mut unit).len(), unit.waiting()), (0, 0));
    vertex(&mut unit, ONE);
    unit.discard();
    assert_eq!(rows(&mut unit).len(), 0);
}

#[test]
fn units_share_an_engine() {
    let mut units = [copying(Chip::Nv2a), copying(Chip::Nv2a), copying(Chip::Nv40)];
    for (unit, x) in units.iter_mut().zip([ONE, TWO, THREE]) {
        vertex(unit, x);
    }
    let got: Vec<u32> = units.iter_mut().map(|unit| rows(unit)[0][0]).collect();
    assert_eq!(got, [ONE, TWO, THREE]);
}

#[test]
fn a_pair_is_one_command() {
    let mut unit = copying(Chip::Nv2a);
    unit.command(Command::pair(Type::Vab, 0, 0, [TWO, THREE]));
    unit.vertex();
    assert_eq!(rows(&mut unit), [[TWO, THREE, 0, ONE]]);
}

#[test]
fn what_is_pending_runs_before_another_model_counts() {
    let run = |is_flushed: bool| {
        let mut unit = copying(Chip::Nv2a);
        load(&mut unit, 0, "RCP oPos, v0.x");
        vector(&mut unit, Type::Vab, 0, [0x3fab_cdef; 4]);
        unit.vertex();
        if is_flushed {
            unit.flush();
        }
        rows(&mut unit.with_config(Config::new(Generation::Kelvin).model(Model::Ieee)))
    };
    assert_eq!(run(false), run(true));
}

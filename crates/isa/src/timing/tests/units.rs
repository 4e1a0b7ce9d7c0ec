//! Programs whose clocks can be counted by hand from the rates of the execution units.

use super::*;

/// Four reciprocals of an attribute.
const FOUR_RCP: &str = "RCP R1.x, v0.x\nRCP R1.y, v0.y\nRCP R1.z, v0.z\nRCP oD0.w, v0.w";

/// A reciprocal, and three instructions that take nothing of it.
const RCP_AND_MOVES: &str = "RCP R1.x, v0.x\nMOV oPos, v0\nMOV oD0, v0\nMOV oT0, v0";

#[test]
fn four_reciprocals_take_eight_clocks() {
    for family in [Family::Kelvin, Family::Rankine, Family::Curie] {
        let generation = family.microcode().unwrap();
        for op in ["RCP", "RSQ"] {
            let text = FOUR_RCP
                .replace("RCP", op)
                .replace("oD0", if generation == Generation::Kelvin { "oD0" } else { "o[1]" });
            let program = asm::parse(generation, &text).unwrap();
            let path = Path::straight(generation, Reading::default(), &program);
            let report = Report::new(&Pipeline::of(family), &[path]);
            assert_eq!(report.clocks_per_vertex(), 8.0, "{family:?} {op}");
            assert_eq!(report.waits_per_vertex(), 4.0, "{family:?} {op}");
            let units: u64 = report.slots.values().map(|slot| slot.waits.units).sum();
            assert_eq!(units, report.clocks - report.instructions, "{family:?} {op}");
        }
    }
}

#[test]
fn the_inverse_unit_takes_an_operation_every_second_clock() {
    assert_eq!([1, 2, 3].map(|ilu| clocks(&unit(&[("ilu", ilu)]), FOUR_RCP)), [4.0, 8.0, 12.0]);
    // EXP, LOG and LIT have a parameter of their own, and keep the unit from the next one, whatever that is.
    let exp = FOUR_RCP.replace("RCP", "EXP");
    let rates = |ilu, tables| unit(&[("ilu", ilu), ("ilu-tables", tables)]);
    assert_eq!([clocks(&rates(2, 2), &exp), clocks(&rates(2, 1), &exp)], [8.0, 4.0]);
    assert_eq!(clocks(&rates(2, 1), FOUR_RCP), 8.0);
    let mixed = "RCP R1.x, v0.x\nLOG R2.z, v0.y\nRCP R1.z, v0.z\nLOG oD0.z, v0.w";
    assert_eq!(clocks(&rates(2, 5), mixed), 14.0);
    // A copy by the scalar unit takes none of it.
    assert_eq!(clocks(&unit(&[]), "MOV R1, v0 + RCP R1.w, v0.w\nMOV oPos, v0"), 2.0 + 2.0 / 3.0);
}

#[test]
fn vertices_that_reach_the_inverse_unit_one_behind_the_other_hold_up_the_rest() {
    // Three vertices take it in clocks 1, 3 and 5, then nine instructions follow.
    assert_eq!(clocks(&unit(&[]), RCP_AND_MOVES), 14.0 / 3.0);
    // If who waits is passed over, other instructions go in between.
    assert_eq!(clocks(&unit(&[("hold", 0)]), RCP_AND_MOVES), 4.0);
    // Nor are they behind each other whose attributes take three clocks to come; in threes they are again.
    let three = RCP_AND_MOVES.replace("oD0, v0", "oD0, v1").replace("oT0, v0", "oT0, v2");
    assert_eq!([clocks(&unit(&[]), &three), clocks(&unit(&[("launch", 3)]), &three)], [4.0, 14.0 / 3.0]);
    // One vertex alone is never at it twice in a row.
    assert_eq!(clocks(&threads(1), RCP_AND_MOVES), 4.0);
}

#[test]
fn products_and_sums_begin_in_each_clock() {
    let text = "MUL R0, v0, c[0]\nADD R1, v0, c[0]\nMAD R2, v0, c[0], c[0]\nDP4 oPos, v0, c[0]";
    assert_eq!(clocks(&unit(&[]), text), 4.0);
    // Three of them take each unit.
    assert_eq!([clocks(&unit(&[("mlu", 4)]), text), clocks(&unit(&[("alu", 5)]), text)], [12.0, 15.0]);
    // Comparisons and copies take the adder, DST the multiplier.
    for (op, of) in [("MIN", "alu"), ("SGE", "alu"), ("DST", "mlu"), ("MUL", "mlu"), ("ADD", "alu")] {
        let text = format!("{op} R0, v0, c[0]\n{op} oPos, v0, c[0]");
        for name in ["alu", "mlu"] {
            let want = if name == of { 6.0 } else { 2.0 };
            assert_eq!(clocks(&unit(&[(name, 3)]), &text), want, "{op} {name}");
        }
    }
    assert_eq!(clocks(&unit(&[("alu", 3)]), "MOV R0, v0\nMOV oPos, v0"), 6.0);
}

#[test]
fn the_multi_function_unit_is_the_newer_chips() {
    let program =
        asm::parse(Generation::Rankine, "SIN R1.x, v[0].x\nEX2 R1.y, v[0].y\nCOS o[1].w, v[0].w").unwrap();
    let path = [Path::straight(Generation::Rankine, Reading::default(), &program)];
    let clocks = |mfu| Report::clocks_of(&of(Family::Rankine, &[("mfu", mfu)]), &path);
    assert_eq!([clocks(1), clocks(3)], [3.0, 9.0]);
    assert_eq!(Timing::of(Family::Kelvin).set("mfu", 1), Err(Refused::Chip));
}

#[test]
fn an_instruction_begins_so_many_clocks_behind_the_one_before() {
    assert_eq!([1, 2, 3].map(|issue| clocks(&unit(&[("issue", issue)]), PAIR)), [2.0, 4.0, 6.0]);
}

#[test]
fn a_longer_pipeline_makes_three_vertices_wait() {
    // Sums go on in clocks 1, 2 and 3, products once results are there: 1 + 7, and the two behind it.
    assert_eq!(clocks(&unit(&[("stages", 9)]), PAIR), 10.0 / 3.0);
    // The lecture's five stages and three vertices fit each other.
    assert_eq!([5, 6].map(|stages| clocks(&unit(&[("stages", stages)]), PAIR)), [2.0, 7.0 / 3.0]);
    let names = |stages| unit(&[("stages", stages)]).stages.join(" ");
    let expected = ["RR WB", "RR E1 WB", "RR SN E1 WB", "RR SN E1 E2 WB", "RR SN E1 E2 E3 WB"];
    assert_eq!([2, 3, 4, 5, 6].map(names), expected);
}

#[test]
fn whole_registers_wait_where_components_do_not() {
    let text = "MOV R0.x, v0\nMOV oPos, R0.y";
    let alone = |components| {
        let timing = Timing::of(Family::Kelvin).with_vertices(1).with("components", components);
        clocks(&Pipeline::new(timing), text)
    };
    assert_eq!([alone(1), alone(0)], [2.0, 4.0]);
}

#[test]
fn a_texel_holds_up_who_takes_it_alone() {
    let report = |text: &str, texture| {
        let program = asm::parse(Generation::Curie, text).unwrap();
        let path = Path::straight(Generation::Curie, Reading::default(), &program);
        let timing = Timing::of(Family::Curie).with_vertices(1).with("texture", texture);
        Report::clocks_of(&Pipeline::new(timing), &[path])
    };
    let taken = "TXL r0, v[0], tex0\nMOV o[0], r0";
    // 3 clocks for any result, and ten more.
    assert_eq!([report(taken, 0), report(taken, 10)], [4.0, 14.0]);
    let other = "TXL r0, v[0], tex0\nMOV r1, v[0]\nMOV o[0], r1";
    assert_eq!([report(other, 0), report(other, 10)], [5.0, 5.0]);
}

#[test]
fn a_texel_is_waited_for_unless_it_is_overwritten_for_sure() {
    let needs = |text: &str| {
        let program = asm::parse(Generation::Curie, text).unwrap();
        Path::straight(Generation::Curie, Reading::default(), &program).steps.last().unwrap().needs
    };
    let of = |write: &str| needs(&format!("TXL r0, v[0], tex0\n{write}\nMOV o[0], r0"));
    assert_eq!(of("MOV r0, v[1]").components, [Some(1), None]);
    assert_eq!(of("MOV r0 (GT.x), v[1]").components, [Some(1), Some(0)]);
    assert_eq!(of("MOV r1, v[1]").components, [None, Some(0)]);
    // Of a whole register what was written in any component.
    let partly = needs("MOV r0.x, v[0]\nMOV r0.y, v[1]\nMOV o[0], r0.x");
    assert_eq!((partly.components, partly.registers), ([Some(0), None], [Some(1), None]));
}

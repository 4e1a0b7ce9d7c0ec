use super::*;
use crate::machine::Machine;
use rustc_hash::FxHashMap;
use xfjit_runtime::num::Model;
use xfjit_testing::setups::FixedSetup;

/// What each slot contains.
type Memory = FxHashMap<u16, Part>;

/// Walks through a part as an emitter does that counts registers, and checks that every operand is in a register or a slot.
fn walk(func: &Func, part: &[Value], room: usize, memory: u16) -> usize {
    let mut allocation = Allocation::new(Pressure::new(room));
    allocation.give(0..memory);
    allocation.begin(func, part, |_| false);
    let (mut memory, mut spilled) = (Memory::default(), 0);
    for &value in part {
        let inst = func.inst(value);
        for &arg in inst.operands().iter().filter(|arg| part.contains(arg)) {
            let word = Part::word(arg);
            let is_there = allocation.slots[word.index()].is_some_and(|slot| memory[&slot] == word);
            assert!(allocation.registers.holds(word) || is_there, "{arg:?} is lost");
            if allocation.should_reload(arg) {
                allocation.hold(arg);
            }
        }
        if !inst.op.has_effect() {
            allocation.hold(value);
        }
        inst.operands().iter().for_each(|&arg| allocation.read(arg));
        while let Some(spill) = allocation.next_spill() {
            spilled += usize::from(spill.is_new);
            if spill.is_new {
                memory.insert(spill.slot, spill.part);
            }
            assert_eq!(memory[&spill.slot], spill.part);
        }
        assert!(allocation.registers.candidates().count() <= room || allocation.free.is_empty());
    }
    assert_eq!(allocation.registers.candidates().count(), 0);
    spilled
}

/// Walks through a part as an emitter does that has the machine's registers, in which doubles are two vectors each.
fn walk_registers(func: &Func, part: &[Value], room: u8, slots: u16) -> usize {
    let mut allocation = Allocation::new(Physical::new(room));
    allocation.begin(func, part, |_| false);
    allocation.give(0..slots);
    let (mut memory, mut registers, mut spilled) = (Memory::default(), vec![None; room.into()], 0);
    let mut take =
        |allocation: &mut Allocation<Physical>, registers: &[Option<Part>], memory: &mut Memory| {
            let (register, eviction) = allocation.take();
            match eviction {
                Eviction::None => {}
                Eviction::Store(slot) => {
                    memory.insert(slot, registers[usize::from(register)].expect("something leaves"));
                    spilled += 1;
                }
                Eviction::Full => panic!("there are slots"),
            }
            register
        };
    for &value in part {
        let inst = func.inst(value);
        let halves = if inst.op.makes_double() { 0..2 } else { 0..1 };
        for &arg in inst.operands().iter().filter(|arg| part.contains(arg)) {
            let halves = if func.inst(arg).op.makes_double() { 0..2 } else { 0..1 };
            for part in halves.map(|half| Part { value: arg, half }) {
                match allocation.place(part) {
                    Some(Place::Register(register)) => {
                        assert_eq!(registers[usize::from(register)], Some(part), "it has been overwritten");
                    }
                    Some(Place::Slot(slot)) => assert_eq!(memory[&slot], part, "it has been overwritten"),
                    None => panic!("{part:?} is lost"),
                }
                if allocation.should_load(part) {
                    let register = take(&mut allocation, &registers, &mut memory);
                    registers[usize::from(register)] = Some(part);
                    allocation.bind(part, register);
                }
            }
        }
        if !inst.op.has_effect() {
            for part in halves.map(|half| Part { value, half }) {
                let register = take(&mut allocation, &registers, &mut memory);
                registers[usize::from(register)] = Some(part);
                allocation.bind(part, register);
            }
        }
        allocation.done(value, inst);
    }
    assert_eq!(allocation.registers.candidates().count(), 0);
    assert_eq!(allocation.free.len(), usize::from(slots), "all slots are free again");
    spilled
}

fn body(name: &str) -> Func {
    let set = FixedSetup::find(name).expect("it is of the set");
    let setup = crate::front::fixed::Setup::new(set.mode()).model(Model::Hw);
    crate::backend::to_host(crate::front::fixed::lower(&setup), &Machine::HOST)
}

#[test]
fn every_operand_is_in_a_register_or_in_memory() {
    let func = body("F2");
    let spilled = [60, 12, 4, 1].map(|room| walk(&func, &func.body, room, 900));
    assert_eq!(spilled[0], 0);
    assert!(spilled.is_sorted() && spilled[3] > 100, "{spilled:?}");
    let spilled = [32, 26, 11, 9].map(|room| walk_registers(&func, &func.body, room, 900));
    assert!(spilled.is_sorted() && spilled[3] > 50, "{spilled:?}");
}

#[test]
fn what_finds_no_memory_stays() {
    let func = body("F2");
    assert_eq!(walk(&func, &func.body, 4, 0), 0);
    walk(&func, &func.body, 4, 3);
}

#[cfg(all(target_arch = "x86_64", feature = "wide"))]
#[test]
fn registers_end() {
    let func = body("F2");
    let mut allocation = Allocation::new(Physical::new(9));
    allocation.begin(&func, &func.body, |_| false);
    let taken: Vec<_> = (0..9).map(|_| allocation.take()).collect();
    assert!(taken.iter().all(|&(_, eviction)| eviction == Eviction::None), "{taken:?}");
    assert_eq!(allocation.take(), (0, Eviction::Full));
}

/// What an operation reads behind all others stays until the end of the part.
#[test]
fn late_uses_come_last() {
    let func = body("F2");
    let read = func.body.iter().find(|&&value| func.inst(value).op == Op::Output).expect("it has outputs");
    let arg = func.inst(*read).operands()[0];
    let mut allocation = Allocation::new(Pressure::new(1));
    allocation.begin(&func, &func.body, |op| op == Op::Output);
    assert_eq!(allocation.uses(arg).last(), Some(&BEHIND));
    let mut readers = allocation.uses(arg).iter().filter_map(|&place| func.body.get(place as usize));
    assert!(readers.all(|&reader| func.inst(reader).op != Op::Output));
}

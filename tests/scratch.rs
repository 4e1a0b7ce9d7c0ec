use xfjit::config::*; use xfjit::isa::{self, Generation}; use xfjit::runtime::{batch::*, state::*, num::Model};
fn h(s:&str)->u32{u32::from_str_radix(s,16).unwrap()}
#[test] fn vectors() {
  for (file, model) in [("/tmp/v/kelvin_programs_ieee.txt", Model::Ieee), ("/tmp/v/kelvin_programs_hw.txt", Model::Hw)] {
    let text = std::fs::read_to_string(file).unwrap();
    let mut banks: Vec<Vec<u32>> = vec![]; let mut verts: Vec<Vec<u32>> = vec![]; let mut prog: Vec<u32> = vec![];
    let (mut bad, mut total, mut badx) = (0,0,0);
    let mut interp = xfjit::interp::Interpreter::new();
    let engine = xfjit::Engine::new(xfjit::Options::default()); let mut worker = xfjit::Worker::new(); let mut jits = None; let mut badj=0; let mut lowered = None; let (mut guarded, mut runs) = (0,0);
    for line in text.lines() {
      let mut w = line.split(' ');
      match w.next().unwrap() {
        "bank" => { w.next(); banks.push(w.map(h).collect()); }
        "vertex" => { w.next(); verts.push(w.map(h).collect()); }
        "program" => { w.next(); prog = w.map(h).collect(); lowered=None; jits=None; }
        "expect" => {
          let b: usize = w.next().unwrap().parse().unwrap(); let v: usize = w.next().unwrap().parse().unwrap();
          let mut config = Config::new(Generation::Kelvin).model(model); config.fog_write = FogWrite::Masked;
          let p = isa::decode(Generation::Kelvin, &prog, 0).unwrap();
          let mut ctx = Context::new(192);
          for (r, row) in ctx.rows_mut().iter_mut().enumerate() { row.copy_from_slice(&banks[b][4*r..4*r+4]); }
          let mut out = vec![0u32; 64];
          let mut inputs = Inputs::new(1);
          for a in 0..16 { inputs = inputs.with(a, Attribute::Constant(verts[v][4*a..4*a+4].try_into().unwrap())); }
          interp.run(&p, &config, &mut ctx, &inputs, &mut Outputs::interleaved(&mut out, &(0..16).collect::<Vec<u8>>()), 0..1);
          let f = lowered.get_or_insert_with(|| { let f = xfjit::front::micro::lower(&p,&config); xfjit::ir::verify::verify(&f).unwrap(); 
             let o = xfjit::opt::run(f.clone()); let t = o.to_string(); let q = xfjit::ir::parse::parse(&t).unwrap(); assert_eq!(q.to_string(), t); let host = xfjit::opt::run(xfjit::legalize::run(&o)); let t = host.to_string(); let q = xfjit::ir::parse::parse(&t).unwrap(); assert_eq!(q.to_string(), t); (f, o, host) });
          let e0 = xfjit::ir::eval::run(&f.0, &ctx, |r| verts[v][4*r..4*r+4].try_into().unwrap());
          let e1 = xfjit::ir::eval::run(&f.1, &ctx, |r| verts[v][4*r..4*r+4].try_into().unwrap());
          runs+=1; let e2 = xfjit::ir::eval::run(&f.2, &ctx, |r| verts[v][4*r..4*r+4].try_into().unwrap()); if e2.guarded { guarded+=1; }
          let jit = jits.get_or_insert_with(|| engine.decoded(p.clone(), &config));
          let mut out2 = vec![0u32; 64];
          for k in 0..1 { let mut vs = inputs; vs.count = [1,3,4,7][b % 4]; let mut o = vec![0u32; 64*7]; jit.run(&mut worker, &mut ctx, &vs, &mut Outputs::interleaved(&mut o, &(0..16).collect::<Vec<u8>>())).unwrap();
             for q in 0..vs.count { assert_eq!(o[..64], o[64*q..64*q+64]); } out2.copy_from_slice(&o[..64]); }
          if out2 != out { badj += 1; if badj < 5 { println!("JIT {line}\n {out:x?}\n {out2:x?}"); } }
          for e in w {
            let mut q = e.split(':'); let o: usize = q.next().unwrap()[1..].parse().unwrap(); let m = h(q.next().unwrap());
            for c in 0..4 { let want = h(q.next().unwrap()); if m >> (3-c) & 1 == 0 {continue}
              total+=1; if out[4*o+c] != want { bad+=1; if bad<5 {println!("{line}\n o{o}.{c} got {:08x}", out[4*o+c]);} }
              if e0.outputs[o][c] != want || (!e2.guarded && e2.outputs[o][c]!=want) || e1.outputs[o][c] != want { badx+=1; if badx<5 {println!("{line}\n eval o{o}.{c} got {:08x} {:08x}", e0.outputs[o][c], e2.outputs[o][c]);} } }
          }
        }
        _ => {}
      }
    }
    if let Some(j)=jits { println!("{:?} {:?}", engine.stats(), j.stats()); }
    println!("badj {badj}"); println!("{file}: {bad} {badx} of {total} guarded {guarded}/{runs}"); assert!(badj==0 && bad==0 && badx==0);
  }
}

use xfjit::{*, backend::*, runtime::{batch::*, state::*}};
fn main(){ let f = programs::Fixed::find("P1").unwrap(); let p = std::sync::Arc::new(isa::parse(Generation::Kelvin, f.text).unwrap());
 let live = f.outputs.iter().fold(0, |m, &r| m | 1 << r);
 let c = Config::new(Generation::Kelvin).model(Model::Ieee).live_outputs(live);
 let r = jit::Jit::host().unwrap().prepare(&p,&c).unwrap();
 let mut w = Worker::new(); let mut ctx = Context::new(192); ctx.rows_mut().copy_from_slice(&f.constants());
 let words = f.vertices(3); let mut out = vec![0;36];
 let n: usize = std::env::args().nth(1).unwrap().parse().unwrap();
 let t = std::time::Instant::now();
 for _ in 0..n { go(f, &*r, &mut w, &mut ctx, &words, &mut out); }
 println!("{:?}", t.elapsed()/n as u32); }
#[inline(never)] fn go(fixed: &programs::Fixed, r: &dyn Routine, w: &mut Worker, ctx: &mut Context, words: &[u32], out: &mut [u32]) {
 let mut inputs = Inputs::new(3);
 for (i, &register) in fixed.attributes.iter().enumerate() { inputs.attributes[register as usize] = Attribute::interleaved(words, 4 * i, fixed.input_words()); }
 let mut outputs = Outputs::interleaved(out, fixed.outputs);
 r.run(w, ctx, &inputs, &mut outputs).unwrap(); }

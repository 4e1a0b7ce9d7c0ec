use xfjit::{*, backend::to_host};
fn main(){ let a: Vec<String> = std::env::args().collect();
 let f = programs::Fixed::find(&a[1]).unwrap(); let p = isa::parse(Generation::Kelvin, f.text).unwrap();
 let live = f.outputs.iter().fold(0, |m, &r| m | 1 << r);
 let model = if a.get(3).map(|s| s.as_str())==Some("hw") {Model::Hw} else {Model::Ieee};
 let c = Config::new(Generation::Kelvin).model(model).live_outputs(live);
 let func = to_host(front::micro::lower(&p,&c));
 match a[2].as_str() { "host" => print!("{func}"), "clif" => print!("{}", jit::Compiler::new(jit::Target::host().unwrap()).clif_text(&func, c.layout)),
  _ => print!("{}", jit::Compiler::new(jit::Target::host().unwrap()).code(&func, c.layout, true).unwrap().1) } }

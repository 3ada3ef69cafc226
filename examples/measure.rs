use nalgebra::{DMatrix, DVector};
use sporadic::features::TabularPsi;
use sporadic::model::gallery;
use sporadic::oracles::*;
use std::time::Instant;
fn main() {
    let data: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string("tests/fixtures/objectives.json").unwrap())
            .unwrap();
    let limit: usize = std::env::args().nth(1).map_or(20000, |x| x.parse().unwrap());
    let delay: Option<usize> = std::env::args().nth(2).map(|x| x.parse().unwrap());
    for rec in data.as_array().unwrap() {
        let f = |k: &str| rec[k].as_f64().unwrap();
        let psi = TabularPsi::new(gallery::river_balance::<f64>(6, f("beta"), f("gamma")).unwrap());
        let w: Vec<f64> =
            rec["w"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
        let up: Vec<f64> = rec["lambda_inverse_upper"]
            .as_array()
            .unwrap()
            .iter()
            .map(|x| x.as_f64().unwrap())
            .collect();
        let mut inv = DMatrix::zeros(24, 24);
        let mut k = 0;
        for i in 0..24 {
            for j in i..24 {
                inv[(i, j)] = up[k];
                inv[(j, i)] = up[k];
                k += 1;
            }
        }
        for s in [0] {
            let fam = rec["family_best"][usize::from(s != 0)]["unclipped"].as_f64().unwrap();
            let mut o = TabularObjective::new(&psi, s, &DVector::from_vec(w.clone()))
                .unwrap()
                .with_bonus(f("rho"), &inv)
                .unwrap();
            if let Some(d) = delay {
                o = o.with_delay(d);
            }
            let t = Instant::now();
            let root = o.upper_bound(&[]);
            print!(
                "beta {} ep {} s{} family {fam:.3} root {root:.3} ({:?}) ",
                f("beta"),
                f("episodes"),
                s,
                t.elapsed()
            );
            for gap in [1.0, 0.1, 0.01] {
                let t = Instant::now();
                let mut c = Counted::new(o);
                let ch = BranchAndBound::new(gap).with_nodes(limit).maximize(&mut c).unwrap();
                print!(
                    " | gap {gap}: {:.4}..{:.4} nodes {} {:.0?}",
                    ch.value,
                    ch.upper_bound,
                    c.bounds_asked(),
                    t.elapsed()
                );
                o = c.into_inner();
            }
            println!(" anchors {}", o.anchors());
        }
    }
}

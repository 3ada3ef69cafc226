use sporadic::Fault;
use sporadic::model::{Tabular, gallery};
use sporadic::planning::solve::{SolveOptions, solve};
use sporadic::planning::{class_optimum, evaluate};
use sporadic::sequence::runs;

pub(crate) fn main() -> Result<(), Fault> {
    let river: Tabular<f64> = gallery::river_balance(6, 0.1, 0.99)?;

    // Two numbers for each state, with V* between them, at most 0.001 apart.
    let best = solve(&river, &SolveOptions::default().with_gap(0.001))?;
    println!("state   at least    at most   play at a sighting");
    for (s, name) in river.state_names().iter().enumerate() {
        let sequence = best.policy[s].to_string();
        let shown = if sequence.len() > 24 { "a longer one" } else { &sequence };
        println!("{name:>5}  {:9.3}  {:9.3}   {shown}", best.lower[s], best.upper[s]);
    }

    // The lower bound is attained: it is the value of the policy that comes with it.
    let v = evaluate(&river, &best.policy)?;
    println!("value of this policy from s1: {:.3}", v[0]);

    // What the paper's 1012 sequences lose, whoever chooses among them.
    let family: Vec<_> = runs(2, 5, 10).collect();
    let class = class_optimum(&river, &family)?.values[0];
    println!("best of the 1012 sequences:   {class:.3}");
    println!("so they lose at least         {:.1} %", 100.0 * (1.0 - class / best.lower[0]));

    // The value of being seen more often.
    println!("beta     V*(s1) / 100");
    for beta in [0.05, 0.1, 0.2, 0.5, 1.0] {
        let river: Tabular<f64> = gallery::river_balance(6, beta, 0.99)?;
        let best = solve(&river, &SolveOptions::default().with_gap(0.01))?;
        println!("{beta:<5}  {:.4} to {:.4}", best.lower[0] / 100.0, best.upper[0] / 100.0);
    }
    Ok(())
}

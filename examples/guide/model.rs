use sporadic::Fault;
use sporadic::model::{Tabular, tabulate};

pub(crate) fn main() -> Result<(), Fault> {
    // From tables: for each action its name, its reveal probability, its reward in each state, and
    // for each state the probabilities of the next one.
    let machine: Tabular<f64> = Tabular::builder(0.95)
        .states(["good", "worn"])
        .action("run", 0.0, [1.0, 0.2], [[0.9, 0.1], [0.0, 1.0]])
        .action("inspect", 1.0, [0.9, 0.1], [[0.9, 0.1], [0.0, 1.0]])
        .action("repair", 0.5, [0.0, 0.0], [[1.0, 0.0], [1.0, 0.0]])
        .build()?;
    println!("{} states, {} actions", machine.num_states(), machine.num_actions());

    // From functions of states and actions of your own types. The states are found by following
    // the transitions from the first one.
    let walk: Tabular<f64> = tabulate(
        0.95,
        0_i32,
        ["step", "look"],
        |a| if *a == "look" { 1.0 } else { 0.1 },
        |x, _| if *x == 3 { 1.0 } else { 0.0 },
        |x, a| match *a {
            "step" => vec![((x + 1).min(3), 0.7), ((x - 1).max(-3), 0.3)],
            _ => vec![(*x, 1.0)],
        },
    )?;
    println!("states found: {}", walk.state_names().join(" "));

    // From a file, JSON or TOML; and back.
    let text = machine.to_toml()?;
    println!("{}", text.lines().take(9).collect::<Vec<_>>().join("\n"));
    assert_eq!(Tabular::from_toml(&text)?, machine);

    // A mistake is named, with its place.
    let mistake = Tabular::<f64>::builder(0.95)
        .states(["good", "worn"])
        .action("run", 0.0, [1.0, 0.2], [[0.9, 0.0], [0.0, 1.0]])
        .build();
    if let Err(error) = mistake {
        println!("error: {error}");
    }
    Ok(())
}

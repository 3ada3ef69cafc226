use sporadic::Fault;
use sporadic::agents::FixedSequence;
use sporadic::experiment::Experiment;
use sporadic::kinds::agents::{CertaintyEquivalence, LsviUcb};
use sporadic::model::gallery;

pub(crate) fn main() -> Result<(), Fault> {
    let experiment = || -> Result<_, Fault> {
        Ok(Experiment::new("three agents")
            .with_episodes(400)
            .with_seeds(3)
            .with_world("seen rarely", gallery::river_balance(5, 0.1, 0.9)?)
            .with_world("seen often", gallery::river_balance(5, 0.5, 0.9)?)
            .with_agent(LsviUcb {
                oracle: "runs:2,4".into(),
                horizon: 10,
                rho: 2.0,
                ..LsviUcb::default()
            })
            .with_agent(CertaintyEquivalence {
                oracle: "runs:2,4".into(),
                ..CertaintyEquivalence::default()
            })
            .with_agent_fn("to and fro", "(01)", |sequence, _site| {
                Ok(Box::new(FixedSequence::new(sequence.parse()?)))
            }))
    };

    // Runs go in parallel and are kept in the folder: a run that was stopped continues, and a finished
    // one is read back.
    let folder = std::env::temp_dir().join(format!("sporadic-guide-{}", std::process::id()));
    let outcome = experiment()?.run_in(&folder)?;
    println!("world         agent                  average of returns   value of the last policy");
    for group in outcome.groups() {
        let average = &group.average[group.average.len() - 1];
        let value = group.value.last().map_or("unknown".into(), |v| format!("{:.3}", v.mean));
        let (world, agent) = (&group.cell.world.model, &group.cell.agent.name);
        let half = average.half_width.unwrap_or(f64::NAN);
        println!("{world:<12}  {agent:<21}  {:10.3} ± {half:.3}   {value:>24}", average.mean);
    }

    let again = experiment()?.run_in(&folder)?;
    assert_eq!(again.groups()[0].average, outcome.groups()[0].average);
    outcome.write(&folder)?;
    let mut files: Vec<String> = std::fs::read_dir(&folder)?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<std::io::Result<_>>()?;
    files.retain(|name| name.contains('.') && !name.starts_with('.'));
    files.sort();
    println!("written: {}", files.join(", "));
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

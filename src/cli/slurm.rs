//! A sweep as a Slurm array job: one task per shard, no scheduler of our own.

use std::env;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::cli::failure::Failure;

/// An array job.
#[derive(Debug)]
pub(crate) struct Array {
    pub(crate) name: String,
    pub(crate) tasks: usize,
    pub(crate) threads: usize,
    pub(crate) checkpoint: f64,
    pub(crate) spec: PathBuf,
    pub(crate) out: PathBuf,
}

/// As many tasks as asked for, but not more than there are cells.
pub(crate) fn check(tasks: usize, cells: u64) -> Result<usize, Failure> {
    if tasks == 0 {
        return Err(Failure::input("an array job needs at least 1 task, not 0"));
    }
    Ok(tasks.min(usize::try_from(cells).unwrap_or(usize::MAX)))
}

impl Array {
    /// The job's script. A task that is killed and put back into the queue continues.
    pub(crate) fn script(&self) -> Result<String, Failure> {
        let program = env::current_exe().map_err(Failure::other)?;
        let here = env::current_dir().map_err(Failure::other)?;
        let plain: String = self
            .name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
            .take(40)
            .collect();
        let (tasks, threads, checkpoint) = (self.tasks, self.threads, self.checkpoint);
        let (spec, out) = (quote(&self.spec)?, quote(&self.out)?);
        let (program, here) = (quote(&program)?, quote(&here)?);
        Ok(format!(
            "#!/bin/bash\n\
             #SBATCH --job-name={plain}\n\
             #SBATCH --array=1-{tasks}\n\
             #SBATCH --cpus-per-task={threads}\n\
             #SBATCH --requeue\n\
             #SBATCH --open-mode=append\n\
             #SBATCH --output={plain}-%a.log\n\
             # When all tasks are done: sporadic report {out}\n\
             set -eu\n\
             cd {here}\n\
             exec {program} sweep {spec} --out {out} --threads {threads} \\\n  \
             --checkpoint {} --shard \"$SLURM_ARRAY_TASK_ID/{tasks}\"\n",
            crate::Number(checkpoint)
        ))
    }
}

/// A word for the shell.
fn quote(path: &Path) -> Result<String, Failure> {
    let text = path.to_str().filter(|text| !text.contains(char::is_control)).ok_or_else(|| {
        Failure::input(format!("the name {} cannot go into a script", path.display()))
    })?;
    Ok(format!("'{}'", text.replace('\'', r"'\''")))
}

/// Hands the script to `sbatch`, whose answer goes to standard output.
pub(crate) fn submit(script: &str) -> Result<(), Failure> {
    let fail = |fault: std::io::Error| {
        Failure::input(format!("sbatch cannot be run ({fault}): is this a machine of the cluster?"))
    };
    let mut sbatch = Command::new("sbatch").stdin(Stdio::piped()).spawn().map_err(fail)?;
    if let Some(mut stdin) = sbatch.stdin.take() {
        stdin.write_all(script.as_bytes()).map_err(fail)?;
    }
    let status = sbatch.wait().map_err(fail)?;
    if status.success() {
        Ok(())
    } else {
        Err(Failure::input(format!("sbatch ended with {status}")))
    }
}

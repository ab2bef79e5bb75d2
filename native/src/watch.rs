//! `concord watch`: index, and go on indexing as notes change.
//!
//! What the system tells of is taken as a hint that something changed, and never as what did: the
//! same sync then looks at every file's size and time, so an event that was lost or doubled does no
//! harm. Changes are gathered until it has been quiet for a moment, since an editor that saves a
//! file tells of it several times over.

use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use notify::{Event, EventKind, RecursiveMode, Watcher as _};

use crate::Outcome;
use crate::failure::Failure;
use crate::index::{self, Indexer};
use crate::output;
use crate::vault::CACHES;

/// So long must it have been quiet.
const QUIET: Duration = Duration::from_millis(400);

/// How often Ctrl-C is looked for.
const GLANCE: Duration = Duration::from_millis(200);

/// Index a vault, and go on as its notes change, until Ctrl-C.
#[derive(clap::Args)]
#[group(skip)]
pub(crate) struct Args {
    #[command(flatten)]
    index: index::Args,
}

pub(crate) fn run(args: &Args) -> Result<Outcome, Failure> {
    let folder = args.index.which.folder();
    let indexer = Indexer::new(&args.index)?;
    let (hint, hints) = channel();
    // Watched before the first run, so that nothing is missed in between.
    let failed = |error: notify::Error| Failure::Machine(format!("{}: {error}", folder.display()));
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
        // An error means that events may have been lost, which is a hint as well.
        if event.map_or(true, |event| concerns_notes(&event)) {
            let _ = hint.send(());
        }
    })
    .map_err(failed)?;
    if folder.is_dir() {
        watcher
            .watch(folder, RecursiveMode::Recursive)
            .map_err(failed)?;
    }

    let mut ended = indexer.run(true)?;
    output::notice("watching for changes; Ctrl-C ends");
    while !ended && !indexer.is_stopped() {
        if something_changed(&hints)? {
            ended = indexer.run(false)?;
        }
    }
    Ok(Outcome::Done)
}

/// Waits a moment for a change, and then for an end to changes.
fn something_changed(hints: &Receiver<()>) -> Result<bool, Failure> {
    let lost = || Failure::Machine("the system no longer tells of changes".to_owned());
    match hints.recv_timeout(GLANCE) {
        Err(RecvTimeoutError::Timeout) => return Ok(false),
        Err(RecvTimeoutError::Disconnected) => return Err(lost()),
        Ok(()) => {}
    }
    loop {
        match hints.recv_timeout(QUIET) {
            Ok(()) => {}
            Err(RecvTimeoutError::Timeout) => return Ok(true),
            Err(RecvTimeoutError::Disconnected) => return Err(lost()),
        }
    }
}

/// Not our own writing, and not somebody's reading.
fn concerns_notes(event: &Event) -> bool {
    let is_ours = |path: &Path| path.components().any(|part| part.as_os_str() == CACHES);
    !matches!(event.kind, EventKind::Access(_)) && !event.paths.iter().all(|path| is_ours(path))
}

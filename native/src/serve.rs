//! `concord serve`: the service, until it is told to end.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Duration;

use concord_cache::sync::{Inventory, Report};
use tracing_subscriber::filter::LevelFilter;

use crate::Outcome;
use crate::collection::Collection;
use crate::failure::Failure;
use crate::http::{self, Guard, Place, Remote, Service, Shelf};
use crate::llm::{LlmArgs, Writer};
use crate::opened::encoder_of;
use crate::output;
use crate::profiles::Profiles;
use crate::refusal::{Code, Refusal};
use crate::threads::{give_way, joined};
use crate::vault::command::refused;
use crate::vault::encoders::Encoders;
use crate::vault::step::Step;
use crate::vault::{CACHES, Domain, Vault};

/// A draft that takes longer is given up: whoever asked will not wait longer.
const DRAFT_LIMIT: Duration = Duration::from_secs(25);

/// Serve a vault: the page, and every domain below /v1.
///
/// With --domain (or DOMAIN in the environment) one domain alone is served, at the root of the
/// address and without the page; a `url` in the domain's entry of `_domains.yaml` tells the gateway
/// to ask there. Listens on loopback unless told otherwise. Ctrl-C ends it, when what is under way
/// is answered.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The vault's folder
    #[arg(value_name = "VAULT", env = "CONCORD_VAULT", default_value = ".")]
    vault: PathBuf,
    /// Only this domain of its `_domains.yaml`
    #[arg(long, value_name = "NAME", env = "DOMAIN")]
    domain: Option<String>,
    /// The port; 0 for any that is free
    #[arg(long, default_value_t = 8617)]
    port: u16,
    /// The address to listen on; beyond loopback everything takes the token
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    bind: IpAddr,
    /// A further name by which the service may be called; may be given several times
    #[arg(long = "allow-host", value_name = "NAME")]
    hosts: Vec<String>,
    /// Let /compose have drafts written by a model, for whoever has the token: questions and
    /// passages are then sent to it
    #[arg(long)]
    draft: bool,
    #[command(flatten)]
    llm: LlmArgs,
    /// What to log to standard error, and how: a line of JSON a request, or nothing
    #[arg(long, value_enum, default_value_t = Log::Off)]
    log: Log,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Log {
    /// Only what goes wrong
    Off,
    /// Every request, for people
    Plain,
    /// Every request, for programs
    Json,
}

pub(crate) fn run(args: &Args) -> Result<Outcome, Failure> {
    start_log(args.log);
    let vault = Vault::open(&args.vault)?;
    let chosen: Vec<Domain> = vault
        .chosen(args.domain.as_deref())?
        .into_iter()
        .cloned()
        .collect();
    let writer = args.draft.then(|| args.llm.writer(Some(DRAFT_LIMIT)));
    let writer = writer.transpose()?.map(Arc::new);
    let token = token(&vault.root)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    let runtime = runtime.map_err(|error| Failure::Machine(format!("cannot start: {error}")))?;
    runtime.block_on(async {
        let wanted = SocketAddr::new(args.bind, args.port);
        let listener = tokio::net::TcpListener::bind(wanted).await;
        let listener = listener.map_err(|error| {
            Failure::Machine(format!(
                "cannot listen on {wanted}: {error}; choose another --port"
            ))
        })?;
        let address = listener
            .local_addr()
            .map_err(|error| Failure::Machine(error.to_string()))?;
        let is_gateway = args.domain.is_none();
        let service = Arc::new(Service {
            guard: Guard::new(address, &args.hosts, &token),
            domains: open_all(&vault, &chosen, is_gateway, writer.as_ref())?,
            root: vault.root.clone(),
        });
        let app = if is_gateway {
            http::gateway(service)
        } else {
            http::single(service)
        };
        announce(address, &vault.root, args.domain.as_deref(), &token);
        http::serve(listener, app, told_to_end()).await;
        Ok(Outcome::Done)
    })
}

/// Opens every domain. One that cannot be opened is told of and keeps no other from being served;
/// but if none can, there is nothing to serve.
fn open_all(
    vault: &Vault,
    chosen: &[Domain],
    is_gateway: bool,
    writer: Option<&Arc<Writer>>,
) -> Result<BTreeMap<String, Place>, Failure> {
    let encoders = Arc::new(Encoders::default());
    let mut domains = BTreeMap::new();
    let mut first_failure = None;
    let mut served = 0;
    for domain in chosen {
        let place = match &domain.url {
            Some(url) if is_gateway => Place::There(Remote::new(url)),
            _ => match Collection::open(vault, domain, encoder_of(vault, domain, &encoders)) {
                Ok(collection) => {
                    let shelf = Arc::new(Shelf {
                        writer: writer.map(Arc::clone),
                        ..shelf(vault, collection, &encoders)
                    });
                    let warmed = Arc::clone(&shelf);
                    // The first question need not wait for what it can do without.
                    thread::spawn(move || warmed.collection.warm());
                    Place::Here(shelf)
                }
                Err(failure) => {
                    let message = failure.to_string();
                    output::complain(&format!("{}: {message}", domain.name));
                    first_failure.get_or_insert(failure);
                    Place::Nowhere(Refusal::new(Code::DomainDown, message))
                }
            },
        };
        served += usize::from(!matches!(place, Place::Nowhere(_)));
        domains.insert(domain.name.clone(), place);
    }
    match first_failure {
        Some(failure) if served == 0 => Err(failure),
        _ => Ok(domains),
    }
}

fn shelf(vault: &Vault, collection: Collection, encoders: &Arc<Encoders>) -> Shelf {
    let (root, name) = (vault.root.clone(), collection.name.clone());
    let encoders = Arc::clone(encoders);
    Shelf {
        root: vault.root.clone(),
        writer: None,
        collection,
        profiles: Profiles::of(&vault.root),
        reload: Box::new(move || reload(&root, &name, &encoders).map_err(Refusal::from)),
    }
}

/// Brings a domain in step while questions are asked, which go first.
fn reload(root: &Path, name: &str, encoders: &Encoders) -> Result<Report, Failure> {
    thread::scope(|scope| {
        joined(scope.spawn(|| {
            give_way();
            bring_in_step(root, name, encoders)
        }))
    })
}

/// By what the vault's settings say now.
fn bring_in_step(root: &Path, name: &str, encoders: &Encoders) -> Result<Report, Failure> {
    let vault = Vault::open(root)?;
    let inventory = Inventory::of(&vault.root, &vault.settings.selection).map_err(refused)?;
    let chosen = vault.chosen(Some(name))?;
    let step = Step {
        vault: &vault,
        inventory: &inventory,
        domain: chosen[0],
        choice: vault.encoder_of(chosen[0]),
        anew: false,
        sentences: true,
        encoders,
        stop: &AtomicBool::new(false),
    };
    step.take(&mut |_| ())
}

/// The token of a vault, made on first use: whoever can read the vault's files can read it.
fn token(root: &Path) -> Result<String, Failure> {
    let folder = root.join(CACHES);
    let file = folder.join("token");
    let failed = |error: std::io::Error| Failure::file(file.display(), &error);
    match fs::read_to_string(&file) {
        Ok(token) if token.trim().len() >= 32 => return Ok(token.trim().to_owned()),
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
    }
    let mut bytes = [0; 24];
    getrandom::fill(&mut bytes)
        .map_err(|error| Failure::Machine(format!("no random numbers to be had: {error}")))?;
    let token: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    fs::create_dir_all(&folder).map_err(failed)?;
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut out = options.open(&file).map_err(failed)?;
    out.write_all(token.as_bytes()).map_err(failed)?;
    Ok(token)
}

/// Where to find the service. On a terminal, for a person; elsewhere a line that a program can read.
fn announce(address: SocketAddr, root: &Path, domain: Option<&str>, token: &str) {
    let shown = if address.ip().is_unspecified() {
        SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), address.port())
    } else {
        address
    };
    let what = domain.map_or_else(
        || root.display().to_string(),
        |domain| format!("domain {domain}"),
    );
    let end = if domain.is_none() {
        format!("/#token={token}")
    } else {
        String::new()
    };
    output::notice(&format!("serving {what} at http://{shown}{end}"));
    if domain.is_none() {
        output::notice("whoever has this address may change things; without its end it only reads");
    }
}

/// Ctrl-C, or the system's request to end.
async fn told_to_end() {
    let interrupted = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut ended) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = interrupted => {}
                _ = ended.recv() => {}
            }
            return;
        }
    }
    let _ = interrupted.await;
}

fn start_log(log: Log) {
    let base = tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_target(false);
    match log {
        Log::Off => base.with_max_level(LevelFilter::WARN).init(),
        Log::Plain => base.with_max_level(LevelFilter::INFO).init(),
        Log::Json => base
            .with_max_level(LevelFilter::INFO)
            .json()
            .flatten_event(true)
            .init(),
    }
}

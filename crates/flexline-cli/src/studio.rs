//! `flexline studio`: the server of the studio, and a browser on it.

use crate::failure::{Failure, GOOD};
use crate::output::print;
use clap::Args;
use flexline_scene::nearest;
use flexline_server::{Config, First, Source, Studio as Server, Where};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "Examples:
  flexline studio                          the gallery
  flexline studio hose.toml                a scene file; `save` writes a copy into the folder
  flexline studio hose.toml --write        `save` writes to hose.toml itself
  flexline studio brake-hose               a scene of the gallery
  flexline studio --listen 192.168.1.7:4173 --allow-remote

Every change is in a journal before it is answered: a session comes back as it was, whatever happened.";

/// Threads for what takes long, besides those of sessions: a crowd of requests waits its turn.
const BLOCKING: usize = 16;

/// Take cables in your hand: starts a local server and opens a page
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Studio {
    /// Scene file, or the name of a scene of the gallery
    scene: Option<PathBuf>,
    /// Port; without it the first that is free from 4173 on, 0 is any
    #[arg(long, conflicts_with = "listen")]
    port: Option<u16>,
    /// Address and port to listen on; one that is not loopback needs --allow-remote
    #[arg(long, value_name = "ADDR:PORT")]
    listen: Option<SocketAddr>,
    /// Let other machines in
    #[arg(long)]
    allow_remote: bool,
    /// Want no token: everybody who is on this machine may read and change everything
    #[arg(long, conflicts_with = "allow_remote")]
    no_token: bool,
    /// Where journals, saved scenes and meshes are kept
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Let `save` write to the scene file itself
    #[arg(long, requires = "scene")]
    write: bool,
    /// Open a browser, even where nobody seems to look
    #[arg(long, conflicts_with = "no_open")]
    open: bool,
    /// Open no browser
    #[arg(long)]
    no_open: bool,
}

/// Runs the command.
pub fn run(args: &Studio) -> Result<u8, Failure> {
    let place = match (args.listen, args.port) {
        (Some(address), _) => Where::Address(address),
        (None, Some(port)) => Where::Port(port),
        (None, None) => Where::Loopback,
    };
    let folder = match &args.folder {
        Some(folder) => folder.clone(),
        None => standard_folder()?,
    };
    let first = args.scene.as_deref().map(|scene| first(scene, args.write)).transpose()?;
    let config = Config { place, allow_remote: args.allow_remote, token: !args.no_token, folder, first };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .max_blocking_threads(BLOCKING)
        .build()
        .map_err(|error| Failure::Input(format!("the server cannot be started: {error}")))?;
    runtime.block_on(serve(config, args))?;
    // Sockets that nobody reads must not hold up the end.
    runtime.shutdown_timeout(std::time::Duration::from_secs(1));
    Ok(GOOD)
}

async fn serve(config: Config, args: &Studio) -> Result<(), Failure> {
    let server = Server::start(config).await.map_err(Failure::Input)?;
    let url = server.url();
    print(&format!(
        "The studio is at {url}\nJournals, saved scenes and meshes are in {}\n",
        server.folder().display()
    ));
    for notice in server.notices() {
        print(&format!("note: {notice}\n"));
    }
    if !flexline_server::has_page() {
        print(
            "This program was built without the page: `cargo xtask page` builds it (needs Node 20), then build again\n",
        );
    }
    print("Ctrl-C ends it\n");
    if args.open || (!args.no_open && flexline_server::has_page()) {
        open_browser(&url);
    }
    server.run(interrupted()).await;
    print("ended; everything is in the journals\n");
    Ok(())
}

/// Until somebody wants the command to end.
async fn interrupted() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}

/// A scene file, or a scene of the gallery.
fn first(scene: &Path, write: bool) -> Result<First, Failure> {
    let shown = scene.display().to_string();
    if !scene.exists() && !shown.ends_with(".toml") {
        return match flexline_server::gallery_text(&shown) {
            Some(_) if write => Err(Failure::Input(format!(
                "'{shown}' is a scene of the gallery, and --write wants a file\n  leave it out, or name a file"
            ))),
            Some(text) => {
                let source = Source { name: format!("{shown}.toml"), text, is_file: false };
                Ok(First { name: shown, source, write: None })
            }
            None => {
                let names = flexline_server::gallery_names();
                let meant = nearest(&shown, names.iter().map(String::as_str))
                    .map_or_else(String::new, |near| {
                        format!("; did you mean the scene '{near}' of the gallery?")
                    });
                Err(Failure::Input(format!(
                    "there is no file '{shown}', and no such scene in the gallery{meant}\n  `flexline studio` alone shows the gallery"
                )))
            }
        };
    }
    let text = crate::edit::read_text(scene)?;
    let full = scene.canonicalize().unwrap_or_else(|_| scene.to_owned());
    let name = scene.file_stem().map_or_else(|| "scene".into(), |stem| stem.to_string_lossy().into_owned());
    let source = Source { name: full.display().to_string(), text, is_file: true };
    Ok(First { name, source, write: write.then_some(full) })
}

/// The user's data folder.
fn standard_folder() -> Result<PathBuf, Failure> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let data = variable("XDG_DATA_HOME")
        .or_else(|| variable("HOME").map(|home| home.join(".local/share")))
        .or_else(|| variable("LOCALAPPDATA"));
    data.map(|data| data.join("flexline")).ok_or_else(|| {
        Failure::Input(
            "there is no data folder: neither XDG_DATA_HOME nor HOME is set\n  choose one by --folder".into(),
        )
    })
}

/// Opens a browser; where that does not work, the address was printed.
fn open_browser(url: &str) {
    let (program, first): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("cmd", &["/C", "start", ""])
    } else {
        ("xdg-open", &[])
    };
    let quiet = std::process::Stdio::null;
    let started = std::process::Command::new(program)
        .args(first)
        .arg(url)
        .stdin(quiet())
        .stdout(quiet())
        .stderr(quiet())
        .spawn();
    if let Ok(mut child) = started {
        std::thread::spawn(move || child.wait());
    }
}

//! Reads the operator's files of themes, keys and settings, and reports their changes.
//!
//! Must not know: what a theme, a key or a setting does.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use futures_util::future::BoxFuture;
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::mpsc;
use tokio::time::{Duration, Instant, sleep_until};

use super::build::AppContext;
use super::exit::{Code, Failure};
use overrule_base::text::visible;
use overrule_config::{self as config, keep, keymap as keys};
use overrule_console::app::registry;
use overrule_console::ground::theme::Theme;
use overrule_console::kernel::files::{Files, KeptPrice, KeptRule, Read, RuleScope};
use overrule_console::{kernel::keymap, kernel::keymap::Keymap};
use overrule_resilience::correction::Correction;

/// Maximum number of earlier tasks.
const TASKS: usize = 100;
/// Time without changes before files are read again: an editor writes more than once.
const QUIET: Duration = Duration::from_millis(200);

/// Paths of the operator's own files.
#[derive(Debug, Clone, Default)]
struct Places {
    own: Option<PathBuf>,
    /// The settings file of the command line, which replaces the user's.
    named: Option<PathBuf>,
    themes: Option<PathBuf>,
    keys: Option<PathBuf>,
}

impl Places {
    fn of(app_context: &AppContext) -> Self {
        let own = keys::own_dir(&app_context.env);
        Self {
            themes: own.as_deref().map(keys::themes_dir),
            keys: own.as_deref().map(keys::file),
            named: app_context.flags.config.clone(),
            own,
        }
    }
}

/// The theme that the settings name.
pub fn theme(app_context: &AppContext) -> Result<Theme, Failure> {
    Theme::load(
        &app_context.settings.theme.value,
        Places::of(app_context).themes.as_deref(),
    )
    .map_err(|error| Failure::new(Code::Config, error))
}

/// The keys, with the changes of the operator's file.
pub fn keymap(app_context: &AppContext) -> Result<Keymap, Failure> {
    read_keys(Places::of(app_context).keys.as_deref()).map_err(|why| Failure::new(Code::Config, why))
}

/// Theme and keys of the console, read once.
pub fn look(app_context: &AppContext) -> Result<&(Theme, Keymap), Failure> {
    if let Some(look) = app_context.look.get() {
        return Ok(look);
    }
    let look = (theme(app_context)?, keymap(app_context)?);
    // Of two at the same time, the first counts.
    Ok(app_context.look.get_or_init(|| look))
}

fn read_keys(file: Option<&Path>) -> Result<Keymap, String> {
    let Some(file) = file else {
        return registry::keymap(&[]).map_err(|error| error.to_string());
    };
    let text = keys::read(file).map_err(|error| error.to_string())?;
    let text = text.unwrap_or_default();
    let changes = keymap::file::parse(&file.to_string_lossy(), &text).map_err(|error| error.to_string())?;
    registry::keymap(&changes).map_err(|error| error.to_string())
}

/// Watches the files until it is dropped.
pub struct Watched {
    context: AppContext,
    places: Places,
    news: mpsc::Receiver<()>,
    /// The failure policy that was read last.
    policy: Vec<(String, String)>,
    /// When the changed files are read.
    due: Option<Instant>,
    watch: Watch,
    reported: bool,
}

/// State of the file watcher.
enum Watch {
    /// Starts after the first read: the first frame does not wait for its thread.
    Later(mpsc::Sender<()>),
    On(RecommendedWatcher),
    /// The error that prevents it.
    Failed(String),
}

impl Watched {
    /// Watches from the first read on. The first change is due immediately.
    pub fn new(app_context: &AppContext) -> Self {
        let (sender, news) = mpsc::channel(1);
        Self {
            context: app_context.clone(),
            places: Places::of(app_context),
            news,
            policy: Vec::new(),
            due: Some(Instant::now()),
            watch: Watch::Later(sender),
            reported: false,
        }
    }

    /// Creates the watcher, which reports changes of the operator's files.
    fn begin(&self, sender: mpsc::Sender<()>) -> Watch {
        let named = self.places.named.as_deref().and_then(Path::file_name);
        let named = named.map(OsStr::to_owned);
        let own = self.places.own.clone();
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            // A read is an event too; reacting to it would never end.
            let is_news = event.is_ok_and(|event| {
                matches!(
                    event.kind,
                    EventKind::Create(_) | EventKind::Modify(_) | EventKind::Remove(_)
                ) && event
                    .paths
                    .iter()
                    .any(|path| is_ours(path, own.as_deref(), named.as_deref()))
            });
            if is_news {
                // A waiting message reports the same.
                let _ = sender.try_send(());
            }
        });
        match watcher {
            Ok(watcher) => Watch::On(watcher),
            Err(error) => Watch::Failed(error.to_string()),
        }
    }

    /// Watches every existing directory; a missing one is watched through its nearest existing ancestor.
    fn watch(&mut self) {
        if let Watch::Later(sender) = &self.watch {
            self.watch = self.begin(sender.clone());
        }
        let named = Path::new(&self.context.settings.theme.value);
        let theme_dir = named.parent().filter(|dir| !dir.as_os_str().is_empty());
        let settings = self.places.named.as_deref().map(|file| {
            let dir = file.parent().filter(|dir| !dir.as_os_str().is_empty());
            dir.unwrap_or_else(|| Path::new("."))
        });
        let Watch::On(watcher) = &mut self.watch else {
            return;
        };
        let own = self.places.own.as_deref();
        let above = || nearest(own.and_then(Path::parent));
        let (mut first, mut failed) = (above(), None);
        // A directory can be created just before its parent was watched. Check again.
        while let (None, Some(dir)) = (&failed, first.take()) {
            failed = look_at(watcher, &dir).err();
            first = above().filter(|now| *now != dir);
        }
        // Listed once their parents are watched, for the same reason.
        let others = [own, self.places.themes.as_deref(), settings, theme_dir];
        let others = others.into_iter().flatten().filter(|dir| dir.is_dir());
        for dir in others {
            failed = failed.or_else(|| look_at(watcher, dir).err());
        }
        if let Some(why) = failed {
            self.watch = Watch::Failed(why);
        }
    }
}

fn look_at(watcher: &mut RecommendedWatcher, dir: &Path) -> Result<(), String> {
    watcher.watch(dir, RecursiveMode::NonRecursive).map_err(|error| {
        format!(
            "{}: {error}",
            overrule_base::text::visible(&dir.to_string_lossy())
        )
    })
}

/// The nearest existing directory: this one, or an ancestor.
fn nearest(dir: Option<&Path>) -> Option<PathBuf> {
    dir?.ancestors().find(|dir| dir.is_dir()).map(Path::to_owned)
}

impl Watched {
    /// The failure policy of the settings now, as keys and values; empty if they were never read.
    /// Also the problems found: a faulty file changes nothing.
    pub fn settings(&mut self) -> (Vec<(String, String)>, Vec<String>) {
        self.watch();
        let mut faults = Vec::new();
        if let (Watch::Failed(why), false) = (&self.watch, self.reported) {
            self.reported = true;
            faults.push(format!(
                "cannot watch themes, keys and settings: {why}. Changes apply at the next start"
            ));
        }
        let app_context = &self.context;
        let loaded = config::load(
            &app_context.env,
            &app_context.flags,
            &app_context.workspace,
            config::Trust::Recorded,
        );
        match loaded {
            Ok(settings) => {
                self.context.settings.theme = settings.theme;
                self.policy = settings.resilience.values();
            }
            Err(error) => faults.push(format!("{error}; the settings are unchanged")),
        }
        (self.policy.clone(), faults)
    }

    /// Removes the directory from names of the operator's files, for the short lines of the screen.
    fn shorten(&self, read: &mut Read) {
        let Some(own) = self.places.own.as_deref() else {
            return;
        };
        let own = format!("{}/", overrule_base::text::visible(&own.to_string_lossy()));
        let themes = read
            .themes
            .iter_mut()
            .filter_map(|(_, theme)| theme.as_mut()?.as_mut().err());
        let keys = read.keymap.iter_mut().filter_map(|keymap| keymap.as_mut().err());
        for words in themes.chain(keys).chain(&mut read.problems) {
            *words = words.replace(&own, "");
        }
    }
}

/// True for files of themes, keys and settings, and for the directories that they are in.
fn is_ours(path: &Path, own: Option<&Path>, named: Option<&OsStr>) -> bool {
    // An ancestor directory can have any name.
    let leads_there = own.is_some_and(|own| own.starts_with(path));
    path.extension().is_none_or(|end| end == "toml") || leads_there || path.file_name() == named
}

impl Files for Watched {
    fn read(&mut self) -> Read {
        let (policy, faults) = self.settings();
        let named = self.context.settings.theme.value.clone();
        let own = self.places.themes.as_deref();
        let mut names = Theme::all(own);
        if !names.contains(&named) {
            names.push(named.clone());
        }
        let load = |name: String| {
            let load = || Theme::load(&name, own).map_err(|error| error.to_string());
            let theme = (!Theme::is_built_in(&name, own)).then(load);
            (name, theme)
        };
        let mut read = Read {
            themes: names.into_iter().map(load).collect(),
            theme: named,
            keymap: Some(read_keys(self.places.keys.as_deref())),
            policy,
            problems: faults,
            place: keep::shown_place(&self.context.env, &self.context.flags),
            workspace_place: keep::shown_workspace_place(&self.context.env, &self.context.workspace),
        };
        self.shorten(&mut read);
        read
    }

    fn keep(&mut self, mut correction: Correction) -> Result<Correction, String> {
        correction.date = super::classify::today();
        let stored = keep::correction(&self.context.env, &self.context.flags, &correction);
        stored.map(|_| correction).map_err(|error| error.to_string())
    }

    fn tasks(&mut self) -> Vec<String> {
        let workspace = self.context.workspace.to_string_lossy();
        let mut all = self.context.store.list().unwrap_or_default();
        all.reverse();
        let own = all
            .into_iter()
            .filter(|one| one.workspace.as_deref() == Some(&*workspace));
        let titles = own.filter_map(|one| one.title);
        let mut tasks: Vec<String> = Vec::new();
        for title in titles {
            if !tasks.contains(&title) && tasks.len() < TASKS {
                tasks.push(title);
            }
        }
        tasks
    }

    fn names(&mut self) -> Vec<String> {
        overrule_tools::names::files(&self.context.workspace)
    }

    fn keep_price(&mut self, price: KeptPrice) -> Result<String, String> {
        let [input, output] = &price.amounts;
        let price = keep::ModelPrice {
            model: &price.model,
            input,
            output,
            currency: price.currency.as_deref(),
        };
        let path = keep::price(&self.context.env, &self.context.flags, price);
        path.map(|path| visible(&path.to_string_lossy()))
            .map_err(|error| error.to_string())
    }

    fn keep_rule(&mut self, scope: RuleScope, kept: KeptRule) -> Result<String, String> {
        super::rules::keep(&self.context, scope, &kept)
    }

    fn changed(&mut self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            loop {
                match self.due {
                    Some(due) => {
                        tokio::select! {
                            biased;
                            Some(()) = self.news.recv() => self.due = Some(Instant::now() + QUIET),
                            () = sleep_until(due) => {
                                self.due = None;
                                return;
                            }
                        }
                    }
                    None => match self.news.recv().await {
                        Some(()) => self.due = Some(Instant::now() + QUIET),
                        None => std::future::pending().await,
                    },
                }
            }
        })
    }
}

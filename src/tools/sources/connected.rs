//! The connected sources of a process, with their present tools.
//!
//! Must not know: any particular source.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::join_all;
use tokio::sync::mpsc;

use super::{Change, Context, SOURCES, Source, mcp};
use crate::tool::Tool;

/// Maximum number of waiting changes.
const WAITING: usize = 64;

/// All sources with their tools. [`Connected::close`] ends what they started; dropping it does so without waiting.
pub struct Connected {
    sources: Vec<Arc<dyn Source>>,
    tools: BTreeMap<&'static str, Vec<Arc<dyn Tool>>>,
    changes: mpsc::Receiver<Change>,
}

impl Connected {
    /// Connects all sources at the same time.
    pub async fn open(context: &Context) -> Self {
        let (sender, changes) = mpsc::channel(WAITING);
        let sources: Vec<Arc<dyn Source>> = SOURCES.iter().map(|make| make()).collect();
        let all = sources.iter().map(|source| {
            let sender = sender.clone();
            async move { (source.name(), source.connect(context, sender).await) }
        });
        let tools = join_all(all).await.into_iter().collect();
        Self {
            sources,
            tools,
            changes,
        }
    }

    /// Returns the tools of all sources, in their order.
    pub fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let of = |source: &Arc<dyn Source>| self.tools.get(source.name()).cloned().unwrap_or_default();
        self.sources.iter().flat_map(of).collect()
    }

    /// Describes the servers of all sources.
    pub fn servers(&self) -> Vec<mcp::ServerView> {
        self.sources.iter().flat_map(|source| source.servers()).collect()
    }

    /// Accepts the definitions of a server that have this hash. The error says why they were not accepted.
    pub fn accept(&self, server: &str, hash: &str) -> Result<(), String> {
        for source in &self.sources {
            if source.accept(server, hash)? {
                return Ok(());
            }
        }
        Err("there is no such server".to_owned())
    }

    /// Ends a server for good.
    pub fn refuse(&self, server: &str) -> Result<(), String> {
        let mut sources = self.sources.iter();
        let found = sources.any(|source| source.refuse(server));
        found
            .then_some(())
            .ok_or_else(|| "there is no such server".to_owned())
    }

    /// Takes the present tools of a source.
    fn refresh(&mut self, name: &'static str) {
        let source = self.sources.iter().find(|source| source.name() == name);
        if let Some(tools) = source.and_then(|source| source.tools()) {
            self.tools.insert(name, tools);
        }
    }

    /// Waits for the next change. Returns its notice; for `None`, the tools changed.
    pub async fn changed(&mut self) -> Option<String> {
        match self.changes.recv().await {
            Some(Change::Notice(text)) => Some(text),
            Some(Change::Tools(source)) => {
                self.refresh(source);
                None
            }
            // No source is left that could change.
            None => std::future::pending().await,
        }
    }

    /// Takes the notices and changes that are already there. Returns the notices.
    pub fn settle(&mut self) -> Vec<String> {
        let mut notices = Vec::new();
        while let Ok(change) = self.changes.try_recv() {
            match change {
                Change::Notice(text) => notices.push(text),
                Change::Tools(source) => self.refresh(source),
            }
        }
        notices
    }

    /// Ends everything that the sources started.
    pub async fn close(&self) {
        join_all(self.sources.iter().map(|source| source.close())).await;
    }
}

//! Serves requests beside a conversation: they pass unheld, but a call that nobody asked for is decided.
//!
//! Must not know: how a call is decided, how a run records the request.

use std::sync::{Arc, PoisonError};

use bytes::BytesMut;
use futures_util::StreamExt as _;
use hyper::{StatusCode, header};

use super::answers::{Sent, failed, plain, respond, stream};
use super::{Opening, Server};
use crate::client::Client;
use crate::conversation::{self, Key};
use crate::placement::{forks, free};
use crate::response_body::{self, BodyWriter};
use crate::run::{self, AgentRun, Answer};
use crate::secrets::Secrets;
use crate::side_reply::SideReply;
use crate::upstream::Upstream;
use crate::{headers, overlay, side_request};
use overrule_domain::agent::SideRequest;
use overrule_domain::turn::Usage;
use overrule_model::http::compression::{Decompressor, MAX_REPLY};
use overrule_model::http::unpacker;

/// A request beside a conversation.
struct Side {
    /// The conversation that it names.
    key: Option<Key>,
    /// Its first words.
    words: Arc<str>,
    /// Who sends it.
    client: Client,
}

impl Server {
    /// The only tool of a request whose reply is a call of it alone: one of an agent with a conversation, which does not offer
    /// that tool.
    pub(super) async fn forced_tool(&self, incoming: &run::Incoming) -> Option<String> {
        let tool = conversation::forced_tool(&incoming.request)?;
        let belongs = if let Some((key, _)) = conversation::named(&incoming.headers) {
            forks(&*self.runs.lock().await, &key).next().is_some()
        } else {
            let clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
            clients.contains(&incoming.client())
        };
        if !belongs {
            return None;
        }
        for run in self.all().await {
            if run.offers(tool).await {
                return None;
            }
        }
        Some(tool.to_owned())
    }

    /// Passes on a request beside a conversation, and reads its reply. A call in it that is not of the forced tool is decided
    /// in a conversation of its own.
    pub(super) async fn pass_side(self: &Arc<Self>, incoming: run::Incoming, forced: Option<String>) -> Sent {
        let Some(overlays) = run::overlays(None, &self.all().await, &incoming.history).await else {
            return failed();
        };
        let body = match overlay::applied(&overlays, &incoming.request, &[]) {
            Ok(body) => body,
            Err(error) => return plain(StatusCode::BAD_GATEWAY, &error.to_string()),
        };
        let (method, path) = (incoming.method.clone(), incoming.path.clone());
        let headers = headers::for_model(&incoming.headers);
        let upstream = match self
            .setup
            .upstreams
            .of_request(Some(incoming.wire), &incoming.headers)
        {
            Ok(upstream) => upstream.clone(),
            Err(error) => return plain(StatusCode::BAD_REQUEST, &error.to_string()),
        };
        let sent = upstream.send(method, &path, headers, body.bytes().clone()).await;
        let response = match sent {
            Ok(response) => response,
            Err(error) => return plain(StatusCode::BAD_GATEWAY, &error.to_string()),
        };
        let (status, mut head) = (response.status(), headers::for_agent(response.headers()));
        let side = Side {
            key: conversation::named(&incoming.headers).map(|(key, _)| key),
            words: side_request::beginning(
                &incoming.request,
                &Secrets::of(&incoming.headers, &incoming.path),
            ),
            client: incoming.client(),
        };
        if !status.is_success() {
            self.report(side, Usage::default()).await;
            return self.hand_on(&incoming.method, &incoming.path, response).await;
        }
        let unpacker = match unpacker(&response, MAX_REPLY) {
            Ok(unpacker) => unpacker,
            Err(error) => return plain(StatusCode::BAD_GATEWAY, &error.to_string()),
        };
        head.remove(header::CONTENT_ENCODING);
        let (out, body) = response_body::body(Arc::default());
        let reply = SideReply::new(incoming.wire, incoming.form(), forced);
        let server = self.clone();
        tokio::spawn(async move {
            let usage = server
                .follow((incoming, upstream), (response, unpacker), reply, out)
                .await;
            server.report(side, usage).await;
        });
        respond(status, head, stream(body))
    }

    /// Passes a reply on as it comes, until it has a call that must be decided. Returns the tokens that it says.
    async fn follow(
        &self,
        (incoming, upstream): (run::Incoming, Arc<Upstream>),
        (mut response, mut unpacker): (reqwest::Response, Decompressor),
        mut reply: SideReply,
        out: BodyWriter,
    ) -> Usage {
        let (mut received, mut given) = (BytesMut::new(), Vec::new());
        loop {
            let Ok(piece) = response.chunk().await else {
                out.cut();
                return reply.usage();
            };
            let is_end = piece.is_none();
            received.extend_from_slice(piece.as_deref().unwrap_or_default());
            let plain = match &piece {
                Some(piece) => unpacker.feed(piece),
                None => std::mem::take(&mut unpacker).end(),
            };
            let read = plain.map_err(|_| ()).and_then(|plain| {
                let mut bytes = reply.feed(&plain).map_err(|_| ())?;
                if is_end {
                    bytes.extend(reply.end().map_err(|_| ())?);
                }
                Ok(bytes)
            });
            let bytes = match read {
                Ok(bytes) => bytes,
                Err(()) if is_end && reply.is_free_of_calls(&received) => received.to_vec(),
                // It could have a call that cannot be seen.
                Err(()) => {
                    out.cut();
                    return reply.usage();
                }
            };
            given.extend_from_slice(&bytes);
            if !out.write(&bytes) || received.len() > MAX_REPLY {
                out.cut();
                return reply.usage();
            }
            if reply.needs_decision() {
                let head = (response.status(), response.headers().clone());
                let rest = futures_util::stream::iter([Ok(received.freeze())]).chain(response.bytes_stream());
                let mut whole = hyper::Response::new(reqwest::Body::wrap_stream(rest));
                (*whole.status_mut(), *whole.headers_mut()) = head;
                let begun = Some(reqwest::Response::from(whole));
                let incoming = run::Incoming { begun, ..incoming };
                self.decide(incoming, &upstream, given, out).await;
                return reply.usage();
            }
            if is_end {
                return reply.usage();
            }
        }
    }

    /// Gives a reply that has begun a conversation of its own, in which its calls are decided. The agent has the beginning.
    async fn decide(
        &self,
        mut incoming: run::Incoming,
        upstream: &Arc<Upstream>,
        given: Vec<u8>,
        out: BodyWriter,
    ) {
        let key = Key::of_its_own(&incoming.request);
        let run = (self.setup.begin)(incoming.client(), upstream.clone(), false);
        {
            let mut runs = self.runs.lock().await;
            let key = free(&runs, &key);
            runs.insert(key, run.clone());
        }
        incoming.others = self.others(&run).await;
        let opening = Opening {
            run: run.clone(),
            request: incoming.request.clone(),
            wire: incoming.wire,
            is_beside: true,
            resumes: false,
            parent: None,
        };
        let answer = match self.setup.openings.send(opening).await {
            Ok(()) => run.request(incoming).await,
            Err(_) => None,
        };
        let Some(Answer { body, .. }) = answer else {
            out.cut();
            return;
        };
        let mut given = &given[..];
        while let Some(Ok(piece)) = body.next().await {
            // What the agent has already comes again.
            let known = piece.len().min(given.len());
            let (again, new) = piece.split_at(known);
            let (before, rest) = given.split_at(known);
            if again != before || !out.write(new) {
                out.cut();
                return;
            }
            given = rest;
        }
    }

    /// Reports a request beside a conversation once its reply has ended.
    async fn report(&self, side: Side, usage: Usage) {
        let one = SideRequest {
            words: side.words,
            usage,
        };
        let runs = self.runs.lock().await.clone();
        let own = side.key.and_then(|key| {
            let named = || forks(&runs, &key);
            let is_its = |run: &&Arc<AgentRun>| run.client() == &side.client;
            named().find(is_its).or_else(|| named().next()).cloned()
        });
        let run = match own {
            Some(run) => Some((run, one)),
            None => self.nameless().take(side.client.program(), one),
        };
        if let Some((run, one)) = run {
            tokio::spawn(async move { run.report_side_request(one).await });
        }
    }
}

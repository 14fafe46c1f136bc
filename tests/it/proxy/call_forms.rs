//! Tests of rejected calls in other forms: any text, patches, the types of a provider.
//!
//! Must not know: how it is done.

use overrule::domain::turn::Stream;
use overrule::policy::{Danger, Preset};
use overrule::proxy::overlay;
use serde_json::{Value, json};

use crate::proxy::agent::client;
use crate::proxy::course::streamed;
use crate::proxy::overlay::post;
use crate::proxy::server::{Reply, Server};
use crate::proxy::stage::{Stage, approve, asked, reject};

/// A reply with a call that takes any text.
fn patching(text: &str) -> Reply {
    let item = json!({"type": "custom_tool_call", "id": "i", "call_id": "p1", "name": "apply_patch", "input": text, "status": "completed"});
    let all = [
        json!({"type": "response.created", "response": {"id": "r", "output": []}}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": item}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
        json!({"type": "response.completed", "response": {"id": "r", "status": "completed", "output": [item]}}),
    ];
    Reply::Stream(all.iter().map(|data| format!("data: {data}\n\n")).collect())
}

#[tokio::test]
async fn a_rejected_call_that_takes_any_text_comes_back_as_that_text() {
    let patch = "*** Begin Patch\n*** Delete File: \"a\"\n*** End Patch";
    let model = Server::new(vec![patching(patch), streamed("openai-responses", "Well.", &[])]);
    let mut stage = Stage::before(&model.base).await;
    let mut body = json!({"model": "m", "stream": true, "tools": [{"type": "custom", "name": "apply_patch", "description": "d"}],
        "input": [{"type": "message", "role": "user", "content": "go"}]});
    let (base, first) = (stage.base.clone(), body.clone());
    let asking = tokio::spawn(async move {
        let sent = client()
            .post(format!("{base}/responses"))
            .header("user-agent", "codex_exec/0.171.0")
            .body(first.to_string())
            .send();
        sent.await.unwrap().text().await.unwrap()
    });
    let mut live = stage.run(Preset::Supervised).await;
    let call = asked(&mut live, "apply_patch").await;
    reject(&live, call, "keep that file").await;
    let reply = asking.await.unwrap();
    assert!(!reply.contains("Delete File"), "{reply}");
    let mask = overlay::mask(&live.state, call);
    assert!(reply.contains(&mask), "{reply}");
    let input = body["input"].as_array_mut().unwrap();
    input.push(json!({"type": "custom_tool_call", "call_id": "p1", "name": mask, "input": ""}));
    input.push(json!({"type": "custom_tool_call_output", "call_id": "p1", "output": "unsupported"}));
    assert_eq!(post(&stage.base, "/responses", &body).await, 200);
    let sent = model.seen()[1].json();
    assert_eq!(sent["input"][1]["name"], "apply_patch");
    assert_eq!(sent["input"][1]["input"], patch);
    assert!(
        sent["input"][2]["output"].to_string().contains("keep that file"),
        "{sent}"
    );
    live.end().await;
}

#[tokio::test]
async fn a_patch_in_a_call_of_a_function_is_read_and_decided_as_a_patch() {
    let patch = "*** Begin Patch\n*** Delete File: \"a\"\n*** End Patch";
    let args = json!({ "input": patch }).to_string();
    let item = json!({"type": "function_call", "id": "i", "call_id": "p1", "name": "apply_patch", "arguments": args, "status": "completed"});
    let mut begun = item.clone();
    begun["arguments"] = "".into();
    let all = [
        json!({"type": "response.created", "response": {"id": "r", "output": []}}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": begun}),
        json!({"type": "response.function_call_arguments.delta", "output_index": 0, "item_id": "i", "delta": args}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
        json!({"type": "response.completed", "response": {"id": "r", "status": "completed", "output": [item]}}),
    ];
    let sent: Vec<String> = all.iter().map(|data| format!("data: {data}\n\n")).collect();
    for hangs_up in [false, true] {
        let model = Server::new(vec![Reply::Stream(sent.clone())]);
        let mut stage = Stage::before(&model.base).await;
        let body = json!({"model": "m", "stream": true, "tools": [{"type": "custom", "name": "apply_patch", "description": "d"}],
            "input": [{"type": "message", "role": "user", "content": "go"}]});
        let base = stage.base.clone();
        let ask = |is_streamed: bool| {
            let (base, mut body) = (base.clone(), body.clone());
            body["stream"] = is_streamed.into();
            tokio::spawn(async move {
                let sent = client()
                    .post(format!("{base}/responses"))
                    .body(body.to_string())
                    .send();
                sent.await.unwrap().text().await.unwrap()
            })
        };
        let mut asking = ask(true);
        let mut live = stage.run(Preset::Supervised).await;
        let call = asked(&mut live, "apply_patch").await;
        assert_eq!(**live.state.nodes[&call].as_call().unwrap().1, *args);
        let marks = Danger::default().marks("apply_patch", &args, std::path::Path::new("/w"));
        assert_eq!(marks.len(), 1, "{marks:?}");
        if hangs_up {
            live.settles("the reply is whole", |state| {
                state.turns.values().all(|turn| turn.stream != Stream::Open)
            })
            .await;
            asking.abort();
            asking = ask(false);
            tokio::time::sleep(std::time::Duration::from_millis(300)).await;
        }
        assert!(!asking.is_finished());
        approve(&live, call).await;
        let reply = asking.await.unwrap();
        if hangs_up {
            let reply: Value = serde_json::from_str(&reply).unwrap();
            let calls = reply["output"].as_array().unwrap().iter();
            let calls: Vec<&Value> = calls.filter(|item| item["type"] == "function_call").collect();
            assert_eq!(calls.len(), 1, "{reply}");
            assert_eq!(calls[0]["arguments"], args, "{reply}");
        } else {
            // How long the decision takes is not tested.
            let events = reply.split_inclusive("\n\n");
            let own: String = events
                .filter(|event| !event.contains("response.in_progress"))
                .collect();
            assert_eq!(own, sent.concat());
        }
        live.end().await;
    }
}

#[tokio::test]
async fn a_rejected_call_of_a_providers_type_comes_back_as_that_item() {
    let path = json!({"type": "update_file", "path": "a.rs", "diff": "-x\n+y"});
    for (tool, kind, args, output) in [
        (
            "local_shell",
            "local_shell_call",
            json!({"action": {"type": "exec", "command": ["rm", "-r", "."]}}),
            "local_shell_call_output",
        ),
        (
            "shell",
            "shell_call",
            json!({"action": {"commands": ["rm -r ."]}}),
            "shell_call_output",
        ),
        (
            "apply_patch",
            "apply_patch_call",
            json!({"operation": path}),
            "apply_patch_call_output",
        ),
    ] {
        let mut item = json!({"type": kind, "id": "i", "call_id": "p1", "status": "completed"});
        item.as_object_mut()
            .unwrap()
            .extend(args.as_object().unwrap().clone());
        let all = [
            json!({"type": "response.created", "response": {"id": "r", "output": []}}),
            json!({"type": "response.output_item.added", "output_index": 0, "item": item}),
            json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
            json!({"type": "response.completed", "response": {"id": "r", "status": "completed", "output": [item]}}),
        ];
        let reply = Reply::Stream(all.iter().map(|data| format!("data: {data}\n\n")).collect());
        let model = Server::new(vec![reply, streamed("openai-responses", "Well.", &[])]);
        let mut stage = Stage::before(&model.base).await;
        let mut body = json!({"model": "m", "stream": true, "tools": [{"type": tool}],
            "input": [{"type": "message", "role": "user", "content": "go"}]});
        let (base, first) = (stage.base.clone(), body.clone());
        let asking = tokio::spawn(async move {
            let sent = client()
                .post(format!("{base}/responses"))
                .header("user-agent", "codex_exec/0.171.0")
                .body(first.to_string())
                .send();
            sent.await.unwrap().text().await.unwrap()
        });
        let mut live = stage.run(Preset::Supervised).await;
        let call = asked(&mut live, kind).await;
        reject(&live, call, "keep it").await;
        let mask = overlay::mask(&live.state, call);
        assert!(asking.await.unwrap().contains(&mask), "{kind}");
        let input = body["input"].as_array_mut().unwrap();
        input.push(json!({"type": "function_call", "id": "i", "call_id": "p1", "name": mask, "arguments": "{}", "status": "completed"}));
        input.push(json!({"type": "function_call_output", "call_id": "p1", "output": "unsupported call"}));
        assert_eq!(post(&stage.base, "/responses", &body).await, 200);
        let sent = model.seen()[1].json();
        assert_eq!(sent["input"][1], item, "{sent}");
        let result = &sent["input"][2];
        assert_eq!(result["type"], output, "{sent}");
        assert_eq!(result["call_id"], "p1", "{sent}");
        assert!(result["output"].to_string().contains("keep it"), "{sent}");
        let sent = sent.to_string();
        assert!(
            !sent.contains("unsupported call") && !sent.contains("function_call"),
            "{sent}"
        );
        live.end().await;
    }
}

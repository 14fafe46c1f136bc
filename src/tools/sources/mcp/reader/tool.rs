//! Repairs the tools of a list: one that cannot be read is left out, the rest counts.
//!
//! Must not know: which tools are offered.

use overrule_base::canon::Tree;

use super::members::{as_object, left_out, take, take_object, take_renamed, take_text};
use super::repairs::{Repairs, shown};

/// Members of a schema that are objects with a schema in each member.
const MAPS: [&str; 6] = [
    "properties",
    "patternProperties",
    "$defs",
    "definitions",
    "dependentSchemas",
    "dependencies",
];
/// Hints of a tool that are true or false.
const HINTS: [&str; 4] = [
    "readOnlyHint",
    "destructiveHint",
    "idempotentHint",
    "openWorldHint",
];

/// Returns the tools that can be read.
pub(super) fn tools(list: Tree, repairs: &mut Repairs) -> Tree {
    let items = match list {
        Tree::List(items) => items,
        // By name.
        Tree::Object(members) => members.into_iter().map(named).collect(),
        other => {
            left_out(&other, "tools", "the list of tools", repairs);
            Vec::new()
        }
    };
    let tools = items.into_iter().enumerate();
    Tree::List(tools.filter_map(|(at, tool)| one(at, tool, repairs)).collect())
}

fn named((name, mut tool): (String, Tree)) -> Tree {
    if tool.get("name").is_none() {
        tool.set("name", Tree::Text(name));
    }
    tool
}

fn one(at: usize, mut tool: Tree, repairs: &mut Repairs) -> Option<Tree> {
    let what = format!("tool {}", at + 1);
    if !matches!(tool, Tree::Object(_)) {
        repairs.left(format!("{what} of the list is left out: it is {}", tool.kind()));
        return None;
    }
    let name = take(&mut tool, "name");
    let name = match name {
        Some(Tree::Text(name)) if !name.trim().is_empty() && !name.contains('\u{fffd}') => name,
        _ => {
            repairs.left(format!(
                "{what} of the list is left out: it has no name that can be called"
            ));
            return None;
        }
    };
    let what = format!("the tool `{}`", shown(&name));
    if let Some(execution) = tool.get("execution")
        && execution.get("taskSupport").and_then(Tree::as_text) == Some("required")
    {
        repairs.left(format!(
            "{what} is left out: it runs only as a task, which is not supported yet"
        ));
        return None;
    }
    let mut read = Tree::object([("name", Tree::Text(name))]);
    for field in ["title", "description"] {
        set(&mut read, field, take_text(&mut tool, field, &what, repairs));
    }
    let input = take_renamed(
        &mut tool,
        "inputSchema",
        &["input_schema", "parameters"],
        (&what, repairs),
    );
    let Ok(input) = schema(input, &what, repairs) else {
        repairs.left(format!(
            "{what} is left out: its `inputSchema` is no schema of an object"
        ));
        return None;
    };
    read.set("inputSchema", input);
    let output = take_object(&mut tool, "outputSchema", &what, repairs).map(|mut output| {
        repair_schema(&mut output, &what, repairs);
        output
    });
    set(&mut read, "outputSchema", output);
    set(&mut read, "annotations", annotations(&mut tool, &what, repairs));
    super::members::bound_numbers(&mut read, repairs);
    match serde_json::from_str::<rmcp::model::Tool>(&read.to_string()) {
        Ok(_) => Some(read),
        Err(error) => {
            repairs.left(format!("{what} is left out: {error}"));
            None
        }
    }
}

fn set(object: &mut Tree, name: &str, value: Option<Tree>) {
    if let Some(value) = value {
        object.set(name, value);
    }
}

/// Returns the schema of the arguments. The error means that there can be no arguments.
fn schema(written: Option<Tree>, what: &str, repairs: &mut Repairs) -> Result<Tree, ()> {
    let any = || Tree::object([("type", Tree::text("object"))]);
    let written = match written {
        None => {
            repairs.left(format!(
                "{what} has no `inputSchema`: its arguments are not checked"
            ));
            return Ok(any());
        }
        Some(Tree::Bool(true)) => {
            repairs.left(format!(
                "{what}: its `inputSchema` is `true`: its arguments are not checked"
            ));
            return Ok(any());
        }
        Some(Tree::Text(text)) => {
            repairs.read(format!("{what}: its `inputSchema` is a text: read as JSON"));
            Tree::read(&text).map_err(|_| ())?.tree
        }
        Some(other) => other,
    };
    let mut schema = as_object(written, what, "inputSchema", repairs).map_err(|_| ())?;
    repair_schema(&mut schema, what, repairs);
    Ok(schema)
}

/// Repairs empty lists where objects are due, on all levels.
fn repair_schema(schema: &mut Tree, what: &str, repairs: &mut Repairs) {
    match schema {
        Tree::List(items) => {
            for item in items {
                repair_schema(item, what, repairs);
            }
        }
        Tree::Object(members) => {
            for (name, value) in members {
                if MAPS.contains(&name.as_str()) && matches!(value, Tree::List(items) if items.is_empty()) {
                    repairs.read(format!(
                        "{what}: `{name}` is an empty list: read as an empty object"
                    ));
                    *value = Tree::Object(Vec::new());
                }
                repair_schema(value, what, repairs);
            }
        }
        _ => {}
    }
}

/// Returns the hints that can be read.
fn annotations(tool: &mut Tree, what: &str, repairs: &mut Repairs) -> Option<Tree> {
    let mut written = take_object(tool, "annotations", what, repairs)?;
    let mut read = Tree::Object(Vec::new());
    let what = format!("the annotations of {what}");
    set(
        &mut read,
        "title",
        take_text(&mut written, "title", &what, repairs),
    );
    for hint in HINTS {
        match take(&mut written, hint) {
            None => {}
            Some(Tree::Bool(value)) => read.set(hint, Tree::Bool(value)),
            Some(other) => left_out(&other, hint, &what, repairs),
        }
    }
    Some(read)
}

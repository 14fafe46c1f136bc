//! Lays out a text in Markdown as rows: headings, lists, tables, quotes, code.
//!
//! Must not know: who wrote the text, where it is shown.
//!
//! The syntax is CommonMark with tables, task lists and strikethrough. A line break in a paragraph stays one: models and
//! people write lines. The text is untrusted: what is shown is in its visible form, and a text that is no Markdown is
//! shown as it is.

#[cfg(test)]
mod tests;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::columns::Columns as _;
use super::doc::Styled;
use super::symbols::Charset;
use super::theme::Role;
use overrule_base::text::visible_line;

/// The most bytes of a text that are laid out.
pub const MOST: usize = 64 * 1024;
/// Columns of the indentation of a code block.
const CODE: usize = 2;
/// Columns between two cells of a table.
const GAP: usize = 2;
/// The most columns of a rule.
const RULE: usize = 40;

/// The rows of a text of at most [`MOST`] bytes in Markdown; none is wider than `columns`, if there are at least 8.
pub fn rows(text: &str, columns: usize, charset: Charset) -> Vec<Styled> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH;
    let mut page = Page {
        columns: columns.max(8),
        charset,
        rows: Vec::new(),
        line: Styled::new(),
        role: Role::Text,
        nested: Vec::new(),
        code: None,
        table: None,
        links: Vec::new(),
        before: Block::Nothing,
    };
    for event in Parser::new_ext(text, options) {
        page.take(event);
    }
    page.end_line();
    page.rows
}

/// What is around a line: a list with the number of its next entry, an entry, a quote.
#[derive(Debug)]
enum Nested {
    List(Option<u64>),
    /// An entry: its marker until its first row is made.
    Entry {
        marker: Option<String>,
        columns: usize,
    },
    Quote,
}

/// The kind of the block above a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Block {
    Nothing,
    Heading,
    Paragraph,
    Other,
}

/// The rows of a table, each with its cells.
type Table = Vec<Vec<Styled>>;

struct Page {
    columns: usize,
    charset: Charset,
    rows: Vec<Styled>,
    /// The line that is being read.
    line: Styled,
    role: Role,
    nested: Vec<Nested>,
    /// The text of the code block that is being read.
    code: Option<String>,
    table: Option<Table>,
    /// The addresses of the open links, with the length of the text before each.
    links: Vec<(String, usize)>,
    before: Block,
}

impl Page {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some(code) => code.push_str(&text),
                None => self.words(&text),
            },
            // The signs stay: they tell code from words without a colour.
            Event::Code(code) => self.words(&format!("`{code}`")),
            Event::Html(text)
            | Event::InlineHtml(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text) => self.words(&text),
            Event::FootnoteReference(name) => self.words(&format!("[^{name}]")),
            Event::SoftBreak | Event::HardBreak => {
                // The cells of a row stay in one line.
                if self.table.is_some() {
                    self.words(" ");
                } else {
                    self.end_line();
                }
            }
            Event::Rule => {
                self.part(Block::Other);
                let sign = if self.charset == Charset::Ascii {
                    "-"
                } else {
                    "─"
                };
                self.line = Styled::new().own(Role::Dim, sign.repeat(self.room().min(RULE)));
                self.end_line();
            }
            Event::TaskListMarker(done) => {
                let sign = if done { "[x] " } else { "[ ] " };
                self.line.0.extend(Styled::new().own(Role::Text, sign).0);
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.part(Block::Paragraph),
            Tag::Heading { .. } => {
                self.part(Block::Heading);
                self.role = Role::Title;
            }
            Tag::Strong => self.role = Role::Title,
            Tag::BlockQuote(_) => {
                self.part(Block::Other);
                self.nested.push(Nested::Quote);
                self.before = Block::Nothing;
            }
            Tag::CodeBlock(_) => {
                self.part(Block::Other);
                self.code = Some(String::new());
            }
            Tag::List(first) => {
                self.end_line();
                self.nested.push(Nested::List(first));
            }
            Tag::Item => self.entry(),
            Tag::Table(_) => {
                self.part(Block::Other);
                self.table = Some(Table::new());
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.push(Vec::new());
                }
                self.role = match tag {
                    Tag::TableHead => Role::Title,
                    _ => Role::Text,
                };
            }
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.links.push((dest_url.to_string(), self.line.plain().len()));
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.end_line(),
            TagEnd::Heading(_) => {
                self.end_line();
                self.role = Role::Text;
            }
            TagEnd::Strong => self.role = Role::Text,
            TagEnd::BlockQuote(_) | TagEnd::List(_) => {
                self.end_line();
                self.nested.pop();
            }
            TagEnd::Item => {
                self.end_line();
                // An entry without any text has a row too.
                if self.marks_entry() {
                    self.push(Styled::new());
                }
                self.nested.pop();
            }
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.line);
                if let Some(row) = self.table.as_mut().and_then(|table| table.last_mut()) {
                    row.push(cell);
                }
            }
            TagEnd::Table => self.end_table(),
            TagEnd::Link | TagEnd::Image => self.end_link(),
            _ => {}
        }
    }

    /// Begins a block: a blank row is between two paragraphs, and above a heading.
    fn part(&mut self, block: Block) {
        self.end_line();
        let is_nested = self.nested.iter().any(|one| matches!(one, Nested::Entry { .. }));
        let is_apart = match (self.before, block) {
            (Block::Nothing | Block::Heading, _) => false,
            (_, Block::Heading | Block::Paragraph) => true,
            _ => false,
        };
        if is_apart && !is_nested {
            self.push(Styled::new());
        }
        self.before = block;
    }

    fn entry(&mut self) {
        self.end_line();
        self.before = Block::Other;
        let bullet = if self.charset == Charset::Ascii {
            "* "
        } else {
            "• "
        };
        let marker = match self.nested.last_mut() {
            Some(Nested::List(Some(no))) => {
                let marker = format!("{no}. ");
                *no = no.saturating_add(1);
                marker
            }
            _ => bullet.to_owned(),
        };
        self.nested.push(Nested::Entry {
            columns: marker.columns(),
            marker: Some(marker),
        });
    }

    /// Adds words to the line.
    fn words(&mut self, text: &str) {
        let mut lines = text.split('\n');
        if let Some(first) = lines.next() {
            self.more(first);
        }
        for next in lines {
            self.end_line();
            self.more(next);
        }
    }

    fn more(&mut self, words: &str) {
        let line = std::mem::take(&mut self.line);
        self.line = line.laid_out(self.role, words);
    }

    /// Names the address of a link, if its text does not.
    fn end_link(&mut self) {
        let Some((address, from)) = self.links.pop() else {
            return;
        };
        let plain = self.line.plain();
        let shown = plain.get(from..).unwrap_or_default();
        if shown != visible_line(&address) && !address.is_empty() {
            let line = std::mem::take(&mut self.line);
            self.line = line
                .own(Role::Dim, " (")
                .untrusted(Role::Dim, &address, address.len())
                .own(Role::Dim, ")");
        }
    }

    /// Columns for text inside of what is around it.
    fn room(&self) -> usize {
        let around: usize = self.nested.iter().map(Nested::columns).sum();
        self.columns - around.min(self.columns / 2)
    }

    fn marks_entry(&self) -> bool {
        matches!(self.nested.last(), Some(Nested::Entry { marker: Some(_), .. }))
    }

    /// Ends the line that is being read, if it has any text.
    fn end_line(&mut self) {
        if self.line.0.is_empty() {
            return;
        }
        let line = std::mem::take(&mut self.line);
        for row in line.over(self.room(), 0) {
            self.push(row);
        }
    }

    /// Adds a row inside of what is around it.
    fn push(&mut self, row: Styled) {
        let most = self.columns / 2;
        let bar = if self.charset == Charset::Ascii {
            "| "
        } else {
            "│ "
        };
        let mut lead = Styled::new();
        for one in &mut self.nested {
            lead = match one {
                Nested::List(_) => lead,
                Nested::Quote => lead.own(Role::Dim, bar),
                Nested::Entry { marker, columns } => match marker.take() {
                    Some(marker) => lead.own(Role::Text, marker),
                    None => lead.own(Role::Text, " ".repeat(*columns)),
                },
            };
        }
        let mut used = lead.columns();
        while used > most {
            // Deeper than there is room for.
            lead.0.remove(0);
            used = lead.columns();
        }
        lead.0.extend(row.0);
        self.rows.push(lead);
    }

    fn end_code(&mut self) {
        let code = self.code.take().unwrap_or_default();
        let indent = " ".repeat(CODE);
        for line in code.strip_suffix('\n').unwrap_or(&code).split('\n') {
            let line = Styled::new().laid_out(Role::Text, line);
            for row in line.over(self.room().saturating_sub(CODE), 0) {
                let mut lead = Styled::new().own(Role::Text, indent.clone());
                lead.0.extend(row.0);
                self.push(lead);
            }
        }
    }

    /// Adds a table: its columns next to each other; cell by cell where it is too wide.
    fn end_table(&mut self) {
        let table = self.table.take().unwrap_or_default();
        self.role = Role::Text;
        let count = table.iter().map(Vec::len).max().unwrap_or(0);
        let width = |at: usize| {
            let cells = table.iter().filter_map(|row| row.get(at));
            cells.map(Styled::columns).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..count).map(width).collect();
        let all = widths.iter().sum::<usize>() + GAP * count.saturating_sub(1);
        if all > self.room() {
            return self.long_table(&table);
        }
        for row in table {
            let mut line = Styled::new();
            for (at, cell) in row.into_iter().enumerate() {
                let blanks = widths
                    .get(at)
                    .copied()
                    .unwrap_or(0)
                    .saturating_sub(cell.columns());
                line.0.extend(cell.0);
                if at + 1 < count {
                    line = line.own(Role::Text, " ".repeat(blanks + GAP));
                }
            }
            self.push(line);
        }
    }

    fn long_table(&mut self, table: &Table) {
        let (Some(heads), room) = (table.first(), self.room()) else {
            return;
        };
        for (at, row) in table.iter().skip(1).enumerate() {
            if at > 0 {
                self.push(Styled::new());
            }
            for (head, cell) in heads.iter().zip(row) {
                let mut line = head.clone().own(Role::Title, ": ");
                line.0.extend(cell.0.iter().cloned());
                for row in line.over(room, CODE) {
                    self.push(row);
                }
            }
        }
    }
}

impl Nested {
    const fn columns(&self) -> usize {
        match self {
            Self::List(_) => 0,
            Self::Entry { columns, .. } => *columns,
            Self::Quote => 2,
        }
    }
}

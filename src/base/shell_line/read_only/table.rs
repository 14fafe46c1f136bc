//! The table of programs that only read, each with the options under which it does.
//!
//! Must not know: how a line is read, where files are.
//!
//! The source of a row is the manual that it names. An option that is not in its row may write, run a program, follow
//! links, or read a place that another file names: with it, a command does not count as one that only reads.

/// What the words of a command are that are no options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operands {
    /// There are none.
    None,
    /// Texts, which name no place.
    Text,
    /// Texts that begin with `+`.
    Format,
    /// Places; without any, the command reads its standard input.
    Places,
    /// At most one place.
    Place,
    /// Places; without any, the current directory.
    Tree,
    /// A text (a pattern, a filter), then places.
    TextThenPlaces,
    /// A text, then places; without any, the current directory.
    TextThenTree,
}

/// A program that only reads.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    /// Its names, each with the subcommand that must follow (`git/log`).
    pub(super) programs: &'static str,
    /// Short options without a value. `#` stands for a number (`head -20`).
    pub(super) flags: &'static str,
    /// Short options with a value.
    pub(super) valued: &'static str,
    /// Long options. `=` at the end: it takes a value, in the same word or in the next one. Others may have a value in the
    /// same word.
    pub(super) long: &'static str,
    /// What its other words are.
    pub(super) operands: Operands,
    /// The manual.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "for people, and for the test that none is missing")
    )]
    pub(super) source: &'static str,
}

pub(super) const fn row(
    programs: &'static str,
    flags: &'static str,
    valued: &'static str,
    long: &'static str,
    operands: Operands,
    source: &'static str,
) -> Row {
    Row {
        programs,
        flags,
        valued,
        long,
        operands,
        source,
    }
}

use Operands::{Format, None, Place, Places, Text, TextThenPlaces, TextThenTree, Tree};

const COREUTILS: &str = "GNU coreutils";
const GREP: &str = "GNU grep";
const DIFF: &str = "GNU diffutils";

/// The programs, but for those of git, and for `cd`, `find` and `sed`, whose words are read by code of their own.
pub(super) const ROWS: &[Row] = &[
    row(
        "cat",
        "AbEensTtuv",
        "",
        "show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting",
        Places,
        COREUTILS,
    ),
    row(
        "head",
        "#qvz",
        "cn",
        "bytes= lines= quiet silent verbose zero-terminated",
        Places,
        COREUTILS,
    ),
    row(
        "tail",
        "#qvz",
        "cn",
        "bytes= lines= quiet silent verbose zero-terminated",
        Places,
        COREUTILS,
    ),
    row(
        "wc",
        "cmlLw",
        "",
        "bytes chars lines words max-line-length total=",
        Places,
        COREUTILS,
    ),
    row("tac", "b", "s", "before separator=", Places, COREUTILS),
    row(
        "nl",
        "p",
        "bdfhilnsvw",
        "body-numbering= number-format= number-width= starting-line-number=",
        Places,
        COREUTILS,
    ),
    row(
        "cut",
        "nsz",
        "bcdf",
        "bytes= characters= delimiter= fields= only-delimited complement output-delimiter=",
        Places,
        COREUTILS,
    ),
    row("paste", "sz", "d", "serial delimiters=", Places, COREUTILS),
    row(
        "comm",
        "123z",
        "",
        "check-order nocheck-order output-delimiter= total",
        Places,
        COREUTILS,
    ),
    row(
        "join",
        "iz",
        "12aeotvj",
        "header ignore-case check-order nocheck-order",
        Places,
        COREUTILS,
    ),
    row("fold", "bs", "w", "bytes spaces width=", Places, COREUTILS),
    row(
        "expand unexpand",
        "aif",
        "t",
        "all initial first-only tabs=",
        Places,
        COREUTILS,
    ),
    row(
        "sort",
        "bcCdfghiMnRrsuVz",
        "kt",
        "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort human-numeric-sort \
        numeric-sort month-sort random-sort reverse version-sort stable unique check key= field-separator= zero-terminated",
        Places,
        COREUTILS,
    ),
    row(
        "uniq",
        "cdDiuz",
        "fsw",
        "count repeated ignore-case unique skip-fields= skip-chars= check-chars= all-repeated group",
        Place,
        COREUTILS,
    ),
    row(
        "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum",
        "bt",
        "l",
        "binary text tag",
        Places,
        COREUTILS,
    ),
    row(
        "od",
        "#bcdDeFhHiIlLoOsvwxX",
        "AjNt",
        "address-radix= skip-bytes= read-bytes= format= output-duplicates",
        Places,
        COREUTILS,
    ),
    row(
        "ls dir vdir",
        "1aAbBcCdfFgGhiklmnNopqQrRsStuUvxXZ",
        "ITw",
        "all almost-all author escape ignore-backups color directory file-type \
        classify full-time group-directories-first no-group human-readable si inode ignore= hide= kibibytes literal \
        numeric-uid-gid indicator-style= hide-control-chars quote-name quoting-style= reverse recursive size sort= time= \
        time-style= tabsize= width= context zero",
        Tree,
        COREUTILS,
    ),
    row(
        "du",
        "0abchkmsSx",
        "dt",
        "null all apparent-size bytes total human-readable si summarize separate-dirs max-depth= exclude= \
        one-file-system threshold= time",
        Tree,
        COREUTILS,
    ),
    row(
        "stat",
        "ft",
        "c",
        "file-system format= printf= terse",
        Places,
        COREUTILS,
    ),
    row(
        "realpath readlink",
        "ePfmnqsvz",
        "",
        "canonicalize canonicalize-existing canonicalize-missing no-newline quiet strip \
        no-symlinks zero relative-to= relative-base=",
        Places,
        COREUTILS,
    ),
    row(
        "basename dirname",
        "az",
        "s",
        "multiple suffix= zero",
        Text,
        COREUTILS,
    ),
    row(
        "date",
        "uR",
        "d",
        "date= utc universal rfc-email rfc-3339= iso-8601",
        Format,
        COREUTILS,
    ),
    row("pwd", "LP", "", "logical physical", None, COREUTILS),
    row("echo", "neE", "", "", Text, COREUTILS),
    row("printf", "", "", "", Text, COREUTILS),
    row("true false", "", "", "", None, COREUTILS),
    row(
        "seq",
        "w",
        "fs",
        "format= separator= equal-width",
        Text,
        COREUTILS,
    ),
    row(
        "tr",
        "cCdst",
        "",
        "complement delete squeeze-repeats truncate-set1",
        Text,
        COREUTILS,
    ),
    row(
        "uname nproc arch",
        "asnrvmpio",
        "",
        "all kernel-name kernel-release machine",
        None,
        COREUTILS,
    ),
    row(
        "grep egrep fgrep",
        "#abcEFGHhIiLlnoPqrsTUvwxyzZ",
        "ABCemD",
        "extended-regexp fixed-strings basic-regexp perl-regexp regexp= \
        ignore-case no-ignore-case invert-match word-regexp line-regexp count color colour files-without-match \
        files-with-matches max-count= only-matching quiet silent no-messages byte-offset with-filename no-filename \
        line-number initial-tab null after-context= before-context= context= text binary-files= exclude= exclude-dir= \
        include= recursive line-buffered null-data",
        TextThenPlaces,
        GREP,
    ),
    row(
        "rg",
        ".#0abcFHhIilNnopPqsSUuvVwx",
        "ABCdeEgjmMrtT",
        "after-context= before-context= context= color= colors= column count \
        count-matches case-sensitive ignore-case smart-case fixed-strings files files-with-matches files-without-match \
        glob= iglob= heading no-heading hidden invert-match json line-number no-line-number line-regexp max-columns= \
        max-count= max-depth= multiline multiline-dotall no-config no-filename with-filename no-ignore no-ignore-vcs \
        no-messages null only-matching passthru pcre2 pretty quiet regexp= replace= sort= sortr= stats text threads= trim \
        type= type-not= type-list unrestricted vimgrep word-regexp",
        TextThenTree,
        "ripgrep",
    ),
    row(
        "diff",
        "abBcdeEiNpqrstTuwyZ",
        "CUWxI",
        "brief report-identical-files unified context= side-by-side width= recursive new-file \
        ignore-case ignore-all-space ignore-space-change ignore-blank-lines ignore-trailing-space ignore-matching-lines= \
        exclude= text strip-trailing-cr color minimal speed-large-files suppress-common-lines left-column label= normal \
        show-c-function",
        Places,
        DIFF,
    ),
    row(
        "cmp",
        "bls",
        "n",
        "print-bytes verbose quiet silent bytes=",
        Places,
        DIFF,
    ),
    row(
        "file",
        "bi0kNpr",
        "eFP",
        "brief mime mime-type mime-encoding keep-going no-pad raw separator= exclude=",
        Places,
        "file(1)",
    ),
    row(
        "strings",
        "adf",
        "ent",
        "all bytes= radix= encoding= print-file-name",
        Places,
        "GNU binutils",
    ),
    row(
        "tree",
        "aACdDfFghinNpqQrsStuUvx",
        "ILP",
        "dirsfirst filesfirst gitignore noreport prune du si inodes device timefmt= \
        charset= filelimit= matchdirs ignore-case sort=",
        Tree,
        "tree(1)",
    ),
    row(
        "jq",
        "aceCjMnrRsS",
        "",
        "ascii-output compact-output exit-status join-output monochrome-output color-output null-input \
        raw-output raw-input slurp sort-keys tab indent=",
        TextThenPlaces,
        "jq(1)",
    ),
    row("which", "as", "", "all", Text, "which(1)"),
    row(
        "column",
        "tx",
        "cos",
        "table separator= output-separator= table-columns= fillrows",
        Places,
        "util-linux",
    ),
    row("rev", "", "", "", Places, "util-linux"),
    row(
        "hexdump hd",
        "bcCdovx",
        "ens",
        "canonical length= skip=",
        Places,
        "util-linux",
    ),
    row(
        "xxd",
        "abeiuEp",
        "cglos",
        "bits capitalize cols= groupsize= include len= plain seek= upper",
        Place,
        "xxd(1)",
    ),
];

//! Tests commands in options, variables and code: each row of the tables, and odd spellings.
//!
//! Must not know: rules.

use super::super::code_marks::READERS;
use super::super::option_table::{Holds, OPTIONS};
use super::super::options::lists;
use super::super::{Reading, Uncertainty};

/// Whether `rm x` is read in the line, or the line is known to hide commands with that text.
fn finds(line: &str) -> bool {
    runs(line) || hides(line)
}

/// Whether `rm x` is read in the line as a command of its own.
fn runs(line: &str) -> bool {
    let reading = Reading::of_line(line);
    reading.commands.iter().any(|one| {
        let words: Vec<&str> = one.words.iter().map(|word| word.text.as_str()).collect();
        words.join(" ").contains("rm x") && one.is_beside() || words == ["rm", "x"]
    })
}

/// Whether the line is known to hide commands with the text `rm x`.
fn hides(line: &str) -> bool {
    let reading = Reading::of_line(line);
    let mut texts = reading.commands.iter().filter_map(|one| one.hidden.as_ref());
    texts.any(|text| text.contains("rm x"))
}

/// The spellings of an option of a row with a value: each shape, and each prefix of a long option that is no other one.
fn spellings(option: &str, others: &str, value: &str) -> Vec<String> {
    let may_be_apart = !option.ends_with('?');
    let may_be_cut = option.ends_with('~') || !option.starts_with('-');
    let name = option.trim_end_matches(['?', '~']);
    if name.len() == 1 {
        let apart = may_be_apart.then(|| format!("-{name} '{value}'"));
        return apart.into_iter().chain([format!("-{name}'{value}'")]).collect();
    }
    let dashes = if name.starts_with('-') { "" } else { "--" };
    let least = if name.starts_with('-') { 3 } else { 1 };
    let mut found = Vec::new();
    let mut ends = vec![least, name.len()];
    ends.retain(|end| (least..=name.len()).contains(end));
    ends.dedup();
    for end in ends {
        let cut = &name[..end];
        let is_whole = end == name.len();
        if !is_whole && (!may_be_cut || others.split(' ').any(|other| other == cut)) {
            continue;
        }
        found.push(format!("{dashes}{cut}='{value}'"));
        if may_be_apart {
            found.push(format!("{dashes}{cut} '{value}'"));
        }
    }
    found
}

#[test]
fn every_option_of_the_table_is_read_in_each_spelling() {
    let mut missed = Vec::new();
    for row in OPTIONS {
        assert!(!row.source.is_empty());
        let value = match row.holds {
            Holds::Line | Holds::Code => "rm x",
            Holds::Commas => "rm,x",
            Holds::Script => "import os; os.system(\"rm x\")",
            Holds::SshSetting => "ProxyCommand=rm x",
            Holds::GitSetting => "core.pager=rm x",
            Holds::Variable => "PAGER=rm x",
            Holds::Setting => "dpkg::pre-invoke::linker-execstart.exec=rm x",
            Holds::Query => "\\! rm x | system rm x .shell syscmd rm x",
        };
        let harmless = match row.holds {
            Holds::Query => "1",
            Holds::Variable => "A=rm x",
            Holds::GitSetting => "user.name=rm x",
            Holds::SshSetting => "Port=1",
            _ => "",
        };
        for program in row.programs.split_ascii_whitespace() {
            let program = program.replace('/', " ");
            // The option is found, and nothing else in the line stands for it.
            let plain = Reading::of_line(&format!("cd a && A=1 {program} y 'rm x'"));
            let is_told = |line: &Reading| {
                line.commands
                    .iter()
                    .any(|one| one.is_beside() || one.hidden.is_some())
            };
            let always = ["deno", "crontab"];
            assert!(!is_told(&plain) || always.contains(&&*program), "{program}");
            for option in row.options.split_ascii_whitespace() {
                for spelled in spellings(option, row.others, value) {
                    // A file with code ends the options.
                    let file = if lists(READERS, &program) { "" } else { "y" };
                    for line in [
                        format!("{program} {spelled} y"),
                        format!("cd a && A=1 {program} {file} {spelled}"),
                    ] {
                        let is_found = match row.holds {
                            Holds::Line
                            | Holds::Commas
                            | Holds::SshSetting
                            | Holds::GitSetting
                            | Holds::Variable => runs(&line),
                            Holds::Code | Holds::Script | Holds::Setting | Holds::Query => finds(&line),
                        };
                        if !is_found {
                            missed.push(line);
                        }
                    }
                }
                if !harmless.is_empty() {
                    for spelled in spellings(option, row.others, harmless) {
                        let line = format!("{program} y {spelled}");
                        assert!(!is_told(&Reading::of_line(&line)), "{line}");
                    }
                }
            }
        }
    }
    assert_eq!(missed, [""; 0]);
}

#[test]
fn what_a_variable_holds_for_git_may_be_any_command() {
    for line in [
        "X='!rm x' git --config-env=alias.a=X a",
        "X='!rm x' git --config-env alias.a=X a",
        "git --config-env=submodule.a.update=X submodule update",
        "git --config-env=core.hooksPath=X commit",
    ] {
        let reading = Reading::of_line(line);
        let is_told =
            reading.uncertainty.is_some() || reading.commands.iter().any(|one| one.hidden.is_some());
        assert!(is_told, "{line}");
    }
    let plain = Reading::of_line("git --config-env=user.name=X commit -m a");
    assert_eq!(plain.uncertainty, None);
    let any = Reading::of_line("run-parts --regex=rm /usr/bin");
    assert!(any.commands.iter().any(|one| one.hidden.is_some()));
}

#[test]
fn more_variables_than_are_looked_at_may_hold_any_command() {
    let line = |most: usize| format!("{}ls", "A=b ".repeat(most));
    let is_hidden = |line: &str| {
        Reading::of_line(line)
            .commands
            .iter()
            .any(|one| one.hidden.is_some())
    };
    assert!(!is_hidden(&line(64)));
    assert!(is_hidden(&line(65)));
}

/// Lines in which `rm x` runs by an option, a variable, a script or an input.
const BESIDE: &[&str] = &[
    // git
    "rename 's/a/`rm x`/e' a",
    "mlr -n put 'end{system(\"rm x\")}'",
    "git grep -nO'rm x' a",
    "git -C sub grep --open='rm x' a",
    "git difftool -y -x 'rm x' HEAD",
    "git difftool --extc='rm x'",
    "git rebase -x'rm x' HEAD~2",
    "git rebase --exec='rm x' HEAD~2",
    "git -c core.sshCommand='rm x' fetch",
    "git -c CORE.SSHCOMMAND='rm x' fetch",
    "git -ccore.pager='rm x' log; git -c core.pager='rm x' -p log",
    "git -c diff.external='rm x' diff",
    "git -c filter.a.smudge='rm x' checkout .",
    "git -c alias.y='!rm x' y",
    "git -c credential.helper='!rm x' fetch",
    "git -c submodule.a.update='!rm x' submodule update",
    "git config core.editor 'rm x' && git commit",
    "git config --global alias.y '!rm x'",
    "git config set --all core.pager 'rm x'",
    "git clone -c core.sshCommand='rm x' h:a",
    "git clone -ccore.sshCommand='rm x' h:a",
    "git clone --config core.sshCommand='rm x' h:a",
    "git clone -u 'rm x' h:a",
    "git fetch --upload-pack='rm x' a",
    "git push --receive-pack 'rm x' a",
    "git ls-remote --upload-pack='rm x' .",
    "git clone 'ext::rm% x' b",
    "git remote add a 'ext::rm x'",
    "git submodule --quiet foreach 'rm x'",
    "git bisect run rm x",
    "git filter-branch -f --index-filter 'rm x' HEAD",
    "git archive --remote=. --exec='rm x' HEAD",
    // Variables
    "GIT_EXTERNAL_DIFF='rm x' git diff",
    "GIT_SSH_COMMAND='rm x' git fetch",
    "export GIT_PAGER='rm x'; git log",
    "EDITOR='rm x' git commit",
    "VISUAL='rm x' crontab -e",
    "env PAGER='rm x' git -p log",
    "sudo EDITOR='rm x' visudo",
    "PAGER='rm x'\ngit log",
    "declare -x MANPAGER='rm x'; man ls",
    "BASH_ENV='$(rm x)' bash -c ls",
    "ENV='$(rm x)' sh -i",
    "PROMPT_COMMAND='rm x' bash -i",
    "PS4='$(rm x)' bash -xc ls",
    "LESSOPEN='|rm x %s' less a",
    "TAR_OPTIONS='--checkpoint=1 --checkpoint-action=exec=\"rm x\"' tar cf a b",
    "RSYNC_RSH='rm x' rsync a h:b",
    "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.pager GIT_CONFIG_VALUE_0='rm x' git log",
    "GIT_CONFIG_PARAMETERS=\"'core.pager=rm x'\" git log",
    "env 'BASH_FUNC_ls%%=() { rm x; }' bash -c ls",
    "MAKEFLAGS='--eval=$(shell rm x)' make",
    "PERL5OPT='-Mbase;system(\"rm x\")' perl a.pl",
    "NODE_OPTIONS='--import=data:text/javascript,rm x' node a.js",
    "RUSTC_WRAPPER='rm x' cargo build",
    "VIMINIT=':!rm x' vim -es",
    "SHELL='/tmp/rm x' script y",
    // Files
    "tar cf /dev/null --checkpoint=1 --checkpoint-action=exec='rm x' a",
    "tar cf /dev/null --checkpoint=1 --checkpoint-action exec='rm x' a",
    "tar xf a.tar --to-command='rm x'",
    "tar xf a.tar --to-comm 'rm x'",
    "tar xfI a.tar 'rm x'",
    "tar -xf a.tar -I 'rm x'",
    "sed -f <(echo 'e rm x') a",
    "sed -f /dev/fd/3 a 3<<E\ne rm x\nE",
    "awk -f <(echo 'BEGIN { system(\"rm x\") }')",
    "make -f <(echo 'a: ; rm x')",
    "python3 <(echo 'import os; os.system(\"rm x\")')",
    "psql -f <(echo '\\! rm x')",
    "npm x -c 'rm x'",
    "compgen -C 'rm x'",
    "fc -e 'rm x'",
    "tar --use-compress-program='rm x' -cf a b",
    "tar -cvf a -F 'rm x' b",
    "split --filter='rm x' a",
    "split -l 5 --filt 'rm x' a",
    "sort --compress-program='rm x' a",
    "zip a.zip b -T -TT 'rm x'",
    "rsync -ave 'rm x' a h:b",
    "rsync --rsh='rm x' a h:b",
    "rsync --rsync-path='rm x' a h:b",
    "rg --pre 'rm x' a",
    "man -P 'rm x' ls",
    "less +'!rm x' a",
    "less '++!rm x' a",
    "sed -n '1e rm x' a",
    "sed '1,3!{/a/e rm x\n}' a",
    "sed 's/a/rm x/e' a",
    "sed 's,a,rm x,gwe\ns/a/rm x/ge' a",
    "sed -e p -e '$e rm x' a",
    "sed --expression='e rm x' a",
    "sed -i.bak -ne '/[/]/{e rm x\n}' a",
    "sed -f - a <<E\ne rm x\nE",
    "sed \"s/a/b/$F # rm x\" a",
    "awk 'BEGIN { system(\"rm x\") }'",
    "awk '{ print | \"rm x\" }' a",
    "awk '{ \"rm x\" | getline y }' a",
    "awk '/[/\"]/ { print \"rm x\" | \"sh\" }' a",
    "gawk '@load \"x\"; BEGIN { print \"rm x\" }'",
    "gawk -e 'BEGIN { f = \"system\"; @f(\"rm x\") }'",
    "awk -F: -v a=1 '{ system(\"rm x\") }' /etc/passwd",
    // Editors and debuggers
    "vim -c ':!rm x' a",
    "vim -es '+!rm x' a",
    "vim --cmd '!rm x' a",
    "nvim +'call system(\"rm x\")' a",
    "ex a <<E\n!rm x\nE",
    "ed a <<E\n!rm x\nE",
    "printf '!rm x\\n' | ed a",
    "emacs --batch --eval '(shell-command \"rm x\")'",
    "gdb -batch -ex 'shell rm x' a",
    "gdb -ex run -ex '!rm x' a",
    "gdb --args rm x",
    "gdb -q <<E\nshell rm x\nE",
    "lldb -o 'platform shell rm x' a",
    "strace -o '|rm x' ls",
    // Prefixes, clusters, other places
    "split --f 'rm x' f",
    "git clone --u 'rm x;git-upload-pack' h:a",
    "git clone -qc core.sshCommand='rm x' h:a",
    "git clone --conf core.sshCommand='rm x' h:a",
    "git clone --templ 'rm x' a",
    "git init --template='rm x'",
    "git config --typ path core.sshCommand 'rm x'",
    "git config -zf F core.pager 'rm x'",
    "git config --typ get core.pager 'rm x'",
    "git config -f --get core.pager 'rm x'",
    "git for-each-repo --config=K grep -O'rm x'",
    "git for-each-repo --config K -- grep -O'rm x'",
    "/usr/lib/git-core/git-grep -O'rm x' a",
    "git-config core.pager 'rm x'",
    "HOME='rm x' git status",
    "XDG_CONFIG_HOME='rm x' git status",
    "GIT_DIR='rm x' git status",
    "GIT_COMMON_DIR='rm x' git status",
    "GIT_SOMETHING='rm x' git status",
    "PATH='rm x:$PATH' ls",
    "PATH=\"$(rm x):$PATH\" ls",
    "PATH=/usr/bin:. ls 'rm x'",
    "MAKEFILES='rm x' make",
    "CARGO_HOME='rm x' cargo build",
    "PYTHONPATH='rm x' mercurial",
    "PYTHONPATH='rm x' python3 -c 'print(1)'",
    "PYTHONPATH='rm x' python3 -m json.tool",
    "export PYTHONPATH='rm x'",
    "PYTHONHOME='rm x' python3 a.py",
    "RUBYLIB='rm x' ruby -v",
    "KUBECONFIG='rm x' kubectl get pods",
    "DOTNET_STARTUP_HOOKS='rm x' dotnet a",
    "PHP_INI_SCAN_DIR='rm x' php a.php",
    "ssh -o ' \"ProxyCommand\" rm x' h",
    "ssh -o 'ProxyCommand\t=rm x' h",
    "ssh -o '\"ProxyCommand=rm x\"' h",
    "ssh -o 'Odd rm x' h",
    "ssh -F 'rm x' h",
    "ssh -4F 'rm x' h",
    "go build -ldflags '-s -linkmode external -extld rm x'",
    "cargo --config 'net.rm x.toml' build",
    "apt-get -o Dpkg::Options::='--pre-invoke=rm x' install a",
    "systemd-run -p Environment=LD_PRELOAD='rm x' ls",
    "systemd-run -E PAGER='rm x' ls",
    "systemd-run --sete PAGER='rm x' ls",
    "mvn -Dmaven.ext.class.path='rm x'",
    "vim -Oc '!rm x'",
    "vim -esOc '!rm x' a",
    "nvim -l 'rm x'",
    "python3 -mtimeit 'rm x'",
    "python3 -Im timeit 'rm x'",
    "python3 -m asyncio 'rm x'",
    "python3 -Bm cProfile 'rm x'",
    "python3 -m idlelib.idle 'rm x'",
    "echo 'rm x' | python3 -i a.py",
    "python3 -Bi a.py <<E\nrm x\nE",
    "gdb -eval-comm '!rm x'",
    "gdb -early-init-eval-command '!rm x'",
    "gdb --ini='!rm x'",
    "lldb -k '!rm x'",
    "node --import 'rm x' a.js",
    "node -r 'rm x' a.js",
    "node --req='rm x' a.js",
    "node --experimental-loader 'rm x' a.js",
    "node -e 'console[\"rm x\"]()'",
    "php -d auto_prepend_file='rm x' a.php",
    "perl s.pl '|rm x'",
    "gcc -wrapper rm,x a.c",
    "m4 -Da='rm x' a",
    "echo 'rm x' | m4",
    "latexmk 'rm x.tex' -shell-escape",
    "gh alias set x '!rm x'",
    "gh config set pager 'rm x'",
    "gh config set -h a editor 'rm x'",
    "npm config set script-shell 'rm x'",
    "npm config set script-shell='rm x'",
    "go env -w CC='rm x'",
    "go env -w 'GOFLAGS=-toolexec=rm x'",
    "sed -n ':x e rm x' a",
    "sed 'b y;:y\te rm x' a",
    "awk '(1) /\"/ ; { print \"a\" | \"rm x\" } /\"/' a",
    "awk 'case /\"/: print \"rm x\" | \"sh\"' a",
    "export \"$n=rm x\"",
    "env \"$n=rm x\" ls",
    "for PAGER in 'rm x'; do git log; done",
    "echo ${PAGER:='rm x'}; git log",
    "PAGER[0]='rm x'; git log",
    "time PAGER='rm x' git log",
    "su --session-command='rm x' me",
    "ipython -c '!rm x'",
    "gcc @'rm x'",
    "gcc -B 'rm x' a.c",
    "go env -w=true CC='rm x'",
    "echo ${!n:='rm x'}",
    "declare -n n=PAGER; n='rm x'; declare -gn n='rm x'",
    "PYTHONPATH='rm x' uv run python3 -c 'print(1)'",
    "less -k 'rm x' a",
    "php -c 'rm x' a.php",
    "bun --preload 'rm x' a.js",
    "git --git-dir='rm x' status",
    "git --git-dir 'rm x' status",
    "vim -u 'rm x' a",
    "tmux -f 'rm x' new",
    "kubectl --kubeconf 'rm x' get pods",
    "make 'A=a | rm x'",
    "make 'A=a & rm x'",
    "make 'A=a\nrm x'",
    "make \"A=\"'$(shell rm x)'\"$y\"",
    // Networks
    "ssh -o ProxyCommand='rm x' h",
    "ssh -oProxyCommand='rm x' h",
    "ssh -o 'proxycommand rm x' h",
    "ssh -4vo ProxyCommand='rm x' h",
    "ssh -o PermitLocalCommand=yes -o LocalCommand='rm x' h",
    "scp -S 'rm x' a h:b",
    "scp -o ProxyCommand='rm x' a h:b",
    "sftp -D 'rm x' h",
    "sftp -b - h <<E\n!rm x\nE",
    "nc -e 'rm x' h 1",
    "ncat --sh-exec 'rm x' h 1",
    "socat TCP-LISTEN:1 EXEC:'rm x',pty",
    "socat - system:'rm x'",
    "wget --use-askpass='rm x' http://h",
    "tcpdump -w a -G 1 -z 'rm x'",
    // Builds
    "make --eval='$(shell rm x)'",
    "make --eval 'a: ; rm x'",
    "make SHELL='/tmp/rm x' all",
    "make CC='rm x' a.o",
    "make 'A=$(shell rm x)'",
    "make 'A!=rm x'",
    "make -f - <<E\nall: ; rm x\nE",
    "cmake -E env A=1 rm x",
    "cmake -DCMAKE_C_COMPILER_LAUNCHER='rm x' .",
    "cargo --config 'build.rustc-wrapper=\"rm x\"' build",
    "cargo build --config 'target.x.runner=\"rm x\"'",
    "go test -exec 'rm x' ./...",
    "go build -toolexec='rm x'",
    "gcc -wrapper 'rm x' a.c",
    // Languages and data bases
    "python3 -c 'import os; os.system(\"rm x\")'",
    "python3.12 -Bc 'import os; os.system(\"rm x\")'",
    "python3 <<E\nimport os; os.system(\"rm x\")\nE",
    "python3 -W ignore - <<E\nimport os; os.system(\"rm x\")\nE",
    "echo 'import os; os.system(\"rm x\")' | python3",
    "python3 -c 'print(f\"{__import__(chr(111)+chr(115)).system(\\\"rm x\\\")}\")'",
    "python3 -m timeit 'rm x'",
    "perl -e 'system \"rm x\"'",
    "perl -lane 'system \"rm x\"' a",
    "perl -pe 's/a/`rm x`/e' a",
    "perl -ne print 'rm x|'",
    "ruby -ne '`rm x`' a",
    "node -e 'require(\"child_process\").execSync(\"rm x\")'",
    "node -pe 'process.binding(\"rm x\")'",
    "php -r 'system(\"rm x\");'",
    "lua -e 'os.execute(\"rm x\")'",
    "deno eval 'rm x'",
    "osascript -e 'do shell script \"rm x\"'",
    "expect -c 'spawn rm x'",
    "tclsh <<E\nexec rm x\nE",
    "mysql -e '\\! rm x'",
    "psql -c '\\! rm x'",
    "psql -c \"copy a to program 'rm x'\"",
    "psql <<'E'\n\\! rm x\nE",
    "sqlite3 a '.shell rm x'",
    "echo '.system rm x' | sqlite3 a",
    "dc -e '!rm x'",
    "echo '* * * * * rm x' | crontab -",
    // Wrappers
    "docker exec -it c rm x",
    "docker -H tcp://h exec c rm x",
    "docker run --rm -v a:b img rm x",
    "docker compose -f a.yml exec -T web rm x",
    "podman run -it img sh -c 'rm x'",
    "kubectl -n ns exec pod -c a -- rm x",
    "lxc exec c -- rm x",
    "npm x -- rm x",
    "npm --prefix a exec -- rm x",
    "uv --quiet run rm x",
    "uvx rm x",
    "pipx run rm x",
    "cross-env A=1 rm x",
    "tmux new-session -d 'rm x'",
    "screen -dmS a rm x",
    "nodemon --exec 'rm x'",
    "nix-shell -p a --run 'rm x'",
    "ip netns exec a rm x",
    "bwrap --ro-bind / / rm x",
    "hyperfine --prepare='rm x' ls",
    "pee 'rm x' cat",
    "heroku run -a app rm x",
    "yash -c 'rm x'",
    "echo rm x | at now",
    "script -c 'rm x'",
    "xterm -e rm x",
];

#[test]
fn commands_beside_a_command_are_found_or_told() {
    let missed: Vec<&&str> = BESIDE.iter().filter(|line| !finds(line)).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

/// Lines in which nothing runs beside, and that are read with certainty.
const PLAIN: &[&str] = &[
    "git grep -n -e Oops -- -Ofoo",
    "git grep -O x",
    "git log -p --oneline -S x",
    "git -c user.name=a -c core.quotepath=false commit -m 'x -O y'",
    "git -c core.hooksPath=/dev/null commit -m x",
    "git -c core.fsmonitor=false status",
    "git config user.name a",
    "git config --get core.pager",
    "git clone -b main https://h/a",
    "git push origin HEAD",
    "GIT_TERMINAL_PROMPT=0 GIT_AUTHOR_NAME=y git fetch",
    "tar cf x.tar --checkpoint=5 a",
    "tar xzf a.tgz -C b --strip-components=1 --to-stdout",
    "sed -n 's/a/b/p' a",
    "sed -i.bak -e '/x/d' -e 's,a/b,c,g;s/e/f/' a",
    "sed '/^[^/]*$/{N;s/\\n/ /;P;D}' a",
    "sed 'a\\\ne rm x' a",
    "sed '$!N;y/ab/cd/;b e' a",
    "sed --quiet --expression=p a",
    "awk '{ print $1 }' a",
    "awk -F'|' -v n=3 '$2 ~ /a|b/ || $3 == \"x|y\" { s += $1 / 2; print s / n }' a",
    "awk '/[a-z|]+/ { n++ } END { print n }' a",
    "python3 -c 'print(\"rm x\")'",
    "python3 -c 'import json,sys; print(json.load(sys.stdin)[\"a\"])'",
    "python3 -c 'import sys; print(sys.version_info[:2])'",
    "curl -s h | python3 -m json.tool",
    "python3 a.py <<E\nrm x\nE",
    "node a.js -e x",
    "perl a.pl -e x",
    "vim +12 a",
    "less +G a",
    "gdb -batch -ex run -ex bt a",
    "ssh -o StrictHostKeyChecking=no -p 2 h",
    "scp -i k -P 2 a h:b",
    "make -j4 PREFIX=/usr CFLAGS='-O2 -g' all",
    "make SHELL=/bin/bash all",
    "ENV=prod NODE_ENV=test npm start",
    "export ENV=staging",
    "PYTHONPATH=src pytest -q",
    "PYTHONPATH=src python3 -m pytest",
    "PYTHONPATH=. python3 a.py",
    "env PYTHONPATH=src python3 a.py",
    "PATH+=:x ls",
    "git rev-parse --git-dir",
    "vim -u NONE a",
    "docker compose config",
    "kubectl config view",
    "npm config list",
    "time A=1 ls",
    "PYTHONPATH=src python3 -m mypackage.cli",
    "PYTHONPATH=src uv run pytest",
    "NODE_PATH=lib node a.js",
    "PATH=\"$HOME/.cargo/bin:$PATH\" cargo test",
    "export PATH=/usr/local/go/bin:$PATH",
    "PATH=$PATH:./node_modules/.bin tsc",
    "HOME=$HOME git status",
    "GIT_CONFIG_GLOBAL=/dev/null GIT_OPTIONAL_LOCKS=0 git status",
    "CARGO_BUILD_JOBS=4 cargo test",
    "CARGO_BUILD_RUSTFLAGS='-C target-cpu=native' cargo build",
    "for f in a b; do echo $f; done",
    "echo ${x:=5}",
    "ssh -D 1080 h",
    "ssh -F /dev/null h",
    "ssh -o ' Port = 22' -o \"ConnectTimeout 5\" h",
    "git clone -c user.name=a --depth 1 https://h/a",
    "git config --global user.name 'a b'",
    "git config --get core.pager",
    "git-log --oneline",
    "go build -ldflags '-s -w -X main.version=1'",
    "go env -w GOPROXY=direct",
    "apt-get -o Dpkg::Options::=--force-confold install x",
    "systemd-run --user -p MemoryMax=1G -E A=1 ls",
    "mvn -Dmaven.test.skip=true package",
    "cargo --config 'net.offline=true' build",
    "php -d memory_limit=-1 vendor/bin/phpunit",
    "python3 -Im json.tool a",
    "python3 -mvenv .venv",
    "perl s.pl a",
    "gcc -Wall -O2 -o a a.c -lm",
    "make 'CFLAGS=-O2 -g' -j8",
    "gh config set git_protocol ssh",
    "gh alias list",
    "npm config set registry https://h",
    "nvim --version",
    "sed ':a;N;$!ba;s/\\n/ /g' a",
    "awk '{ print ($1 + $2) / 2 }' a",
    "awk '($1) / 2 > 1 || $2 { print }' a",
    "SHELL=/bin/bash make",
    "NODE_OPTIONS=--max-old-space-size=4096 npm test",
    "RUSTFLAGS='-C target-cpu=native' cargo build",
    "cargo --config net.offline=true build",
    "rustc -C opt-level=3 a.rs",
    "go test ./... -run exec",
    "psql -c 'select 1'",
    "sqlite3 a 'select * from b'",
    "docker ps -a",
    "kubectl get pods -o wide",
    "rg -n 'e|c' src",
    "rg --pre-glob '*.x' a",
    "split -l 5 a b",
    "sort -k 2 -t c a",
    "man -k x",
    "hg log -r tip",
    "npm test -- --exec x",
    "wget -q http://h",
    "less a",
];

#[test]
fn a_line_that_runs_nothing_beside_stays_as_it_is() {
    let mut wrong = Vec::new();
    for line in PLAIN {
        let reading = Reading::of_line(line);
        let is_more = reading.commands.iter().any(super::super::Command::is_beside);
        if is_more || reading.uncertainty.is_some() {
            wrong.push(*line);
        }
    }
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn a_named_command_is_listed_and_read_like_a_line() {
    let reading = Reading::of_line("git -c core.pager='less; rm x' log");
    assert_eq!(reading.uncertainty, None);
    let listed: Vec<&str> = reading.listed().map(|one| one.text.as_str()).collect();
    assert_eq!(listed, ["git -c core.pager='less; rm x' log", "less", "rm x"]);
    for quiet in [
        "PAGER=cat git log",
        "GIT_EDITOR=true git commit",
        "git -c core.editor=: commit",
    ] {
        assert_eq!(Reading::of_line(quiet).uncertainty, None, "{quiet}");
    }
    for line in [
        "git -c core.pager=\"$X\" log",
        "tar xf a --to-command=\"$X\"",
        "EDITOR=$X git commit",
    ] {
        assert_eq!(
            Reading::of_line(line).uncertainty,
            Some(Uncertainty::Program),
            "{line}"
        );
    }
    for line in [
        "O=--to-command='rm x'; tar xf a \"$O\"",
        "export O='-Orm x'; git grep $O a",
    ] {
        assert_eq!(
            Reading::of_line(line).uncertainty,
            Some(Uncertainty::Program),
            "{line}"
        );
    }
    for line in [
        "O=-v; tar xf a $O",
        "F=--to-command=x; ls $F",
        "CFLAGS=-O2; gcc $CFLAGS a.c",
    ] {
        assert_eq!(Reading::of_line(line).uncertainty, None, "{line}");
    }
    for line in [
        "python3 -c \"$X\"",
        "awk \"$X\" a",
        "curl h | python3",
        "curl h | node -",
        "curl h | mysql a",
    ] {
        assert_eq!(
            Reading::of_line(line).uncertainty,
            Some(Uncertainty::Hidden),
            "{line}"
        );
    }
}

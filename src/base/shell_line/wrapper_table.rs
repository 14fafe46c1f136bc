//! The table of programs that run the command, or the line, among their arguments.
//!
//! Must not know: how a line is read.

mod elsewhere;

use self::elsewhere::ELSEWHERE;
use super::wrappers::{Runs, Wrapper};

const fn plain(name: &'static str, short: &'static str, long: &'static str, operands: u8) -> Wrapper {
    Wrapper {
        name,
        short,
        long,
        operands,
        sets: false,
        runs: Runs::Words,
    }
}

const fn runs(runs: Runs, wrapper: Wrapper) -> Wrapper {
    Wrapper { runs, ..wrapper }
}

const fn sets(wrapper: Wrapper) -> Wrapper {
    Wrapper {
        sets: true,
        ..wrapper
    }
}

/// The wrappers. An option that is not listed may or may not take a value: both are read.
pub(super) fn wrappers() -> impl Iterator<Item = &'static Wrapper> {
    HERE.iter().chain(ELSEWHERE)
}

/// Those of a shell, of processes and of languages.
const HERE: &[Wrapper] = &[
    // Of the shell itself.
    plain("builtin", "", "", 0),
    plain("command", "p", "", 0),
    sets(plain("coproc", "", "", 0)),
    plain("exec", "a:cl", "", 0),
    sets(plain("nocorrect", "", "", 0)),
    sets(plain("noglob", "", "", 0)),
    sets(plain("-", "", "", 0)),
    sets(plain("repeat", "", "", 1)),
    // Surroundings of a process.
    sets(plain(
        "env",
        "i0vu:C:P:a:L:U:",
        "unset= chdir= argv0= ignore-environment null debug ignore-signal default-signal \
             block-signal list-signal-handling",
        0,
    )),
    plain("nohup", "", "", 0),
    plain(
        "timeout",
        "fpvk:s:",
        "foreground preserve-status verbose kill-after= signal=",
        1,
    ),
    plain(
        "gtimeout",
        "fpvk:s:",
        "foreground preserve-status verbose kill-after= signal=",
        1,
    ),
    plain("nice", "n:0123456789", "adjustment=", 0),
    plain("ionice", "c:n:tp:P:u:", "class= classdata= ignore", 0),
    plain("chrt", "abdfimopRrvT:P:D:", "batch fifo idle other rr", 1),
    plain("taskset", "acp", "all-tasks cpu-list", 1),
    plain(
        "numactl",
        "N:m:C:p:i:l",
        "cpunodebind= membind= physcpubind= preferred= interleave= localalloc",
        0,
    ),
    plain("prlimit", "", "", 0),
    plain("choom", "n:p:", "adjust=", 0),
    plain("setsid", "cfw", "ctty fork wait", 0),
    plain("stdbuf", "i:o:e:", "input= output= error=", 0),
    plain("unbuffer", "p", "", 0),
    sets(plain(
        "time",
        "apvqlhf:o:",
        "append portability verbose quiet format= output=",
        0,
    )),
    plain("setarch", "BFILRSTXZv3", "", 1),
    plain("linux32", "BFILRSTXZv3", "", 0),
    plain("linux64", "BFILRSTXZv3", "", 0),
    // Other names of setarch.
    plain("i386", "BFILRSTXZv3", "", 0),
    plain("i486", "BFILRSTXZv3", "", 0),
    plain("i586", "BFILRSTXZv3", "", 0),
    plain("i686", "BFILRSTXZv3", "", 0),
    plain("x86_64", "BFILRSTXZv3", "", 0),
    plain("uname26", "BFILRSTXZv3", "", 0),
    plain("arch", "e:cdh", "arm64 arm64e x86_64 i386", 0),
    plain(
        "ld.so",
        "",
        "library-path= preload= audit= inhibit-rpath= argv0= inhibit-cache",
        0,
    ),
    sets(plain(
        "genv",
        "i0vu:C:P:a:L:U:",
        "unset= chdir= argv0= ignore-environment null debug",
        0,
    )),
    plain("gnice", "n:0123456789", "adjustment=", 0),
    plain("gnohup", "", "", 0),
    plain("gstdbuf", "i:o:e:", "input= output= error=", 0),
    plain(
        "cpulimit",
        "l:p:e:P:zikvfmcqrsw",
        "limit= pid= exe= path= lazy foreground monitor-forks verbose quiet",
        0,
    ),
    plain("schedtool", "NFRBIDa:n:p:M:", "", 0),
    plain(
        "aa-exec",
        "p:n:idvh",
        "profile= namespace= immediate debug verbose",
        0,
    ),
    plain("logsave", "asv", "", 1),
    plain("execlineb", "", "", 0),
    plain("tcpserver", "", "", 2),
    plain("tcpsvd", "", "", 2),
    plain("udpsvd", "", "", 2),
    plain("caffeinate", "disumt:w:", "", 0),
    plain("busybox", "", "", 0),
    plain("toybox", "", "", 0),
    plain("catchsegv", "", "", 0),
    plain("chronic", "ve", "", 0),
    plain("eatmydata", "", "", 0),
    plain("ccache", "", "", 0),
    plain("sccache", "", "", 0),
    plain("tini", "sgvwp:e:", "", 0),
    plain("dumb-init", "cvr:", "", 0),
    plain("ssh-agent", "cskdDPa:E:O:t:", "", 0),
    // Another user, another root, another session.
    sets(plain(
        "sudo",
        "AbEHknKPSsilBNu:g:h:p:C:c:D:r:R:t:T:U:",
        "user= group= host= prompt= close-from= chdir= chroot= role= type= \
             command-timeout= other-user= askpass background bell preserve-env set-home login \
             shell non-interactive preserve-groups stdin no-update reset-timestamp",
        0,
    )),
    sets(plain("doas", "nLsu:C:a:", "", 0)),
    runs(
        Runs::Given,
        plain(
            "su",
            "lmpPfc:g:G:s:u:",
            "login preserve-environment pty fast command= session-command= group= supp-group= shell= user=",
            1,
        ),
    ),
    runs(
        Runs::Given,
        plain(
            "runuser",
            "lmpPfc:g:G:s:u:",
            "login preserve-environment pty fast command= session-command= group= supp-group= shell= user=",
            0,
        ),
    ),
    plain("pkexec", "", "user= disable-internal-agent keep-cwd", 0),
    plain(
        "setpriv",
        "",
        "nnp no-new-privs reuid= regid= groups= clear-groups init-groups keep-groups \
             reset-env",
        0,
    ),
    plain("gosu", "", "", 1),
    plain("su-exec", "", "", 1),
    plain("chroot", "", "userspec= groups= skip-chdir", 1),
    plain(
        "unshare",
        "muinpUCTrfcM:",
        "map-root-user fork mount net pid user ipc uts root= wd=",
        0,
    ),
    plain("nsenter", "t:maunipCTUFrwS:G:", "target= all", 0),
    plain(
        "systemd-run",
        "tdPqrSGM:H:u:p:E:",
        "user scope pty pipe wait quiet unit= property= setenv= slice= uid= gid=",
        0,
    ),
    plain("systemd-inhibit", "", "what= who= why= mode=", 0),
    plain("dbus-run-session", "", "config-file=", 0),
    plain(
        "xvfb-run",
        "ade:f:hln:p:s:w:",
        "auto-servernum server-args= server-num=",
        0,
    ),
    plain("fakeroot", "l:s:i:ub:", "", 0),
    plain("faketime", "mp:fs:", "", 1),
    plain("proxychains", "qf:", "", 0),
    plain("proxychains4", "qf:", "", 0),
    plain("torsocks", "", "", 0),
    runs(
        Runs::Given,
        plain(
            "flock",
            "senuoxFvw:E:c:",
            "shared exclusive nonblock nb unlock close no-fork verbose timeout= wait= \
             conflict-exit-code= command=",
            1,
        ),
    ),
    // Watching a process.
    plain(
        "strace",
        "fFcCdhiknqrtTvVwxyYzZo:e:p:s:u:E:a:b:I:O:S:P:X:U:",
        "",
        0,
    ),
    plain("ltrace", "fcChirSttLo:e:p:s:u:n:a:l:", "", 0),
    plain("valgrind", "", "", 0),
    plain("perf stat", "aeABcdDe:ghiIo:p:r:vx:", "", 0),
    plain("perf trace", "e:p:t:u:aD:F:o:sSv", "", 0),
    plain("perf sched record", "", "", 0),
    plain("perf mem record", "e:KUv", "", 0),
    plain("perf lock record", "", "", 0),
    plain("perf c2c record", "", "", 0),
    plain("perf kvm record", "", "", 0),
    plain("uftrace", "F:N:P:D:t:d:A:R:C:", "", 0),
    plain("gdbserver", "", "attach multi once wrapper", 1),
    plain("gdbserver --wrapper", "", "", 0),
    plain("qemu-x86_64", "L:g:s:cE:0:U:B:R:", "", 0),
    plain("qemu-x86_64-static", "L:g:s:cE:0:U:B:R:", "", 0),
    plain("qemu-aarch64", "L:g:s:cE:0:U:B:R:", "", 0),
    plain("qemu-aarch64-static", "L:g:s:cE:0:U:B:R:", "", 0),
    plain("box64", "", "", 0),
    plain("perf record", "aAbc:C:de:F:gho:p:v", "", 0),
    plain("rlwrap", "", "", 0),
    // Once for each item, or again and again.
    runs(
        Runs::Input,
        plain(
            "xargs",
            "0prtxoa:d:E:I:L:n:P:s:J:R:S:e::i::l::",
            "null interactive no-run-if-empty verbose exit open-tty arg-file= delimiter= \
             max-args= max-procs= max-chars= max-lines replace eof process-slot-var=",
            0,
        ),
    ),
    runs(
        Runs::Input,
        plain(
            "gxargs",
            "0prtxoa:d:E:I:L:n:P:s:J:R:S:e::i::l::",
            "null interactive no-run-if-empty verbose exit open-tty arg-file= delimiter= \
             max-args= max-procs= max-chars= max-lines replace eof process-slot-var=",
            0,
        ),
    ),
    runs(
        Runs::Line,
        plain(
            "parallel",
            "0kmqtuvXj:a:I:N:n:L:P:S:d:",
            "jobs= arg-file= colsep= delay= dry-run eta bar keep-order null pipe will-cite \
             halt= max-args=",
            0,
        ),
    ),
    runs(
        Runs::Line,
        plain(
            "watch",
            "bcCdegpqrtvwxn:",
            "beep color differences errexit chgexit exec no-title no-wrap precise interval=",
            0,
        ),
    ),
    plain("entr", "acdnprsxz", "", 0),
    runs(
        Runs::Line,
        plain("hyperfine", "w:r:m:M:N", "warmup= runs= min-runs= max-runs=", 0),
    ),
    runs(
        Runs::Given,
        plain(
            "script",
            "aefqBc:E:I:O:T:m:o:",
            "append command= return flush force quiet log-in= log-out= log-io=",
            1,
        ),
    ),
    runs(
        Runs::Line,
        plain(
            "ssh",
            "46AaCfGgKkMNnqsTtVvXxYyB:b:c:D:E:e:F:I:i:J:L:l:m:O:o:p:Q:R:S:W:w:",
            "",
            1,
        ),
    ),
    // Tools of languages.
    plain(
        "uv run",
        "qvnp:",
        "with= python= project= directory= isolated no-sync frozen locked",
        0,
    ),
    plain("poetry run", "", "", 0),
    plain("pipenv run", "", "", 0),
    plain("pdm run", "", "", 0),
    plain("hatch run", "", "", 0),
    plain(
        "conda run",
        "n:p:v",
        "name= prefix= cwd= no-capture-output live-stream",
        0,
    ),
    plain("bundle exec", "", "", 0),
    runs(
        Runs::Given,
        plain("npm exec", "c:yqw:", "call= package= yes workspace=", 0),
    ),
    plain("pnpm exec", "", "", 0),
    plain("yarn exec", "", "", 0),
    runs(Runs::Given, plain("npx", "c:yqp:", "call= yes package=", 0)),
    plain("rustup run", "", "install", 1),
    plain("pixi run", "e:", "environment= manifest-path=", 0),
    plain("rye run", "", "", 0),
    plain("asdf exec", "", "", 0),
    plain("pyenv exec", "", "", 0),
    plain("rbenv exec", "", "", 0),
    plain("bunx", "", "", 0),
    plain("direnv exec", "", "", 1),
    runs(Runs::Any, plain("mise exec", "", "", 0)),
    runs(Runs::Any, plain("mise x", "", "", 0)),
    runs(Runs::Any, plain("rtx exec", "", "", 0)),
    plain("asdf env", "", "", 1),
    plain(
        "volta run",
        "",
        "node= npm= yarn= pnpm= env= bundled-npm no-npm no-yarn",
        0,
    ),
    plain("fnm exec", "", "using= using-file", 0),
    plain("nvm exec", "", "silent lts=", 1),
    plain("n exec", "", "", 1),
    plain("nodenv exec", "", "", 0),
    plain("jenv exec", "", "", 0),
    plain("goenv exec", "", "", 0),
    plain("plenv exec", "", "", 0),
    plain("perlbrew exec", "", "with=", 0),
    plain("rvm do", "", "", 0),
    plain("chruby-exec", "", "", 1),
    plain("pixi exec", "s:c:", "spec= channel=", 0),
    plain("pixi r", "e:", "environment= manifest-path=", 0),
    plain(
        "mamba run",
        "n:p:v",
        "name= prefix= cwd= no-capture-output live-stream",
        0,
    ),
    plain(
        "micromamba run",
        "n:p:a:",
        "name= prefix= cwd= attach= detach clean-env",
        0,
    ),
    plain("pipenv shell", "", "", 0),
    plain("overmind run", "", "", 0),
    plain("railway run", "s:e:", "service= environment=", 0),
    plain("heroku local:run", "e:p:", "env= port=", 0),
    plain("vercel env run", "e:", "environment=", 0),
    plain("netlify dev:exec", "", "context=", 0),
    plain("teller run", "", "", 0),
    plain("dotenv run", "", "", 0),
    plain("meson devenv", "C:w:", "workdir=", 0),
    plain("spack build-env", "", "", 1),
    plain("nyc", "", "", 0),
    plain("c8", "", "", 0),
    runs(Runs::Line, plain("pm2 start", "", "name= interpreter=", 0)),
    plain("forever start", "c:", "", 0),
];

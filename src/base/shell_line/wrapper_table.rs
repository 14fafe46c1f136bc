//! The table of programs that run the command, or the line, among their arguments.
//!
//! Must not know: how a line is read.

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
pub(super) const WRAPPERS: &[Wrapper] = &[
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
    plain("mise exec", "", "", 0),
    // Containers and other machines.
    plain("docker exec", "ditu:w:e:", DOCKER, 1),
    plain("podman exec", "ditlu:w:e:", DOCKER, 1),
    plain("nerdctl exec", "ditu:w:e:", DOCKER, 1),
    plain("docker container exec", "ditu:w:e:", DOCKER, 1),
    plain("docker run", DOCKER_SHORT, DOCKER, 1),
    plain("podman run", DOCKER_SHORT, DOCKER, 1),
    plain("nerdctl run", DOCKER_SHORT, DOCKER, 1),
    plain("docker container run", DOCKER_SHORT, DOCKER, 1),
    plain("docker create", DOCKER_SHORT, DOCKER, 1),
    plain("docker compose exec", "dTu:w:e:", DOCKER, 1),
    plain("docker compose run", "dTPiu:w:e:v:p:l:", DOCKER, 1),
    plain("docker-compose exec", "dTu:w:e:", DOCKER, 1),
    plain("docker-compose run", "dTPiu:w:e:v:p:l:", DOCKER, 1),
    plain("podman compose exec", "dTu:w:e:", DOCKER, 1),
    plain("podman compose run", "dTPiu:w:e:v:p:l:", DOCKER, 1),
    plain("kubectl exec", "itqc:n:f:", KUBECTL, 1),
    plain("kubectl run", "itqn:l:", KUBECTL, 1),
    plain("kubectl debug", "itqc:n:", KUBECTL, 1),
    plain("oc exec", "itqc:n:f:", KUBECTL, 1),
    plain("oc rsh", "itqc:n:T", KUBECTL, 1),
    plain("crictl exec", "itsr:", "timeout= interactive tty sync", 1),
    plain("lxc exec", "nTt", "cwd= env= user= group= mode=", 1),
    plain("incus exec", "nTt", "cwd= env= user= group= mode=", 1),
    plain("lxc-attach", "n:su:g:v:e", "name= uid= gid= set-var=", 0),
    plain(
        "systemd-nspawn",
        "D:i:M:u:bqax",
        "directory= image= machine= user= bind= bind-ro= setenv=",
        0,
    ),
    plain("machinectl shell", "qE:", "uid= setenv=", 1),
    plain("distrobox enter", "n:Tr", "name= no-tty root", 1),
    plain("distrobox-enter", "n:Tr", "name= no-tty root", 1),
    plain("toolbox run", "c:d:r:", "container= distro= release=", 0),
    plain(
        "multipass exec",
        "d:n",
        "working-directory= no-map-working-directory",
        1,
    ),
    plain(
        "flatpak-spawn",
        "v",
        "host watch-bus directory= env= clear-env",
        0,
    ),
    plain("ip netns exec", "", "", 1),
    plain("ip vrf exec", "", "", 1),
    runs(Runs::Line, plain("adb shell", "ntTxe:s:", "", 0)),
    runs(
        Runs::Line,
        plain(
            "heroku run",
            "a:r:s:e:",
            "app= remote= size= env= exit-code no-tty",
            0,
        ),
    ),
    runs(
        Runs::Line,
        plain(
            "autossh",
            "46AaCfGgKkMNnqsTtVvXxYyB:b:c:D:E:e:F:I:i:J:L:l:m:O:o:p:Q:R:S:W:w:M:",
            "",
            1,
        ),
    ),
    plain("mosh", "46ap:", "ssh= server= client= predict= port= family=", 1),
    runs(Runs::Line, plain("sshpass", "p:f:d:P:ve", "", 0)),
    // Sandboxes.
    runs(Runs::Any, plain("bwrap", "", "", 0)),
    plain("firejail", "c", "quiet private net= profile=", 0),
    plain("proot", "r:b:q:w:0S:R:k:", "rootfs= bind= cwd= kill-on-exit", 0),
    plain("fakechroot", "se:d:b:", "", 0),
    runs(Runs::Given, plain("capsh", "c", "", 0)),
    plain("cgexec", "g:", "sticky", 0),
    plain(
        "run0",
        "u:g:D:E:p:",
        "user= group= chdir= setenv= unit= property= nice=",
        0,
    ),
    plain("setuidgid", "", "", 1),
    plain("s6-setuidgid", "", "", 1),
    plain("chpst", "u:U:b:e:/:n:l:L:m:d:o:p:f:c:r:t:vP012", "", 0),
    plain("envdir", "", "", 1),
    plain("envuidgid", "", "", 1),
    plain("softlimit", "a:c:d:f:l:m:o:p:r:s:t:", "", 0),
    plain("setlock", "nNxX", "", 1),
    runs(Runs::Given, plain("sg", "c:", "command=", 1)),
    // Surroundings, again.
    sets(plain("cross-env", "", "", 0)),
    sets(runs(Runs::Line, plain("cross-env-shell", "", "", 0))),
    plain("dotenv", "e:f:c:v:p:", "env= file= override", 0),
    plain(
        "env-cmd",
        "f:e:r:",
        "file= environments= fallback no-override silent verbose",
        0,
    ),
    plain(
        "doppler run",
        "p:c:",
        "project= config= token= mount= fallback=",
        0,
    ),
    plain("infisical run", "", "env= path= projectId= token=", 0),
    plain("op run", "", "env-file= no-masking account=", 0),
    plain(
        "aws-vault exec",
        "d:t:jns",
        "duration= mfa-token= region= no-session server ecs-server",
        1,
    ),
    plain("chamber exec", "b:", "pristine strict backend=", 1),
    runs(
        Runs::Line,
        plain("sops exec-env", "", "user= pristine background", 1),
    ),
    runs(
        Runs::Line,
        plain("sops exec-file", "", "filename= no-fifo user= background", 1),
    ),
    plain("foreman run", "f:e:d:", "procfile= env= root=", 0),
    plain("honcho run", "f:e:d:", "procfile= env= app-root=", 0),
    plain("vglrun", "d:c:", "", 0),
    plain("prime-run", "", "", 0),
    plain("optirun", "b:d:", "", 0),
    plain("primusrun", "", "", 0),
    plain("gamemoderun", "", "", 0),
    plain("wine", "", "", 0),
    plain("dbus-launch", "", "exit-with-session sh-syntax", 0),
    plain("xinit", "", "", 0),
    plain("startx", "", "", 0),
    sets(plain("cmake -E env", "", "unset= modify=", 0)),
    plain("cmake -E time", "", "", 0),
    plain("cmake -E chdir", "", "", 1),
    // Later, in the background, or again and again.
    plain("ifne", "n", "", 0),
    runs(
        Runs::Line,
        plain(
            "pee",
            "",
            "ignore-sigpipe no-ignore-sigpipe ignore-write-errors",
            0,
        ),
    ),
    runs(Runs::Line, plain("mispipe", "", "", 0)),
    plain("lckdo", "weEs:q", "", 1),
    plain("daemonize", "ac:e:E:l:o:p:u:v", "", 0),
    plain("tsp", "nfmdE:L:N:B", "", 0),
    plain("ts", "", "", 0),
    plain("nq", "cqw", "", 0),
    plain("retry", "d:t:i:m:", "until= times= delay= interval=", 0),
    plain("run-one", "", "", 0),
    plain("run-this-one", "", "", 0),
    plain("keep-one-running", "", "", 0),
    plain("cronic", "", "", 0),
    plain("dtach", "Aac:n:Ne:Er:zp:", "", 1),
    plain("abduco", "acrnlfe:p", "", 1),
    plain("screen", "dDmRaAlLqUvxfi:c:e:h:p:r:S:s:t:T:X", "", 0),
    runs(
        Runs::Line,
        plain(
            "watchexec",
            "w:e:f:i:d:s:crnvqE:p:I",
            "watch= exts= filter= ignore= debounce= shell= restart clear",
            0,
        ),
    ),
    runs(
        Runs::Line,
        plain(
            "concurrently",
            "kn:c:p:s:r",
            "names= prefix= kill-others kill-others-on-fail",
            0,
        ),
    ),
    runs(Runs::Line, plain("start-server-and-test", "", "", 0)),
    plain(
        "nodemon",
        "w:e:i:x:qVd:",
        "watch= ext= ignore= exec= delay= quiet",
        0,
    ),
    plain("xterm -e", "", "", 0),
    plain("uxterm -e", "", "", 0),
    plain("urxvt -e", "", "", 0),
    plain("konsole -e", "", "", 0),
    plain("alacritty -e", "", "", 0),
    plain("x-terminal-emulator -e", "", "", 0),
    plain("gnome-terminal --", "", "", 0),
    plain("gnome-terminal -x", "", "", 0),
    plain("xfce4-terminal -x", "", "", 0),
    plain(
        "kitty",
        "1c:d:T:o:",
        "class= name= title= config= directory= hold",
        0,
    ),
    plain("foot", "c:f:t:T:a:w:D:H", "", 0),
    plain(
        "zellij run",
        "fn:d:",
        "name= cwd= direction= floating close-on-exit",
        0,
    ),
    runs(
        Runs::Line,
        plain("tmux new-session", "AdDEPXn:s:t:c:e:F:f:x:y:", "", 0),
    ),
    runs(Runs::Line, plain("tmux new", "AdDEPXn:s:t:c:e:F:f:x:y:", "", 0)),
    runs(Runs::Line, plain("tmux new-window", "abdkPSc:e:F:n:t:", "", 0)),
    runs(Runs::Line, plain("tmux neww", "abdkPSc:e:F:n:t:", "", 0)),
    runs(
        Runs::Line,
        plain("tmux split-window", "bdfhIvPZc:e:l:t:F:p:", "", 0),
    ),
    runs(Runs::Line, plain("tmux splitw", "bdfhIvPZc:e:l:t:F:p:", "", 0)),
    runs(Runs::Line, plain("tmux respawn-pane", "kc:e:t:", "", 0)),
    runs(Runs::Line, plain("tmux run-shell", "bCc:d:t:", "", 0)),
    runs(Runs::Line, plain("tmux run", "bCc:d:t:", "", 0)),
    runs(Runs::Line, plain("tmux if-shell", "bFt:", "", 0)),
    runs(Runs::Line, plain("tmux send-keys", "FHKlMRXc:N:t:", "", 0)),
    runs(Runs::Line, plain("tmux send", "FHKlMRXc:N:t:", "", 0)),
    runs(Runs::Line, plain("tmux pipe-pane", "IOot:", "", 0)),
    runs(
        Runs::Line,
        plain("tmux display-popup", "BCEb:c:d:e:h:s:S:t:T:w:x:y:", "", 0),
    ),
    plain(
        "consul lock",
        "n:",
        "name= pass-stdin try= timeout= shell= monitor-retry=",
        1,
    ),
    plain("consul exec", "", "node= service= tag= wait=", 0),
    // Debuggers that run the program among their arguments.
    plain("gdb --args", "", "", 0),
    plain("lldb --", "", "", 0),
    plain("rr record", "nhMwo:", "chaos output-trace-dir=", 0),
    plain("heaptrack", "o:p:rc:", "output= pid= raw", 0),
    plain("samply record", "o:r:s", "output= rate= save-only", 0),
    // Tools of languages, again.
    plain("uvx", "qvp:w:", "from= with= python= isolated no-cache", 0),
    plain(
        "uv tool run",
        "qvp:w:",
        "from= with= python= isolated no-cache",
        0,
    ),
    plain("pipx run", "qv", "spec= python= pip-args= no-cache verbose", 0),
    runs(
        Runs::Given,
        plain("npm x", "c:yqw:", "call= package= yes workspace=", 0),
    ),
    plain("pnpm dlx", "cs", "package= silent shell-mode", 0),
    plain("pnpx", "", "", 0),
    plain("yarn dlx", "p:q", "package= quiet", 0),
    plain("bun x", "", "bun", 0),
    plain(
        "lerna exec",
        "",
        "scope= ignore= concurrency= stream parallel no-bail",
        0,
    ),
    plain("nix run", "", "", 1),
    plain("nix develop -c", "", "", 0),
    plain("nix develop --command", "", "", 0),
    plain("nix shell -c", "", "", 0),
    plain("nix shell --command", "", "", 0),
    plain("guix shell", "CNFm:f:D", "pure container network manifest=", 0),
    plain("guix environment", "CN", "ad-hoc pure container", 0),
    plain("devbox run", "c:e:", "config= env=", 0),
    plain("flox activate", "d:r:", "dir= remote=", 0),
    plain("coverage run", "pamL", "source= omit= include= rcfile= branch", 0),
];

/// Options of the programs that run containers.
const DOCKER_SHORT: &str = "ditPqa:c:e:h:l:m:p:u:v:w:";
const DOCKER: &str = "user= workdir= env= env-file= name= volume= mount= publish= network= entrypoint= hostname= label= memory= \
    cpus= platform= restart= gpus= device= cap-add= cap-drop= security-opt= add-host= index= rm detach interactive tty init \
    privileged read-only no-deps service-ports pull= quiet tmpfs= ulimit= shm-size= ipc= pid= userns= log-driver= log-opt=";
/// Options of `kubectl`.
const KUBECTL: &str = "container= namespace= stdin tty quiet context= kubeconfig= image= restart= rm env= labels= overrides= \
    command attach port= dry-run= pod-running-timeout= target= profile= copy-to= filename=";

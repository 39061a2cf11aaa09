"""Measures large files beside age and cp, and a watcher: `Benchmarks/run files [MIB]`."""

import os
import shutil
import subprocess
import sys
import time

from harness import KEYBACKUP, STATE, ms, on_terminal, table

PLACE = os.path.join(STATE, "files")
FOLDER = os.path.join(PLACE, "folder")
ROUNDS = 3


def path(name):
    return os.path.join(PLACE, name)


def keybackup(*words):
    return on_terminal(KEYBACKUP, *words, "--folder", FOLDER)


def shell(line):
    return on_terminal("sh", "-euc", line)


def prepare(mib):
    os.makedirs(FOLDER)
    on_terminal(KEYBACKUP, "init", FOLDER)
    keybackup("writers", "authorise", "--label", "bench")
    with open(path("source"), "wb") as file:
        for _ in range(mib):
            file.write(os.urandom(1 << 20))
    shell(f"sync; age-keygen -o {path('age.key')} 2>/dev/null; age-keygen -y -o {path('age.pub')} {path('age.key')}")


def forget(*names):
    for name in names:
        shutil.rmtree(path(name), ignore_errors=True)
        if os.path.exists(path(name)):
            os.remove(path(name))


def throughput(mib):
    """Each writes the whole file durably, in turns, so that the machine's load hits all alike."""
    ways = {
        "in: cp + sync": lambda turn: shell(f"cp {path('source')} {path('copy')}; sync {path('copy')}"),
        "in: age + sync": lambda turn: shell(
            f"age -R {path('age.pub')} -o {path('sealed')} {path('source')}; sync {path('sealed')}"),
        "in: keybackup file add": lambda turn: keybackup("file", "add", path("source"), "--name", f"big-{turn}"),
        "out: age + sync": lambda turn: shell(
            f"age -d -i {path('age.key')} -o {path('opened')} {path('sealed')}; sync {path('opened')}"),
        "out: keybackup file restore": lambda turn: keybackup(
            "file", "restore", f"big-{turn}", "--out", path("restored")),
    }
    seen = {name: [] for name in ways}
    for turn in range(ROUNDS):
        for name, run in ways.items():
            seen[name].append(run(turn)[0])
        shell(f"cmp {path('source')} {path('opened')}; cmp {path('source')} {path('restored')}/bench/big-{turn}")
        forget("copy", "sealed", "opened", "restored")
        shutil.rmtree(os.path.join(FOLDER, "cspp-namespaces", os.listdir(FOLDER + "/cspp-namespaces")[0],
                                   "keybackup/objects"))
    best = {name: min(u["seconds"] for u in used) for name, used in seen.items()}
    rows = [[name, ms(1000 * best[name]), f"{mib / best[name]:.0f} MiB/s",
             f"{best[name] / best[name.split(':')[0] + ': age + sync']:.2f}",
             f"{max(u['kib'] for u in seen[name]) / 1024:.0f} MiB"] for name in ways]
    table(f"A file of {mib} MiB, best of {ROUNDS}", ["", "time", "throughput", "against age", "memory"], rows)


def sparse(gib):
    with open(path("sparse"), "wb") as file:
        file.truncate(gib << 30)
    rows = []
    for name, words in (("file add", ["file", "add", path("sparse")]),
                        ("file restore", ["file", "restore", "sparse", "--out", path("restored")])):
        used, _ = keybackup(*words)
        rows.append([name, ms(1000 * used["seconds"]), f"{used['kib'] / 1024:.0f} MiB"])
    forget("sparse", "restored")
    table(f"A sparse file of {gib} GiB", ["", "time", "memory"], rows)


def ticks(process):
    with open(f"/proc/{process}/stat") as file:
        fields = file.read().rsplit(") ", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def peak(process):
    with open(f"/proc/{process}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))


def watcher(changes, idle):
    small = path("small")
    with open(small, "wb") as file:
        file.write(os.urandom(20_000))
    log = open(path("log"), "wb")
    process = subprocess.Popen([KEYBACKUP, "file", "watch", small, "--folder", FOLDER, "--heartbeat", path("beat")],
                               stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def saved():
        with open(path("log")) as file:
            return file.read().count("Saved ")

    late = []
    for number in range(changes + 1):
        while saved() < number:
            time.sleep(0.002)
        if number == changes:
            break
        if number:
            with open(small, "wb") as file:
                file.write(os.urandom(20_000))
        begun = time.monotonic()
        while saved() < number + 1:
            time.sleep(0.002)
        late.append(time.monotonic() - begun)
    before = ticks(process.pid)
    time.sleep(idle)
    used = ticks(process.pid) - before
    memory = peak(process.pid)
    process.terminate()
    process.wait()
    table(f"A watcher of a file of 20 KB, {changes} versions", ["", ""], [
        ["from change to durable version, longest", ms(1000 * max(late[1:]))],
        ["memory, peak", f"{memory / 1024:.1f} MiB"],
        [f"processor time in {idle} s without a change", ms(1000 * used / os.sysconf('SC_CLK_TCK'))]])


def main(mib):
    prepare(mib)
    watcher(20, 60)
    throughput(mib)
    sparse(4)


if __name__ == "__main__":
    main(int(sys.argv[2]) if len(sys.argv) > 2 else 1024)

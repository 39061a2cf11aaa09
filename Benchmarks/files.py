"""Measures files and computers that write without a touch: `Benchmarks/run files [MIB]`."""

import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

from harness import KEYBACKUP, ROOT, STATE, in_turns, ms, on_terminal, table

sys.path.insert(0, os.path.join(ROOT, "Tests/reader"))
import sealed_format  # noqa: E402
import sealed_writer  # noqa: E402

PLACE = os.path.join(STATE, "files")
FOLDER = os.path.join(PLACE, "folder")
ROUNDS = 3


def path(name):
    return os.path.join(PLACE, name)


def keybackup(*words, folder=FOLDER):
    return on_terminal(KEYBACKUP, *words, "--folder", folder)


def shell(line):
    return on_terminal("sh", "-euc", line)


def begin(folder):
    """A backup to which this computer may add files without a touch."""
    os.makedirs(folder)
    on_terminal(KEYBACKUP, "init", folder)
    keybackup("writers", "authorise", "--label", "bench", folder=folder)


def prepare(mib):
    with open(path("source"), "wb") as file:
        for _ in range(mib):
            file.write(os.urandom(1 << 20))
    shell(f"age-keygen -o {path('age.key')} 2>/dev/null; age-keygen -y -o {path('age.pub')} {path('age.key')}; sync")


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
        "out: cp + sync": lambda turn: shell(f"cp {path('source')} {path('copy')}; sync {path('copy')}"),
        "out: age + sync": lambda turn: shell(
            f"age -d -i {path('age.key')} -o {path('opened')} {path('sealed')}; sync {path('opened')}"),
        "out: keybackup file restore": lambda turn: keybackup(
            "file", "restore", f"big-{turn}", "--out", path("restored")),
    }
    seen = {name: [] for name in ways}
    for turn in range(ROUNDS):
        for name, run in ways.items():
            forget("copy")
            # What others wrote before is on the disk.
            os.sync()
            seen[name].append(run(turn)[0])
        shell(f"cmp {path('source')} {path('opened')}; cmp {path('source')} {path('restored')}/bench/big-{turn}")
        forget("copy", "sealed", "opened", "restored")
        shutil.rmtree(os.path.join(FOLDER, "cspp-namespaces", os.listdir(FOLDER + "/cspp-namespaces")[0],
                                   "keybackup/objects"))
    best = {name: min(u["seconds"] for u in used) for name, used in seen.items()}
    rows = [[name, ms(1000 * best[name]), f"{mib / best[name]:.0f} MiB/s",
             f"{best[name] / best[name.split(':')[0] + ': age + sync']:.2f}",
             ms(1000 * min(u["processor"] for u in seen[name])), f"{max(u['kib'] for u in seen[name]) / 1024:.0f} MiB"] for name in ways]
    table(f"A file of {mib} MiB, best of {ROUNDS}", ["", "time", "throughput", "time to age", "processor", "memory"], rows)


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


def status(process, field):
    with open(f"/proc/{process}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(field + ":"))


def switches(process):
    """How often any of its threads has been woken."""
    return sum(status(f"{process}/task/{thread}", field) for thread in os.listdir(f"/proc/{process}/task")
               for field in ("voluntary_ctxt_switches", "nonvoluntary_ctxt_switches"))


def size(folder):
    return sum(path.stat().st_size for path in pathlib.Path(folder).rglob("*") if path.is_file())


def versions(count):
    """Many versions of a small file, a process for each."""
    place = path("many")
    before = size(FOLDER)
    times = []
    for _ in range(count):
        with open(place, "wb") as file:
            file.write(os.urandom(20_000))
        times.append(keybackup("file", "add", place)[0])
    every = [1000 * used["seconds"] for used in times]
    table(f"{count} versions of a file of 20 KB, `file add` for each", ["", ""], [
        ["time, median", ms(statistics.median(every))],
        ["the first ten, the last ten", f"{ms(statistics.median(every[:10]))}, {ms(statistics.median(every[-10:]))}"],
        ["processor time, median", ms(1000 * statistics.median(used["processor"] for used in times))],
        ["memory", f"{max(used['kib'] for used in times) / 1024:.1f} MiB"],
        ["size in the folder, each", f"{(size(FOLDER) - before) / count / 1000:.1f} kB"]])


def watcher(changes, idle):
    """A watcher in a folder that has many versions."""
    small = path("small")
    with open(small, "wb") as file:
        file.write(os.urandom(20_000))
    with open(path("log"), "wb") as log:
        process = subprocess.Popen([KEYBACKUP, "file", "watch", small, "--folder", FOLDER],
                                   stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def wait_for(number):
        while True:
            with open(path("log")) as file:
                if file.read().count("Saved ") >= number:
                    return
            if process.poll() is not None:
                sys.exit("the watcher ended")
            time.sleep(0.002)

    wait_for(1)
    late = []
    for number in range(changes):
        with open(small, "wb") as file:
            file.write(os.urandom(20_000))
        begun = time.monotonic()
        wait_for(number + 2)
        late.append(1000 * (time.monotonic() - begun))
    time.sleep(1)
    before, woken = ticks(process.pid), switches(process.pid)
    time.sleep(idle)
    used, woken = ticks(process.pid) - before, switches(process.pid) - woken
    peak, now = (status(process.pid, field) / 1024 for field in ("VmHWM", "VmRSS"))
    process.terminate()
    process.wait()
    table(f"A watcher of a file of 20 KB, {changes} changes", ["", ""], [
        ["from change to durable version, median", ms(statistics.median(late))],
        ["the longest", ms(max(late))],
        ["memory, peak", f"{peak:.1f} MiB"], ["memory while it waits", f"{now:.1f} MiB"],
        [f"processor time in {idle} s without a change", ms(1000 * used / os.sysconf('SC_CLK_TCK'))],
        [f"wake-ups in {idle} s without a change", woken]])


def fill(folder, count):
    """Adds operations as a silent writer, by the independent implementation: a version of one small file each."""
    states = [p for p in pathlib.Path(STATE).rglob("*.writer") if os.path.basename(p) not in known]
    known.update(os.path.basename(p) for p in states)
    lines = dict(line.split(" ", 1) for line in states[0].read_text().splitlines() if " " in line)
    writer, after = lines["writer"], lines["after"].split()
    chain = pathlib.Path(folder, "cspp-namespaces", lines["namespace"], "keybackup/sealed", writer)
    chain.mkdir(parents=True)
    header = {"namespace_id": lines["namespace"], "writer_id": writer}
    replaces = []
    for counter in range(1, count + 1):
        text = b"version %d" % counter
        version = {"inline": sealed_writer.f.to_base64(text), "size": len(text), "modified": 1_700_000_000, "mode": 0o600,
                   "content": sealed_format.sha256(text)}
        made = sealed_writer.operation({
            "header": {**header, "counter": counter, **({"previous": replaces[0]} if replaces else {})},
            "at": 1_700_000_000 + counter,
            "after": {"writer_id": after[0], "counter": int(after[1]), "sha256": after[2]},
            "changes": [{"file-put": {"file_id": "ab" * 16, "name": "small", "version": version, "replaces": replaces}}],
            "inbox": lines["inbox"], "writer_secret": lines["secret"], "seed": lines["seed"]})
        (chain / made["name"]).write_bytes(sealed_writer.s.from_base64(made["file"]))
        replaces = [made["sha256"]]


known = set()


def reading(counts):
    """What many sealed operations cost a reader."""
    folders = {count: path(f"reading-{count}") for count in counts}
    for count, folder in folders.items():
        begin(folder)
        fill(folder, count)
        _, text = keybackup("file", "list", "--json", folder=folder)
        if json.loads(text)["files"][0]["versions"] != count:
            sys.exit(f"not {count} versions: {text}")
    rows = []
    for name, words in (("file list", ["file", "list"]), ("status", ["status"]), ("verify --deep", ["verify", "--deep"]),
                        ("file add, silent", ["file", "add", path("one")])):
        used = {}
        for count, folder in folders.items():
            def command(count=count, folder=folder):
                with open(path("one"), "wb") as file:
                    file.write(os.urandom(1000))
                return [KEYBACKUP, *words, "--folder", folder]
            used[count] = in_turns(3, only=command)["only"]
        rows.append([f"`{name}`", *(ms(used[count]["ms"]) for count in counts),
                     *(f"{used[count]['mib']:.1f} MiB" for count in counts)])
    table("Reading a backup with many versions of one file, each an operation of a silent writer",
          ["", *(f"{count:,} operations" for count in counts), *(f"memory, {count:,}" for count in counts)], rows)


def main(mib):
    os.makedirs(PLACE)
    reading([200, 20_000])
    begin(FOLDER)
    versions(1000)
    watcher(20, 60)
    prepare(mib)
    throughput(mib)
    sparse(4)


if __name__ == "__main__":
    main(int(sys.argv[2]) if len(sys.argv) > 2 else 1024)

#!/usr/bin/env python3
"""Looks for keys on a computer that writes without a touch: on its disk, and in a running watcher's memory.

    silent_scan.py FOLDER --prf-output HEX --signing-key HEX --home DIR --file PATH -- COMMAND [ARGUMENT...]

COMMAND watches PATH and prints "Saved" for each version. Every key is derived from the folder as a computer with the
security key does, with the readers in Tests/reader. Prints JSON: what was found where.
"""
import argparse
import base64
import ctypes
import json
import os
import pathlib
import secrets
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "reader"))
import cspp_format as f  # noqa: E402
import cspp_reader  # noqa: E402
import sealed_format as s  # noqa: E402
import sealed_reader as r  # noqa: E402

WINDOW = 1 << 20
ROOM = "x" * 64
TRIES = 1000


def keys(folder, prf_output, signing):
    """Everything that opens something, by a name for people."""
    found = {"PRF output": prf_output}
    for place in cspp_reader.namespaces(folder, None):
        for path in place.glob("keybackup/keys/*.json"):
            master = cspp_reader.open_key_file(path, place.name, prf_output)
            found["wrapping key"] = f.wrapping_key(prf_output, path.stem)
        found["master key"] = master
        found["key of wallets"] = f.derive(master, "cspp:v1:critical")
        inbox = s.inbox_private(master)
        found["inbox"] = inbox
        for path in place.glob("wallets/*.json"):
            salt = bytes.fromhex(cspp_reader.load(path)["wallet_salt"])
            found["wallet " + path.name[7:15]] = f.wallet_key(master, salt)
        for path in place.glob("keybackup/log/*/*.json"):
            found["operation " + path.name[:12]] = f.operation_key(master, path.parent.name, int(path.name[:8]))
        for path in sorted(place.glob("keybackup/sealed/*/*.json")):
            data = path.read_bytes()
            header, _, _, box, _ = r.parse(data)
            secret = s.writer_secret(master, header["writer_id"], signing)
            shared = s.exchange(inbox, box[:32])
            name = "sealed operation %d" % header["counter"]
            found["shared secret of " + name] = shared
            found[name] = s.operation_key(shared, secret, header, box[:32], s.public(inbox), signing)
            opened = r.run("operation", {"file": f.to_base64(data), "writer_id": header["writer_id"],
                                         "signing_key": signing.hex(), "master_key": master.hex()})
            for change in opened["changes"]:
                version = change["fields"]["version"]
                if "key" in version:
                    found["object of " + name] = bytes.fromhex(version["key"])
    return found, master


def forms(key):
    """The key itself, each half of it, and how text may have it."""
    half = len(key) // 2
    return [key, key[:half], key[half:], key.hex().encode(), base64.b64encode(key), base64.urlsafe_b64encode(key).rstrip(b"=")]


def seen(needles, data):
    return {name for name, key in needles.items() if any(form in data for form in forms(key))}


class Part(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]


class Memory:
    """The memory of another process, as far as it can be read or was not read from a file."""

    def __init__(self, process):
        self.process, self.libc = process, ctypes.CDLL(None, use_errno=True)

    def call(self, name, address, buffer):
        own, other = Part(ctypes.addressof(buffer), len(buffer)), Part(address, len(buffer))
        move = getattr(self.libc, name)
        move.restype = ctypes.c_ssize_t
        return move(self.process, ctypes.byref(own), 1, ctypes.byref(other), 1, 0)

    def regions(self):
        for line in open("/proc/%d/maps" % self.process):
            fields = line.split()
            if fields[1][0] == "r" and (fields[1][1] == "w" or fields[4] == "0") and not line.rstrip().endswith(("[vvar]", "[vsyscall]")):
                start, end = (int(end, 16) for end in fields[0].split("-"))
                yield start, end

    def windows(self):
        buffer = ctypes.create_string_buffer(WINDOW)
        for start, end in self.regions():
            rest = b""
            for address in range(start, end, WINDOW):
                part = (ctypes.c_char * min(WINDOW, end - address)).from_buffer(buffer)
                count = self.call("process_vm_readv", address, part)
                if count <= 0:
                    rest = b""
                    continue
                window = rest + part.raw[:count]
                yield address - len(rest), window
                rest = window[-128:]

    def search(self, needles):
        found, size = set(), 0
        for _, window in self.windows():
            size += len(window)
            found |= seen(needles, window)
        return found, size

    def place_of(self, text):
        return [start + window.index(text) for start, window in self.windows() if text in window]

    def write(self, address, data):
        return self.call("process_vm_writev", address, ctypes.create_string_buffer(data, len(data))) == len(data)


def watch(command, path, log, check):
    control = secrets.token_hex(32)
    environment = {**os.environ, "KEYBACKUP_SCAN_CONTROL": control, "KEYBACKUP_SCAN_ROOM": ROOM}
    with open(log, "wb") as out:
        watcher = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=environment)
    try:
        # Small contents lie in the operation, large ones in an object.
        for number, text in enumerate([b"small", secrets.token_bytes(100_000), secrets.token_bytes(300_000)]):
            path.with_suffix(".new").write_bytes(text)
            os.replace(path.with_suffix(".new"), path)
            while log.read_bytes().count(b"Saved ") <= number:
                if watcher.poll() is not None:
                    sys.exit("the watcher ended: " + log.read_text())
                time.sleep(0.05)
            check(watcher.pid, control)
    finally:
        watcher.terminate()
        watcher.wait()


def on_disk(home, needles, but):
    found = {}
    for path in sorted(home.rglob("*")):
        if path.is_file() and path not in but:
            for name in seen(needles, path.read_bytes()):
                found.setdefault(name, []).append(str(path.relative_to(home)))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    for name in ("--prf-output", "--signing-key"):
        parser.add_argument(name, type=bytes.fromhex, required=True)
    parser.add_argument("--home", type=pathlib.Path, required=True)
    parser.add_argument("--file", type=pathlib.Path, required=True)
    parser.add_argument("command", nargs="+")
    a = parser.parse_args()
    log = a.home.parent / "watcher.log"
    result = {"in_memory": [], "bytes": [], "without_control": 0, "planted": [], "not_found": []}

    def check(process, control):
        needles, _ = keys(a.folder, a.prf_output, a.signing_key)
        memory = Memory(process)
        # A key that is being wiped goes by itself; one that was left stays.
        for _ in range(TRIES):
            found, size = memory.search({**needles, "control": control.encode()})
            if found == {"control"}:
                break
            time.sleep(1)
        result["bytes"].append(size)
        result["without_control"] += "control" not in found
        result["in_memory"] += sorted(found - {"control"})
        room = memory.place_of(b"KEYBACKUP_SCAN_ROOM=" + ROOM.encode())
        if len(needles) < 8 or "object of sealed operation 3" not in needles:
            return
        # Each of these keys is put there once, and has to be found.
        for name, key in needles.items():
            if not memory.write(room[0] + 20, key):
                sys.exit("nothing can be put into the watcher's memory")
            result["planted" if name in memory.search({name: key})[0] else "not_found"].append(name)
        memory.write(room[0] + 20, ROOM.encode())

    watch(a.command, a.file, log, check)
    needles, master = keys(a.folder, a.prf_output, a.signing_key)
    result["on_disk"] = on_disk(a.home, needles, {a.file})
    state, = (path for path in a.home.rglob("*.writer"))
    lines = dict(line.split(" ", 1) for line in state.read_text().splitlines() if " " in line)
    secret = s.writer_secret(master, lines["writer"], a.signing_key)
    result["state"] = sorted(lines)
    result["state_mode"] = "%o" % (state.stat().st_mode & 0o777)
    result["seed_is_its_own"] = s.signing_key(bytes.fromhex(lines["seed"])) == a.signing_key
    result["secret_is_its_own"] = bytes.fromhex(lines["secret"]) == secret
    result["inbox_is_public"] = bytes.fromhex(lines["inbox"]) == s.public(s.inbox_private(master))
    result["elsewhere"] = on_disk(a.home, {"seed": bytes.fromhex(lines["seed"]), "secret": secret}, {a.file, state})
    json.dump(result, sys.stdout)


if __name__ == "__main__":
    main()

"""Measures keybackup beside fido2-assert, `cp -r` and a plain C loop.

Runs within `virtual-key`, started by Benchmarks/run: every program here sees the same
simulated security key, whose touch is immediate. Every time is that of a whole process,
from fork to exit. Compared programs take turns, so that a busy moment hits all.
"""

import base64
import hashlib
import json
import os
import platform
import re
import subprocess
import sys
import time

import crafted
import folders
from harness import (KEYBACKUP, ROOT, STATE, assertion, hmac_secret, in_turns, ms, on_terminal,
                     table)


def one_evaluation():
    """fido2-assert's command and ours, for one credential and salt; both give the same."""
    _, text = on_terminal(KEYBACKUP, "credential", "create", "--json")
    made = json.loads(text)
    name, rp_id = made["credential_id"], made["rp_id"]
    identifier = base64.urlsafe_b64decode(name + "=" * (-len(name) % 4))
    salt = hashlib.sha256(b"benchmark").digest()
    command, _ = assertion(rp_id, identifier, salt)
    derive = [KEYBACKUP, "derive", "--raw-salt", "--credential", name, "--salt",
              "hex:" + salt.hex()]
    _, text = on_terminal(*derive)
    if bytes.fromhex(text.strip()) != hmac_secret(rp_id, identifier, salt):
        sys.exit("keybackup derive and fido2-assert disagree")
    return command, derive


def measure_instructions():
    """Instructions repeat almost exactly, also on a busy machine."""
    assertion_command, derive = one_evaluation()
    log = os.path.join(STATE, "callgrind")
    # As it is installed; and valgrind gives up at the compiler's debugging information.
    program = stripped()
    root = os.path.join(STATE, "root")
    with open(f"{ROOT}/Tests/Vectors/foreign/world.json") as vectors, open(root, "w") as file:
        file.write(json.load(vectors)["account"][0]["root_secret_json"])
    os.chmod(root, 0o600)
    counts = {}
    for name, command in {
            "`fido2-assert -G -h`": assertion_command, "`keybackup derive`": [program] + derive[1:],
            "`fido2-token -V`": ["fido2-token", "-V"],
            "`keybackup --version`": [program, "--version"],
            "`keybackup --help`": [program, "--help"],
            "`keybackup foreign world id`": [stripped("keybackup-foreign"), "world", "id", "--root-secret", root]
    }.items():
        on_terminal("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                    f"--log-file={log}", *command)
        with open(log) as file:
            counts[name] = max(int(count) for count in re.findall(r"Collected : (\d+)", file.read()))
    table("Instructions of one run, by callgrind", ["", "million", "to libfido2's"],
          [(name, f"{count / 1e6:.1f}", f"{count / counts[base]:.2f}")
           for (name, count), base in zip(counts.items(),
                                          2 * ["`fido2-assert -G -h`"] + 4 * ["`fido2-token -V`"])])


def measure_derive(touched):
    command, derive = one_evaluation()
    used = in_turns(10 if touched else 40, fido2=lambda: command, keybackup=lambda: derive,
                    version=lambda: [KEYBACKUP, "--version"], true=lambda: ["/bin/true"])
    base = used["fido2"]["ms"]
    rows = [("`fido2-assert -G -h`", used["fido2"]), ("`keybackup derive`", used["keybackup"]),
            ("`keybackup --version`", used["version"]), ("`/bin/true`", used["true"])]
    how = "touched after 300 ms" if touched else "touched at once"
    table(f"One evaluation of the PRF, PIN typed at the prompt, {how}",
          ["", "median", "least", "processor", "peak memory", "to fido2-assert"],
          [(name, ms(u["ms"]), ms(u["least"]), ms(u["processor"]), f"{u['mib']:.1f} MiB",
            f"{u['ms'] / base:.2f}")
           for name, u in (rows[:2] if touched else rows)])


def stripped(name="keybackup"):
    """A program as it is installed; its path."""
    path = os.path.join(STATE, "stripped-" + name)
    subprocess.run(["strip", "-o", path, os.path.join(os.path.dirname(KEYBACKUP), name)], check=True)
    return path


def measure_size():
    print(f"\nThe program, stripped: {os.path.getsize(stripped()) / 1e6:.1f} MB.")


def main():
    # "touched": the key is touched after a while, and only the PRF is measured.
    if sys.argv[2:] == ["touched"]:
        measure_derive(True)
        return
    # "instructions": what a start and a derivation cost.
    if sys.argv[2:] == ["instructions"]:
        measure_instructions()
        return
    # "crafted": folders that were made to be costly.
    if sys.argv[2:3] == ["crafted"]:
        crafted.measure(int((sys.argv[3:] or [1000000])[0]))
        return
    print(f"{platform.system()} {platform.release()}, {os.cpu_count()} processors, "
          f"{time.strftime('%Y-%m-%d')}, load {os.getloadavg()[0]:.1f} at the start.")
    measure_derive(False)
    measure_size()
    folders.measure([int(n) for n in sys.argv[2:]] or [10, 1000, 10000, 100000])
    print(f"\nLoad {os.getloadavg()[0]:.1f} at the end.")


main()

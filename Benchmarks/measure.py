"""Measures keybackup beside fido2-assert and a plain C loop.

Runs within `virtual-key`, started by Benchmarks/run: every program here sees the same
simulated security key, whose touch is immediate. Every time is that of a whole process,
from fork to exit. Compared programs take turns, so that a busy moment hits all.
"""

import base64
import hashlib
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time

from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from mnemonic import Mnemonic

PIN = "246810"
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
KEYBACKUP = os.path.join(ROOT, ".build/release/keybackup")
TOOLS = os.path.join(ROOT, ".build/benchmarks")
STATE = sys.argv[1]
# "touched": the key is touched after a while, and only the PRF is measured.
TOUCHED = sys.argv[2:] == ["touched"]
COUNTS = [] if TOUCHED else [int(n) for n in sys.argv[2:]] or [1, 100, 1000, 10000]
MASTER_KEY_FILE = "masterkey-" + hashlib.sha256(b"cspp-master-key-v1").hexdigest() + ".json"

# Neither finds nor changes anything of the person who measures.
os.environ["HOME"] = STATE
for name in ("KEYBACKUP_FOLDER", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
    os.environ.pop(name, None)


def on_terminal(*command):
    """Runs a command that may ask for the PIN; what it used, and its output."""
    output = os.path.join(STATE, "output")
    done = subprocess.run([f"{TOOLS}/on-terminal", PIN, output, *command],
                          capture_output=True, text=True)
    used = json.loads(done.stdout)
    if used["code"] != 0:
        sys.exit(f"{command}: exit {used['code']}: {done.stderr}")
    with open(output) as file:
        return used, file.read()


def in_turns(times, **commands):
    """The median use of each command; the first round, which warms up, does not count."""
    seen = {name: [] for name in commands}
    for turn in range(times + 1):
        for name, command in commands.items():
            used, _ = on_terminal(*command())
            if turn:
                seen[name].append(used)
    return {name: {"ms": 1000 * statistics.median(u["seconds"] for u in all_used),
                   "least": 1000 * min(u["seconds"] for u in all_used),
                   "processor": 1000 * statistics.median(u["processor"] for u in all_used),
                   "mib": max(u["kib"] for u in all_used) / 1024}
            for name, all_used in seen.items()}


def table(title, head, rows):
    print(f"\n### {title}\n\n| " + " | ".join(head) + " |")
    print("|---" + "|---:" * (len(head) - 1) + "|")
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |", flush=True)


def ms(value):
    return f"{value:.1f} ms" if value < 1000 else f"{value / 1000:.2f} s"


def encode(data):
    return base64.b64encode(data).decode()


def assertion(rp_id, credential_id, salt):
    """The fido2-assert command for one hmac-secret, and the file its answer goes to."""
    request, answer = (os.path.join(STATE, n) for n in ("request", "answer"))
    with open(request, "w") as file:
        file.write("\n".join([encode(bytes(32)), rp_id, encode(credential_id), encode(salt)]))
        file.write("\n")
    return ["fido2-assert", "-G", "-h", "-t", "pin=true", "-i", request, "-o", answer,
            "/dev/hidraw0"], answer


def hmac_secret(rp_id, credential_id, salt):
    command, answer = assertion(rp_id, credential_id, salt)
    on_terminal(*command)
    with open(answer) as file:
        return base64.b64decode(file.read().split("\n")[4])


def measure_derive():
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
    used = in_turns(10 if TOUCHED else 40, fido2=lambda: command, keybackup=lambda: derive,
                    version=lambda: [KEYBACKUP, "--version"], true=lambda: ["/bin/true"])
    base = used["fido2"]["ms"]
    rows = [("`fido2-assert -G -h`", used["fido2"]), ("`keybackup derive`", used["keybackup"]),
            ("`keybackup --version`", used["version"]), ("`/bin/true`", used["true"])]
    touched = "touched after 300 ms" if TOUCHED else "touched at once"
    table(f"One evaluation of the PRF, PIN typed at the prompt, {touched}",
          ["", "median", "least", "processor", "peak memory", "to fido2-assert"],
          [(name, ms(u["ms"]), ms(u["least"]), ms(u["processor"]), f"{u['mib']:.1f} MiB",
            f"{u['ms'] / base:.2f}")
           for name, u in (rows[:2] if TOUCHED else rows)])


def measure_size():
    stripped = os.path.join(STATE, "stripped")
    subprocess.run(["strip", "-o", stripped, KEYBACKUP], check=True)
    print(f"\nThe program, stripped: {os.path.getsize(stripped) / 1e6:.1f} MB.")


def entries(count):
    """WalletEntry lines of ordinary size."""
    words = Mnemonic("english")
    for index in range(count):
        identifier = hashlib.sha256(b"wallet %d" % index).hexdigest()[:21]
        yield json.dumps({
            "wallet_id": identifier,
            "secret": {"Mnemonic": words.to_mnemonic(hashlib.sha256(b"%d" % index).digest()[:16])},
            "metadata": {"id": identifier, "name": f"Wallet {index}", "color": "Blue",
                         "verified": False, "network": "Bitcoin", "wallet_type": "Hot"},
            "descriptors": None, "xpub": None, "wallet_mode": "Main",
            "labels_zstd_jsonl": None, "labels_count": 0, "labels_hash": None,
            "labels_uncompressed_size": None, "content_revision_hash": "",
            "updated_at": 1_700_000_000 + index}, separators=(",", ":"))


def open_master_key(namespace):
    """The master key, by fido2-assert and Python: what the C loop starts from."""
    with open(os.path.join(namespace, "master-key", MASTER_KEY_FILE)) as file:
        envelope = json.load(file)
    place = envelope["keybackup"]
    name = place["credential_id"]
    salt = hashlib.sha256(b"WebAuthn PRF\0" + bytes.fromhex(envelope["prf_salt"])).digest()
    identifier = base64.urlsafe_b64decode(name + "=" * (-len(name) % 4))
    prf = hmac_secret(place["rp_id"], identifier, salt)
    return ChaCha20Poly1305(prf).decrypt(
        bytes.fromhex(envelope["nonce"]), base64.b64decode(envelope["ciphertext"]), None).hex()


def measure_wallets(count):
    folder = os.path.join(STATE, f"folder-{count}")
    os.environ["XDG_STATE_HOME"] = os.path.join(STATE, f"memory-{count}")
    os.environ["XDG_CONFIG_HOME"] = os.path.join(STATE, f"configuration-{count}")
    os.mkdir(folder)
    on_terminal(KEYBACKUP, "init", folder)
    lines = os.path.join(STATE, "lines")
    with open(lines, "w") as file:
        for line in entries(count):
            file.write(line + "\n")
    added, _ = on_terminal(KEYBACKUP, "wallet", "import", lines, "--folder", folder)
    names = os.listdir(os.path.join(folder, "cspp-namespaces"))
    namespace = os.path.join(folder, "cspp-namespaces", names[0])
    master_key = open_master_key(namespace)
    out = os.path.join(STATE, "out")
    target = [0]

    def fresh():
        shutil.rmtree(out, ignore_errors=True)
        target[0] += 1
        return out

    loop = f"{TOOLS}/decrypt-loop"
    used = in_turns(
        3 if count >= 10000 else 7,
        read=lambda: [loop, namespace, master_key, "--log"],
        write=lambda: [loop, namespace, master_key, fresh(), "--log"],
        list=lambda: [KEYBACKUP, "restore", "--json", "--folder", folder],
        restore=lambda: [KEYBACKUP, "restore", "--out", fresh(), "--folder", folder])
    restored = [n for n in os.listdir(out) if n.startswith("wallet-")]
    if len(restored) != count:
        sys.exit(f"{len(restored)} of {count} wallets were restored")
    with open(lines, "w") as file:
        file.write(next(entries(count + 1)).replace("Wallet 0", "Another") + "\n")
    one_more, _ = on_terminal(KEYBACKUP, "wallet", "import", lines, "--folder", folder)
    shutil.rmtree(folder)
    return used, added, one_more


def main():
    if not TOUCHED:
        print(f"{platform.system()} {platform.release()}, {os.cpu_count()} processors, "
              f"{time.strftime('%Y-%m-%d')}.")
    measure_derive()
    if TOUCHED:
        return
    measure_size()
    rows, written, memory = [], [], []
    least = None
    for count in COUNTS:
        used, added, one_more = measure_wallets(count)
        # The smallest backup costs the program's start and the key's part.
        least = least or used
        for table_rows, loop, ours in ((rows, "read", "list"), (written, "write", "restore")):
            def ratio(what):
                return (used[ours][what] - least[ours][what]) / used[loop][what]
            table_rows.append((
                f"{count:,}", ms(used[loop]["ms"]), ms(used[ours]["ms"]),
                f"{used[ours]['ms'] / used[loop]['ms']:.2f}",
                *((f"{ratio('ms'):.2f}", f"{ratio('processor'):.2f}")
                  if used is not least else ("-", "-"))))
        memory.append((f"{count:,}", ms(1000 * added["seconds"]),
                       ms(1000 * one_more["seconds"]), f"{added['kib'] / 1024:.1f} MiB",
                       f"{used['restore']['mib']:.1f} MiB", f"{used['write']['mib']:.1f} MiB"))
    head = ["ratio", "without the key's part", "processor time, likewise"]
    table("Decrypting everything, view and log",
          ["wallets", "plain C", "`restore --json`", *head], rows)
    table("The same, plaintexts written to files",
          ["wallets", "plain C", "`restore --out`", *head], written)
    table("Adding, and peak memory",
          ["wallets", "`wallet import`", "one more", "import's memory", "restore's memory",
           "C loop's memory"], memory)


main()

"""Measures folders of many wallets: imported at once, and added one by one."""

import base64
import hashlib
import json
import os
import shutil
import statistics
import sys

from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from mnemonic import Mnemonic

import one_by_one
from harness import KEYBACKUP, STATE, TOOLS, hmac_secret, in_turns, ms, on_terminal, table

MASTER_KEY_FILE = "masterkey-" + hashlib.sha256(b"cspp-master-key-v1").hexdigest() + ".json"
OUT = os.path.join(STATE, "out")
# What is measured beside them only where there are fewer wallets: writing a hundred thousand files
# takes the file system minutes, and says nothing of who writes them.
MANY = 100000


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


class Folder:
    """A backup folder with `count` wallets, and a computer that has seen it."""

    def __init__(self, shape, count):
        self.shape, self.count, self.added = shape, count, None
        base = os.path.join(STATE, f"{shape}-{count}".replace(" ", "-"))
        self.path = os.path.join(base, "folder")
        os.makedirs(self.path)
        os.environ["XDG_STATE_HOME"] = os.path.join(base, "state")
        os.environ["XDG_CONFIG_HOME"] = os.path.join(base, "configuration")
        self.base = base
        on_terminal(KEYBACKUP, "init", self.path)
        names = os.listdir(os.path.join(self.path, "cspp-namespaces"))
        self.namespace = os.path.join(self.path, "cspp-namespaces", names[0])
        self.master_key = open_master_key(self.namespace)
        if shape == "imported":
            lines = os.path.join(STATE, "lines")
            with open(lines, "w") as file:
                file.writelines(line + "\n" for line in entries(count))
            self.added, _ = self.run("wallet", "import", lines)
        else:
            one_by_one.add(self.namespace, bytes.fromhex(self.master_key), entries(count))
        # Seen once, as by a computer that is in use.
        self.first, _ = self.run("verify", "--deep", "--json")

    def run(self, *arguments):
        return on_terminal(KEYBACKUP, *arguments, "--folder", self.path)

    def command(self, *arguments):
        return lambda: [KEYBACKUP, *arguments, "--folder", self.path]

    def remove(self):
        shutil.rmtree(self.base)
        shutil.rmtree(OUT, ignore_errors=True)


def fresh():
    shutil.rmtree(OUT, ignore_errors=True)
    return OUT


def read_everything(folder):
    """Getting everything back, and looking at it, beside the C loop and `cp -r`."""
    loop = f"{TOOLS}/decrypt-loop"
    rounds = 1 if folder.count >= MANY else 3 if folder.count >= 10000 else 7
    commands = {
        "loop": lambda: [loop, folder.namespace, folder.master_key, "--log"],
        "json": folder.command("restore", "--json"), "deep": folder.command("verify", "--deep", "--json"),
        "list": folder.command("wallet", "list", "--json"),
        "status": folder.command("status", "--json"), "verify": folder.command("verify", "--json")}
    if folder.count < MANY or folder.shape == "imported":
        commands |= {
            "copy": lambda: ["cp", "-r", folder.namespace, fresh()],
            "write": lambda: [loop, folder.namespace, folder.master_key, fresh(), "--log"],
            "out": lambda: [KEYBACKUP, "restore", "--out", fresh(), "--folder", folder.path]}
    used = in_turns(rounds, **commands)
    if "out" in used:
        restored = sum(name.startswith("wallet-") for name in os.listdir(OUT))
        if restored != folder.count:
            sys.exit(f"{restored} of {folder.count} wallets were restored")
    return used


def add_one_by_one(folder, times):
    """The use of several `wallet add`s, one after the other."""
    secret = os.path.join(STATE, "words")
    with open(secret, "w") as file:
        file.write("abandon " * 11 + "about")
    return [folder.run("wallet", "add", "--name", f"Added {turn}", "--network", "bitcoin",
                       "--mnemonic", secret)[0] for turn in range(times)]


def measure(counts):
    shapes = ["imported", "one by one"]
    back, written, looks, adds = [], [], [], []
    least, base = None, {}
    for shape in shapes:
        # The smallest backup costs the program's start and the key's part.
        for count in counts:
            folder = Folder(shape, count)
            used = read_everything(folder)
            one_more = add_one_by_one(folder, 8)
            folder.remove()
            least = least or used
            name = f"{count:,}, {shape}"

            def each(what):
                return f"{1000 * (used[what]['ms'] - least[what]['ms']) / count:.0f} us"

            def mib(what):
                return f"{used[what]['mib']:.1f} MiB"
            def ratio(what):
                return f"{(used['json'][what] - least['json'][what]) / used['loop'][what]:.2f}"
            back.append((name, ms(used["loop"]["ms"]), ms(used["json"]["ms"]), ms(used["deep"]["ms"]),
                         *((ratio("ms"), ratio("processor"), each("json"), each("deep"))
                           if count > counts[0] else ("-",) * 4),
                         mib("json"), mib("deep"), mib("loop")))
            if "out" in used:
                written.append((name, ms(used["copy"]["ms"]), ms(used["write"]["ms"]),
                                ms(used["out"]["ms"]),
                                f"{used['out']['ms'] / used['write']['ms']:.2f}", mib("out")))
            looks.append((name, ms(used["list"]["ms"]), ms(used["status"]["ms"]), ms(used["verify"]["ms"]),
                          mib("list"), mib("status"), f"{folder.first['kib'] / 1024:.1f} MiB"))
            then = [1000 * statistics.median(one[what] for one in one_more[2:])
                    for what in ("seconds", "processor")]
            base.setdefault(shape, then)
            adds.append((name, ms(1000 * folder.added["seconds"]) if folder.added else "-",
                         ms(1000 * one_more[0]["seconds"]), ms(then[0]),
                         f"{then[0] / base[shape][0]:.2f}", ms(then[1]),
                         f"{then[1] / base[shape][1]:.2f}",
                         f"{max(one['kib'] for one in one_more) / 1024:.1f} MiB",
                         f"{folder.added['kib'] / 1024:.1f} MiB" if folder.added else "-"))
    table("Decrypting everything, view and log",
          ["wallets", "plain C", "`restore --json`", "`verify --deep`", "restore to C",
           "processor time, likewise", "restore, each", "verify, each", "restore's memory", "verify's memory", "C loop's memory"],
          back)
    table("The same, plaintexts written to files",
          ["wallets", "`cp -r`", "plain C", "`restore --out`", "to C", "memory"], written)
    table("Looking",
          ["wallets", "`wallet list`", "`status`", "`verify`", "list's memory", "status's memory",
           "first look's memory"], looks)
    table("Adding one wallet",
          ["wallets", "`wallet import` before", "first after it", "then, median", "to the smallest",
           "processor time", "to the smallest", "memory", "import's memory"], adds)

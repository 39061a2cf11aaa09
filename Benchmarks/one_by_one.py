"""Writes wallets into a namespace as another computer would have: one operation each.

Ten thousand runs of `keybackup wallet add` would give the same files and take minutes; here only
docs/format.md is followed, with the derivations of Tests/reader, and nothing is synced.
"""

import hashlib
import json
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "Tests", "reader"))

import cspp_format as f  # noqa: E402  (found by the path above)


def compact(value):
    return json.dumps(value, separators=(",", ":")).encode()


def write(path, data):
    with open(path, "xb") as file:
        file.write(data)


def last_operations(namespace):
    """How an operation names the newest one of every writer that is there."""
    seen = []
    log = os.path.join(namespace, "keybackup", "log")
    for writer in sorted(os.listdir(log)):
        name = max(os.listdir(os.path.join(log, writer)))
        with open(os.path.join(log, writer, name), "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()
        seen.append({"writer_id": writer, "counter": int(name.split("-")[0]), "sha256": digest})
    return seen


def add(namespace, master, entries):
    """Adds each of the WalletEntry lines `entries` with an operation of its own."""
    namespace_id = os.path.basename(namespace)
    if namespace_id != f.namespace_id(master):
        sys.exit("that is another namespace's master key")
    critical = f.derive(master, "cspp:v1:critical")
    others = last_operations(namespace)
    writer = os.urandom(16).hex()
    folder = os.path.join(namespace, "keybackup", "log", writer)
    os.mkdir(folder)
    own = []
    for counter, line in enumerate(entries, 1):
        mark = compact({"writer_id": writer, "counter": counter})
        plain = line.encode()[:-1] + b',"keybackup":' + mark + b"}"
        entry = json.loads(line)
        record = f.record_id(entry["wallet_id"])
        header = {"namespace_id": namespace_id, "writer_id": writer, "counter": counter}
        if own:
            header["previous"] = own[0]["sha256"]
        text = compact({"at": 1_700_000_000 + counter, "writer_label": "another computer",
                        "seen": others + own,
                        "changes": [{"put": {"record_id": record, "entry": plain.hex()}}]})
        p = f.to_base64url(compact(header))
        nonce = os.urandom(12)
        sealed = f.seal(f.operation_key(master, writer, counter), nonce, text, p.encode())
        data = compact({"format": "keybackup-op", "version": 1, "protected": p,
                        "nonce": nonce.hex(), "ciphertext": f.to_base64(sealed)})
        digest = hashlib.sha256(data).hexdigest()
        own = [{"writer_id": writer, "counter": counter, "sha256": digest}]
        write(os.path.join(folder, f"{counter:08d}-{digest[:32]}.json"), data)
        salt, nonce = os.urandom(32), os.urandom(12)
        sealed = f.seal(f.derive(critical, "cspp:v1:wallet", salt), nonce, plain)
        write(os.path.join(namespace, "wallets", f"wallet-{record}.json"), compact({
            "version": 1, "kind": "wallet", "schema_version": 1, "namespace_id": namespace_id,
            "record_id": record, "wallet_id": entry["wallet_id"], "created_at": 1_700_000_000,
            "updated_at": 1_700_000_000, "wallet_salt": salt.hex(), "nonce": nonce.hex(),
            "ciphertext": f.to_base64(sealed)}))

#!/usr/bin/env python3
"""Writes a namespace folder.

    cspp_writer.py FOLDER --prf-output HEX --prf-salt HEX --entries FILE
                   [--layout current|older] [--keybackup] [--credential-id HEX] [--rp-id ID]
                   [--master-key HEX] [--seed TEXT] [--time SECONDS]

FILE is a JSON list. An item is a WalletEntry object, or {"entry_base64": "..."} for exact bytes.
--layout older puts all files in the namespace folder with only the oldest fields.
--keybackup adds `keybackup/keys` and `keybackup/log` as docs/format.md has them.
--seed makes every random byte depend on TEXT alone: for examples, never for real secrets.
Prints {"namespace_id", "master_key", ...} on stdout.
"""
import argparse
import hashlib
import json
import os
import pathlib
import sys
import time

import cspp_format as f


class Source:
    """Random bytes, or a reproducible stream."""

    def __init__(self, seed):
        self.seed, self.counter = seed, 0

    def __call__(self, count):
        if self.seed is None:
            return os.urandom(count)
        self.counter += 1
        return hashlib.shake_256(("%s:%d" % (self.seed, self.counter)).encode()).digest(count)


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def write(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "xb") as file:
        file.write(data)


def protected(format_name, header, nonce, key, plaintext):
    p = f.to_base64url(compact(header))
    sealed = f.seal(key, nonce, plaintext, p.encode("ascii"))
    return compact({"format": format_name, "version": 1, "protected": p, "nonce": nonce.hex(),
                    "ciphertext": f.to_base64(sealed)})


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--prf-output", type=bytes.fromhex, required=True)
    parser.add_argument("--prf-salt", type=bytes.fromhex, required=True)
    parser.add_argument("--entries", type=pathlib.Path, required=True)
    parser.add_argument("--layout", choices=["current", "older"], default="current")
    parser.add_argument("--keybackup", action="store_true")
    parser.add_argument("--credential-id", type=bytes.fromhex)
    parser.add_argument("--rp-id", default="keybackup:")
    parser.add_argument("--master-key", type=bytes.fromhex)
    parser.add_argument("--seed")
    parser.add_argument("--time", type=int)
    a = parser.parse_args(arguments)
    random = Source(a.seed)
    now = int(time.time()) if a.time is None else a.time
    master = a.master_key or random(32)
    namespace = f.namespace_id(master)
    key_id, writer_id = random(16).hex(), random(16).hex()
    credential = a.credential_id or random(48)
    older = a.layout == "older"
    place = a.folder / "cspp-namespaces" / namespace

    nonce = random(12)
    envelope = {"passkey_provider_hint": None, "prf_salt": a.prf_salt.hex(), "nonce": nonce.hex(),
                "ciphertext": f.to_base64(f.seal(a.prf_output, nonce, master))}
    if not older:
        envelope = {"version": 1, "kind": "master_key", "schema_version": 1, "namespace_id": namespace,
                    "record_id": f.MASTER_KEY_RECORD, "created_at": now, "updated_at": now, **envelope}
    if a.keybackup:
        envelope["keybackup"] = {"key_id": key_id, "rp_id": a.rp_id, "credential_id": f.to_base64url(credential)}
    envelope_bytes = compact(envelope)
    write(place / ("" if older else "master-key") / f.MASTER_KEY_FILE, envelope_bytes)

    changes = []
    if a.keybackup:
        header = {"namespace_id": namespace, "key_id": key_id, "kind": "security_key", "label": "Example key",
                  "created_at": now, "recipient": f.recipient(a.prf_output, key_id).hex(), "rp_id": a.rp_id,
                  "credential_id": f.to_base64url(credential), "discoverable": True,
                  "aaguid": "00000000-0000-0000-0000-000000000000", "prf_salt": a.prf_salt.hex(),
                  "user_verification": True}
        key_file = protected("keybackup-key", header, random(12), f.wrapping_key(a.prf_output, key_id), master)
        write(place / "keybackup" / "keys" / (key_id + ".json"), key_file)
        changes += [{"key-add": {"key_id": key_id, "file": key_file.hex()}}, {"envelope": {"file": envelope_bytes.hex()}}]

    wallets = []
    for item in json.loads(a.entries.read_text(encoding="utf-8")):
        if "entry_base64" in item:
            plain = f.from_base64(item["entry_base64"])
        else:
            plain = compact({**item, "keybackup": {"writer_id": writer_id, "counter": 1}} if a.keybackup else item)
        entry = json.loads(plain)
        record = f.record_id(entry["wallet_id"])
        salt, nonce = random(32), random(12)
        sealed = f.seal(f.wallet_key(master, salt), nonce, plain)
        body = {"wallet_salt": salt.hex(), "nonce": nonce.hex(), "ciphertext": f.to_base64(sealed)}
        xprv = isinstance(entry["secret"], dict) and "Xprv" in entry["secret"]
        if not older:
            body = {"version": 2 if xprv else 1, "kind": "wallet", "schema_version": 1, "namespace_id": namespace,
                    "record_id": record, "wallet_id": entry["wallet_id"], "created_at": now, "updated_at": now, **body}
        elif xprv:
            body = {"version": 2, **body}
        write(place / ("" if older else "wallets") / ("wallet-%s.json" % record), compact(body))
        changes.append({"put": {"record_id": record, "entry": plain.hex()}})
        wallets.append({"wallet_id": entry["wallet_id"], "record_id": record, "entry_base64": f.to_base64(plain)})

    operation = None
    if a.keybackup:
        header = {"namespace_id": namespace, "writer_id": writer_id, "counter": 1}
        text = compact({"at": now, "writer_label": "example", "seen": [], "changes": changes})
        data = protected("keybackup-op", header, random(12), f.operation_key(master, writer_id, 1), text)
        operation = "%08d-%s.json" % (1, hashlib.sha256(data).hexdigest()[:32])
        write(place / "keybackup" / "log" / writer_id / operation, data)

    json.dump({"namespace_id": namespace, "master_key": master.hex(), "prf_output": a.prf_output.hex(),
               "prf_salt": a.prf_salt.hex(), "key_id": key_id if a.keybackup else None,
               "writer_id": writer_id if a.keybackup else None, "operation": operation,
               "credential_id": f.to_base64url(credential) if a.keybackup else None, "wallets": wallets},
              sys.stdout, indent=1, ensure_ascii=False)
    print()


if __name__ == "__main__":
    main()

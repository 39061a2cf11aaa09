#!/usr/bin/env python3
"""What somebody can put into the synced folder who has write access to it and no secret of its owner.

Written from docs/format.md with the independent writer in Tests/reader; it shares no code with the product. FOLDER is
the synced folder, the one that holds `cspp-namespaces`. Every command prints what it made, or read, as JSON.

    plant.py list FOLDER
        What lies open: the security_key files of every namespace, with rp_id, credential_id, prf_salt, created_at.

    plant.py namespace FOLDER [--master-key HEX] [--prf-output HEX] [--prf-salt HEX] [--credential-id ID]
                       [--rp-id HOST] [--time SECONDS] [--wallet NAME]...
        A complete namespace under a master key of the attacker's own, with its log and wallets, one for each NAME.
        With the PRF output that a web page of HOST learnt for the salt, the owner's own security key opens it; without
        one nobody does: a namespace that only looks like one.

    plant.py key FOLDER --namespace ID [--rp-id ID] [--credential-id ID] [--prf-salt HEX] [--label TEXT] [--time SECONDS]
                 [--key-id HEX] [--replaces HEX] [--count N] [--master-key HEX --prf-output HEX]
        Files in keys/ that look like security keys and open nothing, unless master key and PRF output are given.
        With --count N each has a key ID of its own, and a salt where none is given.

    plant.py code FOLDER --namespace ID [--label TEXT] [--time SECONDS] [--key-id HEX] [--count N] [--second-secret KIND]
                  [--rp-id ID] [--credential-id ID] [--prf-salt HEX]
        Files in keys/ that look like recovery codes and open nothing.

And somebody who has a master key that was given up for another, but none of the owner's present secrets:

    plant.py master-key FOLDER --namespace ID --prf-output HEX
        What such a person noted down while it was in force.

    plant.py operation FOLDER --namespace ID --master-key HEX --wallet-id ID [--put NAME] [--time SECONDS]
        An operation of a new writer in that namespace's log, which has seen everything there: it removes the wallet,
        or puts another one of that name in its place.

What is not given is random; times are now. A credential ID is base64url as the files have it, or `hex:` and digits. How
HOST learns the output: the owner logs in there with the key. In a test, with the sandbox's key:
`registerWithPython(rpID: "evil.example", discoverable: true)`, then `pythonFIDO2(rpID:credential:inputs: [salt])`.
"""
import argparse
import contextlib
import hashlib
import io
import json
import os
import pathlib
import sys
import tempfile
import time

from cryptography.exceptions import InvalidTag

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "reader"))
import cspp_format as f  # noqa: E402
import cspp_reader  # noqa: E402
import cspp_writer  # noqa: E402

WORDS = "zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo wrong"


def identifier(text):
    return bytes.fromhex(text[4:]) if text.startswith("hex:") else f.from_base64url(text)


def namespaces(folder):
    return sorted((folder / "cspp-namespaces").iterdir())


def listed(a):
    files = []
    for place in namespaces(a.folder):
        for path in sorted((place / "keybackup" / "keys").glob("*.json")):
            header = json.loads(f.from_base64url(json.loads(path.read_bytes())["protected"]))
            if header["kind"] == "security_key":
                files.append(header)
    return {"keys": files}


def namespace(a):
    entries = [{"wallet_id": "stranger-%d" % number, "secret": {"Mnemonic": WORDS}, "wallet_mode": "Main",
                "metadata": {"name": name, "network": "bitcoin"}} for number, name in enumerate(a.wallet)]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(entries, file)
        file.flush()
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            cspp_writer.main([
                str(a.folder), "--keybackup", "--entries", file.name, "--time", str(a.time), "--rp-id", a.rp_id,
                "--prf-output", a.prf_output.hex(), "--prf-salt", a.prf_salt.hex(),
                "--master-key", a.master_key.hex(), "--credential-id", a.credential_id.hex()])
    return json.loads(printed.getvalue())


def wrapper(a, kind, key_id, fields):
    """A file of keys/; it opens only with the attacker's own master key and secret."""
    secret = a.prf_output or os.urandom(32)
    header = {"namespace_id": a.namespace, "key_id": key_id, "kind": kind, "label": a.label, "created_at": a.time,
              "recipient": f.recipient(secret, key_id).hex(), **fields}
    if a.replaces:
        header["replaces"] = a.replaces
    data = cspp_writer.protected("keybackup-key", header, os.urandom(12), f.wrapping_key(secret, key_id), a.master_key)
    cspp_writer.write(a.folder / "cspp-namespaces" / a.namespace / "keybackup" / "keys" / (key_id + ".json"), data)
    return header


def credential_fields(a):
    return {"rp_id": a.rp_id, "credential_id": f.to_base64url(a.credential_id),
            "prf_salt": (a.prf_salt or os.urandom(32)).hex()}


def key(a):
    return {"keys": [wrapper(a, "security_key", a.key_id or os.urandom(16).hex(), {
        **credential_fields(a), "discoverable": True, "aaguid": "00000000-0000-0000-0000-000000000000",
        "user_verification": True}) for _ in range(a.count)]}


def code(a):
    made = []
    for _ in range(a.count):
        fields = {"kdf": "argon2id", "kdf_salt": os.urandom(16).hex(), "kdf_memory_kib": 8, "kdf_passes": 1,
                  "kdf_lanes": 1}
        if a.second_secret:
            fields["second_secret"] = a.second_secret
        if a.second_secret == "security_key":
            fields |= credential_fields(a)
        made.append(wrapper(a, "recovery_code", a.key_id or os.urandom(16).hex(), fields))
    return {"keys": made}


def master_key(a):
    for path in sorted((a.folder / "cspp-namespaces" / a.namespace / "keybackup" / "keys").glob("*.json")):
        with contextlib.suppress(InvalidTag):
            return {"master_key": cspp_reader.open_key_file(path, a.namespace, a.prf_output).hex()}
    sys.exit("nothing there opens with that PRF output")


def operation(a):
    place = a.folder / "cspp-namespaces" / a.namespace
    log = place / "keybackup" / "log"
    found = cspp_reader.one_of_each(
        [cspp_reader.open_operation(path, a.namespace, a.master_key) for path in sorted(log.glob("*/*.json"))])
    followed = {o["header"].get("previous") for o in found}
    seen = [{"writer_id": o["header"]["writer_id"], "counter": o["header"]["counter"], "sha256": o["sha256"]}
            for o in found if o["sha256"] not in followed]
    record = f.record_id(a.wallet_id)
    writer = os.urandom(16).hex()
    change = {"remove": {"record_id": record}}
    if a.put:
        entry = {"wallet_id": a.wallet_id, "secret": {"Mnemonic": WORDS}, "wallet_mode": "Main",
                 "metadata": {"name": a.put, "network": "bitcoin"}, "keybackup": {"writer_id": writer, "counter": 1}}
        change = {"put": {"record_id": record, "entry": cspp_writer.compact(entry).hex()}}
    header = {"namespace_id": a.namespace, "writer_id": writer, "counter": 1}
    text = cspp_writer.compact({"at": a.time, "writer_label": "planted", "seen": seen, "changes": [change]})
    data = cspp_writer.protected(
        "keybackup-op", header, os.urandom(12), f.operation_key(a.master_key, writer, 1), text)
    cspp_writer.write(log / writer / ("%08d-%s.json" % (1, hashlib.sha256(data).hexdigest()[:32])), data)
    return {"writer_id": writer, "seen": len(seen)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for name, function in [("list", listed), ("namespace", namespace), ("key", key), ("code", code),
                           ("master-key", master_key), ("operation", operation)]:
        command = commands.add_parser(name)
        command.set_defaults(function=function)
        command.add_argument("folder", type=pathlib.Path)
        if name == "list":
            continue
        if function in (master_key, operation):
            command.add_argument("--namespace", required=True)
            if function is master_key:
                command.add_argument("--prf-output", type=bytes.fromhex, required=True)
            else:
                command.add_argument("--master-key", type=bytes.fromhex, required=True)
                command.add_argument("--wallet-id", required=True)
                command.add_argument("--put")
                command.add_argument("--time", type=int, default=int(time.time()))
            continue
        files = name in ("key", "code")
        some = {"type": bytes.fromhex, "default": None if files else os.urandom(32)}
        command.add_argument("--master-key", type=bytes.fromhex, default=os.urandom(32))
        command.add_argument("--prf-output", **some)
        command.add_argument("--prf-salt", **some)
        command.add_argument("--credential-id", type=identifier, default=os.urandom(48))
        command.add_argument("--rp-id", default="keybackup:")
        command.add_argument("--time", type=int, default=int(time.time()))
        if files:
            command.add_argument("--namespace", required=True)
            command.add_argument("--label", default="planted")
            command.add_argument("--key-id")
            command.add_argument("--replaces")
            command.add_argument("--count", type=int, default=1)
        else:
            command.add_argument("--wallet", action="append", default=[])
        if name == "code":
            command.add_argument("--second-secret", choices=["file", "keyring", "security_key"])
    a = parser.parse_args()
    json.dump(a.function(a), sys.stdout, indent=1, ensure_ascii=False)
    print()


if __name__ == "__main__":
    main()

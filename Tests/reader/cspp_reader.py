#!/usr/bin/env python3
"""Opens a namespace folder and prints everything in it as one JSON object.

    cspp_reader.py FOLDER (--prf-output HEX | --master-key HEX) [--namespace ID] [--follow] [--dump DIR]

FOLDER holds `cspp-namespaces`. With --dump the bytes of every WalletEntry of the CSPP view are written to
DIR/wallet-<record id>.json. With --follow, rotations of the master key are followed as far as the PRF output leads,
and what the namespace in charge and the earlier ones hold is printed (and dumped) together. Anything that does not open is listed under "unreadable"; the exit code is then 1.
"""
import argparse
import hashlib
import json
import pathlib
import sys

from cryptography.exceptions import InvalidTag

import cspp_format as f
import sealed_reader
import sealed_format as s


class Refused(Exception):
    pass


def need(condition, what):
    if not condition:
        raise Refused(what)


def load(path):
    return json.loads(path.read_bytes().decode("utf-8"), object_pairs_hook=f.unique)


def agree(envelope, kind, namespace, record):
    need(envelope.get("kind") in (None, kind), "kind")
    need(envelope.get("schema_version") in (None, 1), "schema_version")
    need(envelope.get("namespace_id") in (None, namespace), "namespace_id")
    need(envelope.get("record_id") in (None, record), "record_id")


def master_from_envelope(path, namespace, secret):
    e = load(path)
    need(e.get("version", 1) == 1, "version")
    agree(e, "master_key", namespace, f.MASTER_KEY_RECORD)
    need(e.get("wallet_id") is None, "wallet_id")
    need(len(bytes.fromhex(e["prf_salt"])) == 32, "prf_salt")
    return f.open_sealed(secret, bytes.fromhex(e["nonce"]), f.from_base64(e["ciphertext"]))


def belongs_to_another(path, keys, opened_by):
    """Whether the envelope says that it is an enrolled key's whose secret this is not."""
    try:
        owner = load(path).get("keybackup", {}).get("key_id")
    except (ValueError, AttributeError, OSError):
        return False
    return owner not in opened_by and any(key["key_id"] == owner for key in keys)


def protected_file(path, format_name):
    e = load(path)
    need(e.get("format") == format_name and e.get("version") == 1, "format")
    header = json.loads(f.from_base64url(e["protected"]), object_pairs_hook=f.unique)
    return header, bytes.fromhex(e["nonce"]), f.from_base64(e["ciphertext"]), e["protected"].encode("ascii")


def open_key_file(path, namespace, secret):
    header, nonce, sealed, protected = protected_file(path, "keybackup-key")
    need(header["namespace_id"] == namespace, "namespace_id")
    # Before the ciphertext: its cipher does not commit to its key.
    if header["recipient"] != f.recipient(secret, header["key_id"]).hex():
        raise InvalidTag
    return f.open_sealed(f.wrapping_key(secret, header["key_id"]), nonce, sealed, protected)


def open_wallet(path, namespace, master):
    e = load(path)
    need(e.get("version", 1) in (1, 2), "version")
    record = path.name[len("wallet-"):-len(".json")]
    agree(e, "wallet", namespace, record)
    key = f.wallet_key(master, bytes.fromhex(e["wallet_salt"]))
    plain = f.open_sealed(key, bytes.fromhex(e["nonce"]), f.from_base64(e["ciphertext"]))
    entry = json.loads(plain.decode("utf-8"), object_pairs_hook=f.unique)
    need(f.record_id(entry["wallet_id"]) == record, "wallet_id")
    need(e.get("wallet_id") in (None, entry["wallet_id"]), "wallet_id")
    # Envelopes older than the rule state no version.
    need(not (e.get("version") == 1 and isinstance(entry["secret"], dict) and "Xprv" in entry["secret"]), "version")
    return {"record_id": record, "wallet_id": entry["wallet_id"], "entry_base64": f.to_base64(plain)}, plain


def open_operation(path, namespace, master):
    header, nonce, sealed, protected = protected_file(path, "keybackup-op")
    need(header["namespace_id"] == namespace, "namespace_id")
    need((header["counter"] == 1) == ("previous" not in header), "previous")
    key = f.operation_key(master, header["writer_id"], header["counter"])
    plain = json.loads(f.open_sealed(key, nonce, sealed, protected), object_pairs_hook=f.unique)
    # An operation's name is the hash of the file as a writer spells it; a copy may be spelled in any way.
    spelled = '{"format":"keybackup-op","version":1,"protected":"%s","nonce":"%s","ciphertext":"%s"}' % (
        protected.decode("ascii"), nonce.hex(), f.to_base64(sealed))
    digest = hashlib.sha256(spelled.encode("ascii")).hexdigest()
    copy = hashlib.sha256(path.read_bytes()).hexdigest()
    need(path.name in ["%08d-%s.json" % (header["counter"], name[:32]) for name in (digest, copy)], "file name")
    return {"header": header, "sha256": digest, "copy": copy, **plain}


def one_of_each(operations):
    """Every operation once, whatever its files are called; what names another one does so by the name that counts."""
    names = {o["copy"]: o["sha256"] for o in operations}
    found = {}
    for operation in operations:
        operation.pop("copy")
        for end in operation["seen"]:
            end["sha256"] = names.get(end["sha256"], end["sha256"])
        header = operation["header"]
        if "previous" in header:
            header["previous"] = names.get(header["previous"], header["previous"])
        found.setdefault(operation["sha256"], operation)
    return list(found.values())


def freshness(operations):
    """The freshness word of docs/format.md; empty where there is no log."""
    last = {}
    for o in operations:
        writer, place = o["header"]["writer_id"], (o["header"]["counter"], o["sha256"])
        last[writer] = max(place, last.get(writer, place))
    return f.freshness([(writer, *place) for writer, place in last.items()]) if last else ""


def finds(operation, put):
    """Whether a `put` says no more than that its bytes were there: it sealed them, or has an empty `seen`."""
    if not operation["seen"]:
        return True
    mark = json.loads(bytes.fromhex(put["entry"])).get("keybackup")
    header = operation["header"]
    return isinstance(mark, dict) and (mark.get("writer_id"), mark.get("counter")) == (
        header["writer_id"], header["counter"])


def live(operations, ends=None):
    """Per record the entries that no operation covers, as docs/format.md says; beyond `ends` none covers anything."""
    by_digest = {o["sha256"]: o for o in operations}

    def chains(ends):
        seen = set()
        for end in ends:
            digest = end["sha256"]
            while digest in by_digest and digest not in seen:
                seen.add(digest)
                digest = by_digest[digest]["header"].get("previous")
        return seen

    carried = None if ends is None else chains(ends)

    def covered(operation):
        return chains(operation["seen"]) if carried is None or operation["sha256"] in carried else set()

    touching = {}
    for operation in operations:
        for change in operation["changes"]:
            body = change.get("put") or change.get("remove")
            if body:
                touching.setdefault(body["record_id"], []).append((operation, change))
    result = {}
    for record, pairs in touching.items():
        dead = set().union(*(covered(operation) for operation, _ in pairs))
        found = {c["put"]["entry"] for o, c in pairs if "put" in c and o["sha256"] in dead and finds(o, c["put"])}
        entries = {c["put"]["entry"] for o, c in pairs if "put" in c and o["sha256"] not in dead
                   and not (finds(o, c["put"]) and c["put"]["entry"] in found)}
        if entries:
            result[record] = sorted(f.to_base64(bytes.fromhex(entry)) for entry in entries)
    return result


def sealed_operations(folder, operations, master):
    """The operations of silent writers that an ordinary one authorised, by their SHA-256; others have no effect."""
    writers = [c["writer-add"] for o in operations for c in o["changes"] if "writer-add" in c]
    found = {}
    for path in sorted(folder.glob("keybackup/sealed/*/*.json")):
        data = path.read_bytes()
        for writer in writers:
            values = {"file": f.to_base64(data), "writer_id": writer["writer_id"], "signing_key": writer["signing_key"],
                      "master_key": master.hex()}
            read = sealed_reader.run("operation", values)
            if "refused" not in read:
                found[s.sha256(data)] = {**read, "writer": writer}
    return found


def covered_by(pieces, digest, sealed):
    """Whether one of the pieces of `seen_sealed` holds the operation."""
    for piece in pieces:
        here, first = piece["sha256"], piece.get("first", piece["counter"])
        while here in sealed and sealed[here]["header"]["counter"] >= first:
            if here == digest:
                return True
            here = sealed[here]["header"].get("previous")
    return False


def silent_wallets(folder, operations, master):
    """Entries of silent writers that no log has: those that count, and those beside an ordinary operation."""
    sealed = sealed_operations(folder, operations, master)
    retired = [(o, c["writer-retire"]) for o in operations for c in o["changes"] if "signing_key" in c.get("writer-retire", {})]
    result = {"counts": {}, "proposals": {}}
    for digest, operation in sealed.items():
        key = operation["writer"]["signing_key"]
        if not all(covered_by(o.get("seen_sealed") or [], digest, sealed) for o, r in retired if r["signing_key"] == key):
            continue
        for change in operation["changes"]:
            if change["kind"] != "put" or not change["counts"] or "put" not in operation["writer"]["may"]:
                continue
            record, entry = change["fields"]["record_id"], change["fields"]["entry"]
            touching = [(o, c) for o in operations for c in o["changes"]
                        if record == (c.get("put") or c.get("remove") or {}).get("record_id")]
            if any(c.get("put", {}).get("entry") == entry for _, c in touching):
                continue
            if any(covered_by(o.get("seen_sealed") or [], digest, sealed) for o, _ in touching):
                continue
            found = result["proposals" if touching else "counts"].setdefault(record, [])
            found.append(f.to_base64(bytes.fromhex(entry)))
    return {kind: {record: sorted(set(entries)) for record, entries in found.items()} for kind, found in result.items()}


def read_namespace(folder, prf_output, master):
    namespace = folder.name
    unreadable = []

    def attempt(path, action, *arguments):
        try:
            return action(path, namespace, *arguments)
        except (Refused, InvalidTag, ValueError, KeyError, TypeError, UnicodeDecodeError, OSError) as error:
            unreadable.append({"file": str(path.relative_to(folder)), "why": str(error) or type(error).__name__})
            return None

    def first_place(name):
        return sorted({p.name: p for p in [*folder.glob(name), *folder.glob("*/" + name)]}.values())

    keys = []
    opened_by = []
    for path in sorted(folder.glob("keybackup/keys/*.json")):
        header = attempt(path, lambda p, _: protected_file(p, "keybackup-key")[0])
        if not header:
            continue
        keys.append(header)
        if prf_output is not None and header["kind"] == "security_key":
            try:
                found = open_key_file(path, namespace, prf_output)
            except InvalidTag:
                continue  # another way in
            need(master in (None, found), "two master keys in one namespace")
            master = found
            opened_by.append(header["key_id"])
    if prf_output is not None:
        for path in first_place(f.MASTER_KEY_FILE):
            if belongs_to_another(path, keys, opened_by):
                continue
            found = attempt(path, master_from_envelope, prf_output)
            if found:
                master = found
                opened_by.insert(0, "envelope")
    need(master is not None, "nothing here opens with that PRF output")
    need(f.namespace_id(master) == namespace, "the master key belongs to another namespace")
    wallets = [w for w in (attempt(p, open_wallet, master) for p in first_place("wallet-*.json")) if w]
    logs = sorted(folder.glob("keybackup/log/*/*.json"))
    operations = one_of_each([o for o in (attempt(p, open_operation, master) for p in logs) if o])
    silent = silent_wallets(folder, operations, master)
    waiting = {record: f.from_base64(entries[0]) for record, entries in silent["counts"].items() if len(entries) == 1}
    return {
        "namespace_id": namespace, "opened_by": opened_by, "keys": keys, "wallets": [w for w, _ in wallets],
        "operations": operations, "live": live(operations), "freshness": freshness(operations),
        "silent": silent, "unreadable": unreadable,
    }, {**waiting, **{w["record_id"]: plain for w, plain in wallets}}


class Succession:
    """The namespaces of one backup that a PRF output (or a master key) reaches."""

    def __init__(self, folders, prf_output, master):
        self.folders = {folder.name: folder for folder in folders}
        self.prf_output = prf_output
        self.opened = {}
        for name in self.folders:
            try:
                self.open(name, None if prf_output is not None else master)
            except Refused:
                pass  # another backup's, or one that only boxes lead to
        need(self.opened, "nothing here opens with that PRF output")
        while any(self.reach(name) for name in list(self.opened)):
            pass

    def open(self, name, master):
        if name in self.opened or name not in self.folders:
            return False
        result, _ = read_namespace(self.folders[name], self.prf_output, master)
        self.opened[name] = result
        return True

    def changes(self, name, kind):
        return [c[kind] for o in self.opened[name]["operations"] for c in o["changes"] if kind in c]

    def reach(self, name):
        """Opens what `from` and the boxes in `moved` lead to; says whether that was anything new."""
        found = False
        for earlier in self.changes(name, "from"):
            master = bytes.fromhex(earlier["master_key"])
            need(f.namespace_id(master) == earlier["namespace_id"], "from")
            found |= self.open(earlier["namespace_id"], master)
        ways = {way for result in self.opened.values() for way in result["opened_by"]} - {"envelope"}
        for moved in self.changes(name, "moved"):
            for box in moved["boxes"]:
                if moved["namespace_id"] not in self.opened and self.prf_output and box["key_id"] in ways:
                    master = f.open_box(self.prf_output, box["key_id"], bytes.fromhex(box["box"]))
                    need(f.namespace_id(master) == moved["namespace_id"], "box")
                    found |= self.open(moved["namespace_id"], master)
        return found

    def in_charge(self):
        here = min(n for n in self.opened if not any(e["namespace_id"] in self.opened for e in self.changes(n, "from")))
        while True:
            successors = sorted(m["namespace_id"] for m in self.changes(here, "moved"))
            if not successors:
                return here
            need(successors[0] in self.opened, "the namespace %s that follows does not open" % successors[0])
            here = successors[0]

    def carried_ends(self, name, earlier):
        """How far `name` says that it carried over another namespace; None if it does not say."""
        told = [e["ends"] for e in self.changes(name, "from") if e["namespace_id"] == earlier and "ends" in e]
        return sum(told, []) if told else None

    def full(self, name, depth=0, ends=None):
        """Per record the live entries, late ones of earlier namespaces included."""
        found = {record: set(entries) for record, entries in live(self.opened[name]["operations"], ends).items()}
        held = {f.to_base64(bytes.fromhex(put["entry"])) for put in self.changes(name, "put")}
        for earlier in self.changes(name, "from"):
            if earlier["namespace_id"] in self.opened and depth < 12:
                ends = self.carried_ends(name, earlier["namespace_id"])
                for record, entries in self.full(earlier["namespace_id"], depth + 1, ends).items():
                    if set(entries) - held:
                        found.setdefault(record, set()).update(set(entries) - held)
        return {record: sorted(entries) for record, entries in sorted(found.items()) if entries}


def namespaces(folder, wanted):
    return [p for p in sorted((folder / "cspp-namespaces").iterdir()) if wanted in (None, p.name)]


def only(folders):
    if len(folders) != 1:
        sys.exit("%d namespaces fit; name one with --namespace" % len(folders))
    return folders[0]


def print_json(result):
    json.dump(result, sys.stdout, indent=1, ensure_ascii=False)
    print()


def show(result, entries, dump):
    """Prints what a namespace holds; says whether something did not open, as exit code."""
    if dump:
        dump.mkdir(parents=True, exist_ok=True)
        for record, plain in entries.items():
            (dump / ("wallet-%s.json" % record)).write_bytes(plain)
    print_json(result)
    return 1 if result["unreadable"] else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    secret = parser.add_mutually_exclusive_group(required=True)
    secret.add_argument("--prf-output", type=bytes.fromhex)
    secret.add_argument("--master-key", type=bytes.fromhex)
    parser.add_argument("--namespace")
    parser.add_argument("--follow", action="store_true")
    parser.add_argument("--dump", type=pathlib.Path)
    a = parser.parse_args()
    folders = namespaces(a.folder, a.namespace)
    if a.follow:
        try:
            succession = Succession(folders, a.prf_output, a.master_key)
            end = succession.in_charge()
        except Refused as refused:
            sys.exit("refused: %s" % refused)
        result = {**succession.opened[end], "namespaces": sorted(succession.opened), "all": succession.full(end)}
        if a.dump:
            a.dump.mkdir(parents=True, exist_ok=True)
            for record, entries in result["all"].items():
                for number, entry in enumerate(entries):
                    name = "wallet-%s%s.json" % (record, "-conflict-%d" % number if number else "")
                    (a.dump / name).write_bytes(f.from_base64(entry))
        print_json(result)
        return 1 if any(r["unreadable"] for r in succession.opened.values()) else 0
    try:
        return show(*read_namespace(only(folders), a.prf_output, a.master_key), a.dump)
    except Refused as refused:
        sys.exit("refused: %s" % refused)


if __name__ == "__main__":
    sys.exit(main())

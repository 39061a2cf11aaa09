#!/usr/bin/env python3
"""Reads the files of a backup, also after rotations of its master key; written from docs/format.md.

    files_reader.py FOLDER --prf-output HEX

Prints a JSON object: for every file ID the versions that count, with `late` where an earlier namespace has them, and
`held_back` ones. `contents` is base64, or null where the object is not here.
"""
import argparse
import json
import pathlib

from cryptography.exceptions import InvalidTag

import cspp_format as f
import cspp_reader
import sealed_format as s
import sealed_reader as r


def master_keys(succession, folders, prf_output):
    """The master key of every namespace that was opened."""
    keys = {}
    for folder in folders:
        for path in folder.glob("keybackup/keys/*.json"):
            try:
                keys[folder.name] = cspp_reader.open_key_file(path, folder.name, prf_output)
            except (InvalidTag, cspp_reader.Refused):
                pass
    for name in succession.opened:
        for earlier in succession.changes(name, "from"):
            keys[earlier["namespace_id"]] = bytes.fromhex(earlier["master_key"])
    return keys


class Log:
    """What one namespace says of files."""

    def __init__(self, folder, operations, master, ends):
        self.name, self.folder = folder.name, folder
        self.master = master
        self.operations = {o["sha256"]: o for o in operations}
        self.carried = None if ends is None else self.chains(ends)
        self.sealed = {}
        may = {}
        for _, _, kind, fields in self.changes():
            if kind == "writer-add":
                identity = (fields["writer_id"], fields["signing_key"])
                may.setdefault(identity, set()).update(fields["may"])
        for path in sorted(folder.glob("keybackup/sealed/*/*")):
            self.read_sealed(path.read_bytes(), may)

    def changes(self):
        for digest, operation in self.operations.items():
            for change in operation["changes"]:
                (kind, fields), = change.items()
                try:
                    known = r.change(kind, fields)
                except r.PROBLEMS:
                    known = None
                if known is not None:
                    yield digest, operation, kind, known

    def chains(self, ends):
        found = set()
        for end in ends:
            digest = end["sha256"]
            while digest in self.operations and digest not in found:
                found.add(digest)
                digest = self.operations[digest]["header"].get("previous")
        return found

    def is_beyond(self, digest):
        return self.carried is not None and digest not in self.carried

    def covers(self, one, other):
        return not self.is_beyond(one) and other in self.chains(self.operations[one]["seen"])

    def read_sealed(self, data, may):
        try:
            header = r.parse(data)[0]
        except r.PROBLEMS:
            return
        for (writer, key), allowed in may.items():
            if writer != header["writer_id"] or not allowed:
                continue
            values = {"file": f.to_base64(data), "writer_id": writer, "signing_key": key}
            if "refused" in r.run("operation", values):
                continue
            opened = r.run("operation", {**values, "master_key": self.master.hex()})
            changes = [] if "refused" in opened else [c for c in opened["changes"] if c["counts"] and c["kind"] in allowed]
            self.sealed[s.sha256(data)] = {"header": header, "key": key, "changes": changes}

    def retirements(self):
        return [(fields["signing_key"], digest, operation.get("seen_sealed") or [])
                for digest, operation, kind, fields in self.changes()
                if kind == "writer-retire" and "signing_key" in fields and not self.is_beyond(digest)]

    def knows(self, pieces, digest):
        """Whether pieces of chains hold a sealed operation of this namespace."""
        for piece in pieces:
            here = piece["sha256"]
            while here in self.sealed:
                header = self.sealed[here]["header"]
                if here == digest:
                    return True
                if header["counter"] <= piece.get("first", piece["counter"]):
                    break
                here = header.get("previous")
        return False


class Version:
    def __init__(self, log, name, put, made, by, kind):
        self.place, self.name, self.kind = log.name, name, kind
        self.file, self.label, self.described = put["file_id"], put["name"], put["version"]
        self.replaces, self.made, self.by = put["replaces"], made, by
        self.late, self.dead = False, False

    @property
    def identity(self):
        return self.made, self.file, self.described["content"]

    @property
    def key(self):
        """The key for which it speaks; None if it names operations."""
        return None if self.kind == "decision" else self.by


class Reading:
    """Which versions count in a namespace, with those of the namespaces before it."""

    def __init__(self, log, later, earlier):
        self.log, self.versions, self.held, endings = log, [], [], []
        retired = later + log.retirements()
        self.before = [(Reading(older, retired, more), followed) for older, more, followed in earlier]
        self.counted = {v.identity for reading, followed in self.before if followed for v in reading.versions}
        first = set()
        for digest, operation, kind, fields in log.changes():
            beyond = log.is_beyond(digest)
            if kind == "file-put":
                # Of several versions of one file in an operation the first counts.
                if (digest, fields["file_id"]) in first:
                    continue
                first.add((digest, fields["file_id"]))
                self.add_ordinary(digest, operation, fields, beyond)
            elif kind in ("file-remove", "file-settle") and not beyond:
                endings.append((fields, None))
        for digest, operation in log.sealed.items():
            counts = all(log.knows(pieces, digest) for key, _, pieces in retired if key == operation["key"])
            for change in operation["changes"]:
                if change["kind"] == "file-put":
                    version = Version(log, digest, change["fields"], digest, operation["key"], "sealed")
                    (self.versions if counts else self.held).append(version)
                elif change["kind"] == "file-remove" and counts:
                    endings.append((change["fields"], operation["key"]))
        self.add_late()
        self.resolve(endings)
        self.refuse(endings)

    def add_ordinary(self, digest, operation, put, beyond):
        kind = "finding" if not operation["seen"] else "decision"
        if beyond:
            put = {**put, "replaces": [], "made": None, "by": None}
        version = Version(self.log, digest, put, put.get("made") or digest, put.get("by"), kind)
        hold = kind == "finding" and version.identity not in self.counted and any(
            key == version.by and not self.knows(pieces, version.made) and not self.log.covers(retirement, digest)
            for key, retirement, pieces in self.log.retirements())
        (self.held if hold else self.versions).append(version)

    def knows(self, pieces, digest):
        return self.log.knows(pieces, digest) or any(reading.knows(pieces, digest) for reading, _ in self.before)

    def add_late(self):
        known = {v.identity for v in self.versions}
        followed = set().union(*(reading.identities for reading, is_followed in self.before if is_followed))
        self.identities = known | followed
        replaced = {(name, v.file) for v in self.held if v.kind == "finding" for name in v.replaces}
        for reading, is_followed in self.before:
            for version in reading.versions:
                if version.dead or version.identity in known:
                    continue
                if not is_followed and (version.identity in followed or (version.made, version.file) in replaced):
                    continue
                known.add(version.identity)
                late = Version.__new__(Version)
                late.__dict__.update(version.__dict__, late=True, replaces=sorted(reading.reached(version)))
                self.versions.append(late)
            self.held += [v for v in reading.held if v.identity not in self.identities]

    def hits(self, names, version):
        """Whether an ordinary operation's names reach a version."""
        return version.name in names or version.kind == "finding" and version.made in names

    def resolve(self, endings):
        self.replaced = {id(v): [] for v in self.versions}
        copies = []
        for one in self.versions:
            for other in self.versions:
                if one is other or one.file != other.file:
                    continue
                if one.key is None:
                    if self.hits(one.replaces, other):
                        self.replaced[id(one)].append(other)
                elif other.by == one.key and other.made in one.replaces and other.made != one.made:
                    self.replaced[id(one)].append(other)
                    if other.kind == "decision":
                        copies.append((one, other))
        kept = [(one, other) for one, other in copies
                if set(one.replaces) & set(other.replaces) or any(v is one for v in self.reachable(other))]
        for one, other in kept:
            self.replaced[id(one)] = [v for v in self.replaced[id(one)] if v is not other]
        for versions in self.replaced.values():
            for version in versions:
                version.dead = True
        for fields, key in endings:
            found = [v for v in self.versions if v.file == fields["file_id"] and (
                self.hits(fields["replaces"], v) if key is None else v.made in fields["replaces"])]
            if key is None or all(v.by == key for v in found):
                for version in found:
                    version.dead = True

    def refuse(self, endings):
        """Takes out what a person has decided against."""
        names = {(v.file, name) for v in self.versions if v.kind == "decision" and not v.late for name in v.replaces}
        names |= {(fields["file_id"], name) for fields, key in endings if key is None for name in fields["replaces"]}
        answered = {(v.made, v.file) for v in self.versions if v.kind == "decision" or not v.dead}
        self.held = [v for v in self.held if (v.made, v.file) not in answered
                     and (v.file, v.made) not in names and (v.file, v.name) not in names]

    def reachable(self, version):
        found, following = [], [version]
        while following:
            here = following.pop()
            if not any(v is here for v in found):
                found.append(here)
                following += self.replaced[id(here)]
        return found

    def reached(self, version):
        names = set()
        for one in self.reachable(version):
            for name in one.replaces:
                named = [v for v in self.versions if v.made == name and v.file == one.file]
                if one.key is None or not named or any(v.by == one.key for v in named):
                    names.add(name)
        # A live version was chosen by a person, and not replaced.
        live = {v.made for v in self.versions if v.file == version.file and not v.dead}
        return names - live - {version.made}


def contents(version, folders):
    described = version.described
    if "inline" in described:
        return described["inline"]
    for folder in folders:
        path = folder / "keybackup" / "objects" / (described["object"] + ".bin")
        if path.exists():
            found = r.run("object", {"bytes": f.to_base64(path.read_bytes()), "version": described})
            if "contents" in found:
                return found["contents"]
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--prf-output", type=bytes.fromhex, required=True)
    a = parser.parse_args()
    folders = cspp_reader.namespaces(a.folder, None)
    succession = cspp_reader.Succession(folders, a.prf_output, None)
    keys = master_keys(succession, folders, a.prf_output)
    end = succession.in_charge()

    def log(name, ends):
        return Log(succession.folders[name], succession.opened[name]["operations"], keys[name], ends)

    read = {end}

    def earlier(name):
        found = []
        for link in sorted({e["namespace_id"] for e in succession.changes(name, "from")}):
            if link in succession.opened and link not in read:
                read.add(link)
                found.append((log(link, succession.carried_ends(name, link)), earlier(link), True))
        return found

    before = earlier(end)
    before += [(log(name, None), [], False) for name in sorted(succession.opened) if name not in read]
    reading = Reading(log(end, None), [], before)
    result = {}
    for version in reading.versions + reading.held:
        held = version in reading.held
        if held or not version.dead:
            result.setdefault(version.file, []).append({
                "name": version.label, "made": version.made, "by": version.by, "late": version.late, "held_back": held,
                "contents": contents(version, [succession.folders[n] for n in [end, *sorted(succession.opened)]])})
    cspp_reader.print_json({"namespace_id": end, "files": result})


if __name__ == "__main__":
    main()

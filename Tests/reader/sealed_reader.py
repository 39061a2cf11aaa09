#!/usr/bin/env python3
"""Reads sealed operations, objects and authorising lines; written from docs/format.md.

    sealed_reader.py operation FILE   {file, writer_id, signing_key, master_key}; without master_key only the signature is checked
    sealed_reader.py changes FILE     {changes}, a list of texts; tells of each whether it has its fields as they must be
    sealed_reader.py object FILE      {bytes, version}
    sealed_reader.py request FILE     {line}
    sealed_reader.py answer FILE      {line, request, answer_secret}
    sealed_reader.py each FILE        {command, values}: one of these commands, for each of the values

FILE is JSON. Bytes in it are hexadecimal, but `file`, `bytes` and contents are base64.
Prints JSON: what was read, or {"refused": why}.
"""
import hashlib
import json
import pathlib
import re
import sys
import unicodedata

from cryptography.exceptions import InvalidTag
from nacl.exceptions import CryptoError
from nacl.public import PrivateKey, SealedBox

import cspp_format as f
import sealed_format as s
import secretstream

FILE = re.compile(rb'\{"format":"keybackup-sealed","version":1,"protected":"([A-Za-z0-9_-]*)","box":"([A-Za-z0-9+/=]*)",'
                  rb'"signature":"([A-Za-z0-9+/=]*)"\}')


PROBLEMS = (s.Refused, InvalidTag, CryptoError, ValueError, KeyError, TypeError, AttributeError, RecursionError)


def hexadecimal(value, count):
    digits = "(?:[0-9a-f]{2})*" if count is None else "[0-9a-f]{%d}" % (2 * count)
    if not isinstance(value, str) or isinstance(value, s.Escaped) or not re.fullmatch(digits, value):
        raise s.Refused("hexadecimal")
    return bytes.fromhex(value)


def whole(value, limit=2**63 - 1):
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= limit:
        raise s.Refused("number")
    return value


def component(name):
    if not isinstance(name, str) or not 1 <= len(name.encode()) <= 255 or name in (".", "..") or "/" in name \
            or any(unicodedata.category(c) == "Cc" for c in name):
        raise s.Refused("name")
    return name


def parse(data):
    """Header, P, box and signature, from exactly one spelling."""
    if len(data) > s.FILE_LIMIT:
        raise s.Refused("size")
    found = FILE.fullmatch(data)
    if not found:
        raise s.Refused("spelling")
    protected, box, signature = (part.decode() for part in found.groups())
    if len(protected) > s.PROTECTED_LIMIT:
        raise s.Refused("size of the header")
    header_bytes = s.from_base64(protected, f.to_base64url)
    header = s.loads(header_bytes)
    hexadecimal(header["namespace_id"], 16), hexadecimal(header["writer_id"], 16)
    if not 1 <= whole(header["counter"]) or (header["counter"] == 1) != ("previous" not in header):
        raise s.Refused("counter")
    if "previous" in header:
        hexadecimal(header["previous"], 32)
    if s.header_json(header) != header_bytes:
        raise s.Refused("spelling of the header")
    opened, signed = s.from_base64(box), s.from_base64(signature)
    if len(signed) != 64:
        raise s.Refused("signature")
    size = len(opened) - 48
    if not s.FLOOR <= size <= s.TEXT_LIMIT or size & size - 1:
        raise s.Refused("size of the box")
    return header, protected, box, opened, signed


def version(value):
    result = {"size": whole(value["size"], s.CONTENTS_LIMIT), "modified": whole(value["modified"]),
              "mode": whole(value["mode"], 0o7777), "content": hexadecimal(value["content"], 32).hex()}
    if "inline" in value:
        contents = s.from_base64(value["inline"])
        # Contents that are not those of `content` are no version, but the operation is readable.
        if "object" in value or "key" in value or len(contents) != result["size"] or len(contents) > s.INLINE_LIMIT:
            raise s.Refused("inline")
        return {**result, "inline": value["inline"]}
    return {**result, "object": hexadecimal(value["object"], 32).hex(), "key": hexadecimal(value["key"], 32).hex()}


def listed(value):
    if not isinstance(value, list):
        raise s.Refused("list")
    return value


def digests(values):
    return [hexadecimal(value, 32).hex() for value in listed(values)]


def change(kind, fields):
    """The fields that this reader knows, checked; None for an unknown kind."""
    if kind == "file-put":
        result = {"file_id": hexadecimal(fields["file_id"], 16).hex(), "name": component(fields["name"]),
                  "version": version(fields["version"]), "replaces": digests(fields["replaces"])}
        for name in ("made", "by"):
            if fields.get(name) is not None:
                result[name] = hexadecimal(fields[name], 32).hex()
        if "by" in result and "made" not in result:
            raise s.Refused("by without made")
        return result
    if kind in ("file-settle", "file-remove"):
        return {"file_id": hexadecimal(fields["file_id"], 16).hex(), "replaces": digests(fields["replaces"])}
    if kind == "file-drop":
        return {"file_id": hexadecimal(fields["file_id"], 16).hex(), "versions": digests(fields["versions"])}
    if kind == "writer-add":
        if not all(isinstance(name, str) for name in listed(fields["may"])):
            raise s.Refused("may")
        return {"writer_id": hexadecimal(fields["writer_id"], 16).hex(),
                "signing_key": hexadecimal(fields["signing_key"], 32).hex(), "label": component(fields["label"]),
                "may": [name for name in s.MAY if name in fields["may"]]}
    if kind == "writer-retire":
        result = {"writer_id": hexadecimal(fields["writer_id"], 16).hex()}
        if fields.get("signing_key") is not None:
            result["signing_key"] = hexadecimal(fields["signing_key"], 32).hex()
        return result
    if kind == "put":
        return {"record_id": hexadecimal(fields["record_id"], 32).hex(), "entry": hexadecimal(fields["entry"], None).hex()}
    return None


def seen(value):
    if whole(value["counter"]) < 1:
        raise s.Refused("counter")
    return {"writer_id": hexadecimal(value["writer_id"], 16).hex(), "counter": value["counter"],
            "sha256": hexadecimal(value["sha256"], 32).hex()}


def operation(a):
    data = f.from_base64(a["file"])
    header, protected, box, opened, signature = parse(data)
    if header["writer_id"] != a["writer_id"]:
        raise s.Refused("another writer")
    signing = bytes.fromhex(a["signing_key"])
    s.verify(signing, signature, s.signed(protected, box))
    result = {"header": header, "name": "%08d-%s.json" % (header["counter"], s.sha256(data)[:32])}
    if "master_key" not in a:
        return result
    master = bytes.fromhex(a["master_key"])
    if f.namespace_id(master) != header["namespace_id"]:
        raise s.Refused("another namespace")
    private, ephemeral = s.inbox_private(master), opened[:32]
    secret = s.writer_secret(master, header["writer_id"], signing)
    key = s.operation_key(s.exchange(private, ephemeral), secret, header, ephemeral, s.public(private), signing)
    text = s.loads(f.open_sealed(key, bytes(12), opened[32:], protected.encode()))
    if hexadecimal(text["header"], 32).hex() != s.sha256(protected.encode()):
        raise s.Refused("another header")
    changes, files = [], set()
    for member in listed(text["changes"]):
        (kind, fields), = member.items()
        # Those that may count, if `writer-add` permits them. Others are not parsed.
        known = change(kind, fields) if kind in s.MAY else None
        counts = known is not None and not {"made", "by"} & set(known)
        if kind == "file-put":
            counts = counts and known["file_id"] not in files
            files.add(known["file_id"])
        changes.append({"kind": kind, "fields": known, "counts": counts})
    return {**result, "at": whole(text["at"]), "after": seen(text["after"]), "changes": changes}


def changes(a):
    def holds(text):
        try:
            (kind, fields), = s.loads(text.encode("utf-8", "surrogatepass")).items()
            return change(kind, fields) is not None
        except PROBLEMS:
            return False

    return {"hold": [holds(text) for text in a["changes"]]}


def read_object(a):
    data, described = f.from_base64(a["bytes"]), version(a["version"])
    if s.sha256(data) != described["object"]:
        raise s.Refused("another object")
    size = described["size"]
    if len(data) != s.object_size(size):
        raise s.Refused("size")
    stream, contents, place = secretstream.Stream(bytes.fromhex(described["key"]), data[:24]), [], 24
    while place < len(data):
        piece = data[place:place + s.CHUNK + secretstream.OVERHEAD]
        place += len(piece)
        message, tag = stream.pull(piece)
        if tag != (secretstream.FINAL if place == len(data) else secretstream.MESSAGE):
            raise s.Refused("tag")
        contents.append(message)
    contents = b"".join(contents)[:size]
    if s.sha256(contents) != described["content"]:
        raise s.Refused("contents")
    return {"contents": f.to_base64(contents)}


def request(a):
    data = s.from_line("keybackup-writer", a["line"])
    if len(data) < 82:
        raise s.Refused("size")
    found = {"writer_id": data[1:17].hex(), "signing_key": data[17:49].hex(), "answer_key": data[49:81].hex(),
             "label": component(data[81:].decode())}
    if not s.in_prime_group(data[17:49]):
        raise s.Refused("signing key")
    s.exchange(bytes(range(32)), data[49:81])
    return {**found, "fingerprint": s.request_fingerprint(found)}


def answer(a):
    data = s.from_line("keybackup-inbox", a["line"])
    text = SealedBox(PrivateKey(bytes.fromhex(a["answer_secret"]))).decrypt(data[1:])
    if len(text) != 169 or text[:32] != hashlib.sha256(s.request_bytes(a["request"])).digest():
        raise s.Refused("another request")
    s.exchange(bytes(range(32)), text[48:80])
    if not 1 <= int.from_bytes(text[129:137], "big") < 2**63:
        raise s.Refused("counter")
    return {"namespace_id": text[32:48].hex(), "inbox": text[48:80].hex(), "writer_secret": text[80:112].hex(),
            "may": [name for place, name in enumerate(s.MAY) if text[112] >> place & 1],
            "after": {"writer_id": text[113:129].hex(), "counter": int.from_bytes(text[129:137], "big"),
                      "sha256": text[137:].hex()},
            "fingerprint": s.answer_fingerprint(a["request"], data)}


def run(command, a):
    try:
        return {"operation": operation, "changes": changes, "object": read_object, "request": request, "answer": answer}[command](a)
    except PROBLEMS as problem:
        return {"refused": "%s: %s" % (type(problem).__name__, problem)}


def main(command, path):
    a = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    if command == "each":
        result = {"results": [run(a["command"], values) for values in a["values"]]}
    else:
        result = run(command, a)
    json.dump(result, sys.stdout, ensure_ascii=False)
    print()


if __name__ == "__main__":
    main(*sys.argv[1:])

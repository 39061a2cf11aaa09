#!/usr/bin/env python3
"""Writes sealed operations, objects and authorising lines; written from docs/format.md.

    sealed_writer.py operation FILE   {header, at, after, changes, inbox, writer_secret, seed, random}
    sealed_writer.py object FILE      {contents, key or seed, header}
    sealed_writer.py request FILE     {writer_id, signing_key, answer_key, label}
    sealed_writer.py answer FILE      {request, master_key, may, after}
    sealed_writer.py vectors FOLDER   the known answers of Tests/Vectors/sealed

FILE is JSON. Bytes in it are hexadecimal, but `contents` and what is written are base64. What is random may be absent.
Prints JSON.
"""
import hashlib
import json
import os
import pathlib
import sys

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from nacl.public import PublicKey, SealedBox

import cspp_format as f
import sealed_format as s
import secretstream


def operation(a):
    header, seed, secret = a["header"], bytes.fromhex(a["seed"]), bytes.fromhex(a["writer_secret"])
    inbox = bytes.fromhex(a["inbox"])
    protected = f.to_base64url(s.header_json(header))
    after = {"after": a["after"]} if "after" in a else {}
    text = s.compact({"header": s.sha256(protected.encode()), "at": a["at"], **after, "changes": a["changes"]})
    text = text.ljust(s.power_of_two(len(text)))
    if len(text) > s.TEXT_LIMIT:
        raise s.Refused("too large")
    random = bytes.fromhex(a["random"]) if "random" in a else os.urandom(32)
    private = f.derive(random + seed, "keybackup:v1:sealed-ephemeral:" + s.sha256(text))
    ephemeral = s.public(private)
    key = s.operation_key(s.exchange(private, inbox), secret, header, ephemeral, inbox, s.signing_key(seed))
    box = f.to_base64(ephemeral + f.seal(key, bytes(12), text, protected.encode()))
    signature = Ed25519PrivateKey.from_private_bytes(seed).sign(s.signed(protected, box))
    file = (s.HEAD % (protected, box, f.to_base64(signature))).encode()
    return {"file": f.to_base64(file), "name": "%08d-%s.json" % (header["counter"], s.sha256(file)[:32]),
            "sha256": s.sha256(file), "text": f.to_base64(text)}


def make_object(a):
    contents = f.from_base64(a["contents"])
    key = bytes.fromhex(a["key"]) if "key" in a else s.object_key(
        os.urandom(32), bytes.fromhex(a["seed"]), s.sha256(contents))
    header = bytes.fromhex(a["header"]) if "header" in a else os.urandom(24)
    padded = contents + bytes(s.padme(len(contents)) - len(contents))
    stream, data = secretstream.Stream(key, header), [header]
    for place in range(0, len(padded), s.CHUNK):
        is_last = place + s.CHUNK >= len(padded)
        data.append(stream.push(padded[place:place + s.CHUNK], secretstream.FINAL if is_last else secretstream.MESSAGE))
    data = b"".join(data)
    assert len(data) == s.object_size(len(contents))
    return {"bytes": f.to_base64(data), "object": s.sha256(data), "key": key.hex(), "size": len(contents),
            "content": s.sha256(contents)}


def request(a):
    return {"line": s.line("keybackup-writer", s.request_bytes(a)), "fingerprint": s.request_fingerprint(a)}


def answer(a):
    asked, master, after = a["request"], bytes.fromhex(a["master_key"]), a["after"]
    text = (hashlib.sha256(s.request_bytes(asked)).digest() + bytes.fromhex(f.namespace_id(master))
            + s.public(s.inbox_private(master)) + s.writer_secret(master, asked["writer_id"], bytes.fromhex(asked["signing_key"]))
            + bytes([sum(1 << s.MAY.index(name) for name in a["may"])])
            + bytes.fromhex(after["writer_id"]) + after["counter"].to_bytes(8, "big") + bytes.fromhex(after["sha256"]))
    data = b"\1" + SealedBox(PublicKey(bytes.fromhex(asked["answer_key"]))).encrypt(text)
    return {"line": s.line("keybackup-inbox", data), "fingerprint": s.answer_fingerprint(asked, data)}


def refused_requests(asked):
    good = request(asked)["line"]
    keys = json.loads((pathlib.Path(__file__).parent / "../Vectors/crypto/ed25519-refused.json").read_text())["cases"]
    lines = [request({**asked, "signing_key": key["point"]})["line"] for key in keys
             if key["name"] in ("order 1", "order 2", "a key plus a point of order 2", "a key plus a point of order 8", "not on the curve")]
    lines += [good[:30] + blank + good[30:] for blank in "\u00a0\u0085\u2028\u3000\x1c\0-"]
    lines += [good.replace("k", "\u212a", 1), "K" + good[1:], good + "q", good[:-1], good + "\u0130"]
    lines += [s.line("keybackup-writer", b"\2" + s.request_bytes(asked)[1:]),
              request({**asked, "label": ".."})["line"], request({**asked, "answer_key": "00" * 32})["line"]]
    return lines


def change_texts():
    """Changes that every reader takes, and those that every reader refuses: one field of a good one spelled otherwise."""
    i, d, key = '"%s"' % ("a" * 32), '"%s"' % ("b" * 64), '"%s"' % ("c" * 64)
    version = '{"object":%s,"key":%s,"size":1,"modified":2,"mode":3,"content":%s}' % (d, key, d)
    inline = '{"inline":"AAE=","size":2,"modified":2,"mode":3,"content":%s}' % d
    put = '{"file-put":{"file_id":%s,"name":"n","version":%%s,"replaces":[%s],"made":%s,"by":%s}}' % (i, d, d, d)
    add = '{"writer-add":{"writer_id":%s,"signing_key":%s,"label":"l","may":["put","later"]}}' % (i, d)
    retire = '{"writer-retire":{"writer_id":%s,"signing_key":%s}}' % (i, key)
    entry = '{"put":{"record_id":%s,"entry":"00ff"}}' % d
    settle = '{"file-settle":{"file_id":%s,"replaces":[%s]}}' % (i, d)
    remove = settle.replace("settle", "remove")
    drop = settle.replace("settle", "drop").replace("replaces", "versions")
    first, second = put % version, put % inline
    good = [first, second, add, retire, entry, settle, remove, drop,
            # Contents that differ from `content` are found when they are taken out.
            second.replace("AAE=", "AAI="),
            first.replace('"name":"n"', '"name":"\\u00e4\\ud83d\\ude00"'), first.replace('"made":%s,"by":%s' % (d, d), '"made":null,"by":null'),
            first.replace('"size":1', '"size":0'), first.replace('"replaces"', '"x":-0,"y":1e9,"z":%s,"replaces"' % ("9" * 30)),
            first.replace('"file_id"', '"file\\u005fid"'), retire.replace(key, "null"), entry.replace("00ff", "")]
    wrong = [
        (first, '"size":1', ['"size":-0', '"size":-1', '"size":1.0', '"size":1e0', '"size":"1"', '"size":true', '"size":null',
                             '"size":1099511627777', '"size":01', '"size":9223372036854775808', '"Size":1', '"size":1,"size":1']),
        (first, '"modified":2', ['"modified":-0', '"modified":9223372036854775808', '"modified":NaN']),
        (first, '"mode":3', ['"mode":4096', '"mode":-0', '"mode":[]']),
        (first, '"key":' + key, ['"key":' + key.replace("c", "g"), '"key":' + key.upper(), '"key":' + key.replace("c", " ", 1),
                                 '"key":"cc"', '"key":"\\u0063' + key[2:], '"key":null', '"kex":' + key,
                                 '"key":%s,"inline":"AA=="' % key]),
        (first, '"object":' + d, ['"object":' + d.upper(), '"object":"\\u0062' + d[2:], '"object":1']),
        (first, '"file_id":' + i, ['"file_id":' + d, '"file_id":"\\u0061' + i[2:], '"file_id":null']),
        (first, '"name":"n"', ['"name":"%s"' % name for name in ("", ".", "..", "a/b", "\\u0000", "\\u0085", "\\ud800", "\\udc00\\ud800", "x" * 256)]
         + ['"name":1', '"name":null', '"name":"n","name":"n"']),
        (first, '"replaces":[%s]' % d, ['"replaces":null', '"replaces":{}', '"replaces":[null]', '"replaces":["\\u0062%s]' % d[2:],
                                        '"replaces":%s' % d, '"replaces":[%s],%s' % (d, ",".join('"%d":0' % n for n in range(64)))]),
        (first, '"made":' + d, ['"made":null', '"made":"b"', '"male":' + d]),
        (second, '"inline":"AAE="', ['"inline":"%s"' % text for text in ("AAF=", "AAE", "AAEA", "AA==", "AA E=", "AAE=\\n", "AA\\u0045=")]
         + ['"inline":null', '"inline":1', '"inline":"AAE=","key":null']),
        (second, '"inline":"AAE=","size":2', ['"inline":"%s","size":2049' % ("A" * 2732)]),
        (add, '"may":["put","later"]', ['"may":{}', '"may":"put"', '"may":[1]', '"may":["put",null]', '"may":null', '"xay":[]']),
        (add, '"label":"l"', ['"label":""', '"label":"a/b"', '"label":"\\u007f"']),
        (add, '"signing_key":' + d, ['"signing_key":' + d.upper(), '"signing_key":null']),
        (retire, '"signing_key":' + key, ['"signing_key":"cc"', '"signing_key":' + key.upper(), '"signing_key":"\\u0063' + key[2:], '"signing_key":1']),
        (entry, '"00ff"', ['"00f"', '"00FF"', '"00 ff"', '"zz"', '"\\u0030' + '0ff"', "null", "1"]),
        (settle, '"replaces":[%s]' % d, ['"versions":[%s]' % d, '"replaces":[%s,1]' % d]),
        (remove, '"replaces":[%s]' % d, ['"replaces":""']),
        (drop, '"versions":[%s]' % d, ['"replaces":[%s]' % d, '"versions":[%s]' % i]),
    ]
    bad = [text.replace(old, new, 1) for text, old, news in wrong for new in news]
    assert not set(good) & set(bad)
    return {"good": good, "bad": bad}


def vectors(folder):
    def stream(name, count):
        return hashlib.shake_256(("sealed example:" + name).encode()).digest(count)

    master, writer = stream("master", 32), stream("writer", 16).hex()
    seed, answer_secret = stream("seed", 32), stream("answer", 32)
    inbox = s.public(s.inbox_private(master))
    after = {"writer_id": stream("authoriser", 16).hex(), "counter": 7, "sha256": stream("authorised", 32).hex()}
    asked = {"writer_id": writer, "signing_key": s.signing_key(seed).hex(), "answer_key": s.public(answer_secret).hex(),
             "label": "node ☂"}
    keys = {"master_key": master.hex(), "namespace_id": f.namespace_id(master), "inbox_private": s.inbox_private(master).hex(),
            "inbox": inbox.hex(), "writer_id": writer, "writer_secret": s.writer_secret(master, writer, s.signing_key(seed)).hex(),
            "seed": seed.hex(), "signing_key": asked["signing_key"], "answer_secret": answer_secret.hex(),
            "answer_key": asked["answer_key"], "label": asked["label"], "may": ["file-put", "put"], "after": after}

    objects = []
    for size in (0, 1, 4096, 4097, 65535, 65536, 65537, 200_000):
        contents = stream("contents %d" % size, size)
        made = make_object({"contents": f.to_base64(contents), "key": stream("key %d" % size, 32).hex(),
                            "header": stream("header %d" % size, 24).hex()})
        if size > 4097:
            # The contents follow from the size; the object's name proves the rest.
            del made["bytes"]
        objects.append({**made, "header": stream("header %d" % size, 24).hex(), "object_size": s.object_size(size)})

    small, file_id = stream("small", 40), stream("file", 16).hex()
    record = f.record_id("example")
    entry = s.compact({"wallet_id": "example", "secret": {"Mnemonic": "zoo zoo"}, "metadata": {}, "wallet_mode": "Main"})
    fourth = objects[3]
    by_object = {"object": fourth["object"], "key": fourth["key"], "size": fourth["size"],
                 "modified": 1_800_000_000, "mode": 0o600, "content": fourth["content"]}
    texts = [
        [{"file-put": {"file_id": file_id, "name": "channel.backup", "version": by_object, "replaces": []}}],
        [{"file-put": {"file_id": file_id, "name": "channel.backup", "version": {
            "inline": f.to_base64(small), "size": 40, "modified": 1_800_000_001, "mode": 0o640,
            "content": s.sha256(small)}, "replaces": [None]}},
         {"put": {"record_id": record, "entry": entry.hex()}}, {"from-the-future": {"a": [1]}}],
        [{"file-remove": {"file_id": file_id, "replaces": [None]}},
         {"put": {"record_id": record, "entry": (entry + b" " * 3000).hex()}}],
    ]
    operations, previous = [], None
    for counter, changes in enumerate(texts, 1):
        header = {"namespace_id": keys["namespace_id"], "writer_id": writer, "counter": counter}
        if previous:
            header["previous"] = previous
        for change in changes:
            for fields in change.values():
                if fields.get("replaces") == [None]:
                    fields["replaces"] = [previous]
        random = stream("random %d" % counter, 32).hex()
        made = operation({"header": header, "at": 1_800_000_100 + counter, "after": after, "changes": changes,
                          "inbox": inbox.hex(), "writer_secret": keys["writer_secret"], "seed": seed.hex(), "random": random})
        previous = made["sha256"]
        del made["text"]
        operations.append({"random": random, "changes": len(changes), **made})

    def save(name, value):
        (folder / name).write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    source = "Tests/reader/sealed_writer.py vectors"
    save("operations.json", {"source": source, "keys": keys, "operations": operations})
    random = stream("object random", 32)
    hedged = {"random": random.hex(), "seed": seed.hex(), "contents": small.hex(), "content": s.sha256(small),
              "key": s.object_key(random, seed, s.sha256(small)).hex()}
    save("objects.json", {"source": source, "object_key": hedged, "objects": objects})
    save("changes.json", {"source": source, **change_texts()})
    padding = [[size, s.padme(size)] for size in (
        0, 1, 4095, 4096, 4097, 4224, 4225, 5000, 8191, 8192, 8193, 65535, 65536, 65537, 100_000, 2**20, 2**20 + 1,
        10**9, 2**40 - 1, 2**40)]
    # The box of an answer has its own random key, so the answer below is one of many.
    answered = answer({"request": asked, "master_key": keys["master_key"], "may": keys["may"], "after": after})
    save("lines.json", {"source": source, "keys": keys, "request": request(asked), "answer": answered,
                        "refused": refused_requests(asked)})
    save("padding.json", {"source": source, "padme": padding})
    return {"written": 5}


def main(command, argument):
    if command == "vectors":
        result = vectors(pathlib.Path(argument))
    else:
        values = json.loads(pathlib.Path(argument).read_text(encoding="utf-8"))
        result = {"operation": operation, "object": make_object, "request": request, "answer": answer}[command](values)
    json.dump(result, sys.stdout, ensure_ascii=False)
    print()


if __name__ == "__main__":
    main(*sys.argv[1:])

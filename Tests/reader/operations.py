#!/usr/bin/env python3
"""Operations of version 2, marks, versions and boxes, written from the rules of the format; shares no code with the product.

    operations.py vectors     prints the known answers of Tests/Vectors/operations.json
"""
import hashlib
import hmac
import json
import sys

from nacl.public import PrivateKey, PublicKey, SealedBox

import cspp_format as f
import sealed_format as s
from cspp_writer import compact, protected
from sealed_writer import operation as sealed_operation

NONE = bytes(32)
KINDS = {"wallet": 1, "file": 2}


def version_name(kind, item, data, by=NONE, of=NONE):
    """Rule 1: the name of a version. item: the record or file ID."""
    return hashlib.sha256(b"keybackup:v1:version\0" + bytes([KINDS[kind]]) + item + by + of + hashlib.sha256(data).digest()).hexdigest()


def marked(entry, nonce, by=None):
    """An entry with a mark as its last member. entry: compact JSON without one."""
    mark = {"nonce": nonce.hex(), **({"by": by.hex()} if by else {}), "sha256": s.sha256(entry)}
    return entry[:-1] + b',"keybackup":' + compact(mark) + b"}"


def file_contents(version):
    return s.sha256(version["name"].encode() + b"\0" + bytes.fromhex(version["content"]))


def text_name(topic, text):
    return s.sha256(topic.encode() + b"\0" + text)


def box(master, own_file, own_key_id, secret, earlier):
    """A file in keys/: a key slot's own file of an earlier namespace, and the new master key."""
    sealed = SealedBox(PublicKey(f.recipient(secret, own_key_id))).encrypt(master)
    return with_proof(master, own_file, sealed, earlier)


def with_proof(master, own_file, sealed, earlier):
    message = hashlib.sha256(own_file).digest() + sealed + bytes.fromhex(f.namespace_id(master))
    proof = hmac.new(f.derive(earlier, "keybackup:v1:box"), message, hashlib.sha256).hexdigest()
    return compact({"format": "keybackup-box", "version": 1, "own": f.to_base64(own_file), "box": sealed.hex(), "hmac": proof})


def open_box(file, secret):
    """(earlier master key, master key), or an exception."""
    value = json.loads(file)
    own = f.from_base64(value["own"])
    header = json.loads(f.from_base64url(json.loads(own)["protected"]))
    body = json.loads(own)
    earlier = f.open_sealed(f.wrapping_key(secret, header["key_id"]), bytes.fromhex(body["nonce"]), f.from_base64(body["ciphertext"]),
                            body["protected"].encode())
    master = SealedBox(PrivateKey(f.recipient_private(secret, header["key_id"]))).decrypt(bytes.fromhex(value["box"]))
    if with_proof(master, own, bytes.fromhex(value["box"]), earlier) != file:
        raise ValueError("nobody made it who had the earlier key")
    return earlier, master


def operation(master, header, text, nonce):
    key = f.operation_key(master, header["writer_id"], header["counter"])
    return protected("keybackup-op", header, nonce, key, text)


def vectors():
    """One of each change, with what the rules read of it."""
    random = lambda name, count=32: hashlib.shake_256(name.encode()).digest(count)
    master, earlier = random("master"), random("earlier")
    namespace, before = f.namespace_id(master), f.namespace_id(earlier)
    writer, seed = random("writer", 16).hex(), random("signer")
    signer, file_id, slot = s.signing_key(seed), random("file", 16), random("slot", 16).hex()
    entry = compact({"wallet_id": "one", "secret": "WatchOnly", "metadata": {"name": "One"}, "wallet_mode": "Main"})
    record = hashlib.sha256(b"one").digest()
    wallet = marked(entry, random("nonce", 16))
    silent = marked(entry, random("nonce 2", 16), signer)
    inline = {"nonce": random("nonce 3", 16).hex(), "inline": f.to_base64(b"channels"), "name": "channels.db", "size": 8,
              "modified": 1700000000, "mode": 0o600, "content": s.sha256(b"channels")}
    large = {"object": random("object").hex(), "key": random("object key").hex(), "name": "channels.db", "size": 70000,
             "modified": 1700000001, "mode": 0o640, "content": random("content").hex()}
    inline_bytes, large_bytes = compact(inline), compact(large)
    inline_name = version_name("file", file_id, inline_bytes, signer)
    large_name = version_name("file", file_id, large_bytes, signer, bytes.fromhex(inline_name))
    slot_secret = random("slot secret")
    slot_header = {"kind": "recovery-code", "namespace_id": before, "key_id": slot, "created_at": 1700000000, "label": "kit",
                   "recipient": f.recipient(slot_secret, slot).hex()}
    own = protected("keybackup-key", slot_header, random("nonce 4", 12), f.wrapping_key(slot_secret, slot), earlier)
    boxed = box(master, own, slot, slot_secret, earlier)
    sealed_text = lambda topic, text: random("nonce 5", 12) + f.seal(
        f.derive(f.derive(master, "cspp:v1:sensitive"), "keybackup:v1:sensitive:" + topic), random("nonce 5", 12), text)
    draft = {"writer_id": writer, "counter": 1, "sha256": random("draft").hex()}
    changes = [
        {"put": {"record_id": record.hex(), "entry": wallet.hex()}},
        {"put": {"record_id": record.hex(), "entry": silent.hex()}},
        {"file-put": {"file_id": file_id.hex(), "version": inline_bytes.hex(), "by": signer.hex()}},
        {"file-put": {"file_id": file_id.hex(), "version": large_bytes.hex(), "by": signer.hex(), "of": inline_name}},
        {"end": {"names": [inline_name, random("other").hex()]}},
        {"drop": {"names": [random("dropped").hex()]}},
        {"writer-add": {"writer_id": writer, "signing_key": signer.hex(), "label": "node", "at": 1600000000, "may": ["files", "wallets", "dances"]}},
        {"writer-retire": {"signing_key": signer.hex()}},
        {"refuse": {"signing_key": signer.hex()}},
        {"refuse": {"namespace_id": before}},
        {"begin": {"takes_over": [{"namespace_id": before, "master_key": earlier.hex()},
                                  {"namespace_id": random("stranger", 16).hex(), "master_key": earlier.hex()}], "operations": [draft]}},
        {"taken-over-by": {"namespace_id": random("next", 16).hex()}},
        {"key-add": {"key_id": slot, "slot": slot, "file": boxed.hex()}},
        {"key-remove": {"slot": random("removed", 16).hex()}},
        {"key-label": {"slot": slot, "label": "Kit Ω", "at": 1500000000}},
        {"envelope": {"file": b"envelope".hex()}},
        {"sensitive": {"topic": "labels", "sealed": sealed_text("labels", b"private").hex()}},
        {"dance": {"step": 1}},
    ]
    header = {"namespace_id": namespace, "writer_id": writer, "counter": 2, "previous": draft["sha256"]}
    seen = [draft, {"namespace_id": before, "signing_key": signer.hex(), "counter": 7, "sha256": random("seen").hex()}]
    text = compact({"version": 2, "at": 1700000002, "writer_label": "desk", "seen": seen, "changes": changes})
    file = operation(master, header, text, random("nonce 6", 12))
    inbox, secret = s.public(s.inbox_private(master)), s.writer_secret(master, writer, signer)
    sealed_header = {"namespace_id": namespace, "writer_id": writer, "counter": 1}
    sealed = sealed_operation({
        "header": sealed_header, "at": 1700000003, "inbox": inbox.hex(), "writer_secret": secret.hex(), "seed": seed.hex(), "random": random("random").hex(),
        "changes": [{"file-put": {"file_id": file_id.hex(), "version": inline_bytes.hex()}},
                    {"put": {"record_id": record.hex(), "entry": silent.hex()}},
                    {"end": {"file_id": file_id.hex(), "digests": [s.sha256(large_bytes)]}},
                    {"writer-retire": {"signing_key": signer.hex()}}]})["file"]
    return {
        "master_key": master.hex(), "earlier_master_key": earlier.hex(), "signer_seed": seed.hex(), "writer_id": writer,
        "file": f.to_base64(file), "text": f.to_base64(text), "slot": slot, "slot_secret": slot_secret.hex(), "box": f.to_base64(boxed),
        "names": {"wallet": version_name("wallet", record, wallet), "silent wallet": version_name("wallet", record, silent, signer),
                  "inline": inline_name, "large": large_name},
        "contents": {"wallet": s.sha256(entry), "inline": file_contents(inline), "large": file_contents(large)},
        "entry": f.to_base64(entry), "marked": f.to_base64(wallet), "nonce": random("nonce", 16).hex(),
        "text_name": text_name("labels", b"private"), "earlier": before, "record": record.hex(), "file_id": file_id.hex(),
        "inline": f.to_base64(inline_bytes), "sealed": sealed,
        "sealed_end": version_name("file", file_id, large_bytes, signer),
    }


if __name__ == "__main__":
    if sys.argv[1:] != ["vectors"]:
        sys.exit(__doc__)
    print(json.dumps(vectors(), indent=1))

"""Silent writers and files of docs/format.md: keys, spellings and sizes, for the independent reader and writer.

Written from the format's text with the packages `cryptography` and `PyNaCl`; it shares no code with the product.
"""
import hashlib
import json

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from nacl.bindings import crypto_core_ed25519_is_valid_point

import cspp_format as f
import secretstream

CHUNK = 65536
FLOOR = 4096
TEXT_LIMIT = 16 * 2**20
FILE_LIMIT = 24 * 2**20
CONTENTS_LIMIT = 2**40
INLINE_LIMIT = 2048
HEAD = '{"format":"keybackup-sealed","version":1,"protected":"%s","box":"%s","signature":"%s"}'
BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
MAY = ["file-put", "file-remove", "put"]


class Refused(Exception):
    """What makes bytes no operation, object or line."""


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def sha256(data):
    return hashlib.sha256(data).hexdigest()


# Keys


def public(private):
    return X25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def inbox_private(master_key):
    return f.derive(master_key, "keybackup:v1:inbox")


def writer_secret(master_key, writer_id):
    return f.derive(master_key, "keybackup:v1:silent-writer:" + writer_id)


def signing_key(seed):
    return Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()


def exchange(private, other):
    try:
        shared = X25519PrivateKey.from_private_bytes(private).exchange(X25519PublicKey.from_public_bytes(other))
    except ValueError:
        raise Refused("a point of low order")
    if not any(shared):
        raise Refused("a point of low order")
    return shared


def verify(key, signature, message):
    """Both points must be of the group of prime order: else programs disagree."""
    if not crypto_core_ed25519_is_valid_point(key) or not crypto_core_ed25519_is_valid_point(signature[:32]):
        raise Refused("signature")
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except InvalidSignature:
        raise Refused("signature")


# Sizes


def padme(size):
    if size <= FLOOR:
        return FLOOR
    exponent = size.bit_length() - 1
    zeroes = exponent - exponent.bit_length()
    return (size + (1 << zeroes) - 1) >> zeroes << zeroes


def power_of_two(size):
    return max(FLOOR, 1 << (size - 1).bit_length())


def object_size(size):
    padded = padme(size)
    return secretstream.HEADER + padded + secretstream.OVERHEAD * -(-padded // CHUNK)


# The sealed operation


def header_json(header):
    names = ["namespace_id", "writer_id", "counter"] + (["previous"] if "previous" in header else [])
    return compact({name: header[name] for name in names})


def signed(protected, box):
    return b"keybackup:v1:sealed\0" + protected.encode() + b"\0" + box.encode()


def operation_key(shared, secret, header, ephemeral, inbox):
    return f.derive(shared + secret, "keybackup:v1:sealed:%s:%d:%s:%s" % (
        header["writer_id"], header["counter"], ephemeral.hex(), inbox.hex()))


# Lines


def _checksum(prefix, values):
    state = 1
    for value in [ord(c) >> 5 for c in prefix] + [0] + [ord(c) & 31 for c in prefix] + values:
        top = state >> 25
        state = (state & 0x1FFFFFF) << 5 ^ value
        for bit, generator in enumerate([0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3]):
            state ^= generator if top >> bit & 1 else 0
    return state


def line(prefix, data):
    """Bech32m (BIP-350) of bytes."""
    bits = "".join("{:08b}".format(byte) for byte in data)
    bits += "0" * (-len(bits) % 5)
    values = [int(bits[place:place + 5], 2) for place in range(0, len(bits), 5)]
    check = _checksum(prefix, values + [0] * 6) ^ 0x2BC830A3
    values += [check >> 5 * place & 31 for place in reversed(range(6))]
    return prefix + "1" + "".join(BECH32[value] for value in values)


def from_line(prefix, text):
    text = "".join(text.split())
    if text not in (text.lower(), text.upper()):
        raise Refused("mixed case")
    text = text.lower()
    if len(text) > 1023 or not text.startswith(prefix + "1"):
        raise Refused("no such line")
    try:
        values = [BECH32.index(c) for c in text[len(prefix) + 1:]]
    except ValueError:
        raise Refused("a character that stands for nothing")
    if len(values) < 6 or _checksum(prefix, values) != 0x2BC830A3:
        raise Refused("checksum")
    bits = "".join("{:05b}".format(value) for value in values[:-6])
    whole = len(bits) // 8 * 8
    if len(bits) - whole > 4 or "1" in bits[whole:]:
        raise Refused("left-over bits")
    data = bytes(int(bits[place:place + 8], 2) for place in range(0, whole, 8))
    if data[:1] != b"\1":
        raise Refused("version")
    return data


def request_bytes(request):
    return (b"\1" + bytes.fromhex(request["writer_id"]) + bytes.fromhex(request["signing_key"])
            + bytes.fromhex(request["answer_key"]) + request["label"].encode())


def fingerprint(topic, data):
    digest = hashlib.sha256(topic.encode() + b"\0" + data).digest()
    bits = int.from_bytes(digest[:10], "big")
    text = "".join("0123456789abcdefghjkmnpqrstvwxyz"[bits >> 5 * place & 31] for place in reversed(range(16)))
    return "-".join(text[place:place + 4] for place in range(0, 16, 4))


def request_fingerprint(request):
    return fingerprint("keybackup:v1:writer-request", request_bytes(request))


def answer_fingerprint(request, data):
    return fingerprint("keybackup:v1:writer-answer", hashlib.sha256(request_bytes(request)).digest() + data)

"""Silent writers and files of docs/format.md: keys, spellings and sizes, for the independent reader and writer.

Written from the format's text with the packages `cryptography` and `PyNaCl`; it shares no code with the product.
"""
import base64
import hashlib
import json
import re

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

import cspp_format as f
import crypto_vectors as edwards
import secretstream

CHUNK = 65536
FLOOR = 4096
PROTECTED_LIMIT = 512
MEMBERS_LIMIT = 64
DEPTH_LIMIT = 64
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


def writer_secret(master_key, writer_id, signing):
    return f.derive(master_key, "keybackup:v1:silent-writer:%s:%s" % (writer_id, signing.hex()))


def object_key(random, seed, content):
    return f.derive(random + seed, "keybackup:v1:object-key:" + content)


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


def in_prime_group(point):
    """RFC 8032's arithmetic in Python's own integers: the only encoding, of order L."""
    number = int.from_bytes(point, "little")
    y, odd = number & (1 << 255) - 1, number >> 255
    found = edwards.lift(y, odd) if len(point) == 32 and y < edwards.P else None
    return found is not None and edwards.encode(found) == point and found != edwards.NEUTRAL \
        and edwards.times(edwards.L, found) == edwards.NEUTRAL


def verify(key, signature, message):
    """Both points must be of the group of prime order: else programs disagree."""
    if not in_prime_group(key) or not in_prime_group(signature[:32]):
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


# Text


class Escaped(str):
    """A string that was written with an escape: hexadecimal and base64 have none."""


def _string(text, end, strict=True):
    value, stop = json.decoder.py_scanstring(text, end, strict)
    value.encode()  # refuses half of a surrogate pair
    return (Escaped(value) if "\\" in text[end:stop] else value), stop


def _members(pairs):
    if len(pairs) > MEMBERS_LIMIT:
        raise Refused("too many fields")
    return f.unique(pairs)


def _number(text):
    if not text.isascii():
        raise Refused("digits")
    # -0 is no whole number here. Others out of range may stand in fields that nobody knows.
    return int(text) if len(text) < 20 and text.isdigit() else float(text)


def _constant(text):
    raise Refused("no JSON: " + text)


def loads(data):
    """JSON in UTF-8 without a byte order mark; no field twice, no escapes lost."""
    decoder = json.JSONDecoder(object_pairs_hook=_members, parse_int=_number, parse_constant=_constant)
    decoder.parse_string = _string
    decoder.scan_once = json.scanner.py_make_scanner(decoder)
    value = decoder.decode(data.decode("utf-8"))
    if depth(value) > DEPTH_LIMIT:
        raise Refused("too deep")
    return value


def depth(value):
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(depth, inner), default=0)


def from_base64(text, alphabet=f.to_base64):
    """The bytes, if this is their only spelling."""
    if not isinstance(text, str) or isinstance(text, Escaped) or not text.isascii():
        raise Refused("base64")
    standard = text if alphabet is f.to_base64 else text.replace("-", "+").replace("_", "/") + "=" * (-len(text) % 4)
    data = base64.b64decode(standard, validate=True)
    if alphabet(data) != text:
        raise Refused("base64")
    return data


# The sealed operation


def header_json(header):
    names = ["namespace_id", "writer_id", "counter"] + (["previous"] if "previous" in header else [])
    return compact({name: header[name] for name in names})


def signed(protected, box):
    return b"keybackup:v1:sealed\0" + protected.encode() + b"\0" + box.encode()


def operation_key(shared, secret, header, ephemeral, inbox, signing):
    return f.derive(shared + secret, "keybackup:v1:sealed:%s:%d:%s:%s:%s" % (
        header["writer_id"], header["counter"], ephemeral.hex(), inbox.hex(), signing.hex()))


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
    # Of all the blanks of Unicode, only these; of all its letters, only ASCII has a small and a capital one here.
    text = re.sub("[\t-\r ]", "", text)
    if not text.isascii():
        raise Refused("not ASCII")
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

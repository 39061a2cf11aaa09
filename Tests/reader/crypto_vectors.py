#!/usr/bin/env python3
"""Writes the known answers of Tests/Vectors/crypto for signatures, shared secrets and streams.

    crypto_vectors.py FOLDER

The arithmetic of edwards25519 is RFC 8032's, in Python's own integers; OpenSSL checks the signatures.
"""
import hashlib
import json
import pathlib
import sys

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

import secretstream

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)
NEUTRAL = (0, 1)


def add(one, other):
    (x1, y1), (x2, y2) = one, other
    product = D * x1 * x2 * y1 * y2 % P
    return ((x1 * y2 + x2 * y1) * pow(1 + product, P - 2, P) % P,
            (y1 * y2 + x1 * x2) * pow(1 - product, P - 2, P) % P)


def times(count, point):
    result = NEUTRAL
    while count:
        if count & 1:
            result = add(result, point)
        point, count = add(point, point), count >> 1
    return result


def lift(y, odd):
    """The point with this y and parity of x; None if there is none."""
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT % P
    if (x * x - square) % P:
        return None
    return ((P - x) % P if x & 1 != odd else x, y)


def encode(point):
    return (point[1] | (point[0] & 1) << 255).to_bytes(32, "little")


BASE = lift(4 * pow(5, P - 2, P) % P, 0)


def torsion():
    """The eight points of small order, beginning with one of order 8."""
    y = 2
    while True:
        point = lift(y, 0)
        if point:
            found = times(L, point)
            if times(4, found) != NEUTRAL:
                return [times(count, found) for count in range(1, 9)]
        y += 1


def secret_scalar(seed):
    number = int.from_bytes(hashlib.sha512(seed).digest()[:32], "little")
    return number & (1 << 254) - 8 | 1 << 254


def stream(seed, count):
    return hashlib.shake_256(seed.encode()).digest(count)


RFC8032 = [
    ("TEST 1", "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60", ""),
    ("TEST 2", "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb", "72"),
    ("TEST 3", "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7", "af82"),
]
# Of the RFC's text, to notice a mistyped seed.
RFC8032_KEYS = ["d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
                "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
                "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025"]


def main(folder):
    def write(name, source, cases):
        text = json.dumps({"source": source, "cases": cases}, indent=2) + "\n"
        (folder / (name + ".json")).write_text(text, encoding="utf-8")

    cases = []
    for (name, seed, message), public in zip(RFC8032, RFC8032_KEYS):
        key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(seed))
        assert key.public_key().public_bytes_raw().hex() == public, name
        cases.append({"name": name, "seed": seed, "publicKey": public, "message": message,
                      "signature": key.sign(bytes.fromhex(message)).hex()})
    write("ed25519", "RFC 8032, section 7.1", cases)

    alice = "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"
    bob = "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"
    shared = "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"
    cases = []
    for name, own, other in [("6.1 Alice", alice, bob), ("6.1 Bob", bob, alice)]:
        public = X25519PrivateKey.from_private_bytes(bytes.fromhex(other)).public_key().public_bytes_raw()
        found = X25519PrivateKey.from_private_bytes(bytes.fromhex(own)).exchange(X25519PublicKey.from_public_bytes(public))
        assert found.hex() == shared
        cases.append({"name": name, "secret": own, "publicKey": public.hex(), "shared": shared})
    write("x25519-shared", "RFC 7748, section 6.1", cases)

    small = torsion()
    # On the Montgomery form, u = (1 + y) / (1 - y). The neutral element has no u.
    low = {(1 + y) * pow(1 - y, P - 2, P) % P for _, y in small if y != 1}
    encodings = {u + twice * P | top << 255 for u in low for twice in (0, 1) if u + twice * P < 2**255
                 for top in (0, 1)}
    # Not on the curve but on its twist: u = -1.
    encodings |= {P - 1 | top << 255 for top in (0, 1)}
    write("x25519-low-order", "points of low order in all their encodings, by Tests/reader/crypto_vectors.py",
          [{"name": "u = %x" % number, "point": number.to_bytes(32, "little").hex()} for number in sorted(encodings)])

    refused = [("order %d" % next(n for n in (1, 2, 4, 8) if times(n, point) == NEUTRAL), encode(point)) for point in small]
    for y in range(19):
        for odd in (0, 1):
            if lift(y, 0):
                refused.append(("y = p + %d, sign %d" % (y, odd), (y + P | odd << 255).to_bytes(32, "little")))
    for y in (1, P - 1):
        refused.append(("x = 0 with a sign", (y | 1 << 255).to_bytes(32, "little")))
    off = next(y for y in range(2, 100) if not lift(y, 0))
    refused.append(("not on the curve", off.to_bytes(32, "little")))
    honest = times(secret_scalar(stream("key", 32)), BASE)
    refused += [("a key plus a point of order %d" % order, encode(add(honest, point))) for order, point in (
        (next(n for n in (1, 2, 4, 8) if times(n, point) == NEUTRAL), point) for point in small) if order > 1]
    write("ed25519-refused", "keys that no signer can have, by Tests/reader/crypto_vectors.py",
          [{"name": name, "point": point.hex()} for name, point in refused])

    # R with a point of small order: accepted if both sides are multiplied by 8, refused if not.
    seed = stream("mixed", 32)
    scalar, public = secret_scalar(seed), Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()
    assert encode(times(scalar, BASE)) == public
    cases = []
    for place, point in enumerate(small):
        message = b"message %d" % place
        r = int.from_bytes(stream("r%d" % place, 64), "little") % L
        start = encode(add(times(r, BASE), point))
        h = int.from_bytes(hashlib.sha512(start + public + message).digest(), "little") % L
        signature = start + ((r + h * scalar) % L).to_bytes(32, "little")
        if point == NEUTRAL:
            Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
        else:
            cases.append({"key": public.hex(), "message": message.hex(), "signature": signature.hex()})
    write("ed25519-mixed-order", "signatures with R outside the group of prime order, by Tests/reader/crypto_vectors.py", cases)

    cases, tags = [], []
    for number, sizes in enumerate([[0], [1, 0, 63], [64, 65, 300], [16] * 6]):
        key, header = stream("stream key %d" % number, 32), stream("stream header %d" % number, 24)
        sealer = secretstream.Stream(key, header)
        chunks = []
        for place, size in enumerate(sizes):
            message = stream("chunk %d %d" % (number, place), size)
            tag = secretstream.FINAL if place == len(sizes) - 1 else secretstream.MESSAGE
            chunks.append({"message": message.hex(), "sealed": sealer.push(message, tag).hex()})
        cases.append({"key": key.hex(), "header": header.hex(), "chunks": chunks})
        if number < 2:
            tag = (secretstream.PUSH, secretstream.REKEY)[number]
            tags.append({"key": key.hex(), "header": header.hex(), "sealed": secretstream.Stream(key, header).push(b"x", tag).hex()})
    write("secretstream", "Tests/reader/secretstream.py, which shares no code with libsodium", cases)
    write("secretstream-tags", "as secretstream.json, with the tags PUSH and REKEY", tags)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))

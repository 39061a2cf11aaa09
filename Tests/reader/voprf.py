#!/usr/bin/env python3
"""RFC 9497's OPRF and VOPRF for ristretto255-SHA512, a second time: on Python's own integers.

    voprf.py COMMAND FILE    FILE has JSON, {"values": [...]}; prints {"results": [...]}

Written from RFC 9496 (ristretto255), RFC 9380 (expand_message_xmd) and RFC 9497. It is slow, and its time
depends on its secrets: it is for tests only.
"""
import hashlib
import json
import sys

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)
# The two square roots of RFC 9496, section 4.1, with the signs that it fixes.
SQRT_AD_MINUS_ONE = 25063068953384623474111414158702152701244531502492656460079210482610430750235
INVSQRT_A_MINUS_D = 54469307008909316920995813868745141605393597292927456921205312896311721017578
assert SQRT_AD_MINUS_ONE**2 % P == (-D - 1) % P
assert INVSQRT_A_MINUS_D**2 * (-1 - D) % P == 1


class Invalid(Exception):
    """Bytes that encode nothing, or a proof that does not hold."""


def absolute(x):
    x %= P
    return P - x if x & 1 else x


def sqrt_ratio(u, v):
    r = u * v**3 * pow(u * v**7, (P - 5) // 8, P) % P
    check = v * r * r % P
    correct, flipped, flipped_i = (check == x % P for x in (u, -u, -u * ROOT))
    if flipped or flipped_i:
        r = r * ROOT % P
    return correct or flipped, absolute(r)


# Points in extended coordinates (x, y, z, t) of the curve with a = -1.
IDENTITY = (0, 1, 1, 0)


def add(one, other):
    x1, y1, z1, t1 = one
    x2, y2, z2, t2 = other
    a, b = (y1 - x1) * (y2 - x2) % P, (y1 + x1) * (y2 + x2) % P
    c, d = 2 * t1 * t2 * D % P, 2 * z1 * z2 % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(count, point):
    result = IDENTITY
    while count:
        if count & 1:
            result = add(result, point)
        point, count = add(point, point), count >> 1
    return result


def encode(point):
    x, y, z, t = point
    u1, u2 = (z + y) * (z - y) % P, x * y % P
    _, root = sqrt_ratio(1, u1 * u2 * u2 % P)
    den1, den2 = root * u1 % P, root * u2 % P
    z_inverse = den1 * den2 * t % P
    if t * z_inverse % P & 1:
        x, y, den2 = y * ROOT % P, x * ROOT % P, den1 * INVSQRT_A_MINUS_D % P
    if x * z_inverse % P & 1:
        y = -y
    return absolute(den2 * (z - y)).to_bytes(32, "little")


def decode(text):
    s = int.from_bytes(text, "little")
    if len(text) != 32 or s >= P or s & 1:
        raise Invalid("element")
    u1, u2 = (1 - s * s) % P, (1 + s * s) % P
    v = (-(D * u1 * u1) - u2 * u2) % P
    is_square, root = sqrt_ratio(1, v * u2 * u2 % P)
    x = absolute(2 * s * root * u2)
    y = u1 * root * root * u2 * v % P
    if not is_square or x * y % P & 1 or y == 0 or s == 0:
        raise Invalid("element")
    return x, y, 1, x * y % P


def elligator(t):
    r = ROOT * t * t % P
    u, v = (r + 1) * (1 - D * D) % P, (-1 - r * D) * (r + D) % P
    is_square, s = sqrt_ratio(u, v)
    c = P - 1 if is_square else r
    if not is_square:
        s = -absolute(s * t) % P
    n = (c * (r - 1) * (D - 1) ** 2 - v) % P
    w0, w1, w2, w3 = 2 * s * v % P, n * SQRT_AD_MINUS_ONE % P, (1 - s * s) % P, (1 + s * s) % P
    return w0 * w3 % P, w2 * w1 % P, w1 * w3 % P, w0 * w2 % P


BASE = decode(bytes.fromhex("e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76"))


def scalar(text):
    number = int.from_bytes(text, "little")
    if len(text) != 32 or not 0 < number < L:
        raise Invalid("scalar")
    return number


def sized(text):
    return len(text).to_bytes(2, "big") + text


def expand(message, tag, size=64):
    tag += bytes([len(tag)])
    first = hashlib.sha512(bytes(128) + message + size.to_bytes(2, "big") + b"\0" + tag).digest()
    return hashlib.sha512(first + b"\1" + tag).digest()[:size]


class Suite:
    """One mode: 0 for OPRF, 1 for VOPRF."""

    def __init__(self, mode):
        self.context = b"OPRFV1-" + bytes([mode]) + b"-ristretto255-SHA512"

    def to_scalar(self, message, label=b"HashToScalar-"):
        return int.from_bytes(expand(message, label + self.context), "little") % L

    def to_group(self, message):
        uniform = expand(message, b"HashToGroup-" + self.context)
        # The highest bit of each half is not used.
        halves = [int.from_bytes(half, "little") % 2**255 for half in (uniform[:32], uniform[32:])]
        return add(*(elligator(half) for half in halves))

    def derive(self, seed, info):
        for counter in range(256):
            key = self.to_scalar(seed + sized(info) + bytes([counter]), b"DeriveKeyPair")
            if key:
                return key
        raise Invalid("seed")

    def blind(self, message, blind):
        return encode(times(blind, self.to_group(message)))

    def composites(self, public, pairs):
        seed = hashlib.sha512(sized(public) + sized(b"Seed-" + self.context)).digest()
        m, z = IDENTITY, IDENTITY
        for index, (blinded, evaluated) in enumerate(pairs):
            weight = self.to_scalar(sized(seed) + index.to_bytes(2, "big") + sized(blinded)
                                    + sized(evaluated) + b"Composite")
            m, z = add(m, times(weight, decode(blinded))), add(z, times(weight, decode(evaluated)))
        return m, z

    def challenge(self, *points):
        return self.to_scalar(b"".join(sized(point) for point in points) + b"Challenge")

    def evaluate(self, key, blinded):
        return [encode(times(key, decode(element))) for element in blinded]

    def prove(self, key, blinded, evaluated, random):
        public = encode(times(key, BASE))
        m, z = self.composites(public, list(zip(blinded, evaluated)))
        c = self.challenge(public, encode(m), encode(z), encode(times(random, BASE)), encode(times(random, m)))
        return c.to_bytes(32, "little") + ((random - c * key) % L).to_bytes(32, "little")

    def verify(self, public, blinded, evaluated, proof):
        c, s = scalar(proof[:32]), scalar(proof[32:])
        m, z = self.composites(public, list(zip(blinded, evaluated)))
        t2, t3 = add(times(s, BASE), times(c, decode(public))), add(times(s, m), times(c, z))
        if c != self.challenge(public, encode(m), encode(z), encode(t2), encode(t3)):
            raise Invalid("proof")

    @staticmethod
    def finalize(message, blind, evaluated):
        plain = encode(times(pow(blind, L - 2, L), decode(evaluated)))
        return hashlib.sha512(sized(message) + sized(plain) + b"Finalize").digest()


def server(suite, value):
    """Evaluates what a client blinded, and proves it."""
    key = suite.derive(value["seed"], value["info"])
    evaluated = suite.evaluate(key, value["blinded"])
    return {"public": encode(times(key, BASE)), "evaluated": evaluated,
            "proof": suite.prove(key, value["blinded"], evaluated, scalar(value["random"]))}


def client_blind(suite, value):
    return {"blinded": [suite.blind(text, scalar(blind))
                        for text, blind in zip(value["inputs"], value["blinds"])]}


def client_finalize(suite, value):
    """Checks a server's proof and gives the outputs; the error's name where it does not hold."""
    try:
        if "proof" in value:
            suite.verify(value["public"], value["blinded"], value["evaluated"], value["proof"])
        return {"outputs": [suite.finalize(*each)
                            for each in zip(value["inputs"], map(scalar, value["blinds"]), value["evaluated"])]}
    except Invalid as reason:
        return {"refused": str(reason)}


COMMANDS = {"server": server, "blind": client_blind, "finalize": client_finalize}


def decoded(value):
    if isinstance(value, str):
        return bytes.fromhex(value)
    if isinstance(value, list):
        return [decoded(each) for each in value]
    return value


def encoded(value):
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, list):
        return [encoded(each) for each in value]
    return value


def main(command, path):
    with open(path, encoding="utf-8") as file:
        values = json.load(file)["values"]
    results = []
    for value in values:
        value = {name: decoded(each) for name, each in value.items()}
        result = COMMANDS[command](Suite(value["mode"]), value)
        results.append({name: each if name == "refused" else encoded(each) for name, each in result.items()})
    print(json.dumps({"results": results}))


if __name__ == "__main__":
    main(*sys.argv[1:])

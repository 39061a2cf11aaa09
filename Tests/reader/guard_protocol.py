#!/usr/bin/env python3
"""What guards and their clients derive, a second time; writes the known answers of Tests/Vectors/guards.

    guard_protocol.py FOLDER

Written from the formulas at the top of Sources/GuardProtocol/Derivations/DerivationInfo.swift. The field with 256
elements is made of powers of 3, the curves are OpenSSL's, Argon2id is the reference implementation's.
"""
import base64
import hashlib
import hmac
import itertools
import json
import pathlib
import sys
import unicodedata

from argon2.low_level import Type, hash_secret_raw
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

SOURCE = "Tests/reader/guard_protocol.py"


def random(label, count):
    """Bytes that are the same in every run."""
    return hashlib.shake_128(label.encode()).digest(count)


def hkdf(secret, info, count=32):
    key = hmac.digest(bytes(32), secret, "sha256")
    output, block = b"", b""
    for number in range(1, 2 + (count - 1) // 32):
        block = hmac.digest(key, block + info + bytes([number]), "sha256")
        output += block
    return output[:count]


def xor(one, other):
    return bytes(a ^ b for a, b in zip(one, other, strict=True))


def ed25519(seed):
    key = Ed25519PrivateKey.from_private_bytes(seed)
    return key, key.public_key().public_bytes_raw()


def x25519(secret):
    return X25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()


def derivations(number, pin, memory, passes):
    def some(label, count):
        return random(f"derivations {number} {label}", count)

    key_id, nonce, shared, share = some("key", 16), some("nonce", 32), some("R", 32), some("share", 32)
    _, guard_key = ed25519(some("guard", 32))
    guard_id = hashlib.sha256(guard_key).digest()[:16]
    point = 1 + number % 16
    ask, ask_key = ed25519(hkdf(nonce, b"keybackup:v1:guard-ask:" + key_id + b":" + guard_id))
    salt, output, login = some("salt", 16), some("output", 64), some("login", 32)
    x = hash_secret_raw(unicodedata.normalize("NFC", pin).encode(), salt, passes, memory, 1, 32, Type.ID)
    pin_secret = hkdf(shared + x, b"keybackup:v1:guarded-pin:" + key_id)
    login_secret = hkdf(shared + nonce, b"keybackup:v1:guarded-login:" + key_id)
    _, reset_key = ed25519(hkdf(pin_secret, b"keybackup:v1:guard-reset:" + key_id + b":" + guard_id))
    session_key = x25519(some("session", 32))
    nonce_text = base64.urlsafe_b64encode(
        hashlib.sha256(b"keybackup:v1:login:" + key_id + session_key).digest()).decode().rstrip("=")
    body = some("body", 10 * number)
    message = b"\0".join([b"keybackup:v1:guard-request", b"POST", b"/v1/evaluate", guard_id,
                          hashlib.sha256(body).digest()])
    return {
        "key_id": key_id, "nonce": nonce, "guard_key": guard_key, "guard_id": guard_id, "ask_key": ask_key,
        "account": hashlib.sha256(ask_key).digest(), "pin": pin.encode(), "salt": salt, "memory_kib": memory,
        "passes": passes, "x": x, "shared": shared, "share": share, "point": point, "output": output,
        "masked_pin": xor(share, hkdf(output, b"keybackup:v1:guard-share:" + key_id + b":" + bytes([point]))),
        "login": login,
        "masked_login": xor(share, hkdf(login, b"keybackup:v1:guard-login-share:" + key_id + b":" + bytes([point]))),
        "pin_secret": pin_secret, "login_secret": login_secret, "reset_key": reset_key,
        "recipient": x25519(hkdf(pin_secret, f"keybackup:v1:recipient:{key_id.hex()}".encode())),
        "session_key": session_key, "login_nonce": nonce_text.encode(),
        "release_id": hashlib.sha256(b"keybackup:v1:guard-release:" + session_key).digest()[:16],
        "body": body, "signature": ask.sign(message),
    }


# Powers of 3, which generates the field's group, and their logarithms.
POWERS = [1]
for _ in range(254):
    double = POWERS[-1] << 1
    POWERS.append((double ^ (0x11B if double & 0x100 else 0)) ^ POWERS[-1])
LOGARITHMS = {power: number for number, power in enumerate(POWERS)}


def product(one, other):
    return POWERS[(LOGARITHMS[one] + LOGARITHMS[other]) % 255] if one and other else 0


def shares(guards, needed):
    def some(label, count):
        return random(f"shares {guards} {needed} {label}", count)

    secret, coefficients = some("secret", 32), some("coefficients", 32 * (needed - 1))
    rows = [secret] + [coefficients[32 * row:32 * row + 32] for row in range(needed - 1)]

    def value(point, place):
        total = 0
        for degree, row in enumerate(rows):
            term = row[place]
            for _ in range(degree):
                term = product(term, point)
            total ^= term
        return total

    return {"guards": guards, "needed": needed, "secret": secret, "coefficients": coefficients,
            "shares": [bytes(value(point, place) for place in range(32)) for point in range(1, guards + 1)]}


def encoded(value):
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, list):
        return [encoded(each) for each in value]
    return value


def write(path, cases):
    assert len(POWERS) == len(LOGARITHMS) == 255
    text = json.dumps({"source": SOURCE, "cases": [
        {name: encoded(value) for name, value in case.items()} for case in cases]}, indent=1)
    path.write_text(text + "\n", encoding="utf-8")


def main(folder):
    pins = ["0", "493817", "correct horse battery staple", "päßwörd €", "pa\u0308ßwo\u0308rd", "\u1e9b\u0323 \ufb01"]
    folder = pathlib.Path(folder)
    write(folder / "derivations.json",
          [derivations(number, pin, 8192 << number % 3, 1 + number % 4) for number, pin in enumerate(pins)])
    write(folder / "shares.json",
          [shares(guards, needed) for guards, needed in itertools.product(range(1, 8), repeat=2)
           if guards // 2 < needed <= guards] + [shares(9, 5), shares(16, 15), shares(16, 16)])


main(*sys.argv[1:])

#!/usr/bin/env python3
"""Key slots with guards, a second time: reads them, writes them, and writes the known answers.

    guarded_slots.py open FILE      FILE has JSON, {"values": [...]}; prints {"results": [...]}
    guarded_slots.py write FILE
    guarded_slots.py addresses FILE
    guarded_slots.py two-keys FILE
    guarded_slots.py ways PATH      writes Tests/Vectors/guards/ways.json

Written from docs/format.md, *Guards*, with the packages `cryptography`, `PyNaCl` and voprf.py; it shares no code with
the product.
"""
import hashlib
import json
import os
import pathlib
import re
import sys
import unicodedata

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

import cspp_format as f
import voprf
from cspp_reader import Refused, need

SUITE = voprf.Suite(1)


def derive(ikm, label, *parts):
    """HKDF with an info string whose IDs and points are raw bytes."""
    info = b"keybackup:v1:" + label.encode() + b":" + b":".join(parts)
    return HKDF(algorithm=hashes.SHA256(), length=32, salt=None, info=info).derive(ikm)


def xor(one, other):
    return bytes(a ^ b for a, b in zip(one, other, strict=True))


def ed25519(seed):
    return Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()


# The field with 256 elements, as AES has it.

def product(one, other):
    result = 0
    while other:
        if other & 1:
            result ^= one
        one, other = (one << 1) ^ (0x11B if one & 0x80 else 0), other >> 1
    return result


def inverse(element):
    return next(other for other in range(1, 256) if product(element, other) == 1)


def share(secret, coefficients, point):
    """The share of 32 bytes at a point; the coefficients of x, x^2 and so on have 32 bytes each."""
    result, power = secret, 1
    for start in range(0, len(coefficients), 32):
        power = product(power, point)
        result = xor(result, bytes(product(byte, power) for byte in coefficients[start:start + 32]))
    return result


def combine(shares):
    """The secret of {point: share}."""
    result = bytes(32)
    for point, value in shares.items():
        weight = 1
        for other in shares:
            if other != point:
                weight = product(weight, product(other, inverse(other ^ point)))
        result = xor(result, bytes(product(byte, weight) for byte in value))
    return result


# The header.

def digits(value, count):
    need(isinstance(value, str) and value == value.lower() and len(value) == 2 * count, "digits")
    return bytes.fromhex(value)


def number(value, least, most):
    need(type(value) is int and least <= value <= most, "number")
    return value


ADDRESS = re.compile(
    r"(https?)://((?!-)[A-Za-z0-9-]{1,63}(?<!-)(?:\.(?!-)[A-Za-z0-9-]{1,63}(?<!-))*|\[[0-9a-f:.]*:[0-9a-f:.]*\])(?::([1-9][0-9]{0,4}))?"
    r"((?:/(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})*)*)", re.ASCII)


def address(text):
    """An address of a guard or an issuer, in the one form that it may have."""
    need(isinstance(text, str) and len(text.encode()) <= 512, "url")
    match = ADDRESS.fullmatch(text)
    need(match, "url")
    scheme, host, port, path = match.groups()
    need((4 <= len(host) <= 47 if host[0] == "[" else len(host) <= 253) and int(port or 1) <= 65535, "url")
    need(not any(re.fullmatch(r"(?:\.|%2e){1,2}", segment, re.I) for segment in path.split("/")), "url")
    octets = host.split(".")
    ipv4 = len(octets) == 4 and all(re.fullmatch("0|[1-9][0-9]{0,2}", o) and int(o) < 256 for o in octets)
    need(ipv4 or host[0] == "[" or octets[-1][0] not in "0123456789", "url")
    loopback = host in ("localhost", "[::1]") or (ipv4 and octets[0] == "127")
    need(scheme == "https" or loopback, "url")
    return text


def check(header):
    """Refuses a header of the kinds `guarded_pin` and `guarded_login` that docs/format.md does not allow."""
    pin = header["kind"] == "guarded_pin"
    need(pin or header["kind"] == "guarded_login", "kind")
    if pin:
        need(header["kdf"] == "argon2id" and header["kdf_lanes"] == 1, "kdf")
        need(header["schedule"] in ("pin", "password"), "schedule")
        digits(header["kdf_salt"], 16)
        number(header["kdf_memory_kib"], 8192, 524288)
        number(header["kdf_passes"], 1, 16)
    else:
        number(header["delay"], 0, 2592000)
        address(header["issuer"])
        client = header["client_id"]
        need(1 <= len(client) <= 256 and all(0x21 <= ord(c) <= 0x7E for c in client), "client_id")
    digits(header["guard_nonce"], 32)
    guards = header["guards"]
    need(isinstance(guards, list) and 1 <= len(guards) <= 16, "guards")
    number(header["threshold"], len(guards) // 2 + 1, len(guards))
    for guard in guards:
        digits(guard["guard_id"], 16)
        address(guard["url"])
        digits(guard["masked_share"], 32)
        digits(guard["oprf_key" if pin else "share_digest"], 32)
        if pin:
            voprf.decode(bytes.fromhex(guard["oprf_key"]))
    unique = ["guard_id", "oprf_key"] if pin else ["guard_id"]
    for name in unique:
        need(len({guard[name] for guard in guards}) == len(guards), name)


def stretched(header, pin):
    text = unicodedata.normalize("NFC", pin.decode("utf-8")).encode()
    need(1 <= len(text) <= 1024, "pin")
    return Argon2id(salt=bytes.fromhex(header["kdf_salt"]), length=32, iterations=header["kdf_passes"], lanes=1,
                    memory_cost=header["kdf_memory_kib"]).derive(text)


def slot_secret(header, shared, pin):
    key_id = bytes.fromhex(header["key_id"])
    if header["kind"] == "guarded_pin":
        return derive(shared + stretched(header, pin), "guarded-pin", key_id)
    return derive(shared + bytes.fromhex(header["guard_nonce"]), "guarded-login", key_id)


def mask(kind, key_id, point, given):
    label = "guard-share" if kind == "guarded_pin" else "guard-login-share"
    return derive(given, label, key_id, bytes([point]))


def unmasked(header, given):
    """The shared secret, from {point: what its guard gave}."""
    need(len(given) >= header["threshold"], "too few guards")
    key_id, shares = bytes.fromhex(header["key_id"]), {}
    for point, value in sorted(given.items())[:header["threshold"]]:
        guard = header["guards"][point - 1]
        if header["kind"] == "guarded_login":
            need(hashlib.sha256(value).hexdigest() == guard["share_digest"], "share_digest")
        shares[point] = xor(bytes.fromhex(guard["masked_share"]), mask(header["kind"], key_id, point, value))
    return combine(shares)


# Files.

def parsed(data, namespace):
    e = json.loads(data, object_pairs_hook=f.unique)
    need(e.get("format") == "keybackup-key" and e.get("version") == 1, "format")
    header = json.loads(f.from_base64url(e["protected"]), object_pairs_hook=f.unique)
    need(header["namespace_id"] == namespace, "namespace_id")
    check(header)
    return e, header


def unwrap(e, header, secret):
    """The master key; the recipient is compared before the ciphertext is opened."""
    need(f.recipient(secret, header["key_id"]).hex() == header["recipient"], "recipient")
    master = f.open_sealed(f.wrapping_key(secret, header["key_id"]), bytes.fromhex(e["nonce"]),
                           f.from_base64(e["ciphertext"]), e["protected"].encode("ascii"))
    need(f.namespace_id(master) == header["namespace_id"], "namespace_id")
    return master


def open_file(value):
    """Opens a file with what the guards gave."""
    try:
        e, header = parsed(f.from_base64(value["file"]), value["namespace_id"])
        given = {entry["point"]: bytes.fromhex(entry["given"]) for entry in value["given"]}
        secret = slot_secret(header, unmasked(header, given), bytes.fromhex(value.get("pin", "")))
        return {"master_key": unwrap(e, header, secret).hex()}
    except (Refused, InvalidTag, KeyError, ValueError, TypeError, voprf.Invalid) as error:
        return {"refused": str(error) or type(error).__name__}


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def make(kind, guards, needed, pin, random):
    """A whole way in, with all that its guards know and give."""
    master, key_id, nonce, shared = random(32), random(16), random(32), random(32)
    coefficients = random(32 * (needed - 1))
    header = {"namespace_id": f.namespace_id(master), "key_id": key_id.hex(), "kind": kind, "label": "Geheimzahl",
              "created_at": 1_800_000_000, "recipient": "", "guard_nonce": nonce.hex(), "threshold": needed}
    if kind == "guarded_pin":
        header |= {"schedule": "pin", "kdf": "argon2id", "kdf_salt": random(16).hex(), "kdf_memory_kib": 8192,
                   "kdf_passes": 1, "kdf_lanes": 1}
        x = stretched(header, pin)
    else:
        header |= {"delay": 86_400, "issuer": "https://login.example/realms/home", "client_id": "keybackup"}
    told, listed = [], []
    for point in range(1, guards + 1):
        guard_id = hashlib.sha256(ed25519(random(32))).digest()[:16]
        own = {"guard_id": guard_id.hex(), "url": "https://guard%d.example:8443" % point}
        if kind == "guarded_pin":
            seed = random(32)
            key = SUITE.derive(seed, b"account")
            public = voprf.encode(voprf.times(key, voprf.BASE))
            given = SUITE.finalize(x, 1, SUITE.evaluate(key, [SUITE.blind(x, 1)])[0])
            own["oprf_key"] = public.hex()
        else:
            seed, given = None, random(32)
        value = share(shared, coefficients, point)
        own["masked_share"] = xor(value, mask(kind, key_id, point, given)).hex()
        if kind == "guarded_login":
            own["share_digest"] = hashlib.sha256(given).hexdigest()
        listed.append(own)
        ask = ed25519(derive(nonce, "guard-ask", key_id, guard_id))
        told.append({"point": point, "guard_id": guard_id, "oprf_seed": seed, "given": given, "share": value,
                     "ask_key": ask, "account": hashlib.sha256(ask).digest()})
    header["guards"] = listed
    secret = slot_secret(header, shared, pin)
    for entry in told:
        entry["reset_key"] = ed25519(derive(secret, "guard-reset", key_id, entry["guard_id"]))
    header["recipient"] = f.recipient(secret, key_id.hex()).hex()
    check(header)
    protected = f.to_base64url(compact(header))
    wrap_nonce = random(12)
    sealed = f.seal(f.wrapping_key(secret, key_id.hex()), wrap_nonce, master, protected.encode("ascii"))
    file = compact({"format": "keybackup-key", "version": 1, "protected": protected, "nonce": wrap_nonce.hex(),
                    "ciphertext": f.to_base64(sealed)})
    return {"kind": kind, "pin": pin, "x": x if kind == "guarded_pin" else None, "shared": shared,
            "coefficients": coefficients, "guards": told, "secret": secret, "recipient": header["recipient"],
            "namespace_id": header["namespace_id"], "key_id": header["key_id"], "guard_nonce": nonce,
            "threshold": needed, "master_key": master, "header": compact(header).decode(), "file": file.decode()}


def encoded(value):
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, list):
        return [encoded(each) for each in value]
    if isinstance(value, dict):
        return {name: encoded(each) for name, each in value.items() if each is not None}
    return value


# A ciphertext that opens with two keys, as nothing in ChaCha20-Poly1305 forbids.

PRIME = 2**130 - 5


def poly_keys(key, nonce):
    block = Cipher(ChaCha20(key, bytes(4) + nonce), None).encryptor().update(bytes(64))
    clamp = 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
    return int.from_bytes(block[:16], "little") & clamp, int.from_bytes(block[16:32], "little")


def two_keys(value):
    """A file whose 32 bytes open with the wrapping keys of both secrets; its recipient is the first one's."""
    secrets = [bytes.fromhex(value["secret"]), bytes.fromhex(value["other"])]
    header = json.loads(value["header"])
    header["recipient"] = f.recipient(secrets[0], header["key_id"]).hex()
    protected = f.to_base64url(compact(header))
    nonce = os.urandom(12)
    keys = [f.wrapping_key(secret, header["key_id"]) for secret in secrets]
    (r1, s1), (r2, s2) = (poly_keys(key, nonce) for key in keys)
    associated = protected.encode("ascii")
    padded = associated + bytes(-len(associated) % 16)
    lengths = len(associated).to_bytes(8, "little") + (32).to_bytes(8, "little")

    def total(r, ciphertext):
        result, text = 0, padded + ciphertext + lengths
        for start in range(0, len(text), 16):
            result = (result + int.from_bytes(text[start:start + 16] + b"\1", "little")) * r % PRIME
        return result

    # The second block of the ciphertext is multiplied by r^2 in the end.
    weight = pow(r1 * r1 - r2 * r2, PRIME - 2, PRIME)
    while True:
        first = os.urandom(16)
        start = first + bytes(16)
        for wrap in range(-4, 5):
            wanted = s2 - s1 + wrap * 2**128
            block = (wanted - total(r1, start) + total(r2, start)) * weight % PRIME
            if block >= 2**128:
                continue
            ciphertext = first + block.to_bytes(16, "little")
            tags = {(total(r, ciphertext) + s) % 2**128 for r, s in ((r1, s1), (r2, s2))}
            if len(tags) == 1:
                sealed = ciphertext + tags.pop().to_bytes(16, "little")
                for key in keys:
                    f.open_sealed(key, nonce, sealed, associated)
                return {"file": f.to_base64(compact(
                    {"format": "keybackup-key", "version": 1, "protected": protected, "nonce": nonce.hex(),
                     "ciphertext": f.to_base64(sealed)}))}


def test_address(value):
    try:
        return {"allowed": bool(address(value["text"]))}
    except Refused:
        return {"allowed": False}


def write_files(value):
    return encoded(make(value["kind"], value["guards"], value["needed"], bytes.fromhex(value.get("pin", "")),
                        os.urandom))


def ways(path):
    """The known answers: every byte depends on its label alone."""
    def source(label):
        count = iter(range(1000))
        return lambda size: hashlib.shake_128(("ways %s %d" % (label, next(count))).encode()).digest(size)

    cases = [make("guarded_pin", 3, 2, "493817".encode(), source("pin")),
             make("guarded_login", 3, 2, b"", source("login"))]
    text = json.dumps({"source": "Tests/reader/guarded_slots.py", "cases": encoded(cases)}, indent=1,
                      ensure_ascii=False)
    pathlib.Path(path).write_text(text + "\n", encoding="utf-8")


def main(command, path):
    if command == "ways":
        return ways(path)
    with open(path, encoding="utf-8") as file:
        values = json.load(file)["values"]
    action = {"open": open_file, "write": write_files, "addresses": test_address,
              "two-keys": two_keys}[command]
    print(json.dumps({"results": [action(value) for value in values]}))


if __name__ == "__main__":
    main(*sys.argv[1:])

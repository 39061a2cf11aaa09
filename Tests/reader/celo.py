"""Celo's encrypted backup, version 0.0.1, a second time: from the description of the format, with
other libraries than the product's (hashlib, cryptography, pycryptodome), and curve arithmetic of
its own to recover who signed.

    celo.py open      standard input: {"file", "password", "fuse_key", "odis_output"}, the last
                      three in hex; prints the data in hex, or exits with 1
    celo.py make N [FIRST]    prints N files of all kinds with everything that opens them, as JSON
    celo.py request   standard input: {"file", "request"}; prints who signed the request, checks
                      the hash and every field that the file determines
    celo.py domain    standard input: a domain; prints its hash, and the times of its queries
"""

import base64
import hashlib
import hmac
import json
import os
import random
import sys

from Crypto.Hash import keccak
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

NAMES = {
    "password": b"Celo Backup Password and Nonce",
    "fuse": b"Celo Backup Fuse Key",
    "authorization": b"Celo Backup ODIS Request Authorization Key",
    "odis": b"Celo Backup ODIS Key Hardening",
    "pbkdf2": b"Celo Backup PBKDF Hardening",
    "scrypt": b"Celo Backup scrypt Hardening",
    "final": b"Celo Backup Key Finalization",
}
P = 2**256 - 2**32 - 977
N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
G = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
)


def mix(name, *sources):
    password = b"".join(hashlib.sha256(part).digest() for part in (NAMES[name], *sources))
    return hashlib.pbkdf2_hmac("sha256", password, b"", 1, 32)


def hardened(key, rules):
    if rules is None:
        return b""
    if rules["function"] == "pbkdf2_sha256":
        return hashlib.pbkdf2_hmac("sha256", key, NAMES["pbkdf2"], rules["iterations"], 32)
    return hashlib.scrypt(
        key, salt=NAMES["scrypt"], n=rules["cost"], r=rules.get("blockSize", 8),
        p=rules.get("parallelization", 1), maxmem=2**30, dklen=32)


def final_key(file, password, fuse_key, odis_output):
    nonce = base64.b64decode(file["nonce"])
    key = mix("password", password, nonce[:16])
    if "encryptedFuseKey" in file:
        key = mix("fuse", key, fuse_key)
    odis = mix("odis", key, odis_output) if "odisDomain" in file else b""
    return mix("final", key, odis, hardened(key, file.get("computationalHardening")))


# Ethereum: addresses and typed data


def keccak256(data):
    return keccak.new(digest_bits=256, data=data).digest()


def point_of(secret):
    numbers = ec.derive_private_key(secret, ec.SECP256K1()).public_key().public_numbers()
    return numbers.x, numbers.y


def address_of(point):
    digits = keccak256(b"".join(n.to_bytes(32, "big") for n in point))[12:].hex()
    capitals = keccak256(digits.encode()).hex()
    return "0x" + "".join(d.upper() if c >= "8" else d for d, c in zip(digits, capitals))


def authorization_address(nonce):
    return address_of(point_of(int.from_bytes(mix("authorization", nonce[16:]), "big")))


# Types by name: a list of (field, type). encodeType is made of them, not copied.
TYPES = {
    "SequentialDelayDomain": [
        ("address", "Optional<address>"), ("name", "string"), ("salt", "Optional<string>"),
        ("stages", "SequentialDelayStage[]"), ("version", "string")],
    "SequentialDelayStage": [
        ("batchSize", "Optional<uint256>"), ("delay", "uint256"),
        ("repetitions", "Optional<uint256>"), ("resetTimer", "Optional<bool>")],
    "SequentialDelayDomainOptions": [
        ("nonce", "Optional<uint256>"), ("signature", "Optional<string>")],
    "EIP712Domain": [("name", "string"), ("version", "string")],
}
for kind in ("address", "bool", "string", "uint256"):
    TYPES[f"Optional<{kind}>"] = [("defined", "bool"), ("value", kind)]
COMMON = [
    ("domain", "SequentialDelayDomain"), ("options", "SequentialDelayDomainOptions"),
    ("sessionID", "Optional<string>")]
TYPES["DomainQuotaStatusRequest"] = [("type", "string"), *COMMON]
TYPES["DisableDomainRequest"] = [("type", "string"), *COMMON]
TYPES["DomainRestrictedSignatureRequest"] = [
    ("type", "string"), ("blindedMessage", "string"), *COMMON]
APPLICATIONS = {
    "DomainQuotaStatusRequest": "ODIS Domain Quota Status",
    "DisableDomainRequest": "ODIS Disable Domain Request",
    "DomainRestrictedSignatureRequest": "ODIS Domain Restricted Signature Request",
}


def names_within(name, found):
    for _, kind in TYPES[name]:
        kind = kind.removesuffix("[]")
        if kind in TYPES and kind not in found:
            found.add(kind)
            names_within(kind, found)
    return found


def encode_type(name):
    def one(name):
        return name + "(" + ",".join(f"{kind} {field}" for field, kind in TYPES[name]) + ")"

    return one(name) + "".join(one(other) for other in sorted(names_within(name, set()) - {name}))


def word(kind, value):
    if kind.endswith("[]"):
        return keccak256(b"".join(word(kind[:-2], element) for element in value))
    if kind in TYPES:
        return keccak256(
            keccak256(encode_type(kind).encode())
            + b"".join(word(field_kind, value[field]) for field, field_kind in TYPES[kind]))
    if kind == "string":
        return keccak256(value.encode())
    if kind == "address":
        return bytes.fromhex(value[2:]).rjust(32, b"\0")
    return int(value).to_bytes(32, "big")


def typed_hash(application, kind, message):
    domain = word("EIP712Domain", {"name": application, "version": "1"})
    return keccak256(b"\x19\x01" + domain + word(kind, message))


def domain_hash(domain):
    return typed_hash(domain["name"], "SequentialDelayDomain", domain)


# Who signed


def add(one, two):
    if one is None or two is None:
        return one or two
    if one[0] == two[0]:
        if (one[1] + two[1]) % P == 0:
            return None
        slope = 3 * one[0] ** 2 * pow(2 * one[1], -1, P)
    else:
        slope = (two[1] - one[1]) * pow(two[0] - one[0], -1, P)
    x = (slope * slope - one[0] - two[0]) % P
    return x, (slope * (one[0] - x) - one[1]) % P


def times(count, point):
    result = None
    while count:
        if count & 1:
            result = add(result, point)
        point = add(point, point)
        count >>= 1
    return result


def signer(digest, signature):
    data = bytes.fromhex(signature.removeprefix("0x"))
    assert len(data) == 65 and data[64] in (27, 28)
    r, s = int.from_bytes(data[:32], "big"), int.from_bytes(data[32:64], "big")
    assert 0 < s <= N // 2, "not the lower of the two"
    y = pow(r**3 + 7, (P + 1) // 4, P)
    if y % 2 != data[64] - 27:
        y = P - y
    inverse = pow(r, -1, N)
    sum_ = add(times(s, (r, y)), times(-int.from_bytes(digest, "big") % N, G))
    return address_of(times(inverse, sum_))


def check_request(file, request):
    unsigned = json.loads(json.dumps(request))
    unsigned["options"]["signature"] = {"defined": False, "value": ""}
    digest = typed_hash(APPLICATIONS[request["type"]], request["type"], unsigned)
    assert request["domain"] == file["odisDomain"], "another domain"
    assert request["options"]["signature"]["defined"]
    return signer(digest, request["options"]["signature"]["value"])


# The limiter


def stage_of(stages, counter):
    start = 0
    for stage in stages:
        value = lambda name: stage[name]["value"] if stage[name]["defined"] else 1
        if counter < start + value("batchSize") * value("repetitions"):
            return stage, start, value("batchSize")
        start += value("batchSize") * value("repetitions")
    return None


def schedule(stages, first, most=300):
    now, timer, accepted = first, 0, []
    while len(accepted) < most and (found := stage_of(stages, len(accepted))):
        stage, start, batch = found
        delay = stage["delay"] if (len(accepted) - start) % batch == 0 else 0
        now = max(now, timer + delay)
        resets = stage["resetTimer"]["value"] if stage["resetTimer"]["defined"] else True
        timer = now if resets else timer + delay
        accepted.append(now - first)
    return accepted


# Files


def random_address(nonce):
    """The address as Celo writes it, without capitals, or none at all."""
    address = authorization_address(nonce)
    return random.choice([
        {"defined": True, "value": address}, {"defined": True, "value": address},
        {"defined": True, "value": address.lower()}, {"defined": False, "value": ""},
        {"defined": False, "value": "0x" + 40 * "0"}])


def text_of(file):
    """The file as JavaScript writes it, or as another program may have written it again."""
    form = random.randrange(4)
    if form == 0:
        return json.dumps(file, indent=2, ensure_ascii=False) + "\n"
    if form == 1:
        return json.dumps(dict(random.sample(list(file.items()), len(file)))).replace("/", "\\/")
    return json.dumps(file, separators=(",", ":"), ensure_ascii=False)


def random_domain(nonce):
    def optional(value, zero):
        return {"defined": True, "value": value} if random.random() < 0.5 else {
            "defined": False, "value": zero}

    return {
        "name": "ODIS Sequential Delay Domain", "version": "1",
        "stages": [
            {
                "delay": random.choice([0, 1, 10, 86400, 2**53 - 1]),
                "resetTimer": optional(random.random() < 0.5, False),
                "batchSize": optional(random.randrange(4), 0),
                "repetitions": optional(random.randrange(4), 0),
            } for _ in range(random.randrange(6))],
        "address": random_address(nonce),
        "salt": optional("s\u00e4lt \U0001f511", ""),
    }


def make(number):
    random.seed(number)
    nonce, iv = os.urandom(32), os.urandom(12)
    case = {
        "password": random.choice(["1234", "p\u00e4ssw\u00f6rd \U0001f511", "", "x" * 100]),
        "fuse_key": "", "odis_output": "", "breaker_key": "",
        "data": os.urandom(random.choice([0, 1, 16, 100, 5000])).hex(),
    }
    file = {"encryptedData": "", "nonce": base64.b64encode(nonce).decode()}
    environment = {}
    # Every combination in turn; none at all is the last of eight.
    if number % 2 == 0:
        file["odisDomain"] = random_domain(nonce)
        case["odis_output"] = os.urandom(32).hex()
        environment["odis"] = {"odisUrl": "https://odis.example", "odisPubKey": "AAAA"}
    if number // 2 % 2 == 0:
        key = rsa.generate_private_key(65537, random.choice([2048, 2048, 1024, 3072]))
        fuse = os.urandom(16)
        oaep = padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), None)
        file["encryptedFuseKey"] = base64.b64encode(key.public_key().encrypt(fuse, oaep)).decode()
        form = random.choice(
            [serialization.PrivateFormat.PKCS8, serialization.PrivateFormat.TraditionalOpenSSL])
        case["breaker_key"] = key.private_bytes(
            serialization.Encoding.PEM, form, serialization.NoEncryption()).decode()
        case["fuse_key"] = fuse.hex()
    if number // 4 % 2 == 0:
        file["computationalHardening"] = random.choice([
            {"function": "pbkdf2_sha256", "iterations": random.choice([1, 1000, 210_000])},
            {"function": "scrypt", "cost": random.choice([2, 1024])},
            {"function": "scrypt", "cost": 16, "blockSize": 1, "parallelization": 3},
            {"function": "scrypt", "cost": 256, "blockSize": 16},
            {"function": "scrypt", "cost": 64, "parallelization": 7, "blockSize": 3},
            {"function": "scrypt", "cost": 32768, "blockSize": 8, "parallelization": 1}])
    file["version"] = "0.0.1"
    if random.random() < 0.5:
        file["metadata"] = {"made": "by celo.py", "n": [1.5, None, {}]}
    file["environment"] = environment
    secrets = (bytes.fromhex(case["fuse_key"]), bytes.fromhex(case["odis_output"]))
    key = final_key(file, case["password"].encode(), *secrets)
    sealed = iv + AESGCM(key).encrypt(iv, bytes.fromhex(case["data"]), None)
    file["encryptedData"] = base64.b64encode(sealed).decode()
    return {"file": text_of(file), **case}


def main():
    verb = sys.argv[1]
    if verb == "make":
        count, first = (int(word) for word in (sys.argv[2:] + ["0"])[:2])
        print(json.dumps([make(number) for number in range(first, first + count)]))
        return 0
    given = json.load(sys.stdin)
    if verb == "open":
        file = json.loads(given["file"])
        secrets = [bytes.fromhex(given[n]) for n in ("password", "fuse_key", "odis_output")]
        sealed = base64.b64decode(file["encryptedData"])
        try:
            print(AESGCM(final_key(file, *secrets)).decrypt(sealed[:12], sealed[12:], None).hex())
        except InvalidTag:
            return 1
    elif verb == "request":
        print(check_request(json.loads(given["file"]), given["request"]))
    else:
        print(json.dumps({
            "hash": domain_hash(given).hex(), "times": schedule(given["stages"], 1700000000)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())

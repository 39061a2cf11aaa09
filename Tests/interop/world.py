"""A second opinion on World App's archives of version V0: a maker and a reader.

They follow World's own description of the format with PyNaCl, cbor2, blake3 and cryptography, and
share nothing with keybackup.

  world.py make <SPEC >ARCHIVE      an archive of a JSON object: root_secret (text), secret_key (hex),
                                    files ([{path, designator, data (hex)}]), and what to get wrong
  world.py read KEY <ARCHIVE        an archive as such an object, opened with the backup's secret key
  world.py seal KEY FACTOR          the encrypted keypair of a factor secret, in hexadecimal
  world.py account <ROOT-SECRET     the ID of the account
  world.py verify ID CHALLENGE SIGNATURE    checks a reset proof (hex, base64)

What a spec may get wrong: "names" ({path: name of the tar entry}), "types" ({path: tar type}),
"checksums" ({path: hex}), "version" (a number), "bomb" (zeroes to put behind the archive).
"""

import base64
import gzip
import hashlib
import io
import json
import sys
import tarfile

import blake3
import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from nacl.public import PrivateKey, SealedBox

ID = "backup_account_"


def account_key(root_secret):
    """The secp256k1 key of a root secret: one subkey of libsodium's crypto_kdf."""
    root = json.loads(root_secret)
    key = {"V1": bytes.fromhex, "V0": lambda text: hashlib.sha256(text.encode()).digest()}[
        root["version"]](root["key"])
    secret = hashlib.blake2b(
        digest_size=32, key=key, salt=(0x101).to_bytes(16, "little"), person=b"OXIDEKEY" + bytes(8))
    return ec.derive_private_key(int.from_bytes(secret.digest(), "big"), ec.SECP256K1())


def account(root_secret):
    numbers = account_key(root_secret).public_key().public_numbers()
    return ID + f"{2 + numbers.y % 2:02x}{numbers.x:064x}"


def manifest_hash(files):
    """Covers designators, paths and checksums, in the order of the paths in small letters."""
    text = b"BEDROCK_MANIFEST\0" + len(files).to_bytes(4, "big")
    for file in sorted(files, key=lambda file: file["path"].lower().encode()):
        text += file["designator"].encode() + b"\0" + file["path"].encode() + b"\0"
        text += blake3.blake3(bytes.fromhex(file["data"])).digest()
    return blake3.blake3(text).hexdigest()


def make(spec):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as tar:
        def add(name, body, kind=tarfile.REGTYPE):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode, entry.mtime, entry.type = len(body), 0o600, 1_700_000_000, kind
            entry.linkname = "root_secret.json" if kind in (tarfile.LNKTYPE, tarfile.SYMTYPE) else ""
            tar.addfile(entry, io.BytesIO(body))

        add("OXIDE_BACKUP_VERSION", bytes([spec.get("version", 0)]))
        add("root_secret.json", spec["root_secret"].encode())
        for file in spec["files"]:
            path, data = file["path"], bytes.fromhex(file["data"])
            checksum = spec.get("checksums", {}).get(path)
            body = cbor2.dumps({
                "data": list(data),
                "checksum": list(bytes.fromhex(checksum) if checksum else blake3.blake3(data).digest()),
                "path": path, "designator": file["designator"]})
            add(spec.get("names", {}).get(path, path), body,
                spec.get("types", {}).get(path, "0").encode())
    packed = gzip.compress(out.getvalue() + bytes(spec.get("bomb", 0)))
    key = PrivateKey(bytes.fromhex(spec["secret_key"]))
    return SealedBox(key.public_key).encrypt(packed)


def read(secret_key, sealed):
    packed = SealedBox(PrivateKey(bytes.fromhex(secret_key))).decrypt(sealed)
    found = {"files": []}
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress(packed))) as tar:
        for entry in tar:
            assert entry.isreg(), entry.name
            body = tar.extractfile(entry).read()
            if entry.name == "OXIDE_BACKUP_VERSION":
                assert body == b"\0"
            elif entry.name == "root_secret.json":
                found["root_secret"] = body.decode()
            else:
                file = cbor2.loads(body)
                data = bytes(file["data"])
                assert file["path"] == entry.name, entry.name
                assert bytes(file["checksum"]) == blake3.blake3(data).digest(), entry.name
                found["files"].append(
                    {"path": entry.name, "designator": file["designator"], "data": data.hex()})
    found["manifest_hash"] = manifest_hash(found["files"])
    found["account_id"] = account(found["root_secret"])
    return found


def verify(account_id, challenge, signature):
    signature = base64.b64decode(signature, validate=True)
    key = ec.EllipticCurvePublicKey.from_encoded_point(
        ec.SECP256K1(), bytes.fromhex(account_id.removeprefix(ID)))
    key.verify(signature, bytes.fromhex(challenge), ec.ECDSA(hashes.SHA256()))


def main(command, *arguments):
    if command == "make":
        sys.stdout.buffer.write(make(json.load(sys.stdin)))
    elif command == "read":
        print(json.dumps(read(arguments[0], sys.stdin.buffer.read())))
    elif command == "seal":
        key, factor = (bytes.fromhex(text) for text in arguments)
        print(SealedBox(PrivateKey(factor).public_key).encrypt(key).hex())
    elif command == "account":
        print(account(sys.stdin.read()))
    elif command == "verify":
        verify(*arguments)
        print("verified")


main(*sys.argv[1:])

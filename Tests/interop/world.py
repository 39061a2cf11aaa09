"""A second opinion on World App's archives of version V0: a maker and a reader.

They follow World's own description of the format with PyNaCl, cbor2, blake3 and cryptography, and
share nothing with keybackup.

  world.py make <SPEC >ARCHIVE      an archive of a JSON object: root_secret (text), secret_key (hex),
                                    files ([{path, designator, data (hex)}]), and what to get wrong
  world.py read KEY <ARCHIVE        an archive as such an object, opened with the backup's secret key
  world.py seal KEY FACTOR          the encrypted keypair of a factor secret, in hexadecimal
  world.py account <ROOT-SECRET     the ID of the account
  world.py verify ID CHALLENGE SIGNATURE    checks a reset proof (hex, base64)
  world.py vary SEED COUNT          archives of all kinds that the format allows, as JSON

What a spec may get wrong: "names" ({path: name of the tar entry}), "types" ({path: tar type}),
"checksums" ({path: hex}), "version" (a number), "bomb" (zeroes to put behind the archive).
"""

import base64
import gzip
import hashlib
import io
import json
import random
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


DESIGNATORS = [
    "orb_pkg", "document_pkg", "credential_vault", "face_pkg", "anonymized_third_party_analytics",
    "later_pkg"]
PATHS = [
    "personal_custody/file{}.txt", "{}", "a b/{}.bin", "\u00fcml\u00e4ut/e\u0301-{}", "\U0001f511/{}",
    "x" * 99 + "{}", "x" * 100 + "{}", "y" * 240 + "/" + "z" * 240 + "/{}", "a/b/c/d/e/f/{}", "'{}\"$", "-{}"]


def header(name, size, kind, choose):
    """A tar header as Rust's `Header::new_gnu` makes it: empty fields are zeroes, no digits."""
    fields = [
        name.ljust(100, b"\0"), b"0000600\0", choose.choice([bytes(8), b"0000000\0"]),
        choose.choice([bytes(8), b"0000000\0"]), b"%011o\0" % size, b"%011o\0" % 1_700_000_000,
        b" " * 8, kind, bytes(100), b"ustar  \0"]
    block = b"".join(fields).ljust(512, b"\0")
    return block[:148] + b"%06o\0 " % sum(block) + block[156:]


def entry(name, body, choose):
    """An entry; a name of more than 100 bytes comes before it, as GNU's programs put it."""
    name = name.encode()
    blocks = b""
    if len(name) > 100:
        blocks += header(b"././@LongLink", len(name) + 1, b"L", choose)
        blocks += (name + b"\0").ljust(-(-(len(name) + 1) // 512) * 512, b"\0")
    blocks += header(name[:100], len(body), b"0", choose)
    return blocks + body.ljust(-(-len(body) // 512) * 512, b"\0")


def vary(choose):
    """An archive, with every part as any program may write it."""
    key, factor = choose.randbytes(32), choose.randbytes(32)
    root = {"version": "V1", "key": choose.randbytes(32).hex()}
    if choose.random() < 0.4:
        root = {"version": "V0", "key": choose.choice(["", "21" * 32, "\u00e9 \U0001f511 \"\\/", "x" * 1000])}
    if choose.random() < 0.3:
        root = dict(reversed(root.items()))
    text = json.dumps(
        root, separators=choose.choice([(",", ":"), (", ", ": ")]),
        ensure_ascii=choose.random() < 0.5, indent=choose.choice([None, None, 2]))
    files = []
    for number, path in enumerate(choose.sample(PATHS, choose.choice([0, 1, 3, len(PATHS)]))):
        size = choose.choice([0, 1, 23, 24, 255, 256, 511, 70_000])
        files.append({
            "path": path.format(number), "designator": choose.choice(DESIGNATORS),
            "data": choose.randbytes(size).hex()})
    entries = []
    for file in files:
        data = bytes.fromhex(file["data"])
        form = choose.choice([list, list, bytes])
        fields = {
            "data": form(data), "checksum": form(blake3.blake3(data).digest()),
            "path": file["path"], "designator": file["designator"]}
        if choose.random() < 0.2:
            fields = dict(choose.sample(list(fields.items()), 4))
        entries.append((file["path"], cbor2.dumps(fields)))
    # The root secret is where World App puts it, or anywhere behind the version.
    place = choose.choice([0, 0, len(entries)])
    entries.insert(place, ("root_secret.json", text.encode()))
    entries.insert(0, ("OXIDE_BACKUP_VERSION", b"\0"))
    tar = b"".join(entry(name, body, choose) for name, body in entries)
    tar += bytes(choose.choice([1024, 1024, 10240 - len(tar) % 10240 + 10240]))
    packed = io.BytesIO()
    with gzip.GzipFile(
            filename=choose.choice(["", "backup.tar"]), fileobj=packed, mode="wb",
            compresslevel=choose.choice([0, 1, 6, 9]), mtime=choose.choice([0, 1_700_000_000])) as out:
        out.write(tar)
    seal = SealedBox(PrivateKey(key).public_key).encrypt(packed.getvalue())
    return {
        "archive": seal.hex(), "factor": factor.hex(),
        "keypair": SealedBox(PrivateKey(factor).public_key).encrypt(key).hex(), "files": files,
        "account_id": account(text), "manifest_hash": manifest_hash(files)}


def main(command, *arguments):
    if command == "make":
        sys.stdout.buffer.write(make(json.load(sys.stdin)))
    elif command == "read":
        print(json.dumps(read(arguments[0], sys.stdin.buffer.read())))
    elif command == "seal":
        key, factor = (bytes.fromhex(text) for text in arguments)
        print(SealedBox(PrivateKey(factor).public_key).encrypt(key).hex())
    elif command == "vary":
        choose = random.Random(arguments[0])
        print(json.dumps([vary(choose) for _ in range(int(arguments[1]))]))
    elif command == "account":
        print(account(sys.stdin.read()))
    elif command == "verify":
        verify(*arguments)
        print("verified")


main(*sys.argv[1:])

"""A second opinion on SealVault backups: zipfile, argon2-cffi, BLAKE3's own library, PyNaCl.

  sealvault.py open ZIP PASSWORD-FILE SECRET-HEX        the database, as hex digits
  sealvault.py write ZIP-FOLDER PASSWORD-FILE SECRET-HEX DATABASE METADATA-JSON
                                                        writes a backup, prints its path
  sealvault.py data-key DATABASE PASSWORD-FILE SECRET-HEX VERSION
                                                        makes a database like SealVault's own with a
                                                        wrapped data key, prints that key
  sealvault.py plant FOLDER DEVICE COUNT                puts whole zip files there that nobody can
                                                        open, of versions up to COUNT
  sealvault.py vary SEED COUNT                          backups of all kinds that the format allows,
                                                        as JSON; Argon2id with 8 KiB and one pass

Made from the facts about the format alone, with none of keybackup's code.
"""

import io
import json
import os
import random
import sqlite3
import sys
import unicodedata
import zipfile
from base64 import b64decode, b64encode

import blake3
from argon2.low_level import ARGON2_VERSION, Type, core, ffi, lib
from nacl.bindings import (
    crypto_aead_xchacha20poly1305_ietf_decrypt as decrypt,
    crypto_aead_xchacha20poly1305_ietf_encrypt as encrypt,
)

CONTEXT = "org.sealvault.backup.keys.{} unique suffix: {}"
DATABASE = CONTEXT.format(
    "database-backup-data-encryption-key", "4dd843f710923a5ce96a974732c42b9b")
DATA_KEY = CONTEXT.format(
    "secret-key-backup-key-encryption-key", "ced64bf5a8364f2c90424c0efa869a86")
MEMBERS = ["backup.sqlite3.encrypted", "metadata.json"]


def argon2id(password, secret, salt, passes=10, memory=65536):
    """Argon2id with a secret, which only the lower level of argon2-cffi takes."""
    out = ffi.new("uint8_t[]", 32)
    pwd, key, salted = (ffi.new("uint8_t[]", part) for part in (password, secret, salt))
    context = ffi.new("argon2_context *", dict(
        out=out, outlen=32, pwd=pwd, pwdlen=len(password), salt=salted, saltlen=len(salt),
        secret=key, secretlen=len(secret), ad=ffi.NULL, adlen=0, t_cost=passes, m_cost=memory,
        lanes=1, threads=1, version=ARGON2_VERSION, allocate_cbk=ffi.NULL, free_cbk=ffi.NULL,
        flags=lib.ARGON2_DEFAULT_FLAGS))
    assert core(context, Type.ID.value) == lib.ARGON2_OK
    return bytes(ffi.buffer(out, 32))


def keys(password_file, secret, nonce):
    with open(password_file, encoding="ascii") as file:
        password = file.read().strip().replace("-", "").encode()
    assert len(password) == 20
    root = argon2id(password, bytes.fromhex(secret), nonce)
    contexts = (DATABASE, DATA_KEY)
    return [blake3.blake3(root, derive_key_context=context).digest() for context in contexts]


LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
WORD = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-"
NAMES = [
    "Ago\u0301\u0022s iPhone", "\\", '"', "\u00e9e\u0301", "\U0001f511\ufe0f", "\u202eabc", " ", "a\u0300\u0323",
    "\u1e69\u0323", "\uac00\u11a8", "\u212b", "\u0001\u007f\n", "/../", "x" * 500, "\ufb01", "\u0344", "\U0001d15e"]


def typed(password, choose):
    """A password as somebody may type it: letters that look alike, and others that do not count."""
    alike = {"0": "0Oo", "1": "1IilL"}
    text = ""
    for letter in password:
        letter = choose.choice(alike.get(letter, letter + letter.lower()))
        text += letter + choose.choice(["", "", "", "-", " ", "u", "U", ".", "\u00e9"])
    return text


def vary(choose):
    """A backup, with the zip as any program may store it."""
    password = "".join(choose.choice(LETTERS) for _ in range(20))
    secret, nonce, iv = choose.randbytes(32), choose.randbytes(16), choose.randbytes(24)
    metadata = {
        "backup_scheme": "V1", "kdf_nonce": b64encode(nonce).decode(),
        "backup_version": choose.choice([0, 1, 7, 10**6, 2**53, 2**63 - 1]),
        "timestamp": choose.choice([0, 1672054688, 2**31, 2**40]),
        "device_id": "".join(choose.choice(WORD) for _ in range(choose.choice([1, 36, 100]))),
        "device_name": choose.choice(NAMES) + choose.choice(NAMES),
        "operating_system": choose.choice(["ios", "macos", "android", "linux", "Windows-11"])}
    aad = canonical(metadata)
    contents = choose.randbytes(choose.choice([1, 15, 16, 17, 512, 70_000]))
    key = blake3.blake3(
        argon2id(password.encode(), secret, nonce, 1, 8), derive_key_context=DATABASE).digest()
    members = [(MEMBERS[0], iv + encrypt(contents, aad, iv, key)), (MEMBERS[1], aad)]
    choose.shuffle(members)
    # One program for both members; the time may pass between them.
    system, version = choose.choice([(3, 20), (0, 20), (3, 46), (19, 63)])
    attributes = choose.choice([0, 0o100644 << 16, 0o600 << 16, 0x20])
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in members:
            year = choose.choice([1980, 2023, 2107])
            info = zipfile.ZipInfo(name, (year, 12, 31, 23, 59, choose.choice([0, 58])))
            info.create_system, info.create_version = system, version
            info.external_attr = attributes
            archive.writestr(info, data)
    return {
        "zip": file.getvalue().hex(), "password": typed(password, choose), "secret": secret.hex(),
        "data": contents.hex(), "metadata": aad.decode(),
        "name": f"sealvault_backup_v1_{metadata['operating_system']}_{metadata['timestamp']}_"
                f"{metadata['device_id']}_{metadata['backup_version']}.zip"}


def canonical(metadata):
    """OLPC's canonical JSON: sorted, without blanks, only `"` and `\\` escaped."""
    def text(value):
        if isinstance(value, int):
            return str(value)
        value = unicodedata.normalize("NFC", value)
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return ("{" + ",".join(f'"{k}":{text(metadata[k])}' for k in sorted(metadata)) + "}").encode()


def main(command, *words):
    if command == "open":
        path, password, secret = words
        with zipfile.ZipFile(path) as archive:
            assert archive.namelist() == MEMBERS and archive.testzip() is None
            assert all(i.compress_type == zipfile.ZIP_STORED for i in archive.infolist())
            sealed, text = (archive.read(name) for name in MEMBERS)
        metadata = json.loads(text)
        assert canonical(metadata) == text
        assert os.path.basename(path) == (
            f"sealvault_backup_v1_{metadata['operating_system']}_{metadata['timestamp']}_"
            f"{metadata['device_id']}_{metadata['backup_version']}.zip")
        key, _ = keys(password, secret, b64decode(metadata["kdf_nonce"]))
        print(decrypt(sealed[24:], text, sealed[:24], key).hex())
    elif command == "write":
        folder, password, secret, database, text = words
        metadata = json.loads(text)
        nonce = os.urandom(16)
        with open(database, "rb") as file:
            contents = file.read()
        if contents.startswith(b"SQLite"):
            settings = "SELECT name FROM sqlite_schema WHERE name = 'local_settings'"
            with sqlite3.connect(database) as opened:
                if opened.execute(settings).fetchone():
                    (nonce,) = opened.execute(
                        "SELECT backup_kdf_nonce FROM local_settings").fetchone()
        metadata.update(backup_scheme="V1", kdf_nonce=b64encode(nonce).decode())
        key, _ = keys(password, secret, nonce)
        iv = os.urandom(24)
        aad = canonical(metadata)
        path = (
            f"{folder}/sealvault_backup_v1_{metadata['operating_system']}_{metadata['timestamp']}_"
            f"{metadata['device_id']}_{metadata['backup_version']}.zip")
        with zipfile.ZipFile(path, "x") as archive:
            archive.writestr(MEMBERS[0], iv + encrypt(contents, aad, iv, key))
            archive.writestr(MEMBERS[1], aad)
        print(path)
    elif command == "data-key":
        database, password, secret, version = words
        nonce, data_key, iv = os.urandom(16), os.urandom(32), os.urandom(24)
        _, wrapping = keys(password, secret, nonce)
        wrapped = iv + encrypt(data_key, b"SK-DATA-ENCRYPTION-KEY", iv, wrapping)
        with sqlite3.connect(database) as made:
            made.execute("PRAGMA journal_mode = WAL")
            made.execute(
                "CREATE TABLE local_settings (id TEXT PRIMARY KEY NOT NULL, backup_enabled BOOLEAN, "
                "backup_version INTEGER NOT NULL DEFAULT 0, backup_kdf_nonce BLOB)")
            made.execute(
                "INSERT INTO local_settings VALUES ('local_settings', true, ?, ?)",
                (int(version), nonce))
            made.execute(
                "CREATE TABLE local_encrypted_deks (id INTEGER PRIMARY KEY NOT NULL, dek_id TEXT, "
                "encrypted_dek BLOB NOT NULL, kek_name TEXT NOT NULL)")
            for name, blob in (
                ("SK-KEY-ENCRYPTION-KEY", os.urandom(72)),
                ("SECRET-KEY-BACKUP-KEY-ENCRYPTION-KEY", wrapped),
            ):
                made.execute(
                    "INSERT INTO local_encrypted_deks (dek_id, encrypted_dek, kek_name) "
                    "VALUES ('sk', ?, ?)", (blob, name))
        print(data_key.hex())
    elif command == "vary":
        choose = random.Random(words[0])
        print(json.dumps([vary(choose) for _ in range(int(words[1]))]))
    elif command == "plant":
        folder, device, count = words
        for number in range(int(count)):
            metadata = {
                "backup_scheme": "V1", "backup_version": number % 3 and number + 2 or 1,
                "device_id": device, "device_name": "p", "operating_system": "linux",
                "kdf_nonce": b64encode(os.urandom(16)).decode(), "timestamp": 2000000000 + number}
            path = (
                f"{folder}/sealvault_backup_v1_linux_{metadata['timestamp']}_{device}_"
                f"{metadata['backup_version']}.zip")
            with zipfile.ZipFile(path, "x") as archive:
                archive.writestr(MEMBERS[0], os.urandom(600))
                archive.writestr(MEMBERS[1], canonical(metadata))
        print(count)
    else:
        sys.exit(__doc__)


main(*sys.argv[1:])

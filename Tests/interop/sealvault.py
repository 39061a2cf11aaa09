"""A second opinion on SealVault backups: zipfile, argon2-cffi, BLAKE3's own library, PyNaCl.

  sealvault.py open ZIP PASSWORD-FILE SECRET-HEX        the database, as hex digits
  sealvault.py write ZIP-FOLDER PASSWORD-FILE SECRET-HEX DATABASE METADATA-JSON
                                                        writes a backup, prints its path
  sealvault.py data-key DATABASE PASSWORD-FILE SECRET-HEX VERSION
                                                        makes a database like SealVault's own with a
                                                        wrapped data key, prints that key

Made from the facts about the format alone, with none of keybackup's code.
"""

import json
import os
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


def argon2id(password, secret, salt):
    """Argon2id with a secret, which only the lower level of argon2-cffi takes."""
    out = ffi.new("uint8_t[]", 32)
    pwd, key, salted = (ffi.new("uint8_t[]", part) for part in (password, secret, salt))
    context = ffi.new("argon2_context *", dict(
        out=out, outlen=32, pwd=pwd, pwdlen=len(password), salt=salted, saltlen=len(salt),
        secret=key, secretlen=len(secret), ad=ffi.NULL, adlen=0, t_cost=10, m_cost=65536,
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
    else:
        sys.exit(__doc__)


main(*sys.argv[1:])

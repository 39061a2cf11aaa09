"""Reads and writes Cove's .covb files, independently of keybackup.

Written from the format's text with argon2-cffi, pycryptodome and zstandard; it shares no code with
the product.

  covb.py read  FILE PASSWORD-FILE          prints the JSON inside
  covb.py write FILE PASSWORD-FILE          makes the file from JSON on standard input
  covb.py raw   FILE PASSWORD-FILE          the same from any bytes: what is compressed, as it is
"""
import os
import struct
import sys

import zstandard
from argon2.low_level import Type, hash_secret_raw
from Crypto.Cipher import ChaCha20_Poly1305


def key(password: bytes, salt: bytes) -> bytes:
    cleaned = "".join(password.decode().split())
    if len(cleaned) < 20:
        raise SystemExit("the password is too short")
    return hash_secret_raw(cleaned.encode(), salt, time_cost=3, memory_cost=32768, parallelism=1, hash_len=32,
                           type=Type.ID, version=19)


def read(data: bytes, password: bytes) -> bytes:
    magic, version, salt, nonce, size = struct.unpack("<4sB16s24sI", data[:49])
    if (magic, version) != (b"COVB", 4) or len(data) != 49 + size:
        raise SystemExit("not a .covb file")
    cipher = ChaCha20_Poly1305.new(key=key(password, salt), nonce=nonce)
    compressed = cipher.decrypt_and_verify(data[49:-16], data[-16:])
    return zstandard.ZstdDecompressor().decompressobj().decompress(compressed)


def seal(compressed: bytes, password: bytes) -> bytes:
    salt, nonce = os.urandom(16), os.urandom(24)
    cipher = ChaCha20_Poly1305.new(key=key(password, salt), nonce=nonce)
    ciphertext, tag = cipher.encrypt_and_digest(compressed)
    return struct.pack("<4sB16s24sI", b"COVB", 4, salt, nonce, len(ciphertext) + 16) + ciphertext + tag


def main() -> None:
    verb, path, password_file = sys.argv[1:]
    password = open(password_file, "rb").read().rstrip(b"\r\n")
    if verb == "read":
        sys.stdout.buffer.write(read(open(path, "rb").read(), password))
        return
    content = sys.stdin.buffer.read()
    if verb == "write":
        # Like Cove's, a frame that does not state its size.
        content = zstandard.ZstdCompressor(write_content_size=False).compress(content)
    with open(path, "xb") as file:
        file.write(seal(content, password))


main()

#!/usr/bin/env python3
"""Opens a namespace folder with a recovery code and prints everything in it as one JSON object.

    kit_reader.py FOLDER --code-file FILE [--kit FILE] [--secret-file FILE] [--namespace ID] [--dump DIR]

Written from docs/format.md, *Recovery codes*. The code's own file comes from keybackup/keys/ or, with --kit, from the
offline kit: then the folder needs nothing but wallets/. What is printed is cspp_reader.py's.
"""
import argparse
import pathlib
import sys

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

import cspp_format as f
import cspp_reader
from cspp_reader import Refused, need

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def password(typed):
    """The 20 characters of a typed code."""
    plain = "".join(typed.split()).replace("-", "").upper().replace("O", "0").replace("I", "1").replace("L", "1")
    need(len(plain) == 21 and all(c in ALPHABET for c in plain), "no recovery code")
    number = 0
    for character in plain[:20]:
        number = 32 * number + ALPHABET.index(character)
    need(number % 37 == ALPHABET.index(plain[20]), "the recovery code is mistyped")
    return plain[:20].encode("ascii")


def way_secret(header, typed, second):
    need(header["kind"] == "recovery_code" and header["kdf"] == "argon2id", "kind")
    memory, passes = header["kdf_memory_kib"], header["kdf_passes"]
    need(8 <= memory <= 524288 and 1 <= passes <= 64 and memory * passes <= 4194304, "cost")
    need(header["kdf_lanes"] == 1, "lanes")
    salt = bytes.fromhex(header["kdf_salt"])
    need(len(salt) == 16, "salt")
    derived = Argon2id(salt=salt, length=32, iterations=passes, lanes=1, memory_cost=memory).derive(password(typed))
    if "second_secret" not in header:
        return derived
    need(second is not None, "the kit needs its second secret")
    return f.derive(derived + second, "keybackup:v1:second-secret:" + header["key_id"])


def master_key(folder, kit, typed, second):
    if kit is not None:
        header = cspp_reader.protected_file(kit, "keybackup-key")[0]
        return cspp_reader.open_key_file(kit, folder.name, way_secret(header, typed, second))
    for path in sorted(folder.glob("keybackup/keys/*.json")):
        header = cspp_reader.protected_file(path, "keybackup-key")[0]
        if header["kind"] != "recovery_code":
            continue
        try:
            return cspp_reader.open_key_file(path, folder.name, way_secret(header, typed, second))
        except InvalidTag:
            continue  # another kit
    raise Refused("nothing here opens with that code")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--code-file", type=pathlib.Path, required=True)
    parser.add_argument("--kit", type=pathlib.Path)
    parser.add_argument("--secret-file", type=pathlib.Path)
    parser.add_argument("--namespace")
    parser.add_argument("--dump", type=pathlib.Path)
    a = parser.parse_args()
    folder = cspp_reader.only(cspp_reader.namespaces(a.folder, a.namespace))
    second = a.secret_file.read_bytes() if a.secret_file else None
    try:
        master = master_key(folder, a.kit, a.code_file.read_text(), second)
        return cspp_reader.show(*cspp_reader.read_namespace(folder, None, master), a.dump)
    except (Refused, InvalidTag) as refused:
        sys.exit("refused: %s" % (refused or "the kit does not open"))


if __name__ == "__main__":
    sys.exit(main())

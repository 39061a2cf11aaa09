"""One case of "others agree with the simulated key".

fido2-tools and python-fido2 each register a credential and evaluate it, on a
key with the given PIN protocol, and must get equal bytes for equal salts:
whoever registered, with one salt or two, raw or through WebAuthn's prf.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile

import fido2_tools

PIN = "2468-caf\u00e9"
TOOL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "python_fido2.py")


def python_fido2(key, *arguments):
    result = subprocess.run(
        key + [sys.executable, TOOL, *arguments], capture_output=True, text=True
    )
    if result.returncode != 0:
        raise RuntimeError(result.stderr)
    return result.stdout


def prf_salt(value):
    return hashlib.sha256(b"WebAuthn PRF\x00" + value).digest()


def check(key, arguments, pin, rp_id, credential_id, public_key):
    inputs = [b"first input", b"second input"][: arguments.salts]
    salts = [prf_salt(value) for value in inputs]
    identified = [] if arguments.discoverable else ["--credential-id", credential_id.hex()]
    common = ["evaluate", "--rp-id", rp_id, *identified]
    common += ["--pin", pin] if pin is not None else []

    debian = fido2_tools.evaluate(
        key, rp_id, b"" if arguments.discoverable else credential_id, salts, pin, public_key
    )
    raw = python_fido2(key, *common, *(f"--salt={salt.hex()}" for salt in salts))
    prf = python_fido2(key, *common, *(f"--prf-input={value.hex()}" for value in inputs))
    expected = [output.hex() for output in debian]
    assert len(set(expected)) == arguments.salts, expected
    assert all(len(output) == 64 for output in expected), expected
    assert raw.split() == expected, (raw, expected)
    assert prf.split() == expected, (prf, expected)
    # The order of salts and their number do not matter.
    swapped = fido2_tools.evaluate(key, rp_id, credential_id, salts[::-1], pin)
    assert swapped == debian[::-1], (swapped, debian)
    single = fido2_tools.evaluate(key, rp_id, credential_id, salts[:1], pin)
    assert single == debian[:1]
    if pin is not None:
        unverified = fido2_tools.evaluate(key, rp_id, credential_id, salts)
        assert not set(unverified) & set(debian), "the PIN made no difference"
    return expected


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--virtual-key", required=True)
    parser.add_argument("--protocol", required=True, choices=["1", "2"])
    parser.add_argument("--salts", required=True, type=int, choices=[1, 2])
    parser.add_argument("--with-pin", action="store_true")
    parser.add_argument("--discoverable", action="store_true")
    arguments = parser.parse_args()
    pin = PIN if arguments.with_pin else None

    with tempfile.TemporaryDirectory() as folder:
        key = [arguments.virtual_key, "--state", os.path.join(folder, "key.json")]
        key += ["--pin-protocols", arguments.protocol]
        key += ["--pin", pin] if pin is not None else []
        key.append("--")

        made = fido2_tools.register(key, "keybackup:", pin, arguments.discoverable)
        first = check(key, arguments, pin, "keybackup:", *made)

        register = ["register", "--rp-id", "example.com"]
        register += ["--pin", pin] if pin is not None else []
        register += ["--discoverable"] * arguments.discoverable
        made = json.loads(python_fido2(key, *register))
        identifier = bytes.fromhex(made["credential_id"])
        second = check(key, arguments, pin, "example.com", identifier, None)
        assert not set(first) & set(second), "two credentials, one secret"
    print("agree")


if __name__ == "__main__":
    main()

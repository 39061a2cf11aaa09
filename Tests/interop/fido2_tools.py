"""Debian's fido2-cred and fido2-assert on a simulated key, PIN given on a pty.

As a command: evaluates hmac-secret with fido2-assert and prints one line of
hexadecimal digits per output, or registers a credential and prints its ID.
"""

import argparse
import base64
import hashlib
import os
import subprocess
import sys
import tempfile

import pexpect


def run(command, pin=None):
    """Runs a command on a terminal, answers a PIN prompt; its output."""
    child = pexpect.spawn(command[0], command[1:], encoding="utf-8", timeout=None)
    matched = child.expect(["Enter PIN for [^:]*: ", pexpect.EOF])
    output = child.before
    if matched == 0:
        assert pin is not None, f"{command}: asked for a PIN"
        child.sendline(pin)
        child.expect(pexpect.EOF)
        output = child.before
    child.close()
    if child.exitstatus != 0:
        raise RuntimeError(f"{command}: exit {child.exitstatus}: {output.strip()}")
    return output


def encode(data):
    return base64.b64encode(data).decode()


def lines(path):
    with open(path) as file:
        return file.read().splitlines()


def register(key, rp_id, pin=None, discoverable=False, protection=None):
    """Makes a credential with hmac-secret and verifies its attestation.

    Returns the credential ID and the public key (PEM lines).
    """
    with tempfile.TemporaryDirectory() as folder:
        request, made, verified = (os.path.join(folder, n) for n in "abc")
        with open(request, "w") as file:
            fields = [encode(os.urandom(32)), rp_id, "alice", encode(os.urandom(16))]
            file.write("\n".join(fields) + "\n")
        options = ["-h"] + ["-r"] * discoverable
        options += ["-c", protection] if protection else []
        run(key + ["fido2-cred", "-M", *options, "-i", request, "-o", made,
                   "/dev/hidraw0", "es256"], pin)
        verify = ["-h"] + ["-v"] * (pin is not None)
        verify += ["-c", protection] if protection else []
        subprocess.run(["fido2-cred", "-V", *verify, "-i", made, "-o", verified, "es256"],
                       check=True)
        identifier, *public_key = lines(verified)
    return base64.b64decode(identifier), public_key


def evaluate(key, rp_id, credential_id, salts, pin=None, public_key=None):
    """hmac-secret outputs for one or two salts; checks the signature if it can.

    Without a credential ID: the discoverable credential.
    """
    with tempfile.TemporaryDirectory() as folder:
        request, answer, pem = (os.path.join(folder, n) for n in "abc")
        with open(request, "w") as file:
            fields = [encode(os.urandom(32)), rp_id]
            if credential_id:
                fields.append(encode(credential_id))
            fields.append(encode(b"".join(salts)))
            file.write("\n".join(fields) + "\n")
        options = ["-G", "-h"]
        if not credential_id:
            options.append("-r")
        if pin is not None:
            options += ["-t", "pin=true"]
        run(key + ["fido2-assert", *options, "-i", request, "-o", answer, "/dev/hidraw0"],
            pin)
        if public_key:
            with open(pem, "w") as file:
                file.write("\n".join(public_key) + "\n")
            verify = ["-h", "-p"] + ["-v"] * (pin is not None)
            subprocess.run(["fido2-assert", "-V", *verify, "-i", answer, pem, "es256"],
                           check=True)
        output = base64.b64decode(lines(answer)[-1])
    return [output[index : index + 32] for index in range(0, len(output), 32)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rp-id", required=True)
    parser.add_argument("--pin")
    parser.add_argument("--credential-id", help="hexadecimal; else a discoverable one")
    parser.add_argument("--salt", action="append", default=[], help="32 bytes in hex")
    parser.add_argument("--prf-input", action="append", default=[], help="of WebAuthn's prf, in hex")
    parser.add_argument("--register", action="store_true")
    parser.add_argument("--discoverable", action="store_true")
    parser.add_argument("--protection", help="credProtect's level, 1 to 3")
    parser.add_argument("key", nargs="*", help="after --: virtual-key and its options, --")
    arguments = parser.parse_args()
    credential = bytes.fromhex(arguments.credential_id or "")
    salts = [bytes.fromhex(text) for text in arguments.salt]
    salts += [hashlib.sha256(b"WebAuthn PRF\x00" + bytes.fromhex(text)).digest()
              for text in arguments.prf_input]
    key = arguments.key + ["--"] * bool(arguments.key)
    if arguments.register:
        made = register(
            key, arguments.rp_id, arguments.pin, arguments.discoverable, arguments.protection
        )
        print(made[0].hex())
        return
    for output in evaluate(key, arguments.rp_id, credential, salts, arguments.pin):
        print(output.hex())


if __name__ == "__main__":
    sys.exit(main())

"""A second opinion on Nostr keys and events, by nostr-sdk (Rust) and by hand.

  nostr.py derive PRF-OUTPUT-HEX    the npub of nostr-passkey's derivation
  nostr.py verify                   checks a signed event from standard input
  nostr.py key NPUB|NSEC            its hexadecimal digits
"""

import hashlib
import sys

from nostr_sdk import Event, Keys, PublicKey, SecretKey


def npub(prf_output):
    """The derivation: the SHA-256 of the PRF output is the secret key."""
    secret = SecretKey.from_bytes(hashlib.sha256(prf_output).digest())
    return Keys(secret).public_key().to_bech32()


def main(command, *arguments):
    if command == "derive":
        print(npub(bytes.fromhex(arguments[0])))
    elif command == "verify":
        event = Event.from_json(sys.stdin.read())
        assert event.verify() and event.verify_id() and event.verify_signature()
        print(event.author().to_bech32())
        print(event.content())
    elif command == "key":
        text = arguments[0]
        kind = PublicKey if text.startswith("npub") else SecretKey
        print(kind.parse(text).to_hex())


main(*sys.argv[1:])

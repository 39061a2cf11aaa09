"""Key derivation and encodings of docs/format.md, for the independent reader and writer.

Written from the format's text with the packages `cryptography` and `PyNaCl`; it shares no code with the product.
"""
import base64
import hashlib

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from nacl.public import PrivateKey, SealedBox

MASTER_KEY_RECORD = "cspp-master-key-v1"
MASTER_KEY_FILE = "masterkey-%s.json" % hashlib.sha256(MASTER_KEY_RECORD.encode()).hexdigest()


def derive(ikm: bytes, info: str, salt: bytes | None = None) -> bytes:
    return HKDF(algorithm=hashes.SHA256(), length=32, salt=salt, info=info.encode()).derive(ikm)


def namespace_id(master_key: bytes) -> str:
    return derive(master_key, "cspp:v1:namespace-id")[:16].hex()


def wallet_key(master_key: bytes, salt: bytes) -> bytes:
    return derive(derive(master_key, "cspp:v1:critical"), "cspp:v1:wallet", salt)


def operation_key(master_key: bytes, writer_id: str, counter: int) -> bytes:
    return derive(master_key, "keybackup:v1:op:%s:%d" % (writer_id, counter))


def wrapping_key(secret: bytes, key_id: str) -> bytes:
    return derive(secret, "keybackup:v1:wrap:" + key_id)


def recipient_private(secret: bytes, key_id: str) -> bytes:
    return derive(secret, "keybackup:v1:recipient:" + key_id)


def recipient(secret: bytes, key_id: str) -> bytes:
    private = recipient_private(secret, key_id)
    return X25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def open_box(secret: bytes, key_id: str, box: bytes) -> bytes:
    """The master key in a box of `moved`; raises nacl.exceptions.CryptoError for another way in."""
    return SealedBox(PrivateKey(recipient_private(secret, key_id))).decrypt(box)


def record_id(wallet_id: str) -> str:
    return hashlib.sha256(wallet_id.encode()).hexdigest()


def freshness(last_operations) -> str:
    """The freshness word for (writer ID, counter, SHA-256 in hexadecimal) of every writer's last operation."""
    lines = ["%s/%08d-%s\n" % (writer, counter, digest[:32]) for writer, counter, digest in sorted(last_operations)]
    bits = int.from_bytes(hashlib.sha256("".join(lines).encode("ascii")).digest()[:10], "big")
    return "".join("0123456789abcdefghjkmnpqrstvwxyz"[bits >> 5 * place & 31] for place in reversed(range(16)))


def seal(key: bytes, nonce: bytes, plaintext: bytes, associated: bytes | None = None) -> bytes:
    return ChaCha20Poly1305(key).encrypt(nonce, plaintext, associated)


def open_sealed(key: bytes, nonce: bytes, sealed: bytes, associated: bytes | None = None) -> bytes:
    return ChaCha20Poly1305(key).decrypt(nonce, sealed, associated)


def from_base64(text: str) -> bytes:
    return base64.b64decode(text, validate=True)


def to_base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def from_base64url(text: str) -> bytes:
    if "=" in text:
        raise ValueError("base64url here has no padding")
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)


def to_base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unique(pairs):
    """An object_pairs_hook for json: a field may appear only once."""
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a field appears twice")
    return result

"""libsodium's crypto_secretstream_xchacha20poly1305 from ChaCha20 and Poly1305 of `cryptography`, without libsodium."""
import hmac
import struct

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
from cryptography.hazmat.primitives.poly1305 import Poly1305

MESSAGE, PUSH, REKEY, FINAL = 0, 1, 2, 3
HEADER, OVERHEAD = 24, 17


def rotate(value, count):
    return (value << count | value >> 32 - count) & 0xFFFFFFFF


def hchacha20(key, nonce):
    """draft-irtf-cfrg-xchacha-03, section 2.2."""
    s = list(struct.unpack("<16I", b"expand 32-byte k" + key + nonce))

    def quarter(a, b, c, d):
        for count in (16, 12, 8, 7):
            if count in (16, 8):
                s[a] = s[a] + s[b] & 0xFFFFFFFF
                s[d] = rotate(s[d] ^ s[a], count)
            else:
                s[c] = s[c] + s[d] & 0xFFFFFFFF
                s[b] = rotate(s[b] ^ s[c], count)

    for _ in range(10):
        for column in range(4):
            quarter(column, 4 + column, 8 + column, 12 + column)
        for diagonal in range(4):
            quarter(diagonal, 4 + (diagonal + 1) % 4, 8 + (diagonal + 2) % 4, 12 + (diagonal + 3) % 4)
    return struct.pack("<8I", *s[:4], *s[12:])


class Stream:
    """One direction of a stream; both sides do the same to the state."""

    def __init__(self, key, header):
        self.key = hchacha20(key, header[:16])
        self.counter, self.nonce = 1, header[16:]

    def _cipher(self, block, data):
        nonce = struct.pack("<II", block, self.counter) + self.nonce
        return Cipher(algorithms.ChaCha20(self.key, nonce), None).encryptor().update(data)

    def _tag(self, first, sealed):
        code = Poly1305(self._cipher(0, bytes(32)))
        # The padding is libsodium's: as many zeroes as the last block of the message has bytes.
        code.update(first + sealed + bytes(len(sealed) % 16) + struct.pack("<QQ", 0, 64 + len(sealed)))
        return code.finalize()

    def _next(self, tag, code):
        self.nonce = bytes(a ^ b for a, b in zip(self.nonce, code))
        self.counter = (self.counter + 1) % 2**32
        if tag & REKEY or self.counter == 0:
            new = self._cipher(0, self.key + self.nonce)
            self.key, self.nonce, self.counter = new[:32], new[32:], 1

    def push(self, message, tag):
        first = self._cipher(1, bytes([tag]) + bytes(63))
        sealed = self._cipher(2, message)
        code = self._tag(first, sealed)
        self._next(tag, code)
        return first[:1] + sealed + code

    def pull(self, chunk):
        sealed, code = chunk[1:-16], chunk[-16:]
        tag = self._cipher(1, chunk[:1] + bytes(63))[0]
        first = chunk[:1] + self._cipher(1, bytes([tag]) + bytes(63))[1:]
        if len(chunk) < OVERHEAD or not hmac.compare_digest(self._tag(first, sealed), code):
            raise InvalidTag
        message = self._cipher(2, sealed)
        self._next(tag, code)
        return message, tag

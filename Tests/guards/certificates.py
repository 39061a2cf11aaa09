#!/usr/bin/env python3
"""Certificates for tests: one authority, and servers' certificates that it signed.

    .build-python/bin/python Tests/guards/certificates.py FOLDER

writes ca.pem, and with its key beside it: good.pem (localhost, 127.0.0.1), other-name.pem,
expired.pem, and self-signed.pem, which the authority does not know.
"""
import datetime, ipaddress, pathlib, sys

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

DAY = datetime.timedelta(days=1)
HERE = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]


def name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def certificate(subject, key, issuer, signer, names=None, days=(-1, 30)):
    now = datetime.datetime.now(datetime.timezone.utc)
    builder = (
        x509.CertificateBuilder().subject_name(name(subject)).issuer_name(name(issuer))
        .public_key(key.public_key()).serial_number(x509.random_serial_number())
        .not_valid_before(now + days[0] * DAY).not_valid_after(now + days[1] * DAY)
        .add_extension(x509.BasicConstraints(ca=names is None, path_length=None), critical=True)
    )
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    return builder.sign(signer, hashes.SHA256())


def write(folder, stem, made, key):
    (folder / f"{stem}.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / f"{stem}.key").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )


def make(folder):
    """Writes all of them into a folder that exists."""
    folder = pathlib.Path(folder)
    authority = ec.generate_private_key(ec.SECP256R1())
    write(folder, "ca", certificate("test authority", authority, "test authority", authority), authority)
    servers = {
        "good": (HERE, (-1, 30)),
        "other-name": ([x509.DNSName("elsewhere.example")], (-1, 30)),
        "expired": (HERE, (-30, -1)),
    }
    for stem, (names, days) in servers.items():
        key = ec.generate_private_key(ec.SECP256R1())
        write(folder, stem, certificate(stem, key, "test authority", authority, names, days), key)
    key = ec.generate_private_key(ec.SECP256R1())
    write(folder, "self-signed", certificate("self", key, "self", key, HERE), key)


if __name__ == "__main__":
    make(sys.argv[1])

"""A second opinion on a security key: python-fido2 makes and uses credentials.

Runs where /dev/hidraw0 is (inside `virtual-key ... --`), and prints JSON for
`register`, or one line of hexadecimal digits per output for `evaluate`.
"""

import argparse
import json
import os

from fido2.client import ClientDataCollector, Fido2Client, UserInteraction
from fido2.ctap2 import Ctap2
from fido2.ctap2.extensions import HmacSecretExtension
from fido2.ctap2.pin import ClientPin, PinProtocolV1, PinProtocolV2
from fido2.hid import CtapHidDevice
from fido2.hid.base import HidDescriptor
from fido2.hid.linux import LinuxCtapHidConnection
from fido2.utils import websafe_decode
from fido2.webauthn import CollectedClientData


def open_key(path="/dev/hidraw0"):
    """The key at `path`, without the listing, which asks for more ioctls."""
    descriptor = HidDescriptor(path, 0x1209, 0xF1D0, 64, 64, "key", None)
    return CtapHidDevice(descriptor, LinuxCtapHidConnection(descriptor))


def open_card(reader):
    """The key on a reader, which only tests with one need pyscard for."""
    from fido2.pcsc import CtapPcscDevice

    return next(CtapPcscDevice.list_devices(reader))


class AnyRelyingParty(ClientDataCollector):
    """Accepts relying party IDs that no browser would, such as `keybackup:`."""

    def __init__(self, rp_id):
        self.rp_id = rp_id

    def collect_client_data(self, options):
        kind = (
            CollectedClientData.TYPE.CREATE
            if hasattr(options, "rp")
            else CollectedClientData.TYPE.GET
        )
        data = CollectedClientData.create(kind, options.challenge, "https://example.com")
        return data, self.rp_id


class Person(UserInteraction):
    def __init__(self, pin):
        self.pin = pin

    def request_pin(self, permissions, rp_id):
        return self.pin


def preferred_protocol(ctap):
    for number in ctap.info.pin_uv_protocols:
        return {1: PinProtocolV1, 2: PinProtocolV2}[number]()


def authorization(ctap, pin, permission, rp_id, client_data_hash):
    """pinUvAuthParam and protocol number, or nothing without a PIN."""
    if pin is None:
        return {}
    protocol = preferred_protocol(ctap)
    token = ClientPin(ctap, protocol).get_pin_token(pin, permission, rp_id)
    return {
        "pin_uv_param": protocol.authenticate(token, client_data_hash),
        "pin_uv_protocol": protocol.VERSION,
    }


def register(ctap, arguments):
    client_data_hash = os.urandom(32)
    response = ctap.make_credential(
        client_data_hash,
        {"id": arguments.rp_id, "name": arguments.rp_id},
        {"id": os.urandom(16), "name": "alice", "displayName": "Alice"},
        [{"type": "public-key", "alg": -7}],
        extensions={"hmac-secret": True},
        options={"rk": True} if arguments.discoverable else None,
        **authorization(
            ctap,
            arguments.pin,
            ClientPin.PERMISSION.MAKE_CREDENTIAL,
            arguments.rp_id,
            client_data_hash,
        ),
    )
    data = response.auth_data
    assert data.extensions["hmac-secret"] is True, "hmac-secret was not created"
    assert bool(data.is_user_verified()) == (arguments.pin is not None)
    # The attestation is the credential's own signature.
    data.credential_data.public_key.verify(
        data + client_data_hash, response.att_stmt["sig"]
    )
    print(
        json.dumps(
            {
                "credential_id": data.credential_data.credential_id.hex(),
                "public_key": {
                    str(k): v.hex() if isinstance(v, bytes) else v
                    for k, v in data.credential_data.public_key.items()
                },
            }
        )
    )


def evaluate_raw(ctap, arguments, salts):
    protocol = preferred_protocol(ctap)
    key, secret = ClientPin(ctap, protocol)._get_shared_secret()
    sealed = protocol.encrypt(secret, b"".join(salts))
    client_data_hash = os.urandom(32)
    allowed = arguments.credential_id and [
        {"type": "public-key", "id": bytes.fromhex(arguments.credential_id)}
    ]
    parameters = authorization(
        ctap,
        arguments.pin,
        ClientPin.PERMISSION.GET_ASSERTION,
        arguments.rp_id,
        client_data_hash,
    )
    if arguments.pin is not None:
        # Getting a token may have made the key choose a new agreement key.
        key, secret = ClientPin(ctap, protocol)._get_shared_secret()
        sealed = protocol.encrypt(secret, b"".join(salts))
    extension = {1: key, 2: sealed, 3: protocol.authenticate(secret, sealed)}
    # CTAP 2.0 keys know protocol 1 only and no field to say so.
    if protocol.VERSION != 1:
        extension[4] = protocol.VERSION
    response = ctap.get_assertion(
        arguments.rp_id,
        client_data_hash,
        allowed or None,
        {"hmac-secret": extension},
        **parameters,
    )
    assert bool(response.auth_data.is_user_verified()) == (arguments.pin is not None)
    opened = protocol.decrypt(secret, response.auth_data.extensions["hmac-secret"])
    return [opened[index : index + 32] for index in range(0, len(opened), 32)]


def evaluate_prf(device, arguments, inputs):
    client = Fido2Client(
        device,
        AnyRelyingParty(arguments.rp_id),
        user_interaction=Person(arguments.pin),
        extensions=[HmacSecretExtension()],
    )
    values = dict(zip(["first", "second"], inputs))
    options = {
        "challenge": os.urandom(32),
        "rpId": arguments.rp_id,
        "userVerification": "discouraged" if arguments.pin is None else "required",
        "extensions": {"prf": {"eval": values}},
    }
    if arguments.credential_id:
        options["allowCredentials"] = [
            {"type": "public-key", "id": bytes.fromhex(arguments.credential_id)}
        ]
    response = client.get_assertion(options).get_response(0)
    results = response.client_extension_results["prf"]["results"]
    # As in the JSON form of WebAuthn: base64url.
    return [websafe_decode(results[name]) for name in values]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("action", choices=["register", "evaluate"])
    parser.add_argument("--reader", help="the key lies on the reader of this name")
    parser.add_argument("--rp-id", required=True)
    parser.add_argument("--pin")
    parser.add_argument("--discoverable", action="store_true")
    parser.add_argument("--credential-id", help="hexadecimal; else a discoverable one")
    parser.add_argument("--salt", action="append", default=[], help="32 bytes in hex")
    parser.add_argument(
        "--prf-input", action="append", default=[], help="a WebAuthn PRF input in hex"
    )
    arguments = parser.parse_args()
    device = open_card(arguments.reader) if arguments.reader else open_key()
    if arguments.action == "register":
        register(Ctap2(device), arguments)
    elif arguments.prf_input:
        inputs = [bytes.fromhex(text) for text in arguments.prf_input]
        for output in evaluate_prf(device, arguments, inputs):
            print(output.hex())
    else:
        salts = [bytes.fromhex(text) for text in arguments.salt]
        for output in evaluate_raw(Ctap2(device), arguments, salts):
            print(output.hex())


if __name__ == "__main__":
    main()

"""Compares fingerprints and descriptors with the Bitcoin Development Kit's.

Standard input: a JSON object a line, with `mnemonic`, `passphrase`, `network` (mainnet, testnet), `type`
(legacy, nested-segwit, native-segwit, taproot), `account`, `fingerprint`, `descriptors`
(external, internal), `private` (the same, with private keys). Prints how many are equal.
"""
import json
import sys

import bdkpython as bdk

FRAMES = {"legacy": (44, "pkh(%s)"), "nested-segwit": (49, "sh(wpkh(%s))"), "native-segwit": (84, "wpkh(%s)"),
          "taproot": (86, "tr(%s)")}


def theirs(case, chain: int):
    kind = bdk.NetworkKind.MAIN if case["network"] == "mainnet" else bdk.NetworkKind.TEST
    words = bdk.Mnemonic.from_string(case["mnemonic"])
    master = bdk.DescriptorSecretKey(kind, words, case["passphrase"] or None)
    purpose, frame = FRAMES[case["type"]]
    coin = 0 if case["network"] == "mainnet" else 1
    path = bdk.DerivationPath("m/%d'/%d'/%d'" % (purpose, coin, case["account"]))
    # `[fingerprint/path]key/*`; the chain goes in front of the asterisk.
    key = str(master.derive(path)).removesuffix("/*")
    return bdk.Descriptor(frame % ("%s/%d/*" % (key, chain)), kind)


equal = 0
for line in sys.stdin:
    case = json.loads(line)
    kind = bdk.NetworkKind.MAIN if case["network"] == "mainnet" else bdk.NetworkKind.TEST
    for chain in (0, 1):
        expected = theirs(case, chain)
        assert str(expected) == case["descriptors"][chain], (case, str(expected))
        assert "[" + case["fingerprint"] + "/" in str(expected), case
        private = bdk.Descriptor(case["private"][chain], kind)
        assert str(private) == str(expected), case
        assert private.to_string_with_secret() == expected.to_string_with_secret(), case
    equal += 1
print(equal)

"""fido2-token manages a simulated key: PIN, lock-out, credentials, reset."""

import argparse
import json
import os
import re
import tempfile

import pexpect

import fido2_tools


def ask(command, answers):
    """Runs a command and answers its prompts in order; exit code and output."""
    child = pexpect.spawn(command[0], command[1:], encoding="utf-8", timeout=None)
    for prompt, answer in answers:
        child.expect(prompt)
        child.sendline(answer)
    child.expect(pexpect.EOF)
    child.close()
    return child.exitstatus, child.before.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--virtual-key", required=True)
    parser.add_argument("--protocol", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        state = os.path.join(folder, "key.json")
        key = [arguments.virtual_key, "--state", state]
        key += ["--pin-protocols", arguments.protocol, "--"]
        token = key + ["fido2-token"]
        node = "/dev/hidraw0"

        new = [("Enter new PIN[^:]*: ", "1234"), ("Enter the same PIN again: ", "1234")]
        assert ask(token + ["-S", node], new)[0] == 0
        change = [
            ("Enter current PIN[^:]*: ", "1234"),
            ("Enter new PIN[^:]*: ", "longer pin"),
            ("Enter the same PIN again: ", "longer pin"),
        ]
        assert ask(token + ["-C", node], change)[0] == 0
        status, text = ask(token + ["-I", node], [])
        assert status == 0 and "clientPin" in text and "noclientPin" not in text, text

        made = [
            fido2_tools.register(key, rp_id, "longer pin", True)[0].hex()
            for rp_id in ["one.example", "two.example", "two.example"]
        ]
        pin = [("Enter PIN[^:]*: ", "longer pin")]
        status, text = ask(token + ["-L", "-r", node], pin)
        assert status == 0 and set(re.findall(r"\w+\.example", text)) == {
            "one.example",
            "two.example",
        }, text
        status, text = ask(token + ["-L", "-k", "two.example", node], pin)
        assert status == 0 and text.count("es256") == 2, text
        gone = fido2_tools.encode(bytes.fromhex(made[1]))
        assert ask(token + ["-D", "-i", gone, node], pin)[0] == 0
        status, text = ask(token + ["-L", "-k", "two.example", node], pin)
        assert text.count("es256") == 1, text
        status, text = ask(token + ["-I", "-c", node], pin)
        assert status == 0 and "existing rk(s): 2" in text, text

        # Eight wrong PINs over several power cycles; each run of the tool is one.
        wrong = [("Enter PIN[^:]*: ", "wrong pin")]
        for left in range(7, -1, -1):
            status, text = ask(token + ["-L", "-r", node], wrong)
            assert status == 1, text
            with open(state) as file:
                assert json.load(file)["pinRetries"] == left
        status, text = ask(token + ["-L", "-r", node], pin)
        assert status == 1 and "FIDO_ERR_PIN_BLOCKED" in text, text

        assert ask(token + ["-R", node], [])[0] == 0
        status, text = ask(token + ["-I", node], [])
        assert "noclientPin" in text and "pin retries: 8" in text, text
        assert "remaining rk(s): 25" in text, text
    print("managed")


if __name__ == "__main__":
    main()

"""Another program with a card in its hands, while a command runs.

hold_card.py --exclusive|--transaction -- COMMAND...
"""

import subprocess
import sys

from smartcard.scard import (
    SCARD_LEAVE_CARD,
    SCARD_PROTOCOL_T1,
    SCARD_S_SUCCESS,
    SCARD_SCOPE_USER,
    SCARD_SHARE_EXCLUSIVE,
    SCARD_SHARE_SHARED,
    SCardBeginTransaction,
    SCardConnect,
    SCardEndTransaction,
    SCardEstablishContext,
    SCardListReaders,
)


def check(code):
    assert code == SCARD_S_SUCCESS, hex(code)


def main():
    exclusive = sys.argv[1] == "--exclusive"
    command = sys.argv[sys.argv.index("--") + 1 :]
    code, context = SCardEstablishContext(SCARD_SCOPE_USER)
    check(code)
    code, readers = SCardListReaders(context, [])
    check(code)
    share = SCARD_SHARE_EXCLUSIVE if exclusive else SCARD_SHARE_SHARED
    code, card, _ = SCardConnect(context, readers[0], share, SCARD_PROTOCOL_T1)
    check(code)
    if not exclusive:
        check(SCardBeginTransaction(card))
    result = subprocess.run(command, check=False).returncode
    if not exclusive:
        check(SCardEndTransaction(card, SCARD_LEAVE_CARD))
    sys.exit(result)


main()

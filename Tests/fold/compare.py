"""Compares the Swift LogState with fold.py: both read the same sets of files, in every history that explore.py plays.

python3 compare.py PROGRAM exhaustive STATES [SCOPE...]     python3 compare.py PROGRAM random HISTORIES [SEED]

PROGRAM is log-state-check. STATES is for each scope, 0 for all to its depth. Ends with 1 where the two differ, or a history breaks a promise.
"""
import subprocess, sys
import explore as E
import explore_more
import fold as F
from fold import Op, Sealed, View, Version, master_key


class Numbers:
    """Numbers in the place of names: PROGRAM turns each into an identifier."""
    def __init__(self):
        self.by_kind = {}

    def __call__(self, kind, name):
        known = self.by_kind.setdefault(kind, {})
        return known.setdefault(name, len(known) + 1)


class Comparison:
    def __init__(self, program):
        self.program = subprocess.Popen([program], stdin=subprocess.PIPE, text=True)
        self.out, self.number = self.program.stdin, Numbers()
        self.files, self.versions, self.seen, self.fold = {}, {}, set(), F.fold

    def version(self, v):
        known = self.versions.get(v)
        if known is None:
            of = self.version(v.of) if v.of is not None else '-'
            by = self.number('key', v.by) if v.by is not None else '-'
            known = self.versions[v] = len(self.versions) + 1
            self.out.write('V %d %s%d %d %d %s %s\n' % (known, v.item[0], self.number('item', v.item), self.number('bytes', (v.bytes, v.content)),
                                                       self.number('content', v.content), by, of))
        return known

    def file(self, f):
        known = self.files.get(f)
        if known is None:
            known = len(self.files) + 1
            ns = self.number('ns', f.ns)
            if type(f) is View:
                line = 'I %d %d %d' % (known, ns, self.version(f.version))
            elif type(f) is Sealed:
                parts = ['a:%d' % self.version(v) for v in f.puts]
                # A sealed operation has digests of the bytes of files: names of other versions cannot be written down.
                parts += ['e:%d:%d' % (self.number('item', v.item), self.number('bytes', (v.bytes, v.content)))
                          for v in f.ends if v.by == f.key and v.of is None and v.item[0] == 'f']
                line = 'S %d %d %d %s' % (known, ns, self.number('key', f.key), ' '.join(parts))
            else:
                line = 'O %d %d %d %d %s' % (known, ns, self.number('writer', f.writer), f.n, ' '.join(self.changes(f)))
            self.files[f] = known
            self.out.write(line + '\n')
        return known

    def changes(self, f):
        number = self.number
        yield from ('a:%d' % self.version(v) for v in f.puts)
        yield from ('e:%d' % self.version(v) for v in f.ends)
        yield from ('d:%d' % self.version(v) for v in f.drops)
        yield from ('W:%d:%d' % (number('key', k), ('files' in r) + 2 * ('wallets' in r)) for k, r in f.adds)
        yield from ('R:%d' % number('key', k) for k in f.retires)
        yield from ('k:%d' % number('key', x) if kind == 'key' else 'n:%d' % number('ns', x) for kind, x in f.refuses)
        yield from ('s:%d:%s' % (number('slot', s), kind[0]) for s, kind in f.slots)
        yield from ('x:%d' % number('slot', s) for s in f.removes)
        yield from ('t:%d' % number('text', x) for x in f.facts)
        if f.hint:
            yield 'h:%d' % number('ns', f.hint)
        if f.begin is not None:
            # Who opens an operation proves the master keys in it.
            taken = ','.join(str(number('ns', ns)) for ns, key in f.begin if key == master_key(ns))
            yield 'b:%s:%s' % (taken, ','.join('%d.%d' % (number('writer', w), n) for w, n in f.drafts))

    def told(self, x):
        kind, what = x
        if kind == 'end': return 'e%d' % self.version(what)
        if kind == 'retire': return 'R%d' % self.number('key', what)
        if kind == 'add': return 'W%d' % self.number('key', what)
        if kind == 'slot': return 's%d' % self.number('slot', what)
        if kind == 'remove': return 'x%d' % self.number('slot', what)
        if kind == 'fact': return 't%d' % self.number('text', what)
        return ('k%d' if what[0] == 'key' else 'n%d') % self.number('key' if what[0] == 'key' else 'ns', what[1])

    def read(self, files, current, remembered=F.NONE, rivals=F.NONE):
        state = self.fold(files, current, remembered, rivals)
        key = frozenset(files), current, remembered, rivals
        if key in self.seen:
            return state
        if len(self.seen) > 400_000:
            self.seen.clear()
        self.seen.add(key)
        ns = lambda names: ','.join(sorted(str(self.number('ns', x)) for x in names))
        vs = lambda versions: ','.join(map(str, sorted(self.version(v) for v in versions)))
        answer = [
            vs(state.live), vs(state.offered), vs(state.history), vs(state.aside), vs(state.faded), vs(state.ordinary), vs(state.ended), vs(state.settled),
            ','.join(sorted('%d:%d' % (self.number('key', k), ('files' in r) + 2 * ('wallets' in r)) for k, r in state.writers.items())),
            ','.join(sorted(str(self.number('key', k)) for k in state.retired)),
            ','.join(sorted('%d:%d' % (self.number('ns', n), self.number('slot', s)) for n, slots in state.slots.items() for s in slots)),
            ','.join(sorted(str(self.number('slot', s)) for s in state.removed)),
            ','.join(sorted(str(self.number('text', x)) for x in state.facts)),
            ','.join(sorted(self.told(x) for x in state.told)), ns(state.counting), ns(state.earlier)]
        opened = {f.ns for f in files if type(f) is not Sealed}
        own = frozenset(n for n in opened if len(n) % 2 == 0) | {current}
        new = F.new_computer(files, own & opened, opened)
        answer += [str(self.number('ns', new)) if new else '', ns(F.successors(files, current, opened)), ns(F.rivals(files, current, opened)),
                   str(int(F.stop(files, current, opened))), str(int(F.is_whole(current, files)))]
        ids = ','.join(str(self.file(f)) for f in files)
        self.out.write('Q %s %s %s %s %s %s|%s\n' % (ns([current]), ns(remembered) or '-', ns(rivals) or '-', ns(opened), ns(own & opened) or '-', ids or '-', '|'.join(answer)))
        return state


def exhaustive(states, scopes):
    """Every history of each scope, up to a number of states; the scopes that break a promise."""
    broken = 0
    for scope in scopes or E.SCOPES:
        end, why, files, counts, depth, seconds = E.explore(scope, quiet=True, max_states=states or None)
        print('%-9s %s %s %d states, %d sets, depth %d, %.0f s' % (scope, end, why, counts['states'], counts['sets'], depth, seconds), flush=True)
        if files:
            E.show(files)
            broken += 1
    return broken


def random(histories, seed):
    """Random longer histories; the number that breaks a promise."""
    broken = 0
    for n in range(histories):
        thieves, length = [[], ['old'], ['steal'], ['old', 'steal']][n % 4], [8, 12, 18, 25][n // 4 % 4]
        try:
            explore_more.play(seed + n, length, thieves)
        except E.Bad as why:
            print('seed', seed + n, 'length', length, thieves, why, flush=True)
            broken += 1
    return broken


def main(program, mode, count, *rest):
    comparison = Comparison(program)
    F.fold = comparison.read
    broken = exhaustive(int(count), rest) if mode == 'exhaustive' else random(int(count), int(rest[0]) if rest else 1)
    comparison.out.close()
    sys.exit(1 if comparison.program.wait() or broken else 0)


if __name__ == '__main__':
    main(*sys.argv[1:])

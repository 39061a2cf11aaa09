"""Compares the Swift LogState with fold.py: both read the same sets of files, in every history that explore.py plays.

python3 compare.py PROGRAM exhaustive STATES [SCOPE...]     with the oracle: also ends with 1 where a history breaks a promise
python3 compare.py PROGRAM sets SETS [SCOPE...]             without it, and faster: until so many sets were read in each scope
python3 compare.py PROGRAM random HISTORIES [SEED]          random longer histories, with the oracle
python3 compare.py PROGRAM mutants SETS [SCOPE...]          each duty of a writer left out in explore.py: LogState must differ

PROGRAM is log-state-check. STATES is for each scope, 0 for all to its depth. Ends with 1 where the two differ.

A line is V (a version), O, S or I (a file: an ordinary operation, a sealed one, a view file), or Q, a question: the current namespace, those remembered, taken
in, that open, that open by a file of their own, answered "mine", answered "not mine"; the files that this computer read before, the files that it reads
now; and behind each | an answer. D is a question for a writer: current, remembered, taken in, the files that it sees, the duty; and behind | the changes
of each operation.
"""
import os, subprocess, sys, time
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


# ---- what fold.py does not say: a second opinion on memory, answers and chains ------------------------------------------------

def place(f):
    return (f.ns, f.writer, f.n) if type(f) is Op else (f.ns, f.key, f.n)


def missing(files):
    """(sealed, place): gaps as in F.missing, which takes a writer and a key of one name for one; and what a beginning lists and is not here."""
    ops, sealed = ([f for f in files if type(f) is kind] for kind in (Op, Sealed))
    first = {}
    for f in ops:
        first[f.ns, f.writer] = min(f.n, first.get((f.ns, f.writer), f.n))
    named = {(False, (f.ns, f.writer, f.n - 1)) for f in ops if f.n > first[f.ns, f.writer]}
    named |= {(False, (f.ns, w, n)) for f in ops if f.begin is not None for w, n in f.drafts}
    named |= {(True, (f.ns, f.key, f.n - 1)) for f in sealed if f.n > 1} | {(True, x) for f in ops for x in f.seen}
    return named - {(type(f) is Sealed, place(f)) for f in ops + sealed}


def forks(files):
    """(sealed, place): those that two operations claim."""
    had, out = set(), set()
    for f in files:
        if type(f) is not View:
            p = type(f) is Sealed, place(f)
            (out if p in had else had).add(p)
    return out


def unanswered(files, current, opened, mine, ignored):
    """Claims: ('n', a namespace that opens) or ('h', a hint)."""
    return {('n', x) for x in F.successors(files, current, opened) - mine - ignored} | \
        {('h', f.hint) for f in files if type(f) is Op and f.ns == current and f.hint and f.hint not in mine | ignored}


def step(files, current, remembered, opened, mine):
    """Where a computer moves to: of two, to the one that took over the other, else it asks.  None: it stays."""
    before = F.earlier(current, files) | remembered
    can = {x for x in F.successors(files, current, opened) if x in mine and x not in before and F.is_whole(x, files)}
    last = {x for x in can if all(y == x or y in F.earlier(x, files) for y in can)}
    return (can, last.pop() if len(last) == 1 else None) if can else None


def others(files, current, remembered, opened, ignored):
    """(other backups, rotations that never began)"""
    rest = opened - {current} - remembered - F.earlier(current, files) - ignored
    foreign = {x for x in rest if not any(type(f) is Op and f.ns == x for f in files)}
    begun = {x for x in rest if F.has_begun(x, files)}
    return (begun | foreign) - F.successors(files, current, opened), rest - foreign - begun


def rolled_back(before, files, current, readable):
    """Of what was read before, what is gone: ordinary operations, and the last ones of silent chains.  A namespace may be deleted as a whole."""
    here = {f.ns for f in files if type(f) is not View} | {current}
    return [f for f in before if type(f) is Op and f not in files and f.ns in here & readable]


class Comparison:
    def __init__(self, program):
        self.program = subprocess.Popen([program], stdin=subprocess.PIPE, text=True, bufsize=1 << 20)
        self.out, self.number = self.program.stdin, Numbers()
        self.files, self.versions, self.seen, self.fold, self.before = {}, {}, set(), F.fold, ()
        self.questions, self.sets, self.limit = 0, 0, 0

    def version(self, v):
        known = self.versions.get(v)
        if known is None:
            of = self.version(v.of) if v.of is not None else '-'
            by = self.number('key', v.by) if v.by is not None else '-'
            known = self.versions[v] = len(self.versions) + 1
            self.out.write('V %d %s%d %d %d %s %s\n' % (known, v.item[0], self.number('item', v.item), self.number('bytes', (v.bytes, v.content)),
                                                       self.number('content', v.content), by, of))
        return known

    def place(self, ns, who, n, silent):
        return '%d.%d.%d' % (self.number('ns', ns), self.number('key' if silent else 'writer', who), n)

    def file(self, f):
        known = self.files.get(f)
        if known is None:
            ns = self.number('ns', f.ns)
            if type(f) is View:
                parts = ['%d' % self.version(f.version)]
            elif type(f) is Sealed:
                parts = ['%d %d' % (self.number('key', f.key), f.n)] + ['a:%d' % self.version(v) for v in f.puts]
                # A sealed operation has digests of the bytes of files: names of other versions cannot be written down.
                parts += ['e:%d:%d' % (self.number('item', v.item), self.number('bytes', (v.bytes, v.content)))
                          for v in f.ends if v.by == f.key and v.of is None and v.item[0] == 'f']
            else:
                parts = ['%d %d' % (self.number('writer', f.writer), f.n), *self.changes(f)]
            known = self.files[f] = len(self.files) + 1
            self.out.write('%s %d %d %s\n' % ('I' if type(f) is View else 'S' if type(f) is Sealed else 'O', known, ns, ' '.join(parts)))
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
        yield from ('g:' + self.place(*x, silent=True) for x in f.seen)
        if f.hint:
            yield 'h:%d' % number('ns', f.hint)
        if f.begin is not None:
            # Who opens an operation proves the master keys in it.
            taken = ','.join(str(number('ns', ns)) for ns, key in f.begin if key == master_key(ns))
            yield 'b:%s:%s' % (taken or '-', ','.join(self.place(f.ns, w, n, False) for w, n in f.drafts))

    def told(self, x):
        kind, what = x
        if kind == 'end': return 'e%d' % self.version(what)
        if kind == 'retire': return 'R%d' % self.number('key', what)
        if kind == 'add': return 'W%d' % self.number('key', what)
        if kind == 'slot': return 's%d' % self.number('slot', what)
        if kind == 'remove': return 'x%d' % self.number('slot', what)
        if kind == 'fact': return 't%d' % self.number('text', what)
        return self.refusal(what)

    def refusal(self, x):
        return ('k%d' if x[0] == 'key' else 'n%d') % self.number('key' if x[0] == 'key' else 'ns', x[1])

    def rights(self, r):
        return ('files' in r) + 2 * ('wallets' in r)

    def meaning(self, s, files):
        number, text = self.number, lambda xs: ','.join(sorted(xs))
        vs = lambda versions: ','.join(map(str, sorted(map(self.version, versions))))
        ids = lambda kind, names: text(str(number(kind, x)) for x in names)
        word = [f for f in files if type(f) is Op and f.ns in s.counting]
        no_ns, no_key = F.refusals(word, s.earlier)
        known = {k for f in files if type(f) is Op and f.ns in s.counting | s.earlier for k, _ in f.adds}
        waits = [f for f in files if type(f) is Sealed and f.ns in s.counting | s.earlier and f.key not in known]
        return [vs(s.live), vs(s.offered), vs(s.history), vs(s.aside), vs(s.faded), vs(s.ordinary), vs(s.ended), vs(s.settled),
                text('%d:%d' % (number('key', k), self.rights(r)) for k, r in s.writers.items()), ids('key', s.retired),
                text('%d:%d' % (number('ns', n), number('slot', x)) for n, slots in s.slots.items() for x in slots), ids('slot', s.removed),
                ids('text', s.facts), text(map(self.told, s.told)), text([self.refusal(('ns', x)) for x in no_ns] + [self.refusal(('key', x)) for x in no_key]),
                ','.join(map(str, sorted(map(self.file, waits)))), ids('ns', s.counting), ids('ns', s.earlier)]

    def read(self, files, current, remembered=F.NONE, rivals=F.NONE):
        state = self.fold(files, current, remembered, rivals)
        files = frozenset(files)
        key = hash((files, current, remembered, rivals))        # 64 bits: only to ask each once
        if key not in self.seen:
            self.seen.add(key)
            self.ask(state, files, current, remembered, rivals)
        return state

    def ask(self, state, files, current, remembered, rivals):
        number, self.questions = self.number, self.questions + 1
        ns = lambda names: ','.join(sorted(str(number('ns', x)) for x in names))
        opened = {f.ns for f in files if type(f) is not Sealed}
        own = frozenset(n for n in opened if len(n) % 2 == 0) | {current}
        # Some of all that could be answered, another part in each question.
        claims = sorted(opened | {f.hint for f in files if type(f) is Op and f.hint})
        said = [(number('ns', x) * 7 + self.questions) // 2 % 3 for x in claims]
        mine, ignored = ({x for x, a in zip(claims, said) if a == what} for what in (0, 1))
        before, readable = self.before, state.counting | state.earlier
        self.before = files
        new, moves = F.new_computer(files, own & opened, opened), step(files, current, remembered, opened, mine)
        rest, unbegun = others(files, current, remembered, opened, ignored)
        read = frozenset(f for f in files if f.ns in readable and type(f) is not View)
        places = lambda found: ','.join(sorted(('s' if sealed else 'o') + self.place(*x, silent=sealed) for sealed, x in found))
        numbers = lambda found: ','.join(map(str, sorted(map(self.file, found))))
        ids = ','.join(str(self.file(f)) for f in files)
        earlier = ','.join(str(self.file(f)) for f in before if type(f) is not View)
        lost = self.lacking(before, files, current)
        gone = frozenset(rolled_back(before, files, current, readable)) | frozenset(f for f in lost[1] if f.ns in readable)
        answer = self.meaning(state, files) + [
            str(number('ns', new)) if new else '', ns(F.successors(files, current, opened)), ns(F.rivals(files, current, opened)),
            str(int(F.stop(files, current, opened, frozenset(ignored)))), str(int(F.is_whole(current, files))),
            ','.join(sorted('%s%d' % (kind, number('ns', x)) for kind, x in unanswered(files, current, opened, mine, ignored))),
            '-' if moves is None else '?' + ns(moves[0]) if moves[1] is None else ns([moves[1]]), ns(rest), ns(unbegun),
            places(missing(read)), places(forks(read)), numbers(gone), lost[0] or numbers(lost[1])]
        self.out.write('Q %s %s %s %s %s %s %s %s %s|%s\n' % (
            ns([current]), ns(remembered) or '-', ns(rivals) or '-', ns(opened) or '-', ns(own & opened) or '-', ns(mine) or '-', ns(ignored) or '-',
            earlier or '-', ids or '-', '|'.join(answer)))

    # ---- duties ---------------------------------------------------------------------------------------------------------

    def planned(self, op, view, rights=None):
        """The changes of an operation.  A version that is nowhere in the view is made fresh: only its contents can be compared."""
        number = self.number
        had = self.known.get(view)
        if had is None:
            self.known = {view: {v for f in view for v in ([f.version] if type(f) is View else f.puts)}}
            had = self.known[view]
        out = {'e%d' % self.version(v) for v in op.ends - op.drops} | {'d%d' % self.version(v) for v in op.drops}
        for v in op.puts:
            if v in had:
                out.add('a%d' % self.version(v))
            else:
                out.add('c%d.%s.%s' % (number('content', v.content), number('key', v.by) if v.by else '-', self.version(v.of) if v.of else '-'))
        out |= {'W%d.%d' % (number('key', k), self.rights(r)) for k, r in op.adds if rights is None or not r <= rights.get(k, F.NONE)}
        out |= {'R%d' % number('key', k) for k in op.retires} | {'x%d' % number('slot', x) for x in op.removes}
        return out | {self.refusal(x) for x in op.refuses} | {'t%d' % number('text', x) for x in op.facts}

    known = {}

    def duty(self, writer, duty, arguments, plans, rivals=F.NONE):
        number = self.number
        ns = lambda names: ','.join(sorted(str(number('ns', x)) for x in names))
        ids = ','.join(str(self.file(f)) for f in writer.view)
        for v in writer.state.live | writer.state.offered:
            self.version(v)
        self.out.write('D %d %s %s %s %s %s|%s\n' % (number('ns', writer.ns), ns(E.TRUTH.get(writer.ns, F.NONE)) or '-', ns(rivals) or '-', ids or '-', duty,
                                                    ' '.join(map(str, arguments)), ';'.join(','.join(sorted(p)) for p in plans)))

    def watch(self):
        """Whatever a writer of explore.py does, LogState is asked for the same."""
        ask, W, number = self, E.Writer, self.number
        item = lambda x: '%s%d' % (x[0], number('item', x))

        def wrap(name, tell):
            act = getattr(W, name)

            def told(writer, *arguments, **named):
                result = act(writer, *arguments, **named)
                tell(writer, result, *arguments, **named)
                return result
            setattr(W, name, told)

        def replaced(w, op, x):
            ask.duty(w, 'replace', [item(x)], [{p for p in ask.planned(op, w.view) if p[0] != 'c'}])

        def forgotten(w, op, kind, x):
            honest = {k for f in w.view if type(f) is Op for k, _ in f.adds if k != 'T'}
            ask.duty(w, 'forget', [ask.refusal((kind, x)), ','.join(str(number('key', k)) for k in honest) or '-'], [ask.planned(op, w.view)])

        def rotated(w, ops, k, rivals=F.NONE):
            drafts, begin = [o for o in ops if o.act == 'draft'], next(o for o in ops if o.begin is not None)
            plan, slots, own = set(), set(), E.OWN_SLOT[w.who]
            drops = frozenset().union(*(o.drops for o in drafts))
            for o in drafts:
                plan |= ask.planned(o._replace(ends=o.ends - drops), w.view)
                slots |= {'b%d' % number('slot', x) for x, _ in o.slots if x != own}
            ask.duty(w, 'rotate', [number('slot', own)], [
                plan, slots, {'n%d' % number('ns', x) for x, _ in begin.begin},
                {'h%d' % number('ns', o.ns) for o in ops if o.hint} or {'h%d' % number('ns', x) for x in {w.ns} | rivals}], rivals)

        def repeated(w, ops):
            own = [ask.file(f) for f in w.view if type(f) is Op and f.writer == w.who]
            plans = []
            for op in ops:
                plan = ask.planned(op, w.view, F.rights_of([f for f in w.view if type(f) is Op and f.ns in w.state.counting], [])[0])
                plans.append(plan | {'b%d' % number('slot', x) for x, _ in op.slots})
            ask.duty(w, 'repeat', [','.join(map(str, own)) or '-'], [p for p in plans if p])

        def copied(w, ops, gone):
            spaces = {f.ns for f in gone}
            if len(spaces) == 1 and w.ns not in spaces:
                ask.duty(w, 'delete', [number('ns', *spaces)], [set().union(*(ask.planned(o, w.view) for o in ops))])

        wrap('add', replaced)
        wrap('remove', lambda w, op, x: ask.duty(w, 'remove', [item(x)], [ask.planned(op, w.view)]))
        wrap('refuse', lambda w, op, x: ask.duty(w, 'refuse', [item(x)], [ask.planned(op, w.view)]))
        wrap('choose', lambda w, op, x, v: ask.duty(w, 'choose', [ask.version(v)], [ask.planned(op, w.view)]))
        wrap('drop', lambda w, op, v: ask.duty(w, 'drop', [ask.version(v)], [ask.planned(op, w.view)]))
        wrap('retire', lambda w, ops, key: ask.duty(w, 'retire', [number('key', key)], [ask.planned(o, w.view) for o in ops]))
        wrap('forget', forgotten)
        wrap('rotate', rotated)
        wrap('repeat', repeated)
        wrap('copies', copied)

    def lacking(self, before, files, current):
        """Which ends of the chains that were read before are not here; else whether there is more."""
        here = {f.ns for f in files if type(f) is not View} | {current}
        ends = [f for f in self.ends(before) if f.ns in here]
        lost = [f for f in ends if f not in files]
        if lost:
            return None, lost
        spaces = {f.ns for f in ends} | {current}
        return ('same' if set(self.ends(f for f in files if f.ns in spaces)) == set(ends) else 'newer'), []

    def ends(self, files):
        """The last operation of each chain.  Of two that claim one place, the later defined one has the greater digest."""
        out = {}
        for f in files:
            if type(f) is not View:
                x = f.ns, place(f)[1], type(f)
                if x not in out or (out[x].n, self.file(out[x])) < (f.n, self.file(f)):
                    out[x] = f
        return out.values()


def scopes_of(names):
    return names or E.SCOPES


def exhaustive(states, scopes):
    """Every history of each scope, up to a number of states; the scopes that break a promise."""
    broken = 0
    for scope in scopes_of(scopes):
        end, why, files, counts, depth, seconds = E.explore(scope, quiet=True, max_states=states or None)
        print('%-9s %s %s %d states, %d sets, depth %d, %.0f s' % (scope, end, why, counts['states'], counts['sets'], depth, seconds), flush=True)
        if files:
            E.show(files)
            broken += 1
    return broken


class Enough(Exception):
    pass


def only_read(comparison, limit, had):
    """In the place of the oracle: each set is read for every namespace in it, with and without memory."""
    def check(files, settled=False):
        key = hash(files)
        if key in had:
            return
        had.add(key)
        E.COUNTS['sets'] += 1
        if E.COUNTS['sets'] > limit:
            raise Enough
        for x in E.opened(files):
            seen = E.TRUTH.get(x, F.NONE) if E.COUNTS['sets'] % 2 else F.NONE
            comparison.read(files, x, seen - F.earlier(x, files) and seen)
    return check


def sets(comparison, limit, scopes):
    """Distinct sets of files, so many of each scope; always 0."""
    had, start = set(), time.time()
    E.check_settled = lambda files: None
    E.check = only_read(comparison, limit, had)
    for scope in scopes_of(scopes):
        try:
            end = E.explore(scope, quiet=True)[0]
        except Enough:
            end = 'cut off'
        print('%-9s %s, %d sets; all: %d distinct sets, %d questions, %.0f s' % (
            scope, end, E.COUNTS['sets'], len(had), comparison.questions, time.time() - start), flush=True)
    return 0


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


# Writers' duties that explore.py can leave out, and that LogState has.
DUTIES = ('end-aside decide-offers bodies fresh-choice copies copy-always refuse-chooses forget-adds retire-adopts retire-ends retire-signed retire-last '
          'works rotation-adopts own-names boxes slots-of-all carry-writers carry-ends carry-retired carry-removed carry-refused carry-facts refuse-taken take-all '
          'take-earlier repeat repeat-ordinary repeat-facts boxes-by-program read-rivals').split()


def mutants(program, count, scopes):
    """Each duty is left out here in turn, and not in LogState: the two must differ.  The number of duties where they do not."""
    same = 0
    for duty in DUTIES:
        run = subprocess.run([sys.executable, '-B', __file__, program, 'sets', count, *scopes], env={**os.environ, 'PYTHONHASHSEED': '0', 'OFF': duty},
                             stdout=subprocess.PIPE, text=True)
        last = run.stdout.splitlines()[-1:]
        print('%-16s %s %s' % (duty, 'seen' if run.returncode else 'NOT SEEN', *last), flush=True)
        same += not run.returncode
    return same


def main(program, mode, count, *rest):
    if mode == 'mutants':
        sys.exit(1 if mutants(program, count, rest) else 0)
    if os.environ.get('PYTHONHASHSEED') is None:                # the order of acts depends on it
        os.execve(sys.executable, [sys.executable, '-B', *sys.argv], {**os.environ, 'PYTHONHASHSEED': '0'})
    comparison = Comparison(program)
    F.fold = comparison.read
    comparison.watch()
    E.OFF.update(os.environ.get('OFF', '').split())
    if mode == 'sets':
        broken = sets(comparison, int(count), rest)
    else:
        broken = exhaustive(int(count), rest) if mode == 'exhaustive' else random(int(count), int(rest[0]) if rest else 1)
    comparison.out.close()
    sys.exit(1 if comparison.program.wait() or broken else 0)


if __name__ == '__main__':
    main(*sys.argv[1:])

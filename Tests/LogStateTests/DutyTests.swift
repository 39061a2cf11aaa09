import CSPP
import LogState
import Testing

/// Duties that the short histories of Tests/fold do not tell apart.
@Suite struct DutyTests {
  private let key = SigningKey(7)

  /// A silent writer's version, a person's copy of it, and the version with which the writer went on.
  private func aside() -> (state: LogState, copy: ItemVersion, next: ItemVersion) {
    let first = file(1, 10, by: 7)
    let copy = file(1, 11, contents: 10, by: 7, of: first.name)
    let next = file(1, 12, by: 7)
    let state = LogState(
      of: LogContents([
        .operation(operation(1, 1, 1, begin(), addWriter(7, .files))),
        .sealed(sealed(1, 7, 1, [first])),
        .operation(operation(1, 1, 2, .add(copy), .end(first.name))),
        .sealed(sealed(1, 7, 2, [next], ends: [(FileID(1), Digest(10))])),
      ]), current: NamespaceID(1))
    return (state, copy, next)
  }

  @Test func `Who decides, and who adds, ends what was set aside`() {
    let (state, copy, next) = aside()
    #expect(state.items[.file(FileID(1))]?.aside == [copy])
    let both: Set = [PlannedChange.other(.end(copy.name)), .other(.end(next.name))]
    #expect(Set(state.replacing(.file(FileID(1)))) == both)
    #expect(Set(state.removing(.file(FileID(1)))) == both)
    let kept = PlannedChange.copy(next, by: key, of: next.name)
    #expect(Set(state.choosing(next)) == both.union([kept]))
    #expect(Set(state.refusing(.file(FileID(1)))) == both.union([kept]))
  }

  @Test func `In a conflict an addition ends only what no silent writer made`() {
    let (silent, own) = (file(1, 10, by: 7), file(1, 11))
    let state = LogState(
      of: LogContents([
        .operation(operation(1, 1, 1, begin(), addWriter(7, .files), .add(own))),
        .sealed(sealed(1, 7, 1, [silent])),
      ]), current: NamespaceID(1))
    #expect(state.replacing(.file(FileID(1))) == [.other(.end(own.name))])
  }

  @Test func `A version of a view file alone is logged with its end`() {
    let foreign = wallet(1, 10)
    let state = LogState(
      of: LogContents([
        .operation(operation(1, 1, 1, begin())), .view(ViewVersion(in: NamespaceID(1), foreign)),
      ]), current: NamespaceID(1))
    #expect(state.removing(.wallet(RecordID(1))) == [.again(foreign), .other(.end(foreign.name))])
  }

  @Test func `Who refuses a namespace authorises the silent writers of it that they know`() {
    let state = LogState(
      operation(1, 1, 1, begin()), operation(1, 1, 2, addWriter(7, .files), addWriter(8, .files)),
      operation(2, 1, 1, begin(1)), current: 2)
    let refusal = Refusal.namespace(NamespaceID(1))
    #expect(
      state.refusing(refusal, knowing: [key])
        == [.other(addWriter(7, .files)), .other(.refuse(refusal))])
  }

  @Test func `Only refusals with an effect are repeated`() {
    let own = operation(
      1, 1, 2, .refuse(.namespace(NamespaceID(9))), .refuse(.key(SigningKey(8))))
    let state = LogState(
      operation(1, 1, 1, begin()), own, operation(2, 1, 1, begin(1), addWriter(9, .files)),
      operation(2, 1, 2, .refuse(.key(SigningKey(9))), .refuse(.key(SigningKey(3)))), current: 2)
    #expect(state.lateActs(of: [own.name]) == [[.other(.refuse(.key(SigningKey(8))))]])
    #expect(
      Set(state.rotation().drafts.filter { if case .other(.refuse) = $0 { true } else { false } })
        == [.other(.refuse(.key(SigningKey(3))))])
  }

  @Test func `A rotation that takes another one in keeps the key slots of both`() {
    func slot(_ number: UInt64) -> Change {
      .addFile(SlotFile(KeyID(number), .own, Digest(number)), slot: KeyID(number))
    }
    let state = LogState(
      of: LogContents(
        operation(1, 1, 1, begin(), slot(1)), operation(2, 2, 1, begin(), slot(2))),
      current: NamespaceID(1), takenIn: [NamespaceID(2)])
    let plan = state.rotation()
    #expect(Set(plan.slots.keys) == [KeyID(1), KeyID(2)])
    #expect(plan.takesOver == [NamespaceID(1), NamespaceID(2)])
    #expect(plan.hints == plan.takesOver)
  }

  /// What a silent writer ended may be retired with it.
  @Test func `A late end is repeated although a silent writer said it, too`() {
    let version = file(1, 10, by: 7)
    let late = operation(1, 1, 2, .end(version.name))
    let state = LogState(
      of: LogContents([
        .operation(operation(1, 1, 1, begin(), addWriter(7, .files))), .operation(late),
        .operation(operation(2, 2, 1, begin(1), addWriter(7, .files))),
        .sealed(sealed(2, 7, 1, [version])),
        .sealed(sealed(2, 7, 2, ends: [(FileID(1), Digest(10))])),
      ]), current: NamespaceID(2))
    #expect(state.isEnded(version.name))
    #expect(state.lateActs(of: [late.name]) == [[.other(.end(version.name))]])
  }

  @Test func `A late label is repeated unless a later one counts`() {
    let early = operation(
      1, 1, 2, .labelSlot(KeyID(1), Label("old", at: 4)), .labelSlot(KeyID(2), Label("new", at: 9)))
    let state = LogState(
      operation(1, 1, 1, begin()), early,
      operation(
        2, 1, 1, begin(1), .labelSlot(KeyID(1), Label("desk", at: 5)),
        .labelSlot(KeyID(2), Label("bag", at: 5))), current: 2)
    #expect(
      state.lateActs(of: [early.name])
        == [[.other(.labelSlot(KeyID(2), Label("new", at: 9)))]])
  }

  @Test func `A namespace is deleted only when nothing in it is needed`() {
    let (one, two) = (NamespaceID(1), NamespaceID(2))
    let offered = LogState(
      operation(1, 1, 1, begin()), operation(1, 1, 2, .add(wallet(1, 10))),
      operation(2, 1, 1, begin(1)), current: 2)
    let plan = offered.deleting(one, opened: [one, two], Remembered(current: two))
    #expect(plan.offers == [wallet(1, 10)] && !plan.mayGo)

    let told = LogState(
      operation(1, 1, 1, begin()), operation(1, 1, 2, .retireWriter(key)),
      operation(2, 1, 1, begin(1)), current: 2)
    #expect(told.deleting(one, opened: [one, two], Remembered(current: two)).isTold)

    let old = file(1, 10)
    let contents = LogContents(
      operation(1, 1, 1, begin(), .add(old)), operation(2, 1, 1, begin(1), .end(old.name)),
      operation(3, 3, 1, begin(1)))
    let kept = LogState(of: contents, current: two)
    let memory = Remembered(current: two)
    let waits = kept.deleting(one, opened: [one, two, NamespaceID(3)], memory)
    #expect(waits.takers == [NamespaceID(3)] && !waits.mayGo)
    let goes = kept.deleting(one, opened: [one, two], memory)
    #expect(goes.mayGo && goes.copies == [.again(old), .other(.end(old.name))])
  }
}

import CSPP
import LogState
import Testing

@Suite("Key slots, labels and texts")
struct KeySlotTests {
  static let slot = KeyID(1 as UInt64)

  static func add(_ key: UInt64, _ kind: SlotFile.Kind) -> Change {
    .addFile(SlotFile(KeyID(key), kind, Digest(key)), slot: slot)
  }

  @Test func `The latest own file goes into a box, and an own file before a box`() {
    let state = LogState(
      operation(1, 1, 1, at: 5, Self.add(1, .own)), operation(1, 1, 2, at: 7, Self.add(2, .own)),
      operation(1, 1, 3, at: 6, Self.add(3, .own)), operation(1, 1, 4, at: 9, Self.add(4, .box)))
    #expect(state.keySlots[Self.slot]?.boxed?.key == KeyID(2 as UInt64))
    #expect(state.keySlots[Self.slot]?.files[NamespaceID(1 as UInt64)]?.count == 4)
    let box = LogState(operation(1, 1, 4, at: 9, Self.add(4, .box)))
    #expect(box.keySlots[Self.slot]?.boxed?.kind == .box)
  }

  @Test func `A removed key slot does not come back, in any namespace`() {
    let state = LogState(
      operation(1, 1, 1, begin(2), .removeSlot(Self.slot)),
      operation(1, 1, 2, Self.add(2, .own)), operation(2, 1, 1, Self.add(3, .own)))
    #expect(state.keySlots.isEmpty && state.removedSlots == [Self.slot] && state.told.isEmpty)
  }

  @Test func `The label with the latest time holds, whoever repeats it`() {
    func label(_ text: String, _ at: UInt64) -> Change {
      .labelSlot(Self.slot, Label(text, at: at))
    }
    let state = LogState(
      operation(1, 1, 1, label("safe", 5)), operation(1, 1, 2, at: 99, label("drawer", 4)))
    #expect(state.label(of: Self.slot) == "safe")
    let equal = LogState(
      operation(1, 1, 1, digest: 2, label("a", 5)), operation(1, 1, 2, digest: 1, label("b", 5)))
    #expect(equal.label(of: Self.slot) == "a", "of equal times that of the greater name")
    let writers = LogState(
      operation(1, 1, 1, addWriter(3, .files, label: Label("old", at: 1))),
      operation(1, 1, 2, addWriter(3, .wallets, label: Label("new", at: 2))),
      operation(2, 1, 3, addWriter(3, .wallets, label: Label("other backup", at: 3))))
    #expect(writers.writers[SigningKey(3 as UInt64)]?.label == "new")
    #expect(writers.writers[SigningKey(3 as UInt64)]?.rights == [.files, .wallets])
  }

  @Test func `Texts count all, and those of earlier namespaces are told`() {
    let (one, two) = (Digest(1 as UInt64), Digest(2 as UInt64))
    let state = LogState(
      operation(1, 1, 1, begin(2), .text(one)), operation(2, 1, 1, .text(one), .text(two)),
      operation(1, 1, 2, .envelope(one)), operation(2, 1, 2, .envelope(two)))
    #expect(state.texts == [one] && state.told == [.text(two)])
    #expect(state.envelopes == [NamespaceID(1 as UInt64): [one]])
  }

  @Test func `Silent writers that only a refused namespace has added are shown`() {
    let state = LogState(
      operation(1, 1, 1, begin(2), .refuse(.namespace(NamespaceID(2 as UInt64)))),
      operation(2, 1, 1, addWriter(3, .files)))
    #expect(state.unheardWriters == [SigningKey(3 as UInt64)] && state.told.isEmpty)
    let said = state.appending(.operation(operation(1, 1, 2, addWriter(3, .files))))
    #expect(said.unheardWriters.isEmpty && said.writers.count == 1)
  }
}

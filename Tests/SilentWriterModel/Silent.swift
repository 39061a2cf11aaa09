/// A computer that writes without a key.
struct Silent {
  let index: Int
  let replica: Int
  /// Its state folder; nil if it is lost.
  var state: SilentState?
  /// Copies of its disk.
  var snapshots: [SilentState] = []
  /// Whether its memory was ever put back, lost or copied.
  var isDisturbed = false

  init(index: Int, replica: Int) {
    self.index = index
    self.replica = replica
  }
}

/// What a silent writer remembers, all of it secret from nobody who steals the computer.
struct SilentState {
  var key: Int
  /// One small and one large file: even and odd.
  let files: [Int]
  var namespace = 0
  var writer = 0
  var authorisation: Name = unmade
  var mayWallets = false
  /// The last operation whose bytes are remembered.
  var last: Name?
  /// The version of each file that this computer last wrote.
  var lastVersions: [Int: Name] = [:]
  /// Only without `objectLeft`: the object that is being written, and whether an operation for it
  /// was remembered.
  var pendingObject: Int?
  var isOperationRemembered = false

  init(key: Int, files: [Int]) {
    self.key = key
    self.files = files
  }
}

extension World {
  /// The steps of a silent writer; a crash comes before one of them.
  static let silentSteps = 6

  /// A silent computer begins a run: finishes what a crash left.
  func recover(_ index: Int) {
    guard var state = silents[index].state else { return }
    let replica = silents[index].replica
    if let last = state.last, !replicas[replica].has(last), rules.hold(.publishedAgain) {
      publish(last, at: replica)
    }
    if let object = state.pendingObject {
      let isNamed = state.isOperationRemembered && rules.hold(.objectKept)
      if !isNamed { erase(object, in: state.namespace, at: replica) }
      state.pendingObject = nil
    }
    silents[index].state = state
  }

  /// The operations here that its key signed under its writer ID.
  private func own(_ state: SilentState, _ replica: Int) -> [Name] {
    replicas[replica].arrived.filter { name in
      let operation = operations[name]
      guard operation.writer == state.writer, operation.key == state.key else { return false }
      if operation.copyOf != nil, rules.hold(.spelling) { return false }
      if rules.hold(.counterLimit), operation.counter >= Self.counterLimit { return false }
      return operation.signature == state.key || rules.lack(.ownBySignature)
    }
  }

  /// The operation that the next one follows.
  private func followed(_ state: SilentState, _ replica: Int) -> Name? {
    var names = own(state, replica)
    if let last = state.last, rules.hold(.followsHighest) { names.append(last) }
    return names.max { (operations[$0].counter, $0) < (operations[$1].counter, $1) }
  }

  /// Whether it refuses to write, as it must not.
  private func stops(_ state: SilentState, _ replica: Int) -> Bool {
    if rules.lack(.staysAfterRotation), isRivalled || isRotated { return true }
    let highest = followed(state, replica)
    if rules.lack(.counterLimit), let highest,
      operations[highest].counter >= Self.counterLimit
    {
      return true
    }
    return rules.lack(.neverStops) && highest != state.last
  }

  /// A silent computer writes a new version of a file, or an entry of a wallet.
  func silentWrites(_ index: Int, file place: Int?, crashAt: Int?, snapshotAt: Int?) {
    recover(index)
    guard var state = silents[index].state else { return }
    let replica = silents[index].replica
    if stops(state, replica) { return violate("silent \(index) stopped") }
    let previous = followed(state, replica)
    var operation = Operation(
      namespace: state.namespace, writer: state.writer, key: state.key, signature: state.key,
      counter: (previous.map { operations[$0].counter } ?? 0) + 1, previous: previous,
      after: state.authorisation, author: .silent(index))
    let object = number()
    let file = place.map { state.files[$0] }
    if let file {
      var replaced = state.lastVersions[file].map { [$0] } ?? []
      if rules.lack(.replacesOwnLast) { replaced += own(state, replica) }
      operation.changes = [
        .filePut(
          FilePut(
            file: file, content: object, object: object, isSmall: file % 2 == 0,
            replaces: replaced))
      ]
    } else {
      let record = Int.random(in: 0..<World.records, using: &random)
      operation.changes = [.put(record: record, entry: object)]
    }
    var name: Name?
    for step in 0..<World.silentSteps {
      if step == snapshotAt { silents[index].snapshots.append(state) }
      if step == crashAt {
        log("silent \(index) is killed before step \(step)")
        break
      }
      switch silentStep(step) {
      case .rememberObject where file != nil && rules.lack(.objectLeft):
        (state.pendingObject, state.isOperationRemembered) = (object, false)
      case .object where file != nil: write(object, in: state.namespace, at: replica)
      case .rememberOperation:
        let made = name ?? make(operation)
        name = made
        remember(made, in: &state, file, object)
        if rules.hold(.operationRemembered) { truth.remembered.insert(made) }
      case .publish:
        let made = name ?? make(operation)
        name = made
        note(made, index, state, file)
        publish(made, at: replica)
      case .forget: state.pendingObject = nil
      default: break
      }
      silents[index].state = state
    }
    if let name { log("silent \(index) makes \(describe(name))") }
    if rules.lack(.notTheSilent), let file { trim(file, state, replica) }
  }

  private enum Step { case rememberObject, object, rememberOperation, publish, forget, nothing }

  private func silentStep(_ step: Int) -> Step {
    var order: [Step] = [.rememberObject, .object, .rememberOperation, .publish, .forget]
    if rules.lack(.objectFirst) {
      order = [.rememberObject, .rememberOperation, .publish, .object, .forget]
    } else if rules.lack(.operationRemembered) {
      order = [.rememberObject, .object, .publish, .rememberOperation, .forget]
    }
    return step < order.count ? order[step] : .nothing
  }

  private func remember(_ made: Name, in state: inout SilentState, _ file: Int?, _ object: Int) {
    note(made, nil, state, file)
    state.last = made
    state.isOperationRemembered = true
    if let file { state.lastVersions[file] = made }
  }

  /// The truth about an honest silent writer's operation.
  private func note(_ made: Name, _ index: Int?, _ state: SilentState, _ file: Int?) {
    for change in operations[made].changes {
      switch change {
      case .filePut(let put) where truth.versions[made] == nil:
        truth.versions[made] = Truth.Made(
          file: put.file, author: operations[made].author, key: state.key, object: put.object,
          isSmall: put.isSmall)
        truth.meant[made] = Set([state.lastVersions[put.file]].compactMap(\.self))
      case .put(let record, let entry):
        truth.entries[entry] = (made, operations[made].author, record)
      default: break
      }
    }
  }

  /// Retention by a silent writer, as it must not be.
  private func trim(_ file: Int, _ state: SilentState, _ replica: Int) {
    let mine = truth.versions.filter { $0.value.file == file && $0.value.key == state.key }
    for name in mine.keys.sorted().dropLast(World.kept) where file % 2 == 1 {
      if let object = truth.versions[name]?.object {
        erase(object, in: state.namespace, at: replica)
      }
    }
  }

  func describe(_ name: Name) -> String {
    let operation = operations[name]
    let kind = operation.key.map { "sealed, key \($0)" } ?? "ordinary"
    return "\(name) (\(kind), n\(operation.namespace), \(operation.writer)/\(operation.counter) "
      + "after \(operation.previous ?? 0)) \(operation.changes)"
  }
}

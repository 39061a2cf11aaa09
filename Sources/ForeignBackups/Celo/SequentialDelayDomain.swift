internal import CSPP

/// The rules by which ODIS, Celo's service, would have limited the guesses at a password: stages of
/// queries with delays between them.
///
/// The hash of the whole is the tag of the service's function: other rules, another answer.
package struct SequentialDelayDomain: Equatable, Sendable {
  /// The only name there is.
  static let name = "ODIS Sequential Delay Domain"
  /// The only version there is.
  static let version = "1"
  /// The most stages that are read.
  ///
  /// Celo's own profiles have at most 17.
  package static let stageLimit = 1024

  /// Queries that are limited in the same way.
  package struct Stage: Equatable, Sendable {
    /// The seconds before each batch.
    package let delay: UInt64
    /// Whether the next delay counts from the query; if not, from the earliest time it could have
    /// been made, so that who was late waits less.
    package let resetTimer: EIP712Optional<Bool>
    /// The queries of a batch.
    package let batchSize: EIP712Optional<UInt64>
    /// The number of batches.
    package let repetitions: EIP712Optional<UInt64>

    /// ``resetTimer``, or its default.
    package var resets: Bool { resetTimer.defined ?? true }
    /// ``batchSize``, or its default.
    package var batch: UInt64 { batchSize.defined ?? 1 }
    /// ``repetitions``, or its default.
    package var batches: UInt64 { repetitions.defined ?? 1 }
    /// The queries of the stage, at most 2^64 - 1.
    var queries: UInt64 { batch.saturatingProduct(batches) }
  }

  /// The stages in order.
  package let stages: [Stage]
  /// The address whose key signs requests, as the file spells it.
  package let address: EIP712Optional<String>
  /// A text that makes the domain another one.
  package let salt: EIP712Optional<String>

  /// The address that must have signed a request; nil if requests are not signed.
  ///
  /// It was checked when the domain was read.
  package var signer: EthereumAddress? { address.defined.flatMap(EthereumAddress.init) }

  /// EIP-712's hash of the domain, 32 bytes: the tag of the service's function.
  package var hash: [UInt8] {
    EIP712.hash(name: Self.name, version: Self.version, message: word)
  }

  // MARK: EIP-712

  /// The domain as a word of a request.
  var word: [UInt8] {
    let zero = [UInt8](repeating: 0, count: EthereumAddress.size)
    let type = Self.ownType + Self.typesWithin.joined()
    return EIP712.structure(
      type,
      [
        address.word("address") { EIP712.word(address: EthereumAddress($0)?.bytes ?? zero) },
        EIP712.word(Self.name), salt.word("string") { EIP712.word($0) },
        EIP712.array(stages.map(\.word)), EIP712.word(Self.version),
      ])
  }

  /// The domain's encoded type, without those within.
  static let ownType =
    "SequentialDelayDomain(Optional<address> address,string name,Optional<string> salt,"
    + "SequentialDelayStage[] stages,string version)"

  /// The encoded types within, by name.
  static let typesWithin =
    ["address", "bool", "string", "uint256"].map { EIP712Optional<Bool>.encodedType($0) }
    + [Stage.ownType]

  /// The domain as JSON, in the order of Celo's own program.
  var json: String {
    let stages = stages.map(\.json).joined(separator: ",")
    return "{\"name\":\"\(Self.name)\",\"version\":\"\(Self.version)\",\"stages\":[\(stages)],"
      + "\"address\":\(address.json(JSONText.quoted)),\"salt\":\(salt.json(JSONText.quoted))}"
  }
}

extension SequentialDelayDomain.Stage {
  fileprivate static let ownType =
    "SequentialDelayStage(Optional<uint256> batchSize,uint256 delay,Optional<uint256> repetitions,"
    + "Optional<bool> resetTimer)"

  /// The stage as a word of the domain.
  fileprivate var word: [UInt8] {
    let type =
      Self.ownType + EIP712Optional<Bool>.encodedType("bool")
      + EIP712Optional<Bool>.encodedType("uint256")
    return EIP712.structure(
      type,
      [
        batchSize.word("uint256") { EIP712.word($0) }, EIP712.word(delay),
        repetitions.word("uint256") { EIP712.word($0) },
        resetTimer.word("bool") { EIP712.word($0) },
      ])
  }

  fileprivate var json: String {
    "{\"delay\":\(delay),\"resetTimer\":\(resetTimer.json { String($0) }),"
      + "\"batchSize\":\(batchSize.json { String($0) }),"
      + "\"repetitions\":\(repetitions.json { String($0) })}"
  }
}

extension UInt64 {
  /// The sum, or the largest number where it is larger.
  func saturatingSum(_ other: UInt64) -> UInt64 {
    let (sum, isTooLarge) = addingReportingOverflow(other)
    return isTooLarge ? .max : sum
  }

  /// The product, or the largest number where it is larger.
  func saturatingProduct(_ other: UInt64) -> UInt64 {
    let (product, isTooLarge) = multipliedReportingOverflow(by: other)
    return isTooLarge ? .max : product
  }
}

internal import CSPP
public import SecretMemory

/// The JSON in a `.covb` file: wallets, and an app's settings, which are not parsed.
public struct CovbContent: ~Copyable {
  /// The largest JSON, 10 MiB.
  public static let sizeLimit = 10 * 1024 * 1024
  /// The most wallets that are parsed.
  public static let walletLimit = 10_000

  /// The time of creation, in Unix seconds.
  public let createdAt: UInt64
  /// The number of wallets.
  public var count: Int { places.count }

  private let text: SecretBytes
  private let places: [JSONValue]
  private let version: UInt64

  /// Parses the output of ``CovbFile/open(_:password:)``.
  ///
  /// - Throws: ``WalletFormatError``: `covbContent`, `covbTooLarge`.
  public init(parsing text: consuming SecretBytes) throws(WalletFormatError) {
    let facts = try text.withBytes { text throws(WalletFormatError) in
      do throws(CSPPError) {
        let object = try JSONObject(parsing: text, duplicates: .refusedOnLookup)
        let version = try object.required("version", in: text).integer("version", in: text)
        guard (1...2).contains(version) else { throw CSPPError.invalidField("version") }
        let createdAt = try object.required("created_at", in: text)
          .integer("created_at", in: text)
        var places: [JSONValue] = []
        var elements = try JSONElements(object.required("wallets", in: text), field: "wallets")
        while let element = try elements.next(in: text), places.count <= Self.walletLimit {
          places.append(element)
        }
        return (version: version, createdAt: createdAt, places: places)
      } catch {
        throw .covbContent("\(error)")
      }
    }
    guard facts.places.count <= Self.walletLimit else {
      throw .covbTooLarge(limit: Self.sizeLimit)
    }
    self.text = text
    (version, createdAt, places) = facts
  }

  /// One of the wallets.
  ///
  /// - Parameter index: in `0..<count`.
  /// - Returns: the wallet.
  /// - Throws: the problem of this wallet; the others may be valid.
  public borrowing func wallet(_ index: Int) throws(CovbProblem) -> CovbWallet {
    let value = places[index]
    let wallet = try text.withBytes { text throws(CovbProblem) in
      do throws(CSPPError) {
        return try CovbWallet(value, in: text)
      } catch .unknownSecretKind {
        throw .unknownSecret
      } catch {
        throw .content("\(error)")
      }
    }
    try wallet.checkSecret()
    if version < 2, wallet.kind == .xprv { throw .content("holds an Xprv in version 1") }
    return wallet
  }

  /// The name of one of the wallets, for people, if it can be read.
  public borrowing func name(_ index: Int) -> String? {
    let value = places[index]
    return text.withBytes { text in
      guard let wallet = try? JSONObject(value, in: text, duplicates: .refusedOnLookup),
        let metadata = try? wallet.required("metadata", in: text),
        let object = try? JSONObject(metadata, in: text, duplicates: .refusedOnLookup),
        let name = try? object.required("name", in: text), name.kind == .string
      else { return nil }
      return name.string(in: text)
    }
  }
}

/// Writes the JSON of a `.covb` file.
public struct CovbWriter: ~Copyable {
  private var wallets = SecretWriter()
  private var holdsXprv = false
  /// The number of wallets written.
  public private(set) var count = 0

  /// Creates a writer without wallets.
  public init() {}

  /// Adds a wallet.
  public mutating func append(_ wallet: borrowing CovbWallet) {
    if count > 0 { wallets.raw(",") }
    wallet.write(into: &wallets)
    holdsXprv = holdsXprv || wallet.kind == .xprv
    count += 1
  }

  /// Finishes the JSON, with the settings of an app that has none yet.
  ///
  /// - Parameter createdAt: Unix seconds.
  /// - Returns: the text.
  public consuming func finish(createdAt: UInt64) -> SecretBytes {
    let list = wallets.finish()
    var writer = SecretWriter(capacity: list.count + 512)
    writer.raw("{\"version\":\(holdsXprv ? 2 : 1),\"created_at\":\(createdAt),\"wallets\":[")
    list.withBytes { writer.raw($0) }
    writer.raw("],\"settings\":{\"selected_network\":null,\"selected_fiat_currency\":null,")
    writer.raw("\"color_scheme\":null,\"selected_nodes\":[],\"custom_block_explorers\":{}}}")
    return writer.finish()
  }
}

/// The reason why a wallet cannot be read from or written to a `.covb` file.
public enum CovbProblem: Error, Equatable, Sendable {
  /// A field is missing or invalid; the text names it.
  case content(String)
  /// The secret is of a kind that this version does not know.
  case unknownSecret
  /// The secret fails its checks.
  case secret(WalletFormatError)
  /// The file format cannot hold a descriptor with private keys.
  case privateDescriptor
  /// The file format needs one descriptor for receiving and one for change.
  case singleDescriptor
  /// The metadata do not contain the wallet's ID.
  case metadataID
  /// The stored labels are damaged.
  case labels
}

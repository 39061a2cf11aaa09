// This folder is for lists of descriptors, as Bitcoin Core lists and imports them. Other rooms read
// or write such a list. The contents of a CSPP entry are not known here.

internal import CSPP
public import SecretMemory

/// Descriptors as programs and people write them down, grouped into wallets.
///
/// The text is JSON of Bitcoin Core, an `importdescriptors` request or the result of
/// `listdescriptors`, or lines with descriptors and comments. Two descriptors that differ only in `/0/*` and
/// `/1/*` are the receiving and change addresses of one wallet.
public struct DescriptorList: ~Copyable {
  /// The largest text that is read, 1 MiB.
  public static let sizeLimit = 1024 * 1024
  /// The most descriptors in a list.
  public static let countLimit = 1000

  /// The number of wallets.
  public var count: Int { groups.count }

  private let text: SecretBytes
  private var groups: [Group] = []

  /// One wallet's descriptors.
  private struct Group {
    let external: JSONValue
    /// Whether the other half, which differs in nothing else, is present too.
    var hasChange = false
  }

  /// Parses a list.
  ///
  /// - Throws: ``WalletFormatError``: `empty`, `tooLong`, `descriptorListForm`,
  ///   `descriptorListTooLong`, `descriptorListItem`, `descriptorKeyAlone`, `descriptorKeyForm`,
  ///   `bsmsKeyRecord`; for a text with one descriptor what is wrong with it.
  public init(parsing text: consuming SecretBytes) throws(WalletFormatError) {
    guard text.count <= Self.sizeLimit else { throw .tooLong(limit: Self.sizeLimit) }
    let decoded = UTF8Text.withPlainSpaces(UTF8Text.decoded(text))
    let isJSON = decoded.withBytes { !DescriptorText.isSeen(in: $0) }
    let json: SecretBytes
    if isJSON {
      json = decoded
    } else {
      json = try decoded.withBytes { text throws(WalletFormatError) in
        try DescriptorText.json(of: text)
      }
    }
    groups = try json.withBytes { text throws(WalletFormatError) in
      try Self.groups(of: text, isJSON: isJSON)
    }
    self.text = json
  }

  /// One wallet of the list.
  ///
  /// - Parameter index: in `0..<count`.
  /// - Returns: the wallet.
  /// - Throws: ``WalletFormatError``; no error for properties that were checked during parsing.
  public borrowing func wallet(_ index: Int) throws(WalletFormatError) -> ListedWallet {
    let group = groups[index]
    let external = secret(group.external)
    guard group.hasChange else {
      let descriptor = try Descriptor(checking: external)
      return ListedWallet(
        text: descriptor.text.copy(), spending: WalletSpending(descriptor),
        network: descriptor.network, pair: Self.pair(descriptor))
    }
    let descriptor = try Descriptor(checking: Self.merged(Descriptor(checking: external)))
    return ListedWallet(
      text: descriptor.text.copy(), spending: WalletSpending(descriptor),
      network: descriptor.network, pair: Self.pair(descriptor))
  }

  private func secret(_ place: JSONValue) -> SecretBytes {
    text.withBytes { place.secret(in: $0) }
  }

  // MARK: Reading

  private static func groups(
    of text: RawSpan, isJSON: Bool
  ) throws(WalletFormatError) -> [Group] {
    let items = try items(of: text)
    guard !items.isEmpty else { throw .empty }
    var found: [Found] = []
    for (number, item) in items.enumerated() {
      do throws(WalletFormatError) {
        found.append(try Found(item, in: text))
        if let change = try Found(changeOf: item, in: text) { found.append(change) }
      } catch .descriptorKeyForm {
        throw .descriptorKeyForm
      } catch {
        throw isJSON || items.count > 1 ? WalletFormatError.descriptorListItem(number + 1) : error
      }
    }
    var groups: [Group] = []
    var halves: [Half: Int] = [:]
    var multipaths: Set<Digest> = []
    for descriptor in found where descriptor.half.chain == .both {
      if multipaths.insert(descriptor.half.body).inserted {
        groups.append(Group(external: descriptor.place))
      }
    }
    // A program may list a multipath descriptor and its two halves.
    found.removeAll { $0.half.chain != .other && multipaths.contains($0.half.body) }
    // The receiving descriptors come first, wherever they are in the list.
    for descriptor in found where !descriptor.isInternal {
      if descriptor.half.chain == .external { halves[descriptor.half] = groups.count }
      groups.append(Group(external: descriptor.place))
    }
    for descriptor in found where descriptor.isInternal {
      if descriptor.half.chain == .internal,
        let index = halves[Half(descriptor.half.body, .external)], !groups[index].hasChange
      {
        groups[index].hasChange = true
      } else {
        groups.append(Group(external: descriptor.place))
      }
    }
    return groups
  }

  /// One checked descriptor of the list.
  private struct Found {
    let place: JSONValue
    let isInternal: Bool
    let half: Half

    /// Reads an object of Bitcoin Core, or with the field `descriptor` of other programs, or a text.
    init(_ item: JSONValue, in text: RawSpan) throws(WalletFormatError) {
      var place: JSONValue? = item.kind == .string ? item : nil
      var stated: Bool?
      do throws(CSPPError) {
        if item.kind == .object {
          let object = try JSONObject(item, in: text, duplicates: .refusedOnLookup)
          place = try DescriptorList.descriptor(of: object, in: text)
          stated = try object.optional("internal", in: text)?.bool("internal")
        }
      } catch {
        throw .descriptorListForm
      }
      guard let place, place.kind == .string else { throw .descriptorListForm }
      self.place = place
      half = try Half(place.secret(in: text))
      isInternal = stated ?? (half.chain == .internal)
    }

    /// Reads the descriptor of change addresses beside one in an object, as BDK's programs write it.
    init?(changeOf item: JSONValue, in text: RawSpan) throws(WalletFormatError) {
      guard item.kind == .object else { return nil }
      let place: JSONValue?
      do throws(CSPPError) {
        place = try JSONObject(item, in: text, duplicates: .refusedOnLookup)
          .optional("change_descriptor", in: text)
      } catch {
        throw .descriptorListForm
      }
      guard let place else { return nil }
      guard place.kind == .string else { throw .descriptorListForm }
      self.place = place
      half = try Half(place.secret(in: text))
      isInternal = true
    }
  }

  private static func descriptor(
    of object: JSONObject, in text: RawSpan
  ) throws(CSPPError) -> JSONValue? {
    if let found = try object.value("desc", in: text) { return found }
    return try object.value("descriptor", in: text)
  }

  private static func items(of text: RawSpan) throws(WalletFormatError) -> [JSONValue] {
    var items: [JSONValue] = []
    do throws(CSPPError) {
      var list = try JSON.parse(text)
      // An answer of Bitcoin Core's JSON-RPC has its result in a field.
      for field in ["result", "descriptors"] as [StaticString] where list.kind == .object {
        let object = try JSONObject(list, in: text, duplicates: .refusedOnLookup)
        if let inner = try object.optional(field, in: text) { list = inner }
      }
      if list.kind == .object {
        let object = try JSONObject(list, in: text, duplicates: .refusedOnLookup)
        guard try descriptor(of: object, in: text) != nil else { throw .missingField("desc") }
        return [list]
      }
      if list.kind == .string { return [list] }
      var elements = try JSONElements(list, field: "descriptors")
      while let item = try elements.next(in: text), items.count <= countLimit {
        items.append(item)
      }
    } catch {
      throw .descriptorListForm
    }
    guard items.count <= countLimit else { throw .descriptorListTooLong(limit: countLimit) }
    return items
  }

  // MARK: Receiving and change

  /// The chains of addresses that a descriptor is for.
  private enum Chain {
    case external, `internal`
    /// Both: a multipath descriptor.
    case both
    /// The last steps are different.
    case other
  }

  /// The common part of a descriptor and its other half.
  private struct Half: Hashable {
    let body: Digest
    let chain: Chain

    init(_ body: Digest, _ chain: Chain) {
      self.body = body
      self.chain = chain
    }

    /// - Throws: the error of the descriptor; `descriptorKeyForm` for one with a zpub.
    init(_ text: consuming SecretBytes) throws(WalletFormatError) {
      let descriptor: Descriptor
      do throws(WalletFormatError) {
        descriptor = try Descriptor(checking: text)
      } catch .descriptorKey(let position) {
        let hasOtherForm = text.withBytes { Descriptor.hasOtherKeyForm($0) }
        throw hasOtherForm
          ? WalletFormatError.descriptorKeyForm : .descriptorKey(position: position)
      } catch {
        throw error
      }
      self.init(descriptor)
      if descriptor.branchCount == 2 {
        let first = try Half(descriptor.branch(0))
        let second = try Half(descriptor.branch(1))
        if first.chain == .external, second == Half(first.body, .internal) {
          self = Half(first.body, .both)
        }
      }
    }

    private init(_ descriptor: borrowing Descriptor) {
      var body = descriptor.text.copy(0..<(descriptor.text.count - 9))
      chain = body.withMutableBytes { body -> Chain in
        let steps = DescriptorList.chainSteps(in: body.bytes)
        // If there are several keys, each must have the same step.
        let found = Set(steps.map { body.bytes.byte($0) })
        guard found.count == 1 else { return .other }
        for offset in steps { body.set(offset, 0x3F) }
        return found == [0x30] ? .external : .internal
      }
      self.body = body.withBytes { Digest(of: $0) }
    }
  }

  /// The offsets of the 0 or 1 in each `/0/*` or `/1/*`.
  fileprivate static func chainSteps(in body: RawSpan) -> [Int] {
    (0..<max(body.byteCount - 3, 0)).compactMap { offset in
      let digit = body.byte(offset + 1)
      let isStep = body.byte(offset) == 0x2F && (digit == 0x30 || digit == 0x31)
      return isStep && body.starts(with: "/*".utf8, at: offset + 2) ? offset + 1 : nil
    }
  }

  /// The multipath descriptor (BIP-389) made from the first of two halves and its counterpart.
  private static func merged(_ external: borrowing Descriptor) -> SecretBytes {
    let body = external.text.copy(0..<(external.text.count - 9))
    return body.withBytes { body in
      var writer = SecretWriter(capacity: body.byteCount + 256)
      var start = 0
      for offset in chainSteps(in: body) {
        writer.raw(body.extracting(start..<offset))
        writer.raw("<0;1>")
        start = offset + 1
      }
      writer.raw(body.extracting(start..<body.byteCount))
      return writer.finish()
    }
  }

  /// The two halves as text, if there are two and neither is secret.
  private static func pair(
    _ descriptor: borrowing Descriptor
  ) -> (external: String, internal: String)? {
    guard descriptor.branchCount == 2, !descriptor.containsPrivateKey else { return nil }
    return (descriptor.branch(0).publicText, descriptor.branch(1).publicText)
  }
}

/// A wallet of a ``DescriptorList``.
public struct ListedWallet: ~Copyable {
  /// Its descriptor; a multipath descriptor where there are two.
  public let text: SecretBytes
  /// Whether it can spend.
  public let spending: WalletSpending
  /// The network according to its keys.
  public let network: KeyNetwork?
  /// The descriptors of receiving and change addresses, if both are known and not secret.
  public let pair: (external: String, internal: String)?
}

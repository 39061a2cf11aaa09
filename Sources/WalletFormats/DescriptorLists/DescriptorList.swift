// This folder is for many descriptors, as Bitcoin Core lists and imports them. Other rooms
// read such a list or write one. What a CSPP entry holds is not known here.

internal import CSPP
public import SecretMemory

/// Descriptors as Bitcoin Core lists them: an `importdescriptors` request, or
/// the result of `listdescriptors`, grouped into wallets.
///
/// Two descriptors that differ in nothing but `/0/*` and `/1/*` are one wallet's
/// receiving and change addresses.
public struct DescriptorList: ~Copyable {
  /// Largest text that is looked at, 1 MiB.
  public static let sizeLimit = 1024 * 1024
  /// Most descriptors in a list.
  public static let countLimit = 1000

  /// Number of wallets.
  public var count: Int { groups.count }

  private let text: SecretBytes
  private var groups: [Group] = []

  /// One wallet's descriptors.
  private struct Group {
    let external: JSONValue
    /// Whether the other half, which differs in nothing else, is there too.
    var hasChange = false
  }

  /// Reads a list.
  ///
  /// - Throws: ``WalletFormatError``: `empty`, `tooLong`, `descriptorListForm`,
  ///   `descriptorListTooLong`, `descriptorListItem`.
  public init(parsing text: consuming SecretBytes) throws(WalletFormatError) {
    guard text.count <= Self.sizeLimit else { throw .tooLong(limit: Self.sizeLimit) }
    groups = try text.withBytes { text throws(WalletFormatError) in try Self.groups(of: text) }
    self.text = text
  }

  /// One wallet of the list.
  ///
  /// - Parameter index: in `0..<count`.
  /// - Returns: the wallet.
  /// - Throws: ``WalletFormatError``; nothing for what was checked on reading.
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

  private static func groups(of text: RawSpan) throws(WalletFormatError) -> [Group] {
    let items = try items(of: text)
    guard !items.isEmpty else { throw .empty }
    var found: [Found] = []
    for (number, item) in items.enumerated() {
      guard let descriptor = try? Found(item, in: text) else {
        throw .descriptorListItem(number + 1)
      }
      found.append(descriptor)
    }
    var groups: [Group] = []
    var halves: [Half: Int] = [:]
    // Those for receiving first, wherever they are in the list.
    for descriptor in found where !descriptor.isInternal {
      if descriptor.half.step == 0 { halves[descriptor.half] = groups.count }
      groups.append(Group(external: descriptor.place))
    }
    for descriptor in found where descriptor.isInternal {
      if descriptor.half.step == 1, let index = halves[descriptor.half.other],
        !groups[index].hasChange
      {
        groups[index].hasChange = true
      } else {
        groups.append(Group(external: descriptor.place))
      }
    }
    return groups
  }

  /// One of the list, checked.
  private struct Found {
    let place: JSONValue
    let isInternal: Bool
    let half: Half

    init(_ item: JSONValue, in text: RawSpan) throws(CSPPError) {
      let object = try JSONObject(item, in: text, duplicates: .refusedOnLookup)
      place = try object.required("desc", in: text)
      isInternal = try object.optional("internal", in: text)?.bool("internal") ?? false
      guard place.kind == .string, let half = Half(place.secret(in: text)) else {
        throw .invalidField("desc")
      }
      self.half = half
    }
  }

  private static func items(of text: RawSpan) throws(WalletFormatError) -> [JSONValue] {
    var items: [JSONValue] = []
    do throws(CSPPError) {
      var list = try JSON.parse(text)
      if list.kind == .object {
        list = try JSONObject(list, in: text, duplicates: .refusedOnLookup)
          .required("descriptors", in: text)
      }
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

  /// What a descriptor shares with its other half.
  private struct Half: Hashable {
    let body: Digest
    /// 0 or 1; -1 where the last steps are others.
    let step: Int

    private init(body: Digest, step: Int) {
      self.body = body
      self.step = step
    }

    /// `nil` for what is no descriptor.
    init?(_ text: consuming SecretBytes) {
      guard let descriptor = try? Descriptor(checking: text) else { return nil }
      var body = descriptor.text.copy(0..<(descriptor.text.count - 9))
      step = body.withMutableBytes { body in
        var step = -1
        for offset in DescriptorList.chainSteps(in: body.bytes) {
          let found = Int(body.bytes.byte(offset)) - 0x30
          // Of several keys each has the same.
          if step != -1, step != found { return -1 }
          step = found
        }
        if step == -1 { return step }
        for offset in DescriptorList.chainSteps(in: body.bytes) { body.set(offset, 0x3F) }
        return step
      }
      self.body = body.withBytes { Digest(of: $0) }
    }

    var other: Half { Half(body: body, step: 1 - step) }
  }

  /// Where the 0 or 1 of each `/0/*` or `/1/*` is.
  fileprivate static func chainSteps(in body: RawSpan) -> [Int] {
    (0..<max(body.byteCount - 3, 0)).compactMap { offset in
      let digit = body.byte(offset + 1)
      let isStep = body.byte(offset) == 0x2F && (digit == 0x30 || digit == 0x31)
      return isStep && body.starts(with: "/*".utf8, at: offset + 2) ? offset + 1 : nil
    }
  }

  /// The multipath descriptor (BIP-389) of the first of two halves and the other.
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

  /// The two halves as text, where there are two and neither is a secret.
  private static func pair(
    _ descriptor: borrowing Descriptor
  ) -> (external: String, internal: String)? {
    guard descriptor.branchCount == 2, !descriptor.containsPrivateKey else { return nil }
    return (descriptor.branch(0).publicText, descriptor.branch(1).publicText)
  }
}

/// A wallet of a ``DescriptorList``.
public struct ListedWallet: ~Copyable {
  /// Its descriptor, multipath where there are two.
  public let text: SecretBytes
  /// Whether it can spend.
  public let spending: WalletSpending
  /// What its keys say of the network.
  public let network: KeyNetwork?
  /// The descriptors of receiving and change addresses, if both are known and
  /// no secret.
  public let pair: (external: String, internal: String)?
}

// This folder is for lists of descriptors, as Bitcoin Core lists and imports them. Other rooms read
// or write such a list. The contents of a CSPP entry are not known here.

internal import CSPP
public import SecretMemory

/// A list of descriptors in Bitcoin Core's form, grouped into wallets.
///
/// The list is an `importdescriptors` request or the result of `listdescriptors`. Two descriptors
/// that differ only in `/0/*` and `/1/*` are the receiving and change addresses of one wallet.
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
    // The receiving descriptors come first, wherever they are in the list.
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

  /// One checked descriptor of the list.
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

  /// The common part of a descriptor and its other half.
  private struct Half: Hashable {
    let body: Digest
    /// 0 or 1; -1 where the last steps are different.
    let step: Int

    private init(body: Digest, step: Int) {
      self.body = body
      self.step = step
    }

    /// Returns `nil` for a text that is not a descriptor.
    init?(_ text: consuming SecretBytes) {
      guard let descriptor = try? Descriptor(checking: text) else { return nil }
      var body = descriptor.text.copy(0..<(descriptor.text.count - 9))
      step = body.withMutableBytes { body in
        var step = -1
        for offset in DescriptorList.chainSteps(in: body.bytes) {
          let found = Int(body.bytes.byte(offset)) - 0x30
          // If there are several keys, each must have the same step.
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

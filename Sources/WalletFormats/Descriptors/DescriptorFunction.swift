/// The position of an expression in a descriptor.
enum DescriptorContext {
  case top
  case scriptHash
  case witnessScriptHash
  case tapLeaf
}

/// The functions of descriptors and of the miniscript in them (BIP-379).
enum DescriptorFunction: String, CaseIterable {
  case pk
  case pkh
  case wpkh
  case sh
  case wsh
  case tr
  case rawtr
  case combo
  case addr
  case raw
  case multi
  case sortedmulti
  case multiA = "multi_a"
  case sortedmultiA = "sortedmulti_a"
  case pkK = "pk_k"
  case pkH = "pk_h"
  case older
  case after
  case sha256
  case hash256
  case ripemd160
  case hash160
  case andor
  case andV = "and_v"
  case andB = "and_b"
  case andN = "and_n"
  case orB = "or_b"
  case orC = "or_c"
  case orD = "or_d"
  case orI = "or_i"
  case thresh

  /// The arguments between the parentheses.
  enum Arguments {
    case key
    case script(DescriptorContext)
    case taproot
    case address
    case hex
    case multisig(keyLimit: Int)
    case lock
    case hash(digits: Int)
    case expressions(Int)
    case threshold
  }

  var arguments: Arguments {
    switch self {
    case .pk, .pkh, .wpkh, .combo, .rawtr, .pkK, .pkH: .key
    case .sh: .script(.scriptHash)
    case .wsh: .script(.witnessScriptHash)
    case .tr: .taproot
    case .addr: .address
    case .raw: .hex
    // The limits of OP_CHECKMULTISIG and, in tapscript, of the stack.
    case .multi, .sortedmulti: .multisig(keyLimit: 20)
    case .multiA, .sortedmultiA: .multisig(keyLimit: 999)
    case .older, .after: .lock
    case .sha256, .hash256: .hash(digits: 64)
    case .ripemd160, .hash160: .hash(digits: 40)
    case .andor: .expressions(3)
    case .andV, .andB, .andN, .orB, .orC, .orD, .orI: .expressions(2)
    case .thresh: .threshold
    }
  }

  /// Whether the function is allowed in `context`.
  ///
  /// BIP-381 to 386 define this for the functions, BIP-379 for miniscript, which is allowed in
  /// `wsh` and in the leaves of `tr`.
  func isAllowed(in context: DescriptorContext) -> Bool {
    switch self {
    case .pk, .pkh: true
    case .wpkh, .wsh: context == .top || context == .scriptHash
    case .sh, .tr, .rawtr, .combo, .addr, .raw: context == .top
    case .multi, .sortedmulti: context != .tapLeaf
    case .multiA, .sortedmultiA: context == .tapLeaf
    default: context == .witnessScriptHash || context == .tapLeaf
    }
  }

  /// The encodings of public keys that the function accepts in `context`.
  func keyKinds(in context: DescriptorContext) -> DescriptorKeyKinds {
    if self == .tr || self == .rawtr || context == .tapLeaf { return .taproot }
    if self == .wpkh || context == .witnessScriptHash { return .compressed }
    return .any
  }
}

/// The public keys in hexadecimal that an expression accepts.
enum DescriptorKeyKinds {
  /// Compressed and uncompressed.
  case any
  /// Compressed only: segregated witness allows no others.
  case compressed
  /// Compressed, x-only and `musig(...)`.
  case taproot
}

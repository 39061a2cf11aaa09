import Glibc
import SecretMemory
import TestSupport

func array(_ bytes: borrowing SecretBytes) -> [UInt8] {
  unsafe bytes.withUnsafeBytes { unsafe Array($0) }
}

func secret(_ bytes: [UInt8]) -> SecretBytes { unsafe SecretBytes(copying: bytes.span.bytes) }

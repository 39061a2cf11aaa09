import Glibc
import SecretMemory

/// Runs a program that handles secrets: no core dump, and an error is told in one line.
public func program(_ body: () async throws -> Void) async {
  for problem in ProcessHardening.apply() { tell(problem) }
  do {
    try await body()
  } catch {
    // No error of these libraries carries a secret.
    tell("error: \(error)")
    exit(1)
  }
}

/// Tells the person something; standard output is for the result.
public func tell(_ text: String) {
  _ = Array((text + "\n").utf8).withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
}

import Glibc

#if FUZZING
/// libFuzzer's own main function, for a program that already has one.
@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// libFuzzer, as `make fuzz` and `make fuzz-formats` link it.
public enum Fuzzer {
  /// Fuzzes as the program's arguments say, and ends the program.
  ///
  /// - Parameter body: runs one input.
  public static func main(
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
  ) -> Never {
    var count = CommandLine.argc
    var arguments = unsafe CommandLine.unsafeArgv
    exit(unsafe runFuzzer(&count, &arguments, body))
  }
}
#endif

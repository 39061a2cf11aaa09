import ClientFuzz
import FuzzSupport
import SecretMemory

/// Gives inputs to the client.
///
/// Built by `make fuzz`, it takes them from libFuzzer. Otherwise it runs each file once that is
/// named, or lies in a named folder.
@main
enum ClientFuzzTool {
  #if FUZZING
  static func main() {
    unsafe Fuzzer.main { bytes, size in
      unsafe ClientFuzz.run(Array(UnsafeBufferPointer(start: bytes, count: size)))
      return 0
    }
  }
  #else
  static func main() {
    // Sets the product's memory limit. Without it, an announced count becomes an allocation.
    _ = ProcessHardening.apply()
    var runs = 0
    for path in CommandLine.arguments.dropFirst() {
      let files = InputFiles.names(in: path)?.map { path + "/" + $0 } ?? [path]
      for file in files {
        let error = ClientFuzz.run(InputFiles.take(file))
        print(file, error.map { "\($0)" } ?? "done")
        runs += 1
      }
    }
    print("inputs: \(runs)")
  }
  #endif
}

import ClientFuzz
import FuzzSupport
import SecretMemory

/// Feeds inputs to the client: as libFuzzer has it when built by `make fuzz`,
/// else each file named, or in a folder named, once.
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
    // The memory limit that the product has, without which an announced count is
    // an allocation.
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

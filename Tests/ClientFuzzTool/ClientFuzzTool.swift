import ClientFuzz
import Glibc
import SecretMemory

#if FUZZING
/// libFuzzer's own main function, for who has one already.
@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt
#endif

/// Feeds inputs to the client: as libFuzzer has it when built by `make fuzz`,
/// else each file named, or in a folder named, once.
@main
enum ClientFuzzTool {
  #if FUZZING
  static func main() {
    var count = CommandLine.argc
    var arguments = unsafe CommandLine.unsafeArgv
    let code = unsafe runFuzzer(&count, &arguments) { bytes, size in
      unsafe ClientFuzz.run(Array(UnsafeBufferPointer(start: bytes, count: size)))
      return 0
    }
    exit(code)
  }
  #else
  static func main() {
    // The memory limit that the product has, without which an announced count is
    // an allocation.
    _ = ProcessHardening.apply()
    var runs = 0
    for path in CommandLine.arguments.dropFirst() {
      for file in files(at: path).sorted() {
        // Named before it runs: the one that is named last is to blame.
        _ = unsafe write(2, file + "\n", file.utf8.count + 1)
        let error = ClientFuzz.run(read(file))
        print(file, error.map { "\($0)" } ?? "done")
        runs += 1
      }
    }
    print("inputs: \(runs)")
  }

  private static func files(at path: String) -> [String] {
    guard let folder = unsafe opendir(path) else { return [path] }
    defer { unsafe closedir(folder) }
    var found: [String] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if !name.hasPrefix(".") { found.append(path + "/" + name) }
    }
    return found
  }

  private static func read(_ path: String) -> [UInt8] {
    guard let file = unsafe fopen(path, "r") else { return [] }
    defer { unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    return Array(bytes.prefix(count))
  }
  #endif
}

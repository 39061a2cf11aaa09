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

/// Gives inputs to the decoders of what lies in a backup folder and of what a
/// person enters.
///
/// `format-fuzz list`, `format-fuzz seeds FOLDER`; built by `make fuzz-formats`
/// a fuzzer of the target in `$FORMAT`; else each file in `FOLDER/<target>/` once.
@main
enum FormatFuzz {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    switch arguments.first {
    case "list": for target in FormatTarget.allCases { print(target.rawValue) }
    case "seeds": writeSeeds(arguments.dropFirst().first ?? ".")
    default:
      #if FUZZING
      fuzz()
      #else
      replay(arguments.first ?? ".")
      #endif
    }
  }

  private static func writeSeeds(_ folder: String) {
    unsafe mkdir(folder, 0o755)
    for target in FormatTarget.allCases {
      unsafe mkdir("\(folder)/\(target.rawValue)", 0o755)
      for (number, bytes) in Seeds.inputs(of: target).enumerated() {
        guard let file = unsafe fopen("\(folder)/\(target.rawValue)/seed-\(number)", "w") else {
          return unsafe perror(folder)
        }
        unsafe fwrite(bytes, 1, bytes.count, file)
        unsafe fclose(file)
      }
    }
  }

  #if FUZZING
  private static func fuzz() {
    var count = CommandLine.argc
    var arguments = unsafe CommandLine.unsafeArgv
    let code = unsafe runFuzzer(&count, &arguments) { bytes, size in
      unsafe ChosenTarget.run(Array(UnsafeBufferPointer(start: bytes, count: size)))
      return 0
    }
    exit(code)
  }
  #endif

  private static func replay(_ folder: String) {
    _ = ProcessHardening.apply()
    for target in FormatTarget.allCases {
      let folder = "\(folder)/\(target.rawValue)"
      var (inputs, accepted) = (0, 0)
      for name in names(folder).sorted() {
        let path = "\(folder)/\(name)"
        // Named before it runs: the one that is named last is to blame.
        _ = unsafe write(2, path + "\n", path.utf8.count + 1)
        inputs += 1
        if target.run(read(path)) { accepted += 1 }
      }
      print("\(target.rawValue) \(inputs) \(accepted)")
    }
  }

  private static func names(_ folder: String) -> [String] {
    guard let stream = unsafe opendir(folder) else { return [] }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names
  }

  private static func read(_ path: String) -> [UInt8] {
    guard let file = unsafe fopen(path, "r") else { return [] }
    defer { unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    return Array(bytes.prefix(count))
  }
}

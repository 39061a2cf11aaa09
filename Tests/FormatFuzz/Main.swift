import FuzzSupport
import Glibc
import SecretMemory

/// Gives inputs to the decoders of files in a backup folder and of what a user enters.
///
/// `format-fuzz list` and `format-fuzz seeds FOLDER` need no inputs. Built by `make fuzz-formats`,
/// it is a fuzzer of the target in `$FORMAT`. Otherwise it runs each file in `FOLDER/<target>/`
/// once.
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
    unsafe Fuzzer.main { bytes, size in
      unsafe ChosenTarget.run(Array(UnsafeBufferPointer(start: bytes, count: size)))
      return 0
    }
  }
  #endif

  private static func replay(_ folder: String) {
    _ = ProcessHardening.apply()
    for target in FormatTarget.allCases {
      let folder = "\(folder)/\(target.rawValue)"
      var (inputs, accepted) = (0, 0)
      for name in InputFiles.names(in: folder) ?? [] {
        inputs += 1
        if target.run(InputFiles.take("\(folder)/\(name)")) { accepted += 1 }
      }
      print("\(target.rawValue) \(inputs) \(accepted)")
    }
  }
}

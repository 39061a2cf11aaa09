internal import Glibc
internal import NIOPosix
internal import NIOSSL
internal import SecretMemory

/// The program `keybackup-guard ask`: it answers lines until its standard input ends.
public enum AskProgram {
  /// Runs the program and ends the process.
  ///
  /// - Parameter files: files with certificates in PEM, which are trusted beside the system's.
  public static func run(trusting files: [String]) async -> Never {
    signal(SIGPIPE, SIG_IGN)
    _ = ProcessHardening.apply()
    var certificates: [NIOSSLCertificate] = []
    for file in files {
      let read = (try? NIOSSLCertificate.fromPEMFile(file)) ?? []
      guard !read.isEmpty else {
        complain("keybackup-guard ask: \(file) holds no certificate in PEM")
        _exit(EX_NOINPUT)
      }
      certificates += read
    }
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let web = WebClient(trusting: certificates, on: group)
    let conversations = Conversations(web, LineOutput())
    let thread = NIOThreadPool(numberOfThreads: 1)
    thread.start()
    try? await thread.runIfActive {
      LineInput.read(pausedWhile: { conversations.isFull }, conversations.take)
    }
    // Not exit: requests and logins may be under way, and end here.
    _exit(EX_OK)
  }

  private static func complain(_ text: String) {
    let line = Array((text + "\n").utf8)
    _ = unsafe line.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}

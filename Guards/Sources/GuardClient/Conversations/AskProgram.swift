internal import Glibc
internal import NIOPosix
internal import NIOSSL

/// The program `keybackup-guard ask`: it answers lines until its standard input ends.
public enum AskProgram {
  /// A file that was to be trusted, and holds no certificate in PEM.
  public struct NoCertificate: Error, Equatable {
    /// The file.
    public let file: String
  }

  /// Runs the program and ends the process, whose SIGPIPE must be ignored.
  ///
  /// - Parameter files: files with certificates in PEM, which are trusted beside the system's.
  /// - Throws: ``NoCertificate``.
  public static func run(trusting files: [String]) async throws(NoCertificate) -> Never {
    var certificates: [NIOSSLCertificate] = []
    for file in files {
      let read = (try? NIOSSLCertificate.fromPEMFile(file)) ?? []
      guard !read.isEmpty else { throw NoCertificate(file: file) }
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
}

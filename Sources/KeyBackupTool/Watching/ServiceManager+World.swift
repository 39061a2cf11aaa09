internal import CommandSupport

extension ServiceManager {
  /// - Parameter world: its variables say where the service manager listens.
  init(_ world: World) { self.init(environment: world.environment) }

  /// The program's work, as people see it in `systemctl status`.
  func tell(status: String) { tell(line: PrintableText.clean(status, limit: 200)) }
}

package import CommandKit
package import CommandSupport

extension ServiceManager {
  /// - Parameter world: its variables say where the service manager listens.
  package init(_ world: World) { self.init(environment: world.environment) }

  /// The program's work, as people see it in `systemctl status`.
  package func tell(status: String) { tell(line: PrintableText.clean(status, limit: 200)) }
}

/// The copyable state of an ``OpenNamespace``, behind one reference.
///
/// The compiler follows every stored property of a type that cannot be copied, down to the words of
/// each value in it, through every use. With these values inside, one file took minutes to compile.
final class NamespaceState {
  var health = LogHealth()
  var lastAdded = OpenNamespace.Added()
  var log = OperationLog()
  var fileState = FileState()
  var localState = LocalState()
  var slotFiles = KeySlotFiles()
  var lineage = Lineage()
}

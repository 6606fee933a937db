import ManagedObjectModel
import ObjectRows
public import PredicateLanguage

extension NSManagedObject: KeyPathProbeable {
  /// Returns the key paths that the closure reads from a probing object of this class.
  ///
  /// Parhelion's addition.
  public static func propertyPaths(readBy body: (Any) -> Void) -> [String] {
    let log = ObjectProbe.Log()
    body(probe(reportingTo: ObjectProbe(log: log)))
    return log.paths
  }

  /// Creates an object of this class whose accessors report their names instead of reading values.
  static func probe(reportingTo probe: ObjectProbe) -> NSManagedObject {
    self.init(
      _materialize: _Materialization(
        self, owner: probe, row: .nowhere, key: 0, storeNumber: noStore, flags: .probe, context: nil
      ))
  }

  /// The probe that this object reports to, if it is a probing object.
  final var probe: ObjectProbe? { flags.contains(.probe) ? rowOwner as? ObjectProbe : nil }
}

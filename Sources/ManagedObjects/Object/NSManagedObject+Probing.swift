import ManagedObjectModel
public import PredicateLanguage

extension NSManagedObject: KeyPathProbeable {
  /// What the body reads from an object of this class in probe mode.
  ///
  /// Parhelion's addition.
  public static func propertyPaths(readBy body: (Any) -> Void) -> [String] {
    let log = ObjectProbe.Log()
    body(probe(reportingTo: ObjectProbe(log: log)))
    return log.paths
  }

  /// An object of this class whose accessors report their names instead of reading values.
  static func probe(reportingTo probe: ObjectProbe) -> NSManagedObject {
    self.init(_materialise: _Materialisation(entity: NSEntityDescription(), probe: probe))
  }
}

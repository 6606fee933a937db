import ObjectRows

/// What an object in probe mode knows: the path that led to it, and where to note what is read from
/// it.
final class ObjectProbe: RowOwner {
  /// The paths that were read, shared by all objects that one probing leads to.
  final class Log {
    var paths: [String] = []
  }

  private let log: Log
  private let prefix: String

  init(log: Log, prefix: String = "") {
    self.log = log
    self.prefix = prefix
    super.init(layout: Materialization.probeLayout)
  }

  /// Notes that a property was read, and gives the probe for the object that it leads to.
  func note(_ name: String) -> ObjectProbe {
    let path = prefix + name
    log.paths.append(path)
    return ObjectProbe(log: log, prefix: path + ".")
  }
}

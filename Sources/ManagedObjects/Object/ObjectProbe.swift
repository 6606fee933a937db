import ObjectRows

/// The state of a probing object: the key path that led to it, and a log of what is read.
final class ObjectProbe: RowOwner {
  /// The key paths that were read, shared by all objects of one probing.
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

  /// Records that a property was read, and returns the probe for its destination.
  func record(_ name: String) -> ObjectProbe {
    let path = prefix + name
    log.paths.append(path)
    return ObjectProbe(log: log, prefix: path + ".")
  }
}

/// Counts the results of a fetch while a store reads them, and can stop the read.
package protocol ReadMonitor: AnyObject, Sendable {
  /// Whether the read must stop: the store then throws an error of any kind.
  var isReadCancelled: Bool { get }
  /// Adds results that were read.
  func add(_ count: Int)
}

extension ReadMonitor {
  /// Throws an error if the read must stop.
  package func requireRunning() throws(CancellationError) {
    if isReadCancelled { throw CancellationError() }
  }
}

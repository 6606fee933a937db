package import Foundation
import ObjectRows

/// Reports writes to files by any process, without polling.
package protocol FileObserver: Sendable {
  /// Calls a closure on a separate thread when one of the files was written, created or deleted.
  ///
  /// Several writes may cause one call. The effect of a write may become visible only later, so the
  /// closure is called again several times, with growing delays. It returns whether it found
  /// something new. If so, the delays start again.
  func observe(_ files: [URL], _ check: @escaping @Sendable () -> Bool) throws
    -> any FileObservation
}

/// A registration with a file observer, until it is ended.
package protocol FileObservation: AnyObject, Sendable {
  func end()
}

/// An observer that reports nothing.
///
/// Only saves of this process are noticed.
package struct NullFileObserver: FileObserver {
  private final class Observation: FileObservation {
    func end() {}
  }

  package init() {}

  package func observe(_ files: [URL], _ check: @escaping @Sendable () -> Bool) throws
    -> any FileObservation
  { Observation() }
}

/// The observer of this process: one for all stores, with one thread.
package enum FileObservers {
  #if canImport(Glibc)
  package static let system: any FileObserver = InotifyObserver()
  #else
  package static let system: any FileObserver = NullFileObserver()
  #endif
}

extension StoreError.Code {
  /// The system cannot report writes to a store.
  static let cannotWatch = Self("cannotWatch", cocoaCode: 134070)
}

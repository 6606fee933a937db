package import Foundation
import ObjectRows

/// Reports writes to files by any process, without polling.
package protocol FileWatcher: Sendable {
  /// Calls a closure on a separate thread when one of the files was written, created or deleted.
  ///
  /// Several writes may cause one call. The effect of a write may become visible only later, so the
  /// closure is called again several times, with growing delays. It returns whether it found
  /// something new, which starts the delays again.
  func watch(_ files: [URL], _ check: @escaping @Sendable () -> Bool) throws -> any FileWatch
}

/// A registration with a file watcher, until it is ended.
package protocol FileWatch: AnyObject, Sendable {
  func end()
}

/// A watcher that reports nothing.
///
/// Only saves of this process are noticed.
package struct NullFileWatcher: FileWatcher {
  private final class Watch: FileWatch {
    func end() {}
  }

  package init() {}

  package func watch(_ files: [URL], _ check: @escaping @Sendable () -> Bool) throws
    -> any FileWatch
  { Watch() }
}

/// The watcher of this process: one for all stores, with one thread.
package enum FileWatchers {
  #if canImport(Glibc)
  package static let system: any FileWatcher = InotifyWatcher()
  #else
  package static let system: any FileWatcher = NullFileWatcher()
  #endif
}

extension StoreError.Code {
  /// The system cannot report writes to a store.
  static let cannotWatch = Self("cannotWatch", cocoaCode: 134070)
}

package import Foundation
import ObjectRows

/// Tells when files are written, by whomever, without looking at them again and again.
package protocol FileWatcher: Sendable {
  /// Calls a closure on a thread of its own whenever one of the files was written, created or
  /// deleted.
  ///
  /// Several writes may lead to one call. What a write means may come to light only a moment after
  /// it: the closure is called again a few times, later and later. It returns whether it found
  /// something new, and then it is soon called again.
  func watch(_ files: [URL], _ check: @escaping @Sendable () -> Bool) throws -> any FileWatch
}

/// A promise of a file watcher, until it is ended.
package protocol FileWatch: AnyObject, Sendable {
  func end()
}

/// Where nothing tells of writes to files: only what this process saves itself is noticed.
package struct NullFileWatcher: FileWatcher {
  private final class Watch: FileWatch {
    func end() {}
  }

  package init() {}

  package func watch(_ files: [URL], _ check: @escaping @Sendable () -> Bool) throws
    -> any FileWatch
  { Watch() }
}

/// The watcher that this process uses: one for all stores, with one thread.
package enum FileWatchers {
  #if canImport(Glibc)
  package static let system: any FileWatcher = InotifyWatcher()
  #else
  package static let system: any FileWatcher = NullFileWatcher()
  #endif
}

extension StoreError.Code {
  /// The system cannot tell of writes to a store.
  static let cannotWatch = Self("cannotWatch", cocoaCode: 134070)
}

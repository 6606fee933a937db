public import Foundation

/// Names a moment in the life of stores, which contexts can read as if nothing had been saved
/// since.
///
/// ```swift
/// try context.setQueryGenerationFrom(.current)
/// ```
// Sendable: immutable.
open class NSQueryGenerationToken: NSObject, NSCopying, @unchecked Sendable {
  /// The moment; nil for that of the first read to come.
  let generation: QueryGeneration?

  init(_ generation: QueryGeneration?) {
    self.generation = generation
    super.init()
  }

  /// Stands for the moment of the first read that a context makes with it.
  open class var current: NSQueryGenerationToken { shared }

  private static let shared = NSQueryGenerationToken(nil)

  /// The token itself: it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Tokens are equal when they name the same moment.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? NSQueryGenerationToken).map { $0.generation === generation } ?? false
  }

  /// Equal tokens have equal hashes.
  open override var hash: Int { generation.map { ObjectIdentifier($0).hashValue } ?? 0 }
}

public import Foundation

/// A token that represents a generation of the stores, which contexts can read regardless of later
/// saves.
///
/// ```swift
/// try context.setQueryGenerationFrom(.current)
/// ```
// Sendable: immutable.
open class NSQueryGenerationToken: NSObject, NSCopying, @unchecked Sendable {
  /// The generation; nil if the next read decides it.
  let generation: QueryGeneration?

  init(_ generation: QueryGeneration?) {
    self.generation = generation
    super.init()
  }

  /// The token for the generation at the time of the context's next read.
  open class var current: NSQueryGenerationToken { shared }

  private static let shared = NSQueryGenerationToken(nil)

  /// Returns the token itself, which is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Returns whether both tokens represent the same generation.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? NSQueryGenerationToken).map { $0.generation === generation } ?? false
  }

  /// The hash, which is equal for equal tokens.
  open override var hash: Int { generation.map { ObjectIdentifier($0).hashValue } ?? 0 }
}

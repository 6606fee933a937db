public import Foundation
public import ManagedObjectModel
public import ObjectRows

/// The values of one object in an incremental store.
// Sendable: a lock protects the values and the version.
open class NSIncrementalStoreNode: NSObject, @unchecked Sendable {
  private struct State {
    var values: [String: Any]
    var version: UInt64
  }

  /// The identifier of the object.
  public let objectID: NSManagedObjectID
  private let state: LockedBox<State>

  /// Creates a node.
  ///
  /// - Parameters:
  ///   - objectID: The identifier of the object.
  ///   - values: The values by the names of the properties. The value of a to-one relationship is
  ///     an `NSManagedObjectID`, or `NSNull` for none; that of a to-many relationship is a
  ///     collection of identifiers. The store is asked for relationships that are missing here.
  ///   - version: The version of the values. A version that differs from the previous one means
  ///     that the object was changed elsewhere.
  public init(objectID: NSManagedObjectID, withValues values: [String: Any], version: UInt64) {
    self.objectID = objectID
    state = LockedBox(State(values: values, version: version))
    super.init()
  }

  /// The version of the values.
  open var version: UInt64 { state.withLock { $0.version } }

  /// Replaces the values and their version.
  open func update(withValues values: [String: Any], version: UInt64) {
    state.withLock { $0 = State(values: values, version: version) }
  }

  /// Returns the value of a property, or nil if the node does not have it.
  open func value(for prop: NSPropertyDescription) -> Any? {
    state.withLock { $0.values[prop.name] }
  }
}

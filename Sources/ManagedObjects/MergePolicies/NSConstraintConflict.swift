public import Foundation
import ManagedObjectModel

/// A conflict between objects with equal values for a uniqueness constraint.
///
/// If a row of the store already has these values, its object is the database object, and the
/// objects to be saved conflict with it. Without a database object, they conflict with each other.
open class NSConstraintConflict: NSObject {
  /// The names of the properties that must be unique in combination.
  public let constraint: [String]

  /// The object of the store's row with these values; nil if there is none.
  public let databaseObject: NSManagedObject?

  /// The values of the store's row: attributes, and to-one relationships as object identifiers.
  public let databaseSnapshot: [String: Any]?

  /// The objects to be saved.
  public let conflictingObjects: [NSManagedObject]

  /// The fetched values of each conflicting object.
  ///
  /// The snapshot of a new object is empty.
  public let conflictingSnapshots: [[AnyHashable: Any]]

  /// Creates a conflict.
  public init(
    constraint contraint: [String], database databaseObject: NSManagedObject?,
    databaseSnapshot: [AnyHashable: Any]?, conflicting conflictingObjects: [NSManagedObject],
    conflictingSnapshots: [Any]
  ) {
    constraint = contraint
    self.databaseObject = databaseObject
    self.databaseSnapshot = databaseSnapshot.map(Self.namedValues)
    self.conflictingObjects = conflictingObjects
    self.conflictingSnapshots = conflictingSnapshots.map { $0 as? [AnyHashable: Any] ?? [:] }
    super.init()
  }

  /// Creates a conflict without objects, for tests.
  public convenience override init() {
    self.init(
      constraint: [], database: nil, databaseSnapshot: nil, conflicting: [],
      conflictingSnapshots: [])
  }

  /// The values that are not unique.
  open var constraintValues: [String: Any] {
    var values: [String: Any] = [:]
    for name in constraint {
      values[name] =
        conflictingObjects.first?.value(forKeyPath: name) ?? databaseSnapshot?[name] ?? NSNull()
    }
    return values
  }

  /// The constraint, its values and the objects.
  open override var description: String {
    let values = constraintValues
    let pairs = constraint.map { "\($0) = \(values[$0] ?? NSNull())" }.joined(separator: ", ")
    let database = databaseObject.map { "row \($0.shortName)" } ?? "no row"
    return """
      NSConstraintConflict for \(conflictingObjects.first?.entity.name ?? "an entity") (\(pairs)): \(database) of the store, \
      \(conflictingObjects.count) objects to save
      """
  }

  private static func namedValues(_ snapshot: [AnyHashable: Any]) -> [String: Any] {
    var values: [String: Any] = [:]
    for (key, value) in snapshot { if let name = key.base as? String { values[name] = value } }
    return values
  }
}

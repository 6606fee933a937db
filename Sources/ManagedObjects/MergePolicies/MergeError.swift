import Foundation
import ManagedObjectModel

/// The errors of saves with unresolved conflicts.
enum MergeError {
  static func versions(_ conflicts: [NSMergeConflict]) -> NSError {
    let places = conflicts.prefix(Self.conflictsInMessages).map { conflict in
      let change =
        conflict.newVersionNumber == 0
        ? "was deleted"
        : "changed from version \(conflict.oldVersionNumber) to \(conflict.newVersionNumber)"
      return "\(place(conflict.sourceObject)) \(change)"
    }
    return cocoaError(
      NSManagedObjectMergeError,
      "The save would overwrite changes that were saved since: \(list(places, of: conflicts.count)). Set a merge policy, or refresh the objects and change them again.",
      [
        NSPersistentStoreSaveConflictsErrorKey: conflicts,
        NSAffectedObjectsErrorKey: conflicts.map(\.sourceObject),
      ])
  }

  static func constraints(_ conflicts: [NSConstraintConflict]) -> NSError {
    let places = conflicts.prefix(Self.conflictsInMessages).map { conflict in
      let values = conflict.constraintValues
      let pairs = conflict.constraint.map { "\($0) \(values[$0] ?? NSNull())" }
      let holder =
        conflict.databaseObject.map { "\(place($0)) already has these values" }
        ?? "several objects have these values"
      return
        "\(conflict.conflictingObjects.first?.entity.name ?? "entity") with \(pairs.joined(separator: ", ")): \(holder)"
    }
    return cocoaError(
      NSManagedObjectConstraintMergeError,
      "Values that must be unique are not: \(list(places, of: conflicts.count)). Set a merge policy, or change the objects.",
      [
        NSPersistentStoreSaveConflictsErrorKey: conflicts,
        NSAffectedObjectsErrorKey: conflicts.flatMap(\.conflictingObjects),
      ])
  }

  /// The number of conflicts that a message names.
  ///
  /// The error contains all of them.
  private static let conflictsInMessages = 3

  private static func list(_ places: [String], of count: Int) -> String {
    let rest = count - places.count
    return places.joined(separator: "; ") + (rest > 0 ? "; and \(rest) more" : "")
  }

  private static func place(_ object: NSManagedObject) -> String {
    "\(object.entity.name ?? "entity without a name") \(object.shortName)"
  }
}

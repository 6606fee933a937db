import Foundation
import ManagedObjectModel
import ObjectRows

/// The errors of copying objects from store to store.
enum CopyError {
  static func constraint(
    _ names: [String], _ entity: NSEntityDescription, isWithinSource: Bool
  ) -> NSError {
    let place = "\(entity.name ?? "an entity").\(names.joined(separator: ", "))"
    let message =
      isWithinSource
      ? """
      Several objects to copy have equal values for \(place), which must be unique. Remove the \
      duplicates from the source.
      """
      : """
      Objects of the destination have values of objects to copy for \(place), which must be \
      unique. Choose another merge policy, or delete the duplicates.
      """
    return cocoaError(NSManagedObjectConstraintMergeError, message)
  }

  /// The error for conflicts that a save of the copy reports.
  static func unexpected(_ conflicts: [StoreConflict], _ uuid: String) -> NSError {
    for case .uniqueness(let names, let entity, _, let stored) in conflicts {
      return constraint(names, entity, isWithinSource: stored == nil)
    }
    return cocoaError(
      NSManagedObjectMergeError,
      "Copies of objects of the store \(uuid) were changed while they were copied. Copy again.")
  }

  static func foreign(_ store: NSPersistentStore, _ reason: String) -> StoreError {
    StoreError(.foreignStore, "The objects of \(store) cannot be copied: \(reason)")
  }

  /// The error for objects that would lose their relationships to moved ones.
  static func notKept(_ layout: RowLayout) -> NSError {
    let name = layout.entity.name ?? ""
    return cocoaError(
      NSPersistentStoreOperationError,
      """
      The objects cannot be moved: the source has objects of \(name), and the configuration of the \
      destination does not contain \(name). Copy them instead.
      """
    )
  }
}

public import Foundation
public import ManagedObjectModel
public import ObjectRows

/// An object that a fetched results controller notifies when its results change.
///
/// All methods are optional. If a delegate implements
/// ``controller(_:didChangeContentWith:)-(_,NSDiffableDataSourceSnapshotReference)``, no other
/// method for changes is called. Otherwise, if the delegate implements the method for differences
/// and the controller has no sections, only that method is called for changes.
///
/// - Warning: On Linux, a class that declares the conformance must itself have every method that it
///   or a subclass implements. A method that only a subclass has is never called: give the base
///   class an empty one, and override it.
public protocol NSFetchedResultsControllerDelegate: NSObjectProtocol {
  /// Called with a snapshot of the results after each fetch and each change.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference)

  /// Called with the difference after each change, if the controller has no sections and the
  /// delegate takes no snapshots.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith diff: CollectionDifference<NSManagedObjectID>)

  /// Called for each object that was inserted, deleted, moved or updated.
  ///
  /// - Parameters:
  ///   - indexPath: The index path before the change; nil for an insertion.
  ///   - newIndexPath: The index path after the change; nil for a deletion.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?)

  /// Called for each section that was inserted or deleted, before the calls for objects.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType)

  /// Called before the calls for a change; the controller still has the former results.
  func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>)

  /// Called after the calls for a change.
  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>)

  /// Returns the title of a section in an index.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String?
}

extension NSFetchedResultsControllerDelegate {
  /// Does nothing, and counts as a missing method.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
  ) {
    controller.tracker.recordDefault(.snapshot, of: self)
  }

  /// Does nothing, and counts as a missing method.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
  ) {
    controller.tracker.recordDefault(.difference, of: self)
  }

  /// Does nothing, and counts as a missing method.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    controller.tracker.recordDefault(.object, of: self)
  }

  /// Does nothing, and counts as a missing method.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType
  ) {
    controller.tracker.recordDefault(.section, of: self)
  }

  /// Does nothing, and counts as a missing method.
  public func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    controller.tracker.recordDefault(.willChange, of: self)
  }

  /// Does nothing, and counts as a missing method.
  public func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    controller.tracker.recordDefault(.didChange, of: self)
  }

  /// Returns nil, and counts as a missing method.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String? {
    controller.tracker.recordDefault(.indexTitle, of: self)
    return nil
  }
}

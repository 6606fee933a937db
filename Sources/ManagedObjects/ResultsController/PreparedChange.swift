import Foundation

/// A change of the results of which the delegate has not been notified yet.
final class PreparedChange {
  private let edit: ListEdit<NSObject>
  private(set) var isApplied = false
  /// The changes of objects.
  private(set) var objects: [ObjectChange] = []

  /// The change of an object.
  struct ObjectChange {
    let object: NSObject
    let kind: NSFetchedResultsChangeType
    let from: IndexPath?
    let to: IndexPath?
    /// The places in the list before and after.
    let places: (from: Int?, to: Int?)
  }

  init(_ edit: ListEdit<NSObject>) {
    self.edit = edit
  }

  var deletedSections: [(section: Int, name: String)] {
    zip(edit.deletedSections, edit.deletedNames).map { ($0, $1) }
  }

  var insertedSections: [(section: Int, name: String)] { edit.insertedSections }

  /// The objects that were updated, moved ones included.
  var updated: [NSObject] {
    objects.filter { $0.kind == .update || $0.kind == .move }.map(\.object)
  }

  /// Changes the results, once.
  func apply(to list: inout SectionedList<NSObject>) {
    guard !isApplied else { return }
    isApplied = true
    let former = edit.changes.map { $0.from.flatMap { list.place($0) } }
    list.apply(edit)
    objects = zip(edit.changes, former).map { change, former in
      ObjectChange(
        object: change.element, kind: change.kind, from: change.from,
        to: change.to.map { list.indexPath($0) }, places: (former, change.to))
    }
  }
}

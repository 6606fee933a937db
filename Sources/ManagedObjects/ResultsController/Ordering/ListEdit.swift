package import Foundation

/// An edit of a list of results, with the calls that report it to a delegate.
package struct ListEdit<Element: AnyObject> {
  /// An element's new place and section.
  package struct Insertion {
    package let element: Element
    package let place: Int
    package let section: Int
  }

  /// The change of an element that is in the list before or after the edit.
  package struct Change {
    package let element: Element
    package let kind: NSFetchedResultsChangeType
    /// The index path before the edit.
    package let from: IndexPath?
    /// The place after the edit.
    package let to: Int?
  }

  /// The places of the removed elements, ascending.
  ///
  /// An element that moves, or that is placed again, is removed and inserted.
  package var removals: [Int] = []
  /// The inserted elements, ascending by their final places.
  package var insertions: [Insertion] = []
  /// The former numbers of the removed sections, ascending, and their names.
  package var deletedSections: [Int] = []
  package var deletedNames: [String] = []
  /// The new sections, ascending by their final numbers.
  package var insertedSections: [(section: Int, name: String)] = []
  /// The changes: deletions, then insertions and moves by place, updates last.
  package var changes: [Change] = []

  package var isEmpty: Bool {
    changes.isEmpty && deletedSections.isEmpty && insertedSections.isEmpty
  }
}

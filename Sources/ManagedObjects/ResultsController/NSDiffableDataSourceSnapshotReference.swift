public import Foundation
import ObjectRows

/// The sections and items of a fetched results controller at one time.
///
/// On Apple's platforms this class belongs to UIKit and AppKit, and a data source applies it. Here
/// it is what a delegate receives: section identifiers are the names of the sections, item
/// identifiers are `NSManagedObjectID`s. It does not change.
open class NSDiffableDataSourceSnapshotReference: NSObject {
  private let contents: FetchedResultsSnapshot

  init(_ contents: FetchedResultsSnapshot) {
    self.contents = contents
    super.init()
  }

  /// The snapshot as a value that can be sent to other tasks.
  ///
  /// Parhelion's addition.
  public final var value: FetchedResultsSnapshot { contents }

  /// The number of items.
  open var numberOfItems: Int { contents.objectIDs.count }

  /// The number of sections.
  open var numberOfSections: Int { contents.sections.count }

  /// The names of the sections.
  open var sectionIdentifiers: [Any] { contents.sections.map(\.name) }

  /// The identifiers of the objects, as `NSManagedObjectID`.
  open var itemIdentifiers: [Any] { contents.objectIDs }

  /// The identifiers of objects that were updated since the snapshot before.
  open var reloadedItemIdentifiers: [Any] { contents.updatedObjectIDs }

  /// Returns the number of items in a section; 0 if there is no such section.
  open func numberOfItems(inSection sectionIdentifier: Any) -> Int {
    section(sectionIdentifier)?.objectIDs.count ?? 0
  }

  /// Returns the identifiers of the objects in a section.
  open func itemIdentifiersInSection(withIdentifier sectionIdentifier: Any) -> [Any] {
    section(sectionIdentifier).map { Array($0.objectIDs) } ?? []
  }

  /// Returns the name of the section that contains an item.
  open func sectionIdentifier(forSectionContainingItemIdentifier itemIdentifier: Any) -> Any? {
    let index = index(ofItemIdentifier: itemIdentifier)
    return contents.sections.first { $0.objectIDs.indices.contains(index) }?.name
  }

  /// Returns the position of an item, or `NSNotFound`.
  open func index(ofItemIdentifier itemIdentifier: Any) -> Int {
    guard let identifier = itemIdentifier as? NSManagedObjectID else { return NSNotFound }
    return contents.objectIDs.firstIndex(of: identifier) ?? NSNotFound
  }

  /// Returns the position of a section, or `NSNotFound`.
  open func index(ofSectionIdentifier sectionIdentifier: Any) -> Int {
    contents.sections.firstIndex { $0.name == sectionIdentifier as? String } ?? NSNotFound
  }

  private func section(_ identifier: Any) -> FetchedResultsSnapshot.Section? {
    contents.sections.first { $0.name == identifier as? String }
  }
}

/// A section of a fetched results controller.
public protocol NSFetchedResultsSectionInfo {
  /// The name of the section.
  var name: String { get }

  /// The title of the section in an index.
  var indexTitle: String? { get }

  /// The number of objects in the section.
  var numberOfObjects: Int { get }

  /// The objects in the section, in order.
  var objects: [Any]? { get }
}

/// A live view of a controller's section; after the section is gone, it is empty.
final class ResultsSection: NSFetchedResultsSectionInfo {
  let name: String
  private let tracker: ResultsTracker

  init(_ name: String, of tracker: ResultsTracker) {
    self.name = name
    self.tracker = tracker
  }

  var indexTitle: String? { tracker.indexTitle(ofSection: name) }

  private var range: Range<Int>? {
    guard let sections = tracker.list?.sections, let section = sections.section(named: name) else {
      return nil
    }
    return sections.range(of: section)
  }

  var numberOfObjects: Int { range?.count ?? 0 }

  var objects: [Any]? { range.map { tracker.list?.elements[$0] ?? [] }.map(Array.init) ?? [] }
}

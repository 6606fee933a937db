import Foundation
import ObjectRows

/// Results in the type that a controller returns.
struct TypedResults<ResultType> {
  let objects: [ResultType]
  let version: Int
  /// Whether the objects are in a separate array.
  let isCopy: Bool

  /// Casts objects that have the type.
  ///
  /// An array of class references is used as it is. Existential values need another array.
  init(_ objects: [NSObject], version: Int) {
    self.version = version
    isCopy = !(ResultType.self is NSObject.Type)
    self.objects =
      isCopy
      ? objects.map(Self.cast) : unsafe unsafeBitCast(objects, to: [ResultType].self)
  }

  static func cast(_ object: NSObject) -> ResultType {
    guard let result = object as? ResultType else { stop(object) }
    return result
  }

  /// Stops the program if an object does not have the type.
  ///
  /// Each class is checked once.
  static func require(_ objects: [NSObject]) {
    var checked: NSObject.Type?
    for object in objects where type(of: object) != checked {
      guard object is ResultType else { stop(object) }
      checked = type(of: object)
    }
  }

  private static func stop(_ object: NSObject) -> Never {
    preconditionFailure(
      """
      A fetched results controller for \(ResultType.self) found \(type(of: object)). Give the \
      request the type of its results: objects of the class of the entity, NSManagedObjectID, \
      NSDictionary or NSNumber, as resultType says.
      """
    )
  }
}

/// The sections that a controller returned last.
struct SectionInfos {
  let infos: [any NSFetchedResultsSectionInfo]
  let version: Int

  init(_ sections: SectionTable, of tracker: ResultsTracker) {
    infos = sections.names.map { ResultsSection($0, of: tracker) }
    version = tracker.version
  }
}

/// The titles of sections in an index.
///
/// Adjacent sections with the same title share one entry.
struct SectionTitles {
  private(set) var titles: [String] = []
  private var sections: [Int] = []

  init(_ tracker: ResultsTracker) {
    for (section, name) in (tracker.list?.sections.names ?? []).enumerated() {
      guard let title = tracker.indexTitle(ofSection: name), title != titles.last else { continue }
      titles.append(title)
      sections.append(section)
    }
  }

  /// The first section of an entry.
  func section(of title: String, at index: Int) -> Int {
    precondition(
      titles.indices.contains(index) && titles[index] == title,
      """
      There is no index title \(title) at \(index). The titles are \
      \(titles.joined(separator: ", ")).
      """
    )
    return sections[index]
  }
}

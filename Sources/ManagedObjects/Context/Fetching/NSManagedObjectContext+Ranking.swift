import Foundation
public import ManagedObjectModel
import PredicateLanguage
import TextMatching

extension NSManagedObjectContext {
  /// Returns the objects of a request with words in their texts, the most relevant first.
  ///
  /// Parhelion's addition.
  ///
  /// ```swift
  /// let notes = try context.fetch(
  ///   Note.fetchRequest(), rankedBy: "red app*", in: ["title", "body"])
  /// ```
  ///
  /// The words are those of `NSPredicate.fullText(_:in:)`, which is added to the request's
  /// predicate. An object is more relevant if it contains the words more often and its texts are
  /// shorter (BM25). Equally relevant objects are in the request's order, and the request's limit
  /// and offset apply last. The texts of all found objects are read, whatever the store.
  public func fetch<ResultType: NSManagedObject>(
    _ request: NSFetchRequest<ResultType>, rankedBy query: String, in keyPaths: [String]
  ) throws -> [ResultType] {
    let search = NSPredicate.fullText(query, in: keyPaths)
    let all = request.duplicate()
    all.predicate =
      request.predicate.map {
        NSCompoundPredicate(andPredicateWithSubpredicates: [$0, search])
      } ?? search
    (all.fetchLimit, all.fetchOffset, all.fetchBatchSize) = (0, 0, 0)
    all.returnsObjectsAsFaults = false
    all.relationshipKeyPathsForPrefetching =
      (request.relationshipKeyPathsForPrefetching ?? []) + Self.relationships(of: keyPaths)
    let objects = try fetch(all)
    let texts = objects.map { object in
      keyPaths.compactMap { object.value(forKeyPath: $0) as? String }
    }
    let ranked = zip(objects, FullTextQuery(query).relevance(of: texts)).enumerated().sorted {
      ($1.element.1, $0.offset) < ($0.element.1, $1.offset)
    }.map(\.element.0)
    return FetchWindow(request.specification).cut(ranked)
  }

  /// The relationships on the way to attributes.
  private static func relationships(of keyPaths: [String]) -> [String] {
    let paths = keyPaths.compactMap { path in
      path.lastIndex(of: ".").map { String(path[..<$0]) }
    }
    return Array(Set(paths)).sorted()
  }
}

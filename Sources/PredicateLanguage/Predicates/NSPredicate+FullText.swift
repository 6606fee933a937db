public import Foundation

extension NSPredicate {
  /// Returns a predicate for objects with words in their texts.
  ///
  /// Parhelion's addition.
  ///
  /// | query | finds texts with |
  /// |---|---|
  /// | `red apple` | both words, anywhere |
  /// | `"red apple"` | the words next to each other, in this order |
  /// | `app*`, `"red app*"` | words that begin with `app` |
  ///
  /// Case and the diacritics of Latin letters are ignored. All other characters in a query separate
  /// words, so any text that a person types is a valid query; one without words finds nothing. If
  /// there are several key paths, a word may be in any of the texts.
  ///
  /// The predicate can be combined with others, and every store understands it. A SQLite store is
  /// fast if it has a full-text index (`NSPersistentStoreDescription.maintainsFullTextIndex`) of
  /// these attributes.
  ///
  /// - Parameters:
  ///   - query: The words to find.
  ///   - keyPaths: The attributes, of the object itself or of one object that it references.
  public static func fullText(_ query: String, in keyPaths: String...) -> NSPredicate {
    fullText(query, in: keyPaths)
  }

  /// Returns a predicate for objects with words in their texts, with the key paths as an array.
  ///
  /// Parhelion's addition.
  public static func fullText(_ query: String, in keyPaths: [String]) -> NSPredicate {
    precondition(!keyPaths.isEmpty, "A full-text search needs the key path of an attribute.")
    let paths = keyPaths.map { NSExpression(forKeyPath: $0) }
    return NSComparisonPredicate(
      left: paths.count == 1 ? paths[0] : NSExpression(forAggregate: paths),
      right: NSExpression(forConstantValue: query), modifier: .direct,
      kind: NSComparisonPredicate.Comparison(
        .customSelector, selectorName: NSComparisonPredicate.fullTextSelectorName))
  }
}

extension NSComparisonPredicate {
  /// The method name of a full-text search, which has no operator in Apple's API.
  package static let fullTextSelectorName = "containsWords:"
}

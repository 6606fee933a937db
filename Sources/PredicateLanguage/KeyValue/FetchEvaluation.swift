/// An object whose fetches may return objects of several types, with different properties.
package protocol FetchableObject: KeyValueCoding {
  /// Whether objects of other types, which the same fetch may return, have the property.
  ///
  /// Evaluation calls it only for a property that this object does not have.
  func lacksProperty(_ key: String) -> Bool
}

/// The evaluation of a fetch's predicate and sort descriptors for objects instead of rows.
///
/// During a fetch, a property that only other objects of the fetch have is nil, as in a store. At
/// other times it is an unknown key.
package enum FetchEvaluation {
  @TaskLocal static var isCurrent = false

  /// Runs a block that evaluates for a fetch.
  package static func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    try $isCurrent.withValue(true) { try body() }
  }
}

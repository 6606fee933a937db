import ManagedObjectModel

/// The offset and limit of a request.
struct FetchWindow {
  var offset: Int
  var limit: Int

  /// The window of a request; a negative offset counts as none.
  init(_ specification: FetchSpecification) {
    (offset, limit) = (max(0, specification.fetchOffset), specification.fetchLimit)
  }

  func cut<Element>(_ results: [Element]) -> [Element] {
    guard offset > 0 || limit > 0 else { return results }
    let rest = results.dropFirst(offset)
    return Array(limit > 0 ? rest.prefix(limit) : rest)
  }

  func cut(count: Int) -> Int {
    let rest = max(0, count - offset)
    return limit > 0 ? min(limit, rest) : rest
  }
}

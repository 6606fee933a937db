package import Foundation

extension Sequence {
  /// The elements sorted by the descriptors; equal elements keep their order.
  ///
  /// Each property is read once for each element.
  package func sorted(following descriptors: [NSSortDescriptor]) throws -> [Element] {
    guard !descriptors.isEmpty else { return Array(self) }
    let rows = try map { element in
      SortRow(
        element: element,
        values: try descriptors.map { try ($0 as? PropertySortDescriptor)?.value(of: element) })
    }
    return try rows.enumerated().sorted { one, other in
      for (index, descriptor) in descriptors.enumerated() {
        switch try descriptor.compare(one.element, other.element, at: index) {
        case .orderedAscending: return true
        case .orderedDescending: return false
        case .orderedSame: continue
        }
      }
      return one.offset < other.offset
    }.map(\.element.element)
  }
}

/// An element with the values that the descriptors compare.
private struct SortRow<Element> {
  let element: Element
  let values: [Any?]
}

extension NSSortDescriptor {
  fileprivate func compare<Element>(
    _ one: SortRow<Element>, _ other: SortRow<Element>, at index: Int
  ) throws -> ComparisonResult {
    guard let descriptor = self as? PropertySortDescriptor else {
      return compare(one.element, to: other.element)
    }
    return try descriptor.compare(one.values[index], other.values[index])
  }
}

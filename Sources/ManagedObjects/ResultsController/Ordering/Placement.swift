import Foundation

/// An element that a plan places.
struct Placement<Element: AnyObject, Key> {
  let element: Element
  let key: Key
  let sectionName: String
  /// The element's place before the edit, if it was in the list.
  let formerPlace: Int?
  /// Decides between equal elements: former ones first, then new ones as they arrived.
  let sequence: Int
  /// The new position between the elements that remain.
  var position = Position(gap: 0, group: nil, slot: 0)
  /// Whether the element may stay where it was.
  var fits = false

  init(_ element: Element, _ order: ListOrder<Element, Key>, formerPlace: Int) {
    self.element = element
    key = order.key(element)
    sectionName = order.sectionName?(element) ?? ""
    self.formerPlace = formerPlace
    sequence = formerPlace
  }

  init(_ element: Element, _ order: ListOrder<Element, Key>, arrival: Int) {
    self.element = element
    key = order.key(element)
    sectionName = order.sectionName?(element) ?? ""
    formerPlace = nil
    sequence = Int.max / 2 + arrival
  }
}

/// A place between elements that remain.
struct Position: Comparable {
  /// The number of remaining sections before the element's section.
  let gap: Int
  /// The number of the element's section among new and emptied ones; nil for a remaining section.
  ///
  /// New and emptied sections come before the remaining section of the same gap.
  let group: Int?
  /// The number of remaining elements before the element.
  let slot: Int

  static func < (left: Position, right: Position) -> Bool {
    if left.gap != right.gap { return left.gap < right.gap }
    let (one, other) = (left.group ?? .max, right.group ?? .max)
    return one != other ? one < other : left.slot < right.slot
  }
}

/// A section without remaining elements: a new one, or one that all elements left.
struct SectionGroup<Element: AnyObject, Key> {
  let name: String
  /// The section's number before the edit, if it existed.
  let formerSection: Int?
  var members: [Placement<Element, Key>]
  /// The number of remaining sections before it.
  var gap = 0
  /// Whether the section existed and stays in its place.
  var keepsSection = false
}

/// The indexes of a longest subsequence of increasing values in each bucket.
///
/// The numbers are in the order of their buckets. The elements of such a subsequence keep their
/// places, and all others move.
func longestIncreasing(_ numbers: [(bucket: Int, value: Int)]) -> Set<Int> {
  var chosen: Set<Int> = []
  var start = 0
  while start < numbers.count {
    var end = start
    while end < numbers.count, numbers[end].bucket == numbers[start].bucket { end += 1 }
    let bucket = Array(numbers[start..<end].map(\.value))
    for index in longestIncreasing(bucket) { chosen.insert(start + index) }
    start = end
  }
  return chosen
}

private func longestIncreasing(_ values: [Int]) -> [Int] {
  var tails: [Int] = []
  var previous = [Int?](repeating: nil, count: values.count)
  for (index, value) in values.enumerated() {
    let length = tails.indices.partitionPoint { values[tails[$0]] >= value }
    previous[index] = length > 0 ? tails[length - 1] : nil
    if length == tails.count { tails.append(index) } else { tails[length] = index }
  }
  var result: [Int] = []
  var next = tails.last
  while let index = next {
    result.append(index)
    next = previous[index]
  }
  return result
}

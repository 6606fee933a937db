/// The sections of a list: their names, and how many elements each has.
package struct SectionTable {
  package private(set) var names: [String]
  package private(set) var counts: [Int]
  /// The place of each section's first element, and the number of all elements at the end.
  private var starts: [Int]
  private var index: PlaceIndex<String>

  /// - Precondition: The names differ.
  package init(names: [String] = [], counts: [Int] = []) {
    (self.names, self.counts) = (names, counts)
    starts = Self.starts(counts)
    index = PlaceIndex(names)
  }

  package var count: Int { names.count }

  package func contains(_ name: String) -> Bool { index.contains(name) }

  /// The number of the section with a name.
  package func section(named name: String) -> Int? { index.place(of: name) }

  /// The places of a section's elements.
  package func range(of section: Int) -> Range<Int> { starts[section]..<starts[section + 1] }

  /// The number of the section that contains a place.
  package func section(at place: Int) -> Int { starts.firstIndexAscending { $0 > place } - 1 }

  /// Removes and inserts sections.
  ///
  /// - Parameters:
  ///   - deleted: The numbers of the removed sections, ascending.
  ///   - inserted: The new sections, ascending by their final numbers.
  mutating func replace(_ deleted: [Int], with inserted: [(section: Int, name: String)]) {
    for section in deleted.reversed() {
      index.remove(names.remove(at: section), at: section)
      counts.remove(at: section)
    }
    var isIndexed = true
    for (section, name) in inserted {
      names.insert(name, at: section)
      counts.insert(0, at: section)
      isIndexed = isIndexed && index.insert(name, at: section)
    }
    if !isIndexed { index = PlaceIndex(names) }
  }

  /// Changes the numbers of elements, by section.
  mutating func add(_ differences: [Int: Int]) {
    for (section, difference) in differences { counts[section] += difference }
    starts = Self.starts(counts)
  }

  private static func starts(_ counts: [Int]) -> [Int] {
    var starts = [0]
    starts.reserveCapacity(counts.count + 1)
    for count in counts { starts.append(starts[starts.count - 1] + count) }
    return starts
  }
}

/// The fields of a record, sorted by name.
///
/// A record has few fields, and most accesses visit all of them. A sorted array is faster than a
/// dictionary here, and its order is deterministic.
package struct RecordFields: Hashable, Sendable {
  package struct Entry: Hashable, Sendable {
    package var name: String
    package var field: Field

    package init(name: String, field: Field) {
      self.name = name
      self.field = field
    }
  }

  /// In strictly ascending order of the names' bytes.
  package private(set) var entries: [Entry]

  package init() { entries = [] }

  /// Creates an empty collection with reserved capacity.
  package init(capacity: Int) {
    entries = []
    entries.reserveCapacity(capacity)
  }

  /// Creates a collection from entries that are already sorted.
  package init(sorted entries: [Entry]) {
    assert(Self.areInOrder(entries))
    self.entries = entries
  }

  /// Creates a collection from entries in any order; nil if two have the same name.
  package init?(unsorted entries: [Entry]) {
    self.entries = entries
    if Self.areInOrder(entries) { return }
    self.entries.sort { Self.comesBefore($0.name, $1.name) }
    if !Self.areInOrder(self.entries) { return nil }
  }

  private static func areInOrder(_ entries: [Entry]) -> Bool {
    entries.indices.dropFirst().allSatisfy { comesBefore(entries[$0 - 1].name, entries[$0].name) }
  }

  package var count: Int { entries.count }
  package var isEmpty: Bool { entries.isEmpty }

  package subscript(name: String) -> Field? {
    get {
      let place = place(of: name)
      return place.isTaken ? entries[place.index].field : nil
    }
    set {
      let place = place(of: name)
      guard let newValue else {
        if place.isTaken { entries.remove(at: place.index) }
        return
      }
      if place.isTaken {
        entries[place.index].field = newValue
      } else if place.index == entries.count {
        entries.append(Entry(name: name, field: newValue))
      } else {
        entries.insert(Entry(name: name, field: newValue), at: place.index)
      }
    }
  }

  private func place(of name: String) -> (index: Int, isTaken: Bool) {
    // Fields are mostly appended in order, so the end is checked first.
    guard let last = entries.last, !Self.comesBefore(last.name, name) else {
      return (entries.count, false)
    }
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if Self.comesBefore(entries[middle].name, name) { low = middle + 1 } else { high = middle }
    }
    return (low, low < entries.count && entries[low].name == name)
  }

  private static func comesBefore(_ one: String, _ other: String) -> Bool {
    one.utf8.lexicographicallyPrecedes(other.utf8)
  }
}

extension RecordFields: Sequence {
  package func makeIterator() -> IndexingIterator<[Entry]> { entries.makeIterator() }
}

extension RecordFields: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (String, Field)...) {
    self.init()
    for (name, field) in elements { self[name] = field }
  }
}

/// The pending changes of records or zones, in the order in which they were added.
///
/// There is at most one change per name, the newest. Each change has a stamp, so that a change that
/// was added again while it was being sent stays.
package struct PendingList<Name: Hashable & Sendable>: Sendable {
  /// The kinds of changes.
  package enum Kind: String, Codable, Sendable {
    case save
    case delete
  }

  /// A pending change.
  package struct Item: Equatable, Sendable {
    package var kind: Kind
    package var name: Name

    package init(_ kind: Kind, _ name: Name) {
      self.kind = kind
      self.name = name
    }
  }

  private struct Entry: Sendable {
    var item: Item
    var stamp: UInt64
  }

  /// The changes, nil where one was removed; `indexes` contains the positions of the others.
  private var entries: [Entry?] = []
  private var indexes: [Name: Int] = [:]
  /// The stamp of the newest change.
  package private(set) var stamp: UInt64 = 0

  package init() {}

  package var isEmpty: Bool { indexes.isEmpty }
  package var count: Int { indexes.count }
  /// All pending changes in order.
  package var items: [Item] { entries.compactMap { $0?.item } }

  /// Adds a change.
  ///
  /// The same change keeps its position. An opposite change moves to the end.
  package mutating func add(_ item: Item) {
    stamp += 1
    if let index = indexes[item.name] {
      if entries[index]?.item.kind == item.kind {
        entries[index]?.stamp = stamp
        return
      }
      removeEntry(item.name, at: index)
    }
    indexes[item.name] = entries.count
    entries.append(Entry(item: item, stamp: stamp))
  }

  /// Removes a change.
  ///
  /// Has no effect if it is not pending or the opposite change is.
  package mutating func remove(_ item: Item) {
    guard let index = indexes[item.name], entries[index]?.item.kind == item.kind else { return }
    removeEntry(item.name, at: index)
  }

  /// Removes a change that was performed, unless it was added again after the stamp.
  package mutating func settle(_ name: Name, upTo stamp: UInt64) {
    guard let index = indexes[name], let entry = entries[index], entry.stamp <= stamp else {
      return
    }
    removeEntry(name, at: index)
  }

  private mutating func removeEntry(_ name: Name, at index: Int) {
    indexes[name] = nil
    entries[index] = nil
    // Gaps are removed once they are the majority, so the amortized cost is constant.
    guard entries.count > 32, indexes.count * 2 < entries.count else { return }
    entries = entries.filter { $0 != nil }
    for (index, entry) in entries.enumerated() {
      if let entry { indexes[entry.item.name] = index }
    }
  }
}

extension PendingList: Equatable {
  /// Whether two lists have the same changes in the same order, whatever their stamps.
  package static func == (one: PendingList, other: PendingList) -> Bool { one.items == other.items }
}

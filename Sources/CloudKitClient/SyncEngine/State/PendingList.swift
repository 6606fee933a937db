/// Things that are to be saved or deleted on the server, in the order in which they were wished,
/// each once.
///
/// The last wish counts: what is saved and then deleted is deleted. Every wish has a stamp, so that
/// what was wished again while it was being sent stays.
package struct PendingList<Name: Hashable & Sendable>: Sendable {
  /// What is to be done.
  package enum Kind: String, Codable, Sendable {
    case save
    case delete
  }

  /// One thing that is to be done.
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

  /// With a gap where something was taken away; `places` says where the others are.
  private var entries: [Entry?] = []
  private var places: [Name: Int] = [:]
  /// The stamp of the last wish.
  package private(set) var stamp: UInt64 = 0

  package init() {}

  package var isEmpty: Bool { places.isEmpty }
  package var count: Int { places.count }
  /// Everything that is to be done, in the order in which it was first wished.
  package var items: [Item] { entries.compactMap { $0?.item } }

  /// PendingActions that something is done.
  ///
  /// What was already wished keeps its place; where the contrary was, the new wish comes last.
  package mutating func add(_ item: Item) {
    stamp += 1
    if let place = places[item.name] {
      if entries[place]?.item.kind == item.kind {
        entries[place]?.stamp = stamp
        return
      }
      entries[place] = nil
    }
    places[item.name] = entries.count
    entries.append(Entry(item: item, stamp: stamp))
  }

  /// Takes a wish back; nothing happens where it is not there, or the contrary is.
  package mutating func remove(_ item: Item) {
    guard let place = places[item.name], entries[place]?.item.kind == item.kind else { return }
    takeAway(item.name, at: place)
  }

  /// Notes that something was done that had been wished by a stamp; it stays where it was wished
  /// again since.
  package mutating func settle(_ name: Name, wishedBy stamp: UInt64) {
    guard let place = places[name], let entry = entries[place], entry.stamp <= stamp else { return }
    takeAway(name, at: place)
  }

  private mutating func takeAway(_ name: Name, at place: Int) {
    places[name] = nil
    entries[place] = nil
    // Gaps are closed when they are more than what is left, so that each costs the same in the end.
    guard entries.count > 32, places.count * 2 < entries.count else { return }
    entries = entries.filter { $0 != nil }
    for (place, entry) in entries.enumerated() {
      if let entry { places[entry.item.name] = place }
    }
  }
}

extension PendingList: Equatable {
  /// Lists are equal where they wish the same in the same order, whenever that was.
  package static func == (one: PendingList, other: PendingList) -> Bool { one.items == other.items }
}

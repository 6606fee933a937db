/// The division of pending entries into requests.
///
/// The changes of one save travel in one request if they fit. Otherwise they are split into parts
/// that do not refer to each other. A part is split only if it alone is too large. The batches of a
/// split save are marked.
package struct BatchPlan: Sendable {
  /// The limits of one request.
  package struct Limits: Hashable, Sendable {
    package var operations: Int
    package var bytes: Int

    package init(operations: Int, bytes: Int) {
      self.operations = operations
      self.bytes = bytes
    }
  }

  /// The data of an entry that decides the division.
  package struct Item: Sendable {
    package let subject: OutboxEntry.Subject
    package let group: Int64
    package let bytes: Int
    /// The subjects that the record refers to or must follow.
    package let refersTo: [OutboxEntry.Subject]

    package init(
      subject: OutboxEntry.Subject, group: Int64, bytes: Int, refersTo: [OutboxEntry.Subject]
    ) {
      self.subject = subject
      self.group = group
      self.bytes = bytes
      self.refersTo = refersTo
    }
  }

  /// One request.
  package struct Batch: Hashable, Sendable {
    /// The indices of the items.
    package let items: [Int]
    /// The numbers of the first and the last group.
    package let groups: ClosedRange<Int64>
    /// Whether a group is divided: other devices see it in parts for a while.
    package let isPartOfGroup: Bool
  }

  package let batches: [Batch]

  /// Divides items that are in the order of their groups.
  package init(_ items: [Item], limits: Limits) {
    var filling = BatchFilling(items, limits)
    for group in Self.groups(items) {
      if filling.takes(group) {
        filling.add(group)
      } else if filling.fitsAlone(group) {
        filling.close()
        filling.add(group)
      } else {
        filling.close()
        for part in Self.parts(of: group, items) { filling.addPart(part) }
        filling.close()
      }
    }
    filling.close()
    batches = filling.batches
  }

  /// The items of each group, in order.
  private static func groups(_ items: [Item]) -> [[Int]] {
    var groups: [[Int]] = []
    for place in items.indices {
      if let last = groups.last?.last, items[last].group == items[place].group {
        groups[groups.count - 1].append(place)
      } else {
        groups.append([place])
      }
    }
    return groups
  }

  /// Returns parts of a group that do not refer to each other, in order.
  private static func parts(of group: [Int], _ items: [Item]) -> [[Int]] {
    var sets = DisjointSets(items.count)
    let places = Dictionary(
      group.map { (items[$0].subject, $0) }, uniquingKeysWith: { first, _ in first })
    for place in group {
      for subject in items[place].refersTo {
        if let other = places[subject] { sets.join(place, other) }
      }
    }
    return sets.members(of: group)
  }
}

/// Batches that are being filled.
private struct BatchFilling {
  private let items: [BatchPlan.Item]
  private let limits: BatchPlan.Limits
  private var current: [Int] = []
  private var bytes = 0
  private var isPart = false
  private(set) var batches: [BatchPlan.Batch] = []

  init(_ items: [BatchPlan.Item], _ limits: BatchPlan.Limits) {
    self.items = items
    self.limits = limits
  }

  private func size(_ places: [Int]) -> Int { places.reduce(0) { $0 + items[$1].bytes } }

  func takes(_ places: [Int]) -> Bool {
    current.count + places.count <= limits.operations && bytes + size(places) <= limits.bytes
  }

  func fitsAlone(_ places: [Int]) -> Bool {
    places.count <= limits.operations && size(places) <= limits.bytes
  }

  mutating func add(_ places: [Int]) {
    current += places
    bytes += size(places)
  }

  /// Adds a part of a divided group; one that is too large continues in further batches.
  mutating func addPart(_ places: [Int]) {
    if !takes(places) { close() }
    isPart = true
    guard !fitsAlone(places) else { return add(places) }
    for place in places {
      if !takes([place]), !current.isEmpty {
        close()
        isPart = true
      }
      add([place])
    }
  }

  mutating func close() {
    defer { (current, bytes, isPart) = ([], 0, false) }
    let groups = current.map { items[$0].group }
    guard let first = groups.min(), let last = groups.max() else { return }
    batches.append(BatchPlan.Batch(items: current, groups: first...last, isPartOfGroup: isPart))
  }
}

/// Disjoint sets of indices.
private struct DisjointSets {
  private var parents: [Int]

  init(_ count: Int) { parents = Array(0..<count) }

  private mutating func root(of place: Int) -> Int {
    var place = place
    while parents[place] != place {
      parents[place] = parents[parents[place]]
      place = parents[place]
    }
    return place
  }

  /// Joins two sets; the smaller index represents both.
  mutating func join(_ one: Int, _ other: Int) {
    let (one, other) = (root(of: one), root(of: other))
    parents[max(one, other)] = min(one, other)
  }

  /// Returns the sets of some indices, by their first members, each in order.
  mutating func members(of places: [Int]) -> [[Int]] {
    var order: [Int] = []
    var members: [Int: [Int]] = [:]
    for place in places {
      let root = root(of: place)
      if members[root] == nil { order.append(root) }
      members[root, default: []].append(place)
    }
    return order.compactMap { members[$0] }
  }
}

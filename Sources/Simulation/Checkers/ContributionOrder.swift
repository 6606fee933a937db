/// A contribution to a shared discussion: it follows another one, or starts a thread.
package struct Contribution: Sendable, Equatable {
  package let key: String
  /// The contribution that it follows; nil for the start of a thread.
  package let parent: String?
  /// The device that created it.
  package let author: String
  /// The time in milliseconds, by that device's clock.
  package let date: Int64

  package init(key: String, parent: String?, author: String, date: Int64) {
    (self.key, self.parent, self.author, self.date) = (key, parent, author, date)
  }

  /// Compares by date, then by device, then by key.
  static func isEarlier(_ one: Self, _ other: Self) -> Bool {
    (one.date, one.author, one.key) < (other.date, other.author, other.key)
  }
}

/// Two reading orders of contributions, which depend only on the contributions.
///
///     1 Device1 ──▶ 3 Device2 ──▶ 2 Device3 (slow clock)     by date   1 2 3 4 5
///        └────────▶ 4 Device1                                by tree   1 3 2 4 5
///     5 Device2
///
/// The numbers are dates. In the tree, siblings are in the order of their dates, each followed by
/// its descendants. So no contribution precedes its parent, whatever the clocks show.
package struct ContributionOrder: Sendable, Equatable {
  /// All contributions, by date.
  package let byDate: [String]
  /// The contributions that descend from a thread's start, each before its descendants.
  package let byTree: [String]
  /// The contributions in cycles.
  package let cyclic: [String]
  /// The contributions whose parent does not exist.
  package let orphans: [String]

  package init(_ contributions: [Contribution]) {
    let sorted = contributions.sorted(by: Contribution.isEarlier)
    let keys = Set(sorted.map(\.key))
    let followers = Dictionary(grouping: sorted) {
      $0.parent.flatMap { keys.contains($0) ? $0 : nil }
    }
    let tree = Self.tree(of: followers)
    byDate = sorted.map(\.key)
    byTree = tree
    cyclic = keys.subtracting(tree).sorted()
    orphans = sorted.filter { $0.parent.map { !keys.contains($0) } ?? false }.map(\.key).sorted()
  }

  /// Returns the contributions in the order of the tree, each before its children.
  ///
  /// - Parameter followers: The children of each contribution, in order; the children of nil start
  ///   threads.
  private static func tree(of followers: [String?: [Contribution]]) -> [String] {
    var order: [String] = []
    var waiting = Array(followers[nil, default: []].reversed())
    while let next = waiting.popLast() {
      order.append(next.key)
      waiting += followers[next.key, default: []].reversed()
    }
    return order
  }

  /// The first two contributions whose relative order differs from an earlier order; nil if there
  /// are none.
  package func changed(since former: Self) -> (String, String)? {
    Self.changed(byDate, since: former.byDate) ?? Self.changed(byTree, since: former.byTree)
  }

  private static func changed(_ order: [String], since former: [String]) -> (String, String)? {
    let (now, before) = (Set(order), Set(former))
    return zip(former.filter(now.contains), order.filter(before.contains)).first { $0 != $1 }
  }
}

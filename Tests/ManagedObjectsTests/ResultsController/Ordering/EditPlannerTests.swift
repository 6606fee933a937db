import Foundation
import ManagedObjects
import TestSupport
import Testing

/// An element with a rank; its section is decided by the rank, so sections are in order.
private final class Item {
  var rank: Int
  let name: Int

  init(_ rank: Int, _ name: Int) {
    (self.rank, self.name) = (rank, name)
  }
}

/// A list of items, with counts of what its order reads.
private struct RankedItems {
  var list = SectionedList<Item>()
  let hasSections: Bool
  let isDescending: Bool
  let counts = Counts()

  final class Counts {
    var keys = 0
    var comparisons = 0
  }

  init(_ items: [Item], hasSections: Bool, isDescending: Bool = false) {
    (self.hasSections, self.isDescending) = (hasSections, isDescending)
    let sorted = items.sorted { isDescending ? $0.rank > $1.rank : $0.rank < $1.rank }
    guard hasSections else {
      list = SectionedList(sorted, SectionTable(names: [""], counts: [sorted.count]))
      return
    }
    var (names, sizes): ([String], [Int]) = ([], [])
    for item in sorted {
      if names.last != Self.section(item) {
        names.append(Self.section(item))
        sizes.append(0)
      }
      sizes[sizes.count - 1] += 1
    }
    list = SectionedList(sorted, SectionTable(names: names, counts: sizes))
  }

  static func section(_ item: Item) -> String { "\(item.rank / 4)" }

  private var order: ListOrder<Item, Int> {
    let (counts, isDescending) = (self.counts, self.isDescending)
    let key: (Item) -> Int = { item in
      counts.keys += 1
      return item.rank
    }
    let compare: (Int, Int) -> ComparisonResult = { one, other in
      counts.comparisons += 1
      if one == other { return .orderedSame }
      return (one < other) != isDescending ? .orderedAscending : .orderedDescending
    }
    let name: (Item) -> String = { item in Self.section(item) }
    return ListOrder(key: key, compare: compare, sectionName: hasSections ? name : nil)
  }

  /// Plans and applies an edit, and returns it with the former sections.
  mutating func edit(departed: [Item] = [], touched: [Item] = [], arrived: [Item] = [])
    -> ListEdit<Item>
  {
    let edit = EditPlanner(
      &list, order, departed: departed, touched: touched, arrived: arrived
    ).plan()
    list.apply(edit)
    return edit
  }

  /// The items by section.
  var sections: [[Item]] {
    (0..<list.sections.count).map { Array(list.elements[list.sections.range(of: $0)]) }
  }
}

/// The contents of a table that applied the reports of an edit.
private func applying(_ edit: ListEdit<Item>, to sections: [[Item]], _ after: RankedItems)
  -> [[Item]]
{
  var shown: [[Item?]] = sections.map { $0.map(Optional.some) }
  for change in edit.changes where change.kind == .delete || change.kind == .move {
    if let from = change.from { shown[from[0]][from[1]] = nil }
  }
  var result = shown.map { $0.compactMap(\.self) }
  for section in edit.deletedSections.reversed() {
    #expect(result[section].isEmpty, "A deleted section has objects that were not reported.")
    result.remove(at: section)
  }
  for section in edit.insertedSections { result.insert([], at: section.section) }
  let arrivals = edit.changes.filter { $0.kind == .insert || $0.kind == .move }
    .sorted { $0.to ?? 0 < $1.to ?? 0 }
  for change in arrivals {
    let path = after.list.indexPath(change.to ?? 0)
    result[path[0]].insert(change.element, at: path[1])
  }
  return result
}

@Suite struct EditPlannerTests {
  @Test(arguments: [(true, false), (true, true), (false, false), (false, true)])
  func `Applying the reported changes to the former list gives the new one`(
    _ hasSections: Bool, _ isDescending: Bool
  ) {
    var random = SeededGenerator.forTest()
    for _ in 0..<300 {
      let items = (0..<Int.random(in: 0...12, using: &random)).map {
        Item(Int.random(in: 0..<16, using: &random), $0)
      }
      var ranked = RankedItems(items, hasSections: hasSections, isDescending: isDescending)
      for _ in 0..<4 {
        let former = ranked.sections
        let (departed, touched, arrived) = randomEdit(of: ranked.list.elements, &random)
        let edit = ranked.edit(departed: departed, touched: touched, arrived: arrived)
        let shown = applying(edit, to: former, ranked)
        #expect(
          shown.map { $0.map(ObjectIdentifier.init) }
            == ranked.sections.map { $0.map(ObjectIdentifier.init) }, "\(random)")
        expectOrder(ranked, "\(random)")
        #expect(edit.changes.count == departed.count + touched.count + arrived.count)
      }
    }
  }

  private func randomEdit(of items: [Item], _ random: inout SeededGenerator) -> (
    departed: [Item], touched: [Item], arrived: [Item]
  ) {
    let shuffled = items.shuffled(using: &random)
    let gone = Int.random(in: 0...min(3, shuffled.count), using: &random)
    let departed = Array(shuffled.prefix(gone))
    let touched = Array(shuffled.dropFirst(gone).prefix(Int.random(in: 0...5, using: &random)))
    for item in touched where Bool.random(using: &random) {
      item.rank = Int.random(in: 0..<16, using: &random)
    }
    let arrived = (0..<Int.random(in: 0...3, using: &random)).map {
      Item(Int.random(in: 0..<16, using: &random), 100 + $0)
    }
    return (departed, touched, arrived)
  }

  private func expectOrder(_ ranked: RankedItems, _ seed: String) {
    var list = ranked.list
    let ranks = list.elements.map(\.rank)
    #expect(ranks == ranks.sorted { ranked.isDescending ? $0 > $1 : $0 < $1 }, "\(seed)")
    let places = list.elements.map { list.place(of: $0) }
    #expect(places == list.elements.indices.map(Optional.some), "\(seed)")
    guard ranked.hasSections else { return }
    for (number, section) in ranked.sections.enumerated() {
      #expect(!section.isEmpty, "\(seed)")
      #expect(
        section.allSatisfy { RankedItems.section($0) == list.sections.names[number] }, "\(seed)")
    }
  }

  @Test func `An unchanged element is an update, not a move`() {
    let items = [1, 1, 1, 2].enumerated().map { Item($1, $0) }
    var ranked = RankedItems(items, hasSections: true)
    let edit = ranked.edit(touched: [items[1], items[0]])
    #expect(edit.changes.map(\.kind) == [.update, .update])
    #expect(ranked.list.elements.map(\.name) == [0, 1, 2, 3])
  }

  @Test func `Of two elements that change places, one moves`() {
    let items = [Item(1, 0), Item(2, 1)]
    var ranked = RankedItems(items, hasSections: false)
    (items[0].rank, items[1].rank) = (2, 1)
    let edit = ranked.edit(touched: items)
    #expect(edit.changes.map(\.kind) == [.move, .update])
    #expect(ranked.list.elements.map(\.name) == [1, 0])
  }

  @Test func `A section that only changes its members stays`() {
    let items = [Item(1, 0), Item(5, 1)]
    var ranked = RankedItems(items, hasSections: true)
    let edit = ranked.edit(departed: [items[0]], arrived: [Item(2, 2)])
    #expect(edit.deletedSections.isEmpty && edit.insertedSections.isEmpty)
    #expect(edit.changes.map(\.kind) == [.delete, .insert])
  }

  @Test func `Sections that change places are deleted and inserted`() {
    let items = [Item(1, 0), Item(5, 1)]
    var ranked = RankedItems(items, hasSections: true)
    (items[0].rank, items[1].rank) = (9, 2)
    let edit = ranked.edit(touched: items)
    #expect(ranked.list.sections.names == ["0", "2"])
    #expect(edit.deletedNames == ["1"] && edit.insertedSections.map(\.name) == ["2"])
    #expect(edit.changes.map(\.kind) == [.move, .move])
  }

  // MARK: Cost

  private func large(_ count: Int, hasSections: Bool) -> (RankedItems, [Item]) {
    let items = (0..<count).map { Item($0, $0) }
    var ranked = RankedItems(items, hasSections: hasSections)
    _ = ranked.edit(touched: [items[0]])
    (ranked.counts.keys, ranked.counts.comparisons) = (0, 0)
    return (ranked, items)
  }

  @Test(arguments: [false, true])
  func `An update reads and compares as little in a long list as in a short one`(
    _ hasSections: Bool
  ) {
    let counts = [1000, 100_000].map { count in
      let (start, items) = large(count, hasSections: hasSections)
      var ranked = start
      #expect(ranked.edit(touched: [items[count / 2 + 1]]).changes.map(\.kind) == [.update])
      return [ranked.counts.keys, ranked.counts.comparisons]
    }
    #expect(counts[0] == counts[1] && counts[1][0] <= 3 && counts[1][1] <= 2)
  }

  @Test(arguments: [false, true])
  func `An insertion and a move visit as many elements as a binary search`(_ hasSections: Bool) {
    for count in [1000, 100_000] {
      let (start, items) = large(count, hasSections: hasSections)
      var ranked = start
      _ = ranked.edit(arrived: [Item(count / 3, -1)])
      items[count / 2].rank = count / 4
      _ = ranked.edit(touched: [items[count / 2]])
      let visits = 2 * (Int(log2(Double(count))) + 4)
      #expect(ranked.counts.keys <= visits && ranked.counts.comparisons <= visits)
    }
  }

  @Test func `Thousands of insertions at one place keep places exact`() {
    var ranked = large(10, hasSections: false).0
    for number in 0..<3000 { _ = ranked.edit(arrived: [Item(5, 1000 + number)]) }
    let elements = ranked.list.elements
    let places = elements.map { ranked.list.place(of: $0) }
    #expect(places == elements.indices.map(Optional.some))
    #expect(ranked.list.count == 3010)
  }
}

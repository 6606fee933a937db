import Foundation

/// Decides how a list changes when some of its elements change, leave, or arrive.
///
/// The planner compares each element that stays only with its neighbours. If the element no longer
/// fits there, or is new, a binary search finds its place.
package struct EditPlanner<Element: AnyObject, Key> {
  private let list: SectionedList<Element>
  private let order: ListOrder<Element, Key>
  /// The places of the elements that are not affected.
  private let remaining: RemainingPlaces
  /// The sections that still contain such elements; in a list without section names, its only one.
  private let remainingSections: RemainingPlaces
  private let departed: [(element: Element, place: Int)]
  private var placements: [Placement<Element, Key>]

  /// Creates a planner for changes of a list's elements.
  ///
  /// - Parameters:
  ///   - departed: Elements of the list that leave it.
  ///   - touched: Elements of the list that may have to move.
  ///   - arrived: Elements that the list does not contain.
  package init(
    _ list: inout SectionedList<Element>, _ order: ListOrder<Element, Key>, departed: [Element],
    touched: [Element], arrived: [Element]
  ) {
    self.order = order
    func placed(_ elements: [Element]) -> [(element: Element, place: Int)] {
      elements.compactMap { element in list.place(of: element).map { (element, $0) } }
    }
    self.departed = placed(departed)
    let touched = placed(touched)
    self.list = list
    let removals = (self.departed + touched).map(\.place).sorted()
    remaining = RemainingPlaces(removed: removals, total: list.count)
    let emptied =
      order.sectionName == nil ? [] : Self.sectionsEmptied(by: removals, list.sections)
    remainingSections = RemainingPlaces(removed: emptied, total: list.sections.count)
    placements = touched.map {
      Placement($0.element, order, formerPlace: $0.place)
    }
    placements += arrived.enumerated().map { Placement($1, order, arrival: $0) }
  }

  private static func sectionsEmptied(by removals: [Int], _ sections: SectionTable) -> [Int] {
    var counts: [Int: Int] = [:]
    for place in removals { counts[sections.section(at: place), default: 0] += 1 }
    return counts.filter { sections.counts[$0.key] == $0.value }.keys.sorted()
  }

  /// Plans the edit.
  package func plan() -> ListEdit<Element> {
    var groups: [SectionGroup<Element, Key>] = []
    var settled: [Placement<Element, Key>] = []
    place(&settled, &groups)
    arrange(&groups)
    for (number, group) in groups.enumerated() {
      for var member in group.members {
        member.position = Position(
          gap: group.gap, group: number, slot: start(ofGap: group.gap))
        member.fits = group.keepsSection && member.fits
        settled.append(member)
      }
    }
    settled.sort(by: precedes)
    return edit(settled, groups)
  }

  // MARK: Placing

  /// Finds the slots of elements in remaining sections, and groups the others by section.
  private func place(
    _ settled: inout [Placement<Element, Key>], _ groups: inout [SectionGroup<Element, Key>]
  ) {
    var groupsByName: [String: Int] = [:]
    for var placement in placements {
      if let section = remainingSection(named: placement.sectionName) {
        settle(&placement, in: section)
        settled.append(placement)
        continue
      }
      let name = placement.sectionName
      let section = list.sections.section(named: name)
      placement.fits =
        section != nil && placement.formerPlace.map { list.sections.section(at: $0) } == section
      if let number = groupsByName[name] {
        groups[number].members.append(placement)
      } else {
        groupsByName[name] = groups.count
        groups.append(SectionGroup(name: name, formerSection: section, members: [placement]))
      }
    }
  }

  /// The number of a section that still contains elements, or of the only section.
  private func remainingSection(named name: String) -> Int? {
    guard order.sectionName != nil else { return 0 }
    guard let section = list.sections.section(named: name),
      !remainingSections.isRemoved(section)
    else { return nil }
    return section
  }

  /// Finds the slot of an element in a section: its former one if it fits, or the last that fits.
  private func settle(_ placement: inout Placement<Element, Key>, in section: Int) {
    let range = list.sections.range(of: section)
    let slots = remaining.rank(of: range.lowerBound)..<(remaining.rank(of: range.upperBound) + 1)
    var slot: Int?
    if let former = placement.formerPlace, list.sections.section(at: former) == section {
      slot = remaining.rank(of: former)
    }
    if let known = slot, !fits(placement.key, known, slots) { slot = nil }
    placement.fits = slot != nil
    placement.position = Position(
      gap: remainingSections.rank(of: section), group: nil,
      slot: slot ?? lastSlot(placement.key, slots))
  }

  private func fits(_ key: Key, _ slot: Int, _ slots: Range<Int>) -> Bool {
    if slot > slots.lowerBound,
      order.compare(remainingKey(slot - 1), key) == .orderedDescending
    {
      return false
    }
    return slot == slots.upperBound - 1
      || order.compare(key, remainingKey(slot)) != .orderedDescending
  }

  /// The slot after all elements that do not come after a key.
  private func lastSlot(_ key: Key, _ slots: Range<Int>) -> Int {
    (slots.lowerBound..<(slots.upperBound - 1)).partitionPoint {
      order.compare(remainingKey($0), key) == .orderedDescending
    }
  }

  private func remainingKey(_ rank: Int) -> Key {
    order.key(list.elements[remaining.place(ofRank: rank)])
  }

  // MARK: Sections

  /// Sorts the members of new and emptied sections, and these sections among the remaining ones.
  private func arrange(_ groups: inout [SectionGroup<Element, Key>]) {
    for number in groups.indices {
      groups[number].members.sort { comesFirst($0, $1) }
      findGap(of: &groups[number])
    }
    groups.sort { one, other in
      one.gap != other.gap ? one.gap < other.gap : comesFirst(one.members[0], other.members[0])
    }
    keepSectionsInOrder(&groups)
  }

  /// Finds the place of a section: its former one if it fits, or the last that fits.
  private func findGap(of group: inout SectionGroup<Element, Key>) {
    let (first, last) = (group.members[0].key, group.members[group.members.count - 1].key)
    if let former = group.formerSection {
      let gap = remainingSections.rank(of: former)
      let isAfter =
        gap == 0 || order.compare(remainingKey(start(ofGap: gap) - 1), first) != .orderedDescending
      let isBefore =
        gap == remainingSections.count
        || order.compare(last, remainingKey(start(ofGap: gap))) != .orderedDescending
      if isAfter, isBefore {
        group.gap = gap
        group.keepsSection = true
        return
      }
    }
    group.gap = (0..<remainingSections.count).partitionPoint {
      order.compare(remainingKey(start(ofGap: $0)), first) == .orderedDescending
    }
  }

  /// The number of remaining elements before a remaining section.
  private func start(ofGap gap: Int) -> Int {
    guard gap < remainingSections.count else { return remaining.count }
    return remaining.rank(
      of: list.sections.range(of: remainingSections.place(ofRank: gap)).lowerBound)
  }

  /// Keeps, of the emptied sections in one gap, only those that are still in their former order.
  private func keepSectionsInOrder(_ groups: inout [SectionGroup<Element, Key>]) {
    let kept = groups.indices.filter { groups[$0].keepsSection }
    let stays = longestIncreasing(
      kept.map { (groups[$0].gap, groups[$0].formerSection ?? 0) })
    for (number, index) in kept.enumerated() where !stays.contains(number) {
      groups[index].keepsSection = false
    }
  }

  // MARK: Order

  private func precedes(_ one: Placement<Element, Key>, _ other: Placement<Element, Key>) -> Bool {
    let (left, right) = (one.position, other.position)
    if left != right { return left < right }
    return comesFirst(one, other)
  }

  private func comesFirst(_ one: Placement<Element, Key>, _ other: Placement<Element, Key>) -> Bool
  {
    switch order.compare(one.key, other.key) {
    case .orderedAscending: true
    case .orderedDescending: false
    case .orderedSame: one.sequence < other.sequence
    }
  }

  // MARK: Edit

  private func edit(
    _ settled: [Placement<Element, Key>], _ groups: [SectionGroup<Element, Key>]
  ) -> ListEdit<Element> {
    var edit = ListEdit<Element>()
    edit.removals = remaining.removed
    let kept = Set(groups.filter(\.keepsSection).compactMap(\.formerSection))
    edit.deletedSections = remainingSections.removed.filter { !kept.contains($0) }
    edit.deletedNames = edit.deletedSections.map { list.sections.names[$0] }
    for (number, group) in groups.enumerated() where !group.keepsSection {
      edit.insertedSections.append((group.gap + number, group.name))
    }
    for (number, placement) in settled.enumerated() {
      edit.insertions.append(insertion(placement, number, groups))
    }
    edit.changes = changes(settled, edit.insertions)
    return edit
  }

  private func insertion(
    _ placement: Placement<Element, Key>, _ number: Int, _ groups: [SectionGroup<Element, Key>]
  ) -> ListEdit<Element>.Insertion {
    let (gap, group) = (placement.position.gap, placement.position.group)
    let before = group ?? groups.firstIndexAscending { $0.gap > gap }
    return ListEdit.Insertion(
      element: placement.element, place: placement.position.slot + number, section: gap + before)
  }

  /// The changes: deletions, then insertions and moves by place, updates last.
  private func changes(
    _ settled: [Placement<Element, Key>], _ insertions: [ListEdit<Element>.Insertion]
  ) -> [ListEdit<Element>.Change] {
    let fitting = settled.indices.filter { settled[$0].fits }
    let stays = longestIncreasing(
      fitting.map { (settled[$0].position.slot, settled[$0].formerPlace ?? 0) })
    let updated = Set(fitting.enumerated().filter { stays.contains($0.offset) }.map(\.element))
    var changes = departed.sorted { $0.place < $1.place }.map {
      ListEdit.Change(
        element: $0.element, kind: .delete, from: list.indexPath($0.place), to: nil)
    }
    for (number, placement) in settled.enumerated() {
      let kind: NSFetchedResultsChangeType =
        placement.formerPlace == nil ? .insert : updated.contains(number) ? .update : .move
      changes.append(
        ListEdit.Change(
          element: placement.element, kind: kind,
          from: placement.formerPlace.map { list.indexPath($0) }, to: insertions[number].place))
    }
    return changes.filter { $0.kind != .update } + changes.filter { $0.kind == .update }
  }
}

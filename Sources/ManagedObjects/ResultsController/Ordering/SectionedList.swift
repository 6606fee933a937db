package import Foundation

/// A list of objects in order, divided into sections.
package struct SectionedList<Element: AnyObject> {
  package private(set) var elements: [Element] = []
  package private(set) var sections = SectionTable()
  /// The index of the elements' places; created when it is first used.
  private var places: PlaceIndex<ObjectIdentifier>?

  package init() {}

  /// - Precondition: The elements differ, and the sections contain all of them.
  package init(_ elements: [Element], _ sections: SectionTable) {
    self.elements = elements
    self.sections = sections
  }

  package var count: Int { elements.count }

  /// The place of an element, or nil if the list does not contain it.
  package mutating func place(of element: Element) -> Int? {
    index()
    return places?.place(of: ObjectIdentifier(element))
  }

  /// Creates the index of places.
  private mutating func index() {
    if places == nil { places = PlaceIndex(elements.map { ObjectIdentifier($0) }) }
  }

  /// The section and item of a place.
  package func indexPath(_ place: Int) -> IndexPath {
    let section = sections.section(at: place)
    return [section, place - sections.range(of: section).lowerBound]
  }

  /// The place of a section's item, or nil if there is none.
  func place(_ indexPath: IndexPath) -> Int? {
    guard indexPath.count == 2, sections.names.indices.contains(indexPath[0]), indexPath[1] >= 0
    else { return nil }
    let range = sections.range(of: indexPath[0])
    return indexPath[1] < range.count ? range.lowerBound + indexPath[1] : nil
  }

  // MARK: Editing

  /// Applies an edit that was planned for this list.
  package mutating func apply(_ edit: ListEdit<Element>) {
    index()
    applySections(edit)
    if edit.removals.count + edit.insertions.count <= Limits.singleListEdits {
      applySingly(edit)
    } else {
      applyTogether(edit)
    }
  }

  private mutating func applySections(_ edit: ListEdit<Element>) {
    var differences: [Int: Int] = [:]
    var removed: [String: Int] = [:]
    for place in edit.removals {
      removed[sections.names[sections.section(at: place)], default: 0] += 1
    }
    sections.replace(edit.deletedSections, with: edit.insertedSections)
    for name in edit.deletedNames { removed[name] = nil }
    for (name, count) in removed {
      if let section = sections.section(named: name) { differences[section, default: 0] -= count }
    }
    for insertion in edit.insertions { differences[insertion.section, default: 0] += 1 }
    sections.add(differences)
  }

  private mutating func applySingly(_ edit: ListEdit<Element>) {
    for place in edit.removals.reversed() {
      let element = elements.remove(at: place)
      places?.remove(ObjectIdentifier(element), at: place)
    }
    for insertion in edit.insertions {
      elements.insert(insertion.element, at: insertion.place)
      guard places?.insert(ObjectIdentifier(insertion.element), at: insertion.place) == false else {
        continue
      }
      places = nil
    }
    index()
  }

  /// Builds the list again, which costs less than many single edits.
  private mutating func applyTogether(_ edit: ListEdit<Element>) {
    var result: [Element] = []
    result.reserveCapacity(elements.count - edit.removals.count + edit.insertions.count)
    var (removals, insertions) = (edit.removals[...], edit.insertions[...])
    func insertDue() {
      while let next = insertions.first, next.place == result.count {
        result.append(next.element)
        insertions.removeFirst()
      }
    }
    for (place, element) in elements.enumerated() {
      if removals.first == place {
        removals.removeFirst()
        continue
      }
      insertDue()
      result.append(element)
    }
    insertDue()
    elements = result
    places = nil
    index()
  }
}

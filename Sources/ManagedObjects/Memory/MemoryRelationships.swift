import ManagedObjectModel
import ObjectRows

/// The numbered to-many relationships of a model, and the to-one relationships that fill them.
struct MemoryRelationships: Sendable {
  /// A to-one relationship whose inverse is to-many.
  ///
  /// Setting it changes the members of the destination's relationship.
  struct Feed: Sendable {
    let ordinal: Int
    /// The number of the inverse.
    let number: Int
  }

  /// A to-many relationship of a layout.
  struct ToMany: Sendable {
    let ordinal: Int
    let number: Int
    /// The number of the inverse, if that is to-many too.
    let inverse: Int?
  }

  private(set) var count = 0
  /// The feeds by layout index.
  private(set) var feeds: [[Feed]] = []
  private(set) var toMany: [[ToMany]] = []

  init(_ layouts: ModelLayouts) {
    var numbers: [ObjectIdentifier: Int] = [:]
    for layout in layouts.layouts {
      for case let relationship as NSRelationshipDescription in layout.properties
      where relationship.isToMany {
        let next = numbers.count
        numbers[ObjectIdentifier(relationship), default: next] += 0
      }
    }
    count = numbers.count
    for layout in layouts.layouts {
      feeds.append(Self.feeds(of: layout, numbers))
      toMany.append(Self.toMany(of: layout, numbers))
    }
  }

  /// The number of a to-many relationship, by its ordinal.
  func number(_ ordinal: Int, of layout: RowLayout) -> Int? {
    toMany[layout.index].first { $0.ordinal == ordinal }?.number
  }

  /// A to-many relationship of a layout, by its name.
  func toMany(named name: String, of layout: RowLayout) -> ToMany? {
    guard let ordinal = layout.ordinal(of: name) else { return nil }
    return toMany[layout.index].first { $0.ordinal == ordinal }
  }

  private static func feeds(of layout: RowLayout, _ numbers: [ObjectIdentifier: Int]) -> [Feed] {
    layout.properties.enumerated().compactMap { ordinal, property in
      guard let relationship = property as? NSRelationshipDescription, !relationship.isToMany,
        !relationship.isTransient, let inverse = relationship.inverseRelationship
      else { return nil }
      return numbers[ObjectIdentifier(inverse)].map { Feed(ordinal: ordinal, number: $0) }
    }
  }

  private static func toMany(of layout: RowLayout, _ numbers: [ObjectIdentifier: Int]) -> [ToMany] {
    layout.properties.enumerated().compactMap { ordinal, property in
      guard let relationship = property as? NSRelationshipDescription, relationship.isToMany,
        let number = numbers[ObjectIdentifier(relationship)]
      else { return nil }
      let inverse = relationship.inverseRelationship.flatMap { numbers[ObjectIdentifier($0)] }
      return ToMany(ordinal: ordinal, number: number, inverse: inverse)
    }
  }
}

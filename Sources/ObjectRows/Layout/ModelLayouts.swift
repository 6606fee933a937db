package import ManagedObjectModel

/// The layouts of all entities of a model.
///
/// They are made once for a model, when it comes into use, and shared by everything that works with
/// it.
// Sendable: immutable after its initialiser.
package final class ModelLayouts: @unchecked Sendable {
  /// The layouts: each entity, then its subentities, roots by name.
  package let layouts: [RowLayout]
  /// By the index of an entity's layout, that of the last of its subentities.
  private let lastOfFamily: [Int]
  private let indexesByEntity: [ObjectIdentifier: Int]
  private let indexesByName: [String: Int]
  /// By the index of an entity's layout, whether objects may lead to one of the entity that its
  /// deletion does not change.
  private let mayBeLedToAfterDeletion: [Bool]

  /// The layouts of a model.
  ///
  /// It freezes the model.
  package static func of(_ model: NSManagedObjectModel) -> ModelLayouts {
    model.freeze()
    return model.attachment(ModelLayouts.self) { ModelLayouts(model) }
  }

  /// The layout of an entity of the model.
  ///
  /// An entity of an equal model is found by its name.
  package subscript(entity: NSEntityDescription) -> RowLayout? {
    if let index = indexesByEntity[ObjectIdentifier(entity)] { return layouts[index] }
    return entity.name.flatMap { self[named: $0] }
  }

  package subscript(named name: String) -> RowLayout? { indexesByName[name].map { layouts[$0] } }

  package subscript(index: Int32) -> RowLayout { layouts[Int(index)] }

  /// The indexes of an entity's layout and those of its subentities, which follow it.
  package func family(of layout: RowLayout) -> ClosedRange<Int> {
    layout.index...lastOfFamily[layout.index]
  }

  private init(_ model: NSManagedObjectModel) {
    var layouts: [RowLayout] = []
    var lastOfFamily: [Int] = []
    func add(_ entity: NSEntityDescription, root: Int?) {
      let index = layouts.count
      layouts.append(RowLayout(entity: entity, index: index, rootIndex: root ?? index))
      lastOfFamily.append(index)
      for subentity in entity.subentities.sorted(by: precedesInStore) {
        add(subentity, root: root ?? index)
      }
      lastOfFamily[index] = layouts.count - 1
    }
    for root in model.entities.filter({ $0.superentity == nil }).sorted(by: precedesInStore) {
      add(root, root: nil)
    }
    self.layouts = layouts
    self.lastOfFamily = lastOfFamily
    indexesByEntity = Dictionary(
      layouts.map { (ObjectIdentifier($0.entity), $0.index) },
      uniquingKeysWith: { first, _ in first })
    indexesByName = Dictionary(
      layouts.compactMap { layout in layout.entity.name.map { ($0, layout.index) } },
      uniquingKeysWith: { first, _ in first })
    var isLedTo = [Bool](repeating: false, count: layouts.count)
    for layout in layouts {
      for case let relationship as NSRelationshipDescription in layout.properties {
        // Who is deleted does not clear the other side, nor knows a side that has no way back.
        if relationship.deleteRule == .noActionDeleteRule { isLedTo[layout.index] = true }
        guard relationship.inverseRelationship == nil,
          let destination = relationship.destinationEntity
        else {
          continue
        }
        let first = indexesByEntity[ObjectIdentifier(destination)]
        for index in first.map({ $0...lastOfFamily[$0] }) ?? 0...layouts.count - 1 {
          isLedTo[index] = true
        }
      }
    }
    mayBeLedToAfterDeletion = isLedTo
  }

  /// Whether deleting an object of an entity changes all objects that lead to it: each relationship
  /// that can lead to it has an inverse, and a rule that clears it.
  package func deletionChangesWhatLeads(to layout: RowLayout) -> Bool {
    !mayBeLedToAfterDeletion[layout.index]
  }
}

/// The order in which a store numbers entities: by name, without regard to case; an underscore
/// precedes letters.
package func precedesInStore(_ one: NSEntityDescription, _ other: NSEntityDescription) -> Bool {
  let names = [one, other].map { ($0.name ?? "").lowercased() }
  if names[0] != names[1] { return names[0].utf8.lexicographicallyPrecedes(names[1].utf8) }
  return (one.name ?? "").utf8.lexicographicallyPrecedes((other.name ?? "").utf8)
}

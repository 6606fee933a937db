package import ManagedObjectModel

/// The layouts of all entities of a model.
///
/// They are created once, when the model is first used, and then shared.
// Sendable: immutable after its initializer.
package final class ModelLayouts: @unchecked Sendable {
  /// The layouts: each entity, then its subentities, with siblings ordered by `precedesInStore`.
  package let layouts: [RowLayout]
  /// By layout index, the index of an entity's last descendant, or its own index if it has none.
  private let lastOfFamily: [Int]
  private let indexesByEntity: [ObjectIdentifier: Int]
  private let indexesByName: [String: Int]
  /// By layout index, whether objects may still reference a deleted object of the entity.
  private let mayBeReferencedAfterDeletion: [Bool]

  /// The layouts of a model.
  ///
  /// The model can no longer be changed afterwards.
  package static func of(_ model: NSManagedObjectModel) -> ModelLayouts {
    model.freeze()
    return model.attachment(ModelLayouts.self) { ModelLayouts(model) }
  }

  /// The layout of an entity of the model.
  ///
  /// An entity of an equal model is found by name.
  package subscript(entity: NSEntityDescription) -> RowLayout? {
    if let index = indexesByEntity[ObjectIdentifier(entity)] { return layouts[index] }
    return entity.name.flatMap { self[named: $0] }
  }

  package subscript(named name: String) -> RowLayout? { indexesByName[name].map { layouts[$0] } }

  package subscript(index: Int32) -> RowLayout { layouts[Int(index)] }

  /// The layout indexes of an entity and its subentities, which follow it.
  package func family(of layout: RowLayout) -> ClosedRange<Int> {
    layout.index...lastOfFamily[layout.index]
  }

  /// Whether an entity with the same root entity has a property.
  package func hasProperty(_ name: String, inFamilyOf layout: RowLayout) -> Bool {
    family(of: layouts[layout.rootIndex]).contains { layouts[$0].ordinal(of: name) != nil }
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
    var isReferenced = [Bool](repeating: false, count: layouts.count)
    for layout in layouts {
      for case let relationship as NSRelationshipDescription in layout.properties {
        // References to a deleted object remain if a delete rule of its entity is No Action, or if
        // the relationship to it has no inverse.
        if relationship.deleteRule == .noActionDeleteRule { isReferenced[layout.index] = true }
        guard relationship.inverseRelationship == nil,
          let destination = relationship.destinationEntity
        else {
          continue
        }
        let first = indexesByEntity[ObjectIdentifier(destination)]
        for index in first.map({ $0...lastOfFamily[$0] }) ?? 0...layouts.count - 1 {
          isReferenced[index] = true
        }
      }
    }
    mayBeReferencedAfterDeletion = isReferenced
  }

  /// Whether deleting an object of an entity changes all objects that reference it.
  ///
  /// This requires that each relationship to it has an inverse, whose rule is not No Action.
  package func deletionChangesReferences(to layout: RowLayout) -> Bool {
    !mayBeReferencedAfterDeletion[layout.index]
  }
}

/// Whether a store numbers one entity before another: by name, ignoring case, with the underscore
/// before letters.
package func precedesInStore(_ one: NSEntityDescription, _ other: NSEntityDescription) -> Bool {
  let names = [one, other].map { ($0.name ?? "").lowercased() }
  if names[0] != names[1] { return names[0].utf8.lexicographicallyPrecedes(names[1].utf8) }
  return (one.name ?? "").utf8.lexicographicallyPrecedes((other.name ?? "").utf8)
}

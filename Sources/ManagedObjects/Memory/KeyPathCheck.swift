import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage

private typealias NSExpression = PredicateLanguage.NSExpression

/// Rejects fetches that name unknown or transient properties, which the store does not have.
struct KeyPathCheck {
  let layouts: ModelLayouts

  func check(_ fetch: RowFetch) throws(StoreError) {
    let specification = fetch.specification
    for predicate in [specification.predicate].compactMap(\.self) {
      try check(predicate, fetch.layout)
    }
    for descriptor in specification.sortDescriptors ?? [] {
      try check(descriptor, fetch, fetch.layout)
    }
    for property in (specification.propertiesToFetch ?? [])
      + (specification.propertiesToGroupBy ?? [])
    {
      if let name = property as? String { try check(PropertyPath(name), fetch.layout) }
    }
  }

  private func check(_ predicate: NSPredicate, _ layout: RowLayout) throws(StoreError) {
    switch predicate.node {
    case .constant, .opaque: break
    case .and(let parts), .or(let parts): for part in parts { try check(part, layout) }
    case .not(let part): try check(part, layout)
    case .comparison(let comparison):
      try check(comparison.leftExpression, layout)
      try check(comparison.rightExpression, layout)
    }
  }

  private func check(_ expression: NSExpression, _ layout: RowLayout) throws(StoreError) {
    switch expression.node {
    case .keyPath(let path): try check(path, layout)
    case .function(let operand, _, let arguments):
      // A variable's key path starts at the variable's value.
      if let (operand, _) = expression.node.keyPathOfOperand { return try check(operand, layout) }
      for part in [operand].compactMap(\.self) + arguments { try check(part, layout) }
    case .aggregate(let elements): for element in elements { try check(element, layout) }
    case .unionSet(let left, let right), .intersectSet(let left, let right),
      .minusSet(let left, let right):
      try check(left, layout)
      try check(right, layout)
    case .subquery(let collection, _, let predicate):
      try check(collection, layout)
      try check(predicate, layout)
    case .conditional(let predicate, let first, let second):
      try check(predicate, layout)
      try check(first, layout)
      try check(second, layout)
    default: break
    }
  }

  private func check(_ descriptor: NSSortDescriptor, _ fetch: RowFetch, _ layout: RowLayout)
    throws(StoreError)
  {
    guard let descriptor = descriptor as? PropertySortDescriptor else {
      throw StoreError(
        .unsupportedFetch,
        "The sort descriptor \(descriptor) uses a custom comparison. Name the property by its key."
      )
    }
    guard let path = descriptor.path, !isResultColumn(path, of: fetch) else { return }
    try check(path, layout, isToManyAllowed: false)
  }

  /// Whether a path names a computed column, by which dictionaries may be sorted.
  private func isResultColumn(_ path: PropertyPath, of fetch: RowFetch) -> Bool {
    (fetch.specification.propertiesToFetch ?? []).contains {
      ($0 as? NSExpressionDescription)?.name == path.text
    }
  }

  private func check(
    _ path: PropertyPath, _ layout: RowLayout, isToManyAllowed: Bool = true
  ) throws(StoreError) {
    var current = layout
    var isOfMany = false
    for key in path.components {
      if key.hasPrefix("@") {
        isOfMany = false
        continue
      }
      guard let property = try property(key, of: current) else {
        if ["self", "objectID"].contains(key) { continue }
        if key == "entity" { return }
        throw unknown(path, current)
      }
      guard !property.isTransient, !(property is NSFetchedPropertyDescription) else {
        throw unknown(path, current)
      }
      guard let relationship = property as? NSRelationshipDescription else { return }
      guard isToManyAllowed || !relationship.isToMany else {
        throw StoreError(
          .unsupportedFetch, "to-many key not allowed here: \(path.text)",
          context: ["keyPath": path.text])
      }
      guard let destination = relationship.destinationEntity.flatMap({ layouts[$0] }) else {
        return
      }
      current = destination
      // The values would be collections of collections, which no comparison expects.
      guard !isOfMany || !relationship.isToMany else { throw severalToMany(path) }
      isOfMany = isOfMany || relationship.isToMany
    }
  }

  /// The property with a name, of the entity or one of its subentities.
  private func property(_ name: String, of layout: RowLayout) throws(StoreError)
    -> NSPropertyDescription?
  {
    if let ordinal = layout.ordinal(of: name) { return layout.properties[ordinal] }
    var found: (property: NSPropertyDescription, entity: String)?
    for other in layouts.layouts
    where other.rootIndex == layout.rootIndex && other.entity.isKindOf(entity: layout.entity) {
      guard let ordinal = other.ordinal(of: name), other.properties[ordinal] !== found?.property
      else { continue }
      guard found == nil else {
        throw StoreError(
          .unsupportedFetch,
          "keypath \(name) is ambiguous in entity \(layout.entity.name ?? ""): \(found?.entity ?? "") and \(other.entity.name ?? "") have it. Fetch one of the subentities.",
          context: ["keyPath": name])
      }
      found = (other.properties[ordinal], other.entity.name ?? "")
    }
    return found?.property
  }

  private func severalToMany(_ path: PropertyPath) -> StoreError {
    StoreError(
      .unsupportedFetch,
      "multiple to-many keys not allowed here: \(path.text). Put the inner relationship into a "
        + "subquery: SUBQUERY(outer, $x, ANY $x.inner.name == …).@count > 0.",
      context: ["keyPath": path.text])
  }

  private func unknown(_ path: PropertyPath, _ layout: RowLayout) -> StoreError {
    let entity = layout.entity.name ?? "without a name"
    return StoreError(
      .unsupportedFetch,
      "keypath \(path.text) not found in entity \(entity). Fetches support persistent properties only, not transient or fetched ones.",
      context: ["keyPath": path.text, "entity": entity])
  }
}

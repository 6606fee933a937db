import Foundation
import ManagedObjectModel
import ObjectRows

/// Creates the objects of a document for cache nodes.
struct DocumentWriter {
  let store: NSAtomicStore

  /// The objects of nodes, in the order of their names.
  func objects(of nodes: Set<NSAtomicStoreCacheNode>) throws -> [DocumentObject] {
    try nodes.map(object).sorted { Self.precedes($0.name, $1.name) }
  }

  private static func precedes(_ one: DocumentName, _ other: DocumentName) -> Bool {
    switch (one, other) {
    case (.number(let one), .number(let other)): one < other
    case (.number, .text): true
    case (.text, .number): false
    case (.text(let one), .text(let other)): one < other
    }
  }

  private func object(_ node: NSAtomicStoreCacheNode) throws -> DocumentObject {
    let entity = node.objectID.entity
    var object = DocumentObject(entity: entity.name ?? "", name: name(of: node.objectID))
    for property in entity.properties.sorted(by: { $0.name < $1.name })
    where !property.isTransient {
      switch property {
      case let attribute as NSAttributeDescription:
        let value = try AttributeText(attribute: attribute).documentValue(
          node.value(forKey: attribute.name))
        if let value { object.attributes.append((attribute.name, value)) }
      case let relationship as NSRelationshipDescription:
        object.relationships.append(self.relationship(relationship, node))
      default: break
      }
    }
    return object
  }

  private func relationship(
    _ relationship: NSRelationshipDescription, _ node: NSAtomicStoreCacheNode
  ) -> DocumentRelationship {
    let value = node.value(forKey: relationship.name)
    let nodes =
      (value as? NSAtomicStoreCacheNode).map { [$0] }
      ?? value.flatMap(StoreAnswer.elements)?.compactMap { $0 as? NSAtomicStoreCacheNode } ?? []
    // A node that is no longer in the cache was deleted.
    let members = nodes.map(\.objectID).filter { store.cacheNode(for: $0) != nil }.map(name)
    let minimum = relationship.isOptional ? 0 : max(1, relationship.minCount)
    return DocumentRelationship(
      name: relationship.name, cardinality: "\(minimum)/\(relationship.maxCount)",
      destination: relationship.destinationEntity?.name ?? "",
      members: relationship.isOrdered ? members : members.sorted(by: Self.precedes))
  }

  private func name(of objectID: NSManagedObjectID) -> DocumentName {
    DocumentName(reference: store.referenceObject(for: objectID))
  }
}

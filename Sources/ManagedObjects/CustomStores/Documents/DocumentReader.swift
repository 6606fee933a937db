import Foundation
import ManagedObjectModel
import ObjectRows

/// Creates the cache nodes for the objects of a document.
struct DocumentReader {
  private let store: NSAtomicStore
  private let model: DocumentModel
  private var nodes: [DocumentName: NSAtomicStoreCacheNode] = [:]

  init(_ store: NSAtomicStore, _ model: NSManagedObjectModel) {
    self.store = store
    self.model = DocumentModel(model)
  }

  /// The nodes of all objects.
  ///
  /// - Throws: An error if the document does not match the model.
  mutating func read(_ document: StoreDocument) throws(DocumentError)
    -> Set<NSAtomicStoreCacheNode>
  {
    for object in document.objects { try addNode(of: object) }
    for object in document.objects { try setValues(of: object) }
    return Set(nodes.values)
  }

  private mutating func addNode(of object: DocumentObject) throws(DocumentError) {
    guard nodes[object.name] == nil else {
      throw DocumentError(
        "The file has several objects named \(object.name.text).", "Restore it from a backup.")
    }
    let entity = try model.entity(object.entity)
    nodes[object.name] = NSAtomicStoreCacheNode(
      objectID: store.objectID(for: entity, withReferenceObject: object.name.reference))
  }

  private func setValues(of object: DocumentObject) throws(DocumentError) {
    guard let node = nodes[object.name] else { return }
    let entity = node.objectID.entity
    for (name, value) in object.attributes {
      guard let attribute = try model.property(name, of: entity) as? NSAttributeDescription else {
        throw mismatch(name, entity)
      }
      node.setValue(try AttributeText(attribute: attribute).value(value), forKey: attribute.name)
    }
    for related in object.relationships { try set(related, of: node) }
  }

  private func set(_ related: DocumentRelationship, of node: NSAtomicStoreCacheNode)
    throws(DocumentError)
  {
    let entity = node.objectID.entity
    guard
      let relationship = try model.property(related.name, of: entity)
        as? NSRelationshipDescription
    else { throw mismatch(related.name, entity) }
    var members: [NSAtomicStoreCacheNode] = []
    for name in related.members {
      guard let member = nodes[name] else {
        throw DocumentError(
          "The object named \(name.text), a destination of "
            + "\(entity.name ?? "").\(relationship.name), is missing in the file.",
          "Restore the file from a backup.")
      }
      guard let destination = relationship.destinationEntity,
        member.objectID.entity.isKindOf(entity: destination)
      else { throw mismatch(related.name, entity) }
      members.append(member)
    }
    guard relationship.isToMany || members.count <= 1 else { throw mismatch(related.name, entity) }
    if relationship.isOrdered {
      node.setValue(NSOrderedSet(array: members), forKey: relationship.name)
    } else if relationship.isToMany {
      node.setValue(Set(members), forKey: relationship.name)
    } else {
      node.setValue(members.first, forKey: relationship.name)
    }
  }

  private func mismatch(_ name: String, _ entity: NSEntityDescription) -> DocumentError {
    DocumentError(
      "The file and the model disagree about the kind of \(entity.name ?? "").\(name).",
      "Open it with the model that wrote it.")
  }
}

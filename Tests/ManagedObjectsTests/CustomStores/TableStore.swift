import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows

/// A custom atomic store in a text file, as tutorials write one.
///
/// The first line has the metadata. Each further line has an object's entity, reference and values.
class TableStore: NSAtomicStore {
  static let storeType = "TableStore"
  static let separator: Character = "|"

  override var type: String { Self.storeType }

  private var nodes: [String: NSAtomicStoreCacheNode] = [:]

  override func load() throws {
    guard let url, let text = try? String(contentsOf: url, encoding: .utf8) else { return }
    let lines = text.split(separator: "\n").map {
      $0.split(separator: Self.separator).map(String.init)
    }
    if let first = lines.first { metadata = Self.metadata(in: first) }
    for parts in lines.dropFirst() {
      guard let entity = persistentStoreCoordinator?.managedObjectModel.entitiesByName[parts[0]]
      else { throw CocoaError(.fileReadCorruptFile) }
      let node = node(entity, parts[1])
      for part in parts.dropFirst(2) {
        let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
        set(pair[1], pair[0], node)
      }
    }
  }

  private func node(_ entity: NSEntityDescription, _ reference: String) -> NSAtomicStoreCacheNode {
    if let known = nodes[reference] { return known }
    let node = NSAtomicStoreCacheNode(
      objectID: objectID(for: entity, withReferenceObject: reference))
    nodes[reference] = node
    addCacheNodes([node])
    return node
  }

  private func set(_ text: String, _ name: String, _ node: NSAtomicStoreCacheNode) {
    switch node.objectID.entity.propertiesByName[name] {
    case let attribute as NSAttributeDescription
    where attribute.attributeType == .stringAttributeType:
      node.setValue(text, forKey: name)
    case is NSAttributeDescription: node.setValue(Int(text), forKey: name)
    case let relationship as NSRelationshipDescription:
      guard let destination = relationship.destinationEntity else { return }
      let related = text.split(separator: ",").map { self.node(destination, String($0)) }
      node.setValue(relationship.isToMany ? Set(related) : related.first, forKey: name)
    default: break
    }
  }

  override func newReferenceObject(for managedObject: NSManagedObject) -> Any {
    UUID().uuidString
  }

  override func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
    let node = node(
      managedObject.entity, "\(referenceObject(for: managedObject.objectID))")
    updateCacheNode(node, from: managedObject)
    return node
  }

  override func updateCacheNode(
    _ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject
  ) {
    for (name, property) in managedObject.entity.propertiesByName where !property.isTransient {
      switch property {
      case is NSAttributeDescription:
        node.setValue(managedObject.value(forKey: name), forKey: name)
      case let relationship as NSRelationshipDescription:
        let related = managedObject.related(name).map {
          self.node($0.entity, "\(referenceObject(for: $0.objectID))")
        }
        node.setValue(relationship.isToMany ? Set(related) : related.first, forKey: name)
      default: break
      }
    }
  }

  override func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {
    for node in cacheNodes { nodes["\(referenceObject(for: node.objectID))"] = nil }
  }

  override func save() throws {
    guard let url else { return }
    let lines = cacheNodes().map(line).sorted()
    try ([Self.line(of: metadata)] + lines).joined(separator: "\n")
      .write(to: url, atomically: true, encoding: .utf8)
  }

  private func line(_ node: NSAtomicStoreCacheNode) -> String {
    var parts = [node.objectID.entity.name ?? "", "\(referenceObject(for: node.objectID))"]
    for name in node.objectID.entity.propertiesByName.keys.sorted() {
      switch node.value(forKey: name) {
      case nil: break
      case let related as NSAtomicStoreCacheNode:
        parts.append("\(name)=\(referenceObject(for: related.objectID))")
      case let related as Set<NSAtomicStoreCacheNode>:
        let names = related.map { "\(referenceObject(for: $0.objectID))" }.sorted()
        if !names.isEmpty { parts.append("\(name)=\(names.joined(separator: ","))") }
      case let value?: parts.append("\(name)=\(value)")
      }
    }
    return parts.joined(separator: String(Self.separator))
  }

  // MARK: Metadata

  override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
    let text = try String(contentsOf: url, encoding: .utf8)
    let line = text.split(separator: "\n").first ?? ""
    return metadata(in: line.split(separator: separator).map(String.init))
  }

  override class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws
  {
    let text = try String(contentsOf: url, encoding: .utf8)
    let lines = text.split(separator: "\n").dropFirst().map(String.init)
    try ([line(of: metadata ?? [:])] + lines).joined(separator: "\n")
      .write(to: url, atomically: true, encoding: .utf8)
  }

  private class func metadata(in parts: [String]) -> [String: Any] {
    Dictionary(
      parts.map { $0.split(separator: "=", maxSplits: 1).map(String.init) }.map { ($0[0], $0[1]) },
      uniquingKeysWith: { $1 })
  }

  private class func line(of metadata: [String: Any]) -> String {
    metadata.compactMap { key, value in (value as? String).map { "\(key)=\($0)" } }.sorted()
      .joined(separator: String(separator))
  }

  static func register() {
    NSPersistentStoreCoordinator.registerStoreClass(self, forStoreType: storeType)
  }
}

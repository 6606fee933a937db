import CloudRecords
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows
import PredicateLanguage

/// Reads the contents of objects in a context, with the record names of related objects.
///
/// It reads stored values, without accessors that a program overrides.
struct ObjectReader {
  let mirror: MirrorStore
  let context: NSManagedObjectContext

  /// Returns the objects of keys, without those whose rows are gone.
  func objects(_ keys: some Sequence<RowKey>) throws -> [RowKey: NSManagedObject] {
    var found: [RowKey: NSManagedObject] = [:]
    let byRoot = Dictionary(grouping: keys) { mirror.layouts[$0.layoutIndex].rootIndex }
    for (root, keys) in byRoot.sorted(by: { $0.key < $1.key }) {
      let entity = mirror.layouts.layouts[root].entity
      for start in stride(from: 0, to: keys.count, by: Self.keysInFetch) {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
        let identifiers = keys[start..<min(start + Self.keysInFetch, keys.count)].map(
          mirror.objectID)
        request.predicate = NSPredicate(format: "SELF IN %@", identifiers as NSArray)
        request.returnsObjectsAsFaults = false
        for object in try context.fetch(request) { found[object.objectID.rowKey] = object }
      }
    }
    return found
  }

  private static let keysInFetch = 400

  /// Returns the contents of objects.
  ///
  /// References and orders include targets that have not arrived.
  ///
  /// - Parameters:
  ///   - names: The records of the objects.
  ///   - unreadable: Called for each property whose value cannot be encoded. The property is left
  ///     out.
  func contents(
    of objects: [RowKey: NSManagedObject], names: [RowKey: RecordIdentifier],
    unreadable: (RowKey, _ property: String, any Error) -> Void = { _, _, _ in }
  ) throws -> [RowKey: ObjectContent] {
    let targets = try targetNames(of: objects)
    let deferred = Dictionary(
      grouping: try mirror.ledger.deferred(
        DeferredItem.Kind.references + [.order], of: objects.keys), by: { $0.property?.object })
    var contents: [RowKey: ObjectContent] = [:]
    for (key, object) in objects {
      guard let name = names[key], let entity = mirror.schema[object.entity.name ?? ""] else {
        continue
      }
      var content = content(of: object, entity, name.recordName, targets) {
        unreadable(key, $0, $1)
      }
      let layout = mirror.layouts[key.layoutIndex]
      let waiting = deferred[key] ?? []
      for item in waiting where item.kind != .order {
        guard let ordinal = item.property?.ordinal else { continue }
        let property = layout.properties[ordinal].name
        if content.references[property] == nil { content.references[property] = item.dependency }
      }
      for order in DeferredOrder.orders(in: waiting) {
        let property = layout.properties[order.ordinal].name
        content.orders[property] = order.order(over: content.orders[property] ?? [])
      }
      contents[key] = content
    }
    return contents
  }

  private func content(
    of object: NSManagedObject, _ entity: MirrorEntity, _ recordName: String,
    _ targets: [RowKey: String], _ unreadable: (String, any Error) -> Void
  ) -> ObjectContent {
    object.willAccessValue(forKey: nil)
    defer { object.didAccessValue(forKey: nil) }
    var content = ObjectContent(entity: entity.name, recordName: recordName)
    content.values = entity.values(unreadable: unreadable) { object.primitiveValue(forKey: $0) }
    for reference in entity.references {
      let target = object.objectIDs(forRelationshipNamed: reference.property).first
      content.references[reference.property] = target.flatMap { targets[$0.rowKey] }
    }
    for order in entity.orders {
      let members = object.objectIDs(forRelationshipNamed: order.property)
      content.orders[order.property] = members.compactMap { targets[$0.rowKey] }
    }
    return content
  }

  /// Returns the record names of all related objects.
  private func targetNames(of objects: [RowKey: NSManagedObject]) throws -> [RowKey: String] {
    var keys: Set<RowKey> = []
    for object in objects.values {
      guard let entity = mirror.schema[object.entity.name ?? ""] else { continue }
      for property in entity.references.map(\.property) + entity.orders.map(\.property) {
        for target in object.objectIDs(forRelationshipNamed: property) {
          keys.insert(target.rowKey)
        }
      }
    }
    guard !keys.isEmpty else { return [:] }
    return try mirror.ledger.records(of: Array(keys)).mapValues(\.identifier.recordName)
  }
}

extension NSManagedObjectID {
  /// The key of the row.
  var rowKey: RowKey { RowKey(key: key, layoutIndex: Int32(layout.index)) }
}

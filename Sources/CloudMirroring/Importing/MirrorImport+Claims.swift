import CloudRecords
import ManagedObjectModel
import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows

/// Targets that other objects hold; see `ContestedReferences`.
extension MirrorImport {
  /// Whether an object has to wait for a held target until the end of the feed.
  ///
  /// The feed may still report that the other object released it.
  func yields(_ object: NSManagedObject, _ property: String, _ target: NSManagedObject) throws
    -> Bool
  {
    guard let reference = mirror.schema[object.entity.name ?? ""]?.reference(property) else {
      return false
    }
    return try reference.rivals(of: object, for: target, named: name(of:)).contains { rival in
      try !gone.contains(rival.record) && claims(rival.object, property, rival.target)
    }
  }

  /// Whether an object still claims its target; a record of the page may have released it.
  private func claims(_ holder: NSManagedObject, _ property: String, _ target: NSManagedObject)
    throws -> Bool
  {
    let received = relations.first { $0.object === holder && $0.properties.contains(property) }
    guard let received else { return true }
    return try received.content.references[property] == name(of: target)?.recordName
  }

  /// The record of an object.
  func name(of object: NSManagedObject) throws -> RecordIdentifier? {
    if let known = objects.first(where: { $0.value === object }) { return known.key }
    let key = object.objectID.rowKey
    return try mirror.ledger.records(of: [key])[key]?.identifier
  }
}

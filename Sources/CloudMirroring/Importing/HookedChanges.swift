import CloudRecords
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows

/// Changes by hooks of the program (`awakeFromInsert`, `willSave`) during an import.
///
/// They are sent, because they are the program's changes.
struct HookedChanges {
  let owner: MirrorImport

  private var mirror: MirrorStore { owner.mirror }

  /// Records which existing objects the hooks of new objects changed.
  ///
  /// It is called before the import itself changes any object.
  func noteAwakening() {
    owner.context.processPendingChanges()
    for object in owner.context.updatedObjects {
      note(object) { owner.changes.hooked[$0, default: OrdinalSet()].formUnion($1) }
    }
  }

  /// Records what a hook changed during the save.
  func noteHooked(_ object: NSManagedObject) { note(object, mirror.ledger.noteHooked) }

  private func note(_ object: NSManagedObject, _ note: (RowKey, OrdinalSet) -> Void) {
    // The ledger recognizes objects that a hook creates: the import has no records of them.
    guard !object.isDeleted, !object.objectID.isTemporaryID else { return }
    let key = object.objectID.rowKey
    let changed = mirror.ordinals(changedProperties(of: object, key), of: key)
    if !changed.isEmpty { note(key, changed) }
  }

  /// Returns the properties in which an object differs from its record.
  ///
  /// Without a record in this import, these are all changed properties.
  private func changedProperties(of object: NSManagedObject, _ key: RowKey) -> Set<String> {
    guard case .object(let decoded)? = owner.receivedRecords[ObjectIdentifier(object)]?.meaning
    else { return Set(object.changedValues().keys) }
    let names = [
      key: RecordIdentifier(recordName: decoded.content.recordName, zone: mirror.homeZone)
    ]
    let reader = ObjectReader(mirror: mirror, context: owner.context)
    // An unreadable value cannot be compared, so it counts as changed.
    guard let content = try? reader.contents(of: [key: object], names: names)[key],
      let differences = try? decoded.differences(from: content)
    else { return Set(object.changedValues().keys) }
    return differences.subtracting(unset(object, key))
  }

  /// The properties that the import could not set: unreadable values and deferred references.
  private func unset(_ object: NSManagedObject, _ key: RowKey) -> Set<String> {
    let layout = mirror.layouts[key.layoutIndex]
    let references = owner.changes.deferred.filter {
      DeferredItem.Kind.references.contains($0.kind)
    }
    let deferred = references.compactMap(\.property).filter { $0.object == key }.map {
      layout.properties[$0.ordinal].name
    }
    .filter { object.primitiveValue(forKey: $0) == nil }
    return Set(deferred).union(owner.failures[ObjectIdentifier(object), default: [:]].keys)
  }
}

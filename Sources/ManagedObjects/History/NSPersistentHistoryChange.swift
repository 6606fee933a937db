public import Foundation
public import ManagedObjectModel
public import ObjectRows
public import PredicateLanguage

/// What a save did to one object.
// Sendable: immutable.
open class NSPersistentHistoryChange: NSObject, NSCopying, NSFetchRequestResult, @unchecked Sendable
{
  let record: HistoryRecord
  let row: HistoryChangeRow

  init(_ record: HistoryRecord, _ index: Int) {
    guard let changes = record.changes else {
      preconditionFailure("A change is one of its transaction's.")
    }
    self.record = record
    row = changes[index]
    super.init()
  }

  /// The number of the change in its store.
  open var changeID: Int64 { row.number }

  /// The identifier of the object.
  open var changedObjectID: NSManagedObjectID { record.objectID(of: row) }

  /// Whether the object was inserted, updated or deleted.
  open var changeType: NSPersistentHistoryChangeType {
    switch row.kind {
    case .insertion: .insert
    case .update: .update
    case .deletion: .delete
    }
  }

  /// Of a deleted object, the values of the attributes whose `preservesValueInHistoryOnDeletion` is
  /// set, by name.
  open var tombstone: [AnyHashable: Any]? {
    row.tombstone.map { values in
      Dictionary(
        uniqueKeysWithValues: values.map { (AnyHashable($0), Self.value($1, row.layout, $0)) })
    }
  }

  /// The save.
  open var transaction: NSPersistentHistoryTransaction? { NSPersistentHistoryTransaction(record) }

  /// Of an updated object, the properties that were changed.
  open var updatedProperties: Set<NSPropertyDescription>? {
    guard row.kind == .update else { return nil }
    return Set(row.changed.ordinals.map { row.layout.properties[$0] })
  }

  /// The value of a tombstone; bytes that cannot be made a value of stay bytes.
  private static func value(_ stored: Any, _ layout: RowLayout, _ name: String) -> Any {
    switch stored {
    case let binary as BinaryValue: return binary.data
    case let encoded as EncodedValue:
      guard let attribute = layout.entity.attributesByName[name] else { return encoded.data }
      return (try? AttributeTransformer(attribute).decode(encoded.data)) ?? encoded.data
    default: return stored
    }
  }

  // MARK: Fetching

  /// The entity of changes, for fetch requests.
  ///
  /// Its attributes are `changeID`, `changeType`, `changedEntity` (compared with an entity or its
  /// name) and `changedObjectID`, and a relationship leads to the `transaction`.
  open class var entityDescription: NSEntityDescription? { HistoryModel.shared.change }

  /// The entity of changes in the histories of a context's stores.
  open class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription? {
    HistoryModel.shared.change
  }

  /// A new fetch request for changes, to be given a predicate and put into a request to the
  /// history.
  open class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
    HistoryModel.shared.fetchRequest(for: HistoryModel.shared.change)
  }

  // MARK: Identity

  /// The change itself: it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Changes are equal when they have the same number in the same store.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSPersistentHistoryChange else { return false }
    return other.changeID == changeID
      && other.record.storeIdentity.uuid == record.storeIdentity.uuid
  }

  /// Equal changes have equal hashes.
  open override var hash: Int { changeID.hashValue }

  /// The number, the kind and the object.
  open override var description: String {
    "<NSPersistentHistoryChange: \(changeID) \(changeType) of \(changedObjectID.uriRepresentation().absoluteString)>"
  }
}

extension NSPersistentHistoryChange: KeyValueCoding {
  /// The value of an attribute, for predicates and sort descriptors.
  ///
  /// Parhelion's addition.
  public func value(forKey key: String) -> Any? {
    switch key {
    case "changeID": NSNumber(value: changeID)
    case "changeType": NSNumber(value: changeType.rawValue)
    case "changedEntity": changedObjectID.entity.name
    case "changedObjectID": changedObjectID
    case "tombstone": tombstone
    case "transaction": transaction
    case "updatedProperties": updatedProperties
    default: nil
    }
  }

  /// Whether there is such an attribute.
  ///
  /// Parhelion's addition.
  public func hasValue(forKey key: String) -> Bool {
    HistoryModel.shared.change.propertiesByName[key] != nil
  }
}

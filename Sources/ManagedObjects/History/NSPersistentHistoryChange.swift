public import Foundation
public import ManagedObjectModel
public import ObjectRows
public import PredicateLanguage

/// A change that a save made to one object.
// Sendable: immutable.
open class NSPersistentHistoryChange: NSObject, NSCopying, NSFetchRequestResult, @unchecked Sendable
{
  let record: HistoryRecord
  let row: HistoryChangeRow

  init(_ record: HistoryRecord, _ index: Int) {
    guard let changes = record.changes else {
      preconditionFailure("The transaction was fetched without its changes.")
    }
    self.record = record
    row = changes[index]
    super.init()
  }

  /// Creates a copy of a change that belongs to another copy of its transaction.
  init(_ change: NSPersistentHistoryChange, in record: HistoryRecord) {
    (self.record, row) = (record, change.row)
    super.init()
  }

  /// The number of the change in its store.
  open var changeID: Int64 { row.number }

  /// The identifier of the changed object.
  open var changedObjectID: NSManagedObjectID { record.objectID(of: row) }

  /// The type of the change: insert, update or delete.
  open var changeType: NSPersistentHistoryChangeType {
    switch row.kind {
    case .insertion: .insert
    case .update: .update
    case .deletion: .delete
    }
  }

  /// The preserved values of a deleted object, by name.
  ///
  /// They are the values of attributes whose `preservesValueInHistoryOnDeletion` is true.
  open var tombstone: [AnyHashable: Any]? {
    row.tombstone.map { values in
      Dictionary(
        uniqueKeysWithValues: values.map { (AnyHashable($0), Self.value($1, row.layout, $0)) })
    }
  }

  /// The transaction that the change belongs to.
  open var transaction: NSPersistentHistoryTransaction? { NSPersistentHistoryTransaction(record) }

  /// The changed properties of an updated object.
  open var updatedProperties: Set<NSPropertyDescription>? {
    guard row.kind == .update else { return nil }
    return Set(row.changed.ordinals.map { row.layout.properties[$0] })
  }

  /// Decodes a value of a tombstone.
  ///
  /// Data that cannot be decoded stays data.
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
  /// name) and `changedObjectID`. Its relationship is `transaction`.
  open class var entityDescription: NSEntityDescription? { HistoryModel.shared.change }

  /// Returns the entity of changes in the histories of a context's stores.
  open class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription? {
    HistoryModel.shared.change
  }

  /// A new fetch request for changes.
  ///
  /// Give it a predicate and pass it to a history request.
  open class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
    HistoryModel.shared.fetchRequest(for: HistoryModel.shared.change)
  }

  // MARK: Identity

  /// Returns the change itself, which is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Returns whether both changes have the same number in the same store.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSPersistentHistoryChange else { return false }
    return other.changeID == changeID
      && other.record.storeIdentity.uuid == record.storeIdentity.uuid
  }

  /// The hash, which is equal for equal changes.
  open override var hash: Int { changeID.hashValue }

  /// The number, type and object of the change.
  open override var description: String {
    let object = changedObjectID.uriRepresentation().absoluteString
    return "<NSPersistentHistoryChange: \(changeID) \(changeType) of \(object)>"
  }
}

extension NSPersistentHistoryChange: KeyValueCoding {
  /// Returns the value of a property, for predicates and sort descriptors.
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

  /// Returns whether the entity of changes has a property of that name.
  ///
  /// Parhelion's addition.
  public func hasValue(forKey key: String) -> Bool {
    HistoryModel.shared.change.propertiesByName[key] != nil
  }
}

import Foundation

/// Named values that can be read and set: a record's, and its encrypted ones.
public protocol CKRecordKeyValueSetting: AnyObject {
  /// The value of a field; setting nil takes it away.
  subscript(key: CKRecord.FieldKey) -> (any CKRecordValueProtocol)? { get set }
  /// The names of the fields that have values.
  func allKeys() -> [CKRecord.FieldKey]
  /// The names of the fields that were set or taken away since the record was made, fetched or
  /// saved.
  func changedKeys() -> [CKRecord.FieldKey]
}

extension CKRecordKeyValueSetting {
  /// The value of a field as a certain type; nil where there is none, or one of another type.
  public subscript<Value: CKRecordValueProtocol>(key: CKRecord.FieldKey) -> Value? {
    get { (self[key] as (any CKRecordValueProtocol)?) as? Value }
    set { self[key] = newValue as (any CKRecordValueProtocol)? }
  }

  /// The value of a field.
  public func object(forKey key: CKRecord.FieldKey) -> (any CKRecordValueProtocol)? { self[key] }

  /// Sets a field, or takes its value away.
  public func setObject(_ object: (any CKRecordValueProtocol)?, forKey key: CKRecord.FieldKey) {
    self[key] = object
  }

  /// The value of a field.
  public func value(forKey key: CKRecord.FieldKey) -> Any? {
    self[key] as (any CKRecordValueProtocol)?
  }

  /// Sets a field, or takes its value away.
  ///
  /// - Precondition: The value is of a type that records can hold.
  public func setValue(_ value: Any?, forKey key: CKRecord.FieldKey) {
    guard let value, !(value is NSNull) else {
      return self[key] = nil as (any CKRecordValueProtocol)?
    }
    guard let value = value as? any CKRecordValueProtocol else {
      preconditionFailure("The field \(key) cannot hold a \(type(of: value)).")
    }
    self[key] = value
  }

  /// Sets several fields.
  public func setValuesForKeys(_ values: [CKRecord.FieldKey: Any]) {
    for (key, value) in values.sorted(by: { $0.key < $1.key }) { setValue(value, forKey: key) }
  }

  /// The fields and their values, in the order of `allKeys()`.
  public func makeIterator() -> CKRecordKeyValueIterator { CKRecordKeyValueIterator(self) }
}

/// Visits the fields of a record and their values.
public struct CKRecordKeyValueIterator: IteratorProtocol {
  private var fields: IndexingIterator<[(CKRecord.FieldKey, any CKRecordValueProtocol)]>

  fileprivate init(_ values: some CKRecordKeyValueSetting) {
    fields = values.allKeys()
      .compactMap { key in (values[key] as (any CKRecordValueProtocol)?).map { (key, $0) } }
      .makeIterator()
  }

  /// The next field.
  public mutating func next() -> (CKRecord.FieldKey, any CKRecordValueProtocol)? { fields.next() }
}

extension CKRecord: Sequence {}

/// The encrypted fields of a record.
final class EncryptedValues: CKRecordKeyValueSetting {
  private let record: CKRecord

  init(record: CKRecord) { self.record = record }

  subscript(key: CKRecord.FieldKey) -> (any CKRecordValueProtocol)? {
    get { record.content(key, isEncrypted: true)?.value }
    set { record.setValue(newValue, key, isEncrypted: true) }
  }

  func allKeys() -> [CKRecord.FieldKey] { record.keys(isEncrypted: true) }

  func changedKeys() -> [CKRecord.FieldKey] { record.changedKeys(isEncrypted: true) }
}

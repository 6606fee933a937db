import Foundation

/// An object with named values: a record, or its encrypted values.
public protocol CKRecordKeyValueSetting: AnyObject {
  /// The value of a field; setting nil removes the value.
  subscript(key: CKRecord.FieldKey) -> (any CKRecordValueProtocol)? { get set }
  /// The names of the fields with values.
  func allKeys() -> [CKRecord.FieldKey]
  /// The names of the fields that were set or removed since the record was created, fetched or
  /// saved.
  func changedKeys() -> [CKRecord.FieldKey]
}

extension CKRecordKeyValueSetting {
  /// The value of a field with a static type; nil if there is no value or it has another type.
  public subscript<Value: CKRecordValueProtocol>(key: CKRecord.FieldKey) -> Value? {
    get { (self[key] as (any CKRecordValueProtocol)?) as? Value }
    set { self[key] = newValue as (any CKRecordValueProtocol)? }
  }

  /// The value of a field.
  public func object(forKey key: CKRecord.FieldKey) -> (any CKRecordValueProtocol)? { self[key] }

  /// Sets or removes the value of a field.
  public func setObject(_ object: (any CKRecordValueProtocol)?, forKey key: CKRecord.FieldKey) {
    self[key] = object
  }

  /// The value of a field.
  public func value(forKey key: CKRecord.FieldKey) -> Any? {
    self[key] as (any CKRecordValueProtocol)?
  }

  /// Sets or removes the value of a field.
  ///
  /// - Precondition: The value has a type that records support.
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

/// Iterates over a record's fields and their values.
public struct CKRecordKeyValueIterator: IteratorProtocol {
  private var fields: IndexingIterator<[(CKRecord.FieldKey, any CKRecordValueProtocol)]>

  fileprivate init(_ values: some CKRecordKeyValueSetting) {
    fields = values.allKeys()
      .compactMap { key in (values[key] as (any CKRecordValueProtocol)?).map { (key, $0) } }
      .makeIterator()
  }

  /// The next field and its value.
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

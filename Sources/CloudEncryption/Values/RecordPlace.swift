package import CloudRecords

/// The record that sealed values belong to.
///
/// It is authenticated with each value, so a value opens only in its own field of its own record.
/// The names and types of records and zones never change. A copy of a record has another name, so
/// its values are sealed again.
package struct RecordPlace: Hashable, Sendable {
  package var container: ContainerAddress
  package var record: RecordIdentifier
  package var recordType: String

  package init(container: ContainerAddress, record: RecordIdentifier, recordType: String) {
    self.container = container
    self.record = record
    self.recordType = recordType
  }

  /// The record and a field of it, in error messages.
  func name(of field: String) -> String {
    "the field “\(recordType).\(field)” of the record “\(record.recordName)” in the zone “\(record.zone.zoneName)”"
  }
}

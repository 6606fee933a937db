package import CloudRecords

/// The record that sealed values belong to.
///
/// All of it is bound into what is sealed: a value opens in its own field of its own record, and
/// nowhere else. Names and types of records never change, nor do names of zones; a copy of a record
/// has another name, and its values are sealed anew.
package struct RecordPlace: Hashable, Sendable {
  package var container: ContainerAddress
  package var record: RecordIdentifier
  package var recordType: String

  package init(container: ContainerAddress, record: RecordIdentifier, recordType: String) {
    self.container = container
    self.record = record
    self.recordType = recordType
  }

  /// The record and a field of it, in sentences of errors.
  func name(of field: String) -> String {
    "the field “\(recordType).\(field)” of the record “\(record.recordName)” in the zone “\(record.zone.zoneName)”"
  }
}

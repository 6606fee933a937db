import BinaryCoding
package import CloudRecords

/// The record that sealed values belong to.
///
/// It is authenticated with each value, so a value opens only in its own field of its own record.
/// The name and type of a record and the name of its zone never change. A copy of a record has
/// another name, so its values are sealed again.
package struct RecordPlace: Hashable, Sendable {
  package var container: ContainerAddress
  package var record: RecordIdentifier
  package var recordType: String

  package init(container: ContainerAddress, record: RecordIdentifier, recordType: String) {
    self.container = container
    self.record = record
    self.recordType = recordType
  }
}

/// A record's place, in the form that is authenticated with its values.
package struct BoundPlace: Hashable, Sendable {
  package let place: RecordPlace
  /// The beginning of the authenticated data, which all fields of the record share.
  private let beginning: BinaryWriter

  package init(_ place: RecordPlace) {
    self.place = place
    var form = BinaryWriter(purpose: "parhelion.value.1")
    form.container(place.container)
    form.zone(place.record.zone)
    form.text(place.record.recordName)
    form.text(place.recordType)
    beginning = form
  }

  package static func == (one: BoundPlace, other: BoundPlace) -> Bool { one.place == other.place }

  package func hash(into hasher: inout Hasher) { hasher.combine(place) }

  /// The data that is authenticated with a value.
  package func associated(_ field: String, shareName: String?, key: KeyIdentifier) -> [UInt8] {
    var form = beginning
    form.text(field)
    form.text(shareName ?? "")
    form.keyIdentifier(key)
    return form.bytes
  }

  /// The record and a field of it, in error messages.
  func name(of field: String) -> String {
    """
    the field “\(place.recordType).\(field)” of the record “\(place.record.recordName)” in the \
    zone “\(place.record.zone.zoneName)”
    """
  }
}

extension EncryptionAccount {
  /// The record's identifier with the name of its zone's owner, which callers may omit.
  func named(_ record: RecordIdentifier) -> RecordIdentifier {
    var named = record
    if record.zone.ownerName == RecordZoneIdentifier.currentOwnerName {
      named.zone.ownerName = userRecordName
    }
    return named
  }

  /// The place of a record's values.
  func place(of record: RecordIdentifier, _ recordType: String) -> RecordPlace {
    precondition(
      record.zone.ownerName != RecordZoneIdentifier.currentOwnerName,
      "Values can be sealed only for a zone with a named owner: ask the server who is signed in."
    )
    return RecordPlace(container: container, record: record, recordType: recordType)
  }
}

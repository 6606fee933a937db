package import CloudRecords

extension CloudRecord {
  /// A record of a user `_me`, which a user `_you` saved last.
  package static var sample: CloudRecord {
    let zone = RecordZoneIdentifier(zoneName: "Notes", ownerName: "_me")
    var place = LocationValue(latitude: 48, longitude: 16)
    place.altitude = 200
    var record = CloudRecord(
      identifier: RecordIdentifier(recordName: "n1", zone: zone), recordType: "Note",
      changeTag: "1e",
      fields: [
        "title": Field(.string("Milk")), "count": Field(.int64(3)),
        "day": Field(.timestamp(Timestamp(milliseconds: 1_500))),
        "tags": Field(.list(of: .string, [.string("a")])), "place": Field(.location(place)),
        "file": Field(.asset(AssetValue(fileChecksum: "c", size: 3))),
        "link": Field(.reference(RecordReference(recordName: "n2", action: .deleteSelf))),
        "other": Field(
          .reference(
            RecordReference(
              recordName: "n3", zone: RecordZoneIdentifier(zoneName: "Elsewhere", ownerName: "_me"),
              action: .validate))
        ),
        "secret": Field(.bytes([9]), isEncrypted: true),
      ],
      created: RecordStamp(time: Timestamp(milliseconds: 1_000), userRecordName: "_me"),
      modified: RecordStamp(time: Timestamp(milliseconds: 2_000), userRecordName: "_you"))
    record.parentName = "list"
    record.shareName = "s1"
    return record
  }
}

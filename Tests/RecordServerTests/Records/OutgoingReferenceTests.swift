import CloudRecords
import RecordServer
import Testing

@Suite struct `Outgoing references` {
  /// The references of a record with a list of targets.
  private func references(to targets: Range<Int>) -> [OutgoingReference] {
    let stamp = RecordStamp(
      time: Timestamp(milliseconds: 5), userRecordName: "_ada", deviceIdentifier: "phone")
    let members = targets.map {
      FieldValue.reference(RecordReference(recordName: "r\($0)", action: .validate))
    }
    return StoredRecord(
      recordName: "r", recordType: "Node", tag: 1, created: stamp, modified: stamp,
      fields: ["all": Field(.list(of: .reference, members))]
    ).outgoing
  }

  @Test func `The former references are listed once for all new ones`() {
    let former = references(to: 0..<1_000)
    var count = 0
    func list() -> [OutgoingReference] {
      count += 1
      return former
    }
    let same = former.firstAdded(to: list)
    #expect(same == nil && count == 1)
    let fewer = references(to: 500..<1_000).firstAdded(to: list)
    #expect(fewer == nil && count == 2)
    let moved = references(to: 1..<1_001)
    let added = moved.firstAdded(to: list)
    #expect(added == moved.last && count == 3)
  }

  @Test func `Without new references the former ones are not listed`() {
    var count = 0
    let added = references(to: 0..<0).firstAdded {
      count += 1
      return []
    }
    #expect(added == nil && count == 0)
  }
}

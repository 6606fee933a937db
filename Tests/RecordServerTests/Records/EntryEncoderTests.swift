import CloudRecords
import RecordServer
import Testing

@Suite struct `Encodings of a batch's entries` {
  /// Counts below and above the threshold for two threads.
  @Test(arguments: [0, 1, 63, 64, 65, 200, 1_000])
  func `An encoder gives the encodings of any number of entries`(count: Int) {
    let entries = (0..<count).map(Self.entry)
    for _ in 0..<10 {
      let forms = EntryEncoder(of: entries)
      #expect(entries.indices.map(forms.form) == entries.map(\.bytes))
    }
  }

  @Test func `Not all encodings need to be requested`() {
    for asked in [0, 1, 100] {
      let entries = (0..<200).map(Self.entry)
      let forms = EntryEncoder(of: entries)
      #expect((0..<asked).map(forms.form) == entries[..<asked].map(\.bytes))
    }
  }

  private static func entry(_ number: Int) -> StoredEntry {
    let stamp = RecordStamp(
      time: Timestamp(milliseconds: 5), userRecordName: "_ada", deviceIdentifier: "phone")
    let text = String(repeating: "\(number) ", count: number % 70)
    return .record(
      StoredRecord(
        recordName: "r\(number)", recordType: "Note", tag: UInt64(number), created: stamp,
        modified: stamp,
        fields: ["text": Field(.string(text)), "number": Field(.int64(Int64(number)))]))
  }
}

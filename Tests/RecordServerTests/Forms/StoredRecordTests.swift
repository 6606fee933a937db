import CloudRecords
import RecordServer
import TestSupport
import Testing

@Suite struct `Stored records` {
  private static let stamp = RecordStamp(
    time: Timestamp(milliseconds: 1_700_000_000_123), userRecordName: "_abc",
    deviceIdentifier: "phone")

  private static let full: StoredRecord = {
    var place = LocationValue(latitude: -12.5, longitude: 179.25)
    (place.altitude, place.course, place.timestamp) = (1.5, 270, Timestamp(milliseconds: -1))
    let zone = RecordZoneIdentifier(zoneName: "Notes", ownerName: "_abc")
    let reference = RecordReference(recordName: "other", zone: zone, action: .validate)
    let asset = AssetValue(
      fileChecksum: "01ab", size: 5_000_000_000, referenceChecksum: "r", wrappingKey: "w")
    var record = StoredRecord(
      recordName: "r1", recordType: "Note", tag: 300, created: stamp, modified: stamp,
      fields: [
        "asset": Field(.asset(asset)), "bytes": Field(.bytes([0, 255, 1])),
        "double": Field(.double(-0.0)),
        "empty": Field(.list(of: .string, [])), "int": Field(.int64(.min)),
        "max": Field(.int64(.max)),
        "list": Field(.list(of: .int64, [.int64(-1), .int64(63), .int64(64)])),
        "place": Field(.location(place)),
        "reference": Field(.reference(reference)), "secret": Field(.string("s"), isEncrypted: true),
        "text": Field(.string("é\u{0}🎈")),
        "time": Field(.timestamp(Timestamp(milliseconds: -62_135_596_800_000))),
      ])
    record.parentName = "parent"
    record.shareName = "Share-1"
    record.shortIdentifier = "0abc"
    record.coveringShareName = "Share-1"
    record.formerShares = [PreviousShare("Share-0")]
    var identity = UserIdentity(
      userRecordName: "_abc", nameComponents: .init(givenName: "Ada"),
      lookupInfo: .emailAddress("a@example.com"))
    identity.nameComponents?.nickname = "A"
    let participant = ShareParticipant(
      identifier: "p", identity: identity, role: .administrator, permission: .readWrite,
      acceptance: .invited)
    record.share = ShareDetails(
      publicPermission: .readOnly, participants: [participant], rootName: "root")
    return record
  }()

  @Test func `Records survive encoding`() throws {
    #expect(try StoredEntry(bytes: StoredEntry.record(Self.full).bytes) == .record(Self.full))
    let tombstone = Tombstone(
      recordName: "gone", recordType: "Note", deleted: Timestamp(milliseconds: 5),
      shares: [PreviousShare("a"), PreviousShare("b")])
    #expect(try StoredEntry(bytes: StoredEntry.tombstone(tombstone).bytes) == .tombstone(tombstone))
    #expect(StoredEntry.tombstone(tombstone).recordName == "gone")
    #expect(StoredEntry.record(Self.full).recordName == "r1")
  }

  @Test func `The ends of former shares are kept`() throws {
    for ends in [[nil, 7], [7, 300]] as [[UInt64?]] {
      let shares = zip(["a", "b"], ends).map { PreviousShare($0, end: $1) }
      var record = Self.full
      for sealed in [false, true] {
        if sealed { record.sealed = try Self.sealed() }
        record.formerShares = shares
        #expect(try StoredEntry(bytes: StoredEntry.record(record).bytes) == .record(record))
      }
      for end in [nil, 0, 9] as [UInt64?] {
        let tombstone = Tombstone(
          recordName: "gone", recordType: "Note", deleted: Timestamp(milliseconds: 5),
          shares: shares, end: end)
        #expect(
          try StoredEntry(bytes: StoredEntry.tombstone(tombstone).bytes) == .tombstone(tombstone))
      }
    }
  }

  /// A sealed field, as it is stored after the others.
  private static func sealed() throws -> SealedFields {
    let field: [UInt8] = [1, 1, UInt8(ascii: "s"), FieldType.string.rawValue, 2, 8, 9]
    guard
      case .record(let record) = try StoredEntry(
        bytes: [3] + StoredEntry.record(full).bytes.dropFirst() + field)
    else {
      Issue.record("no record")
      return SealedFields()
    }
    #expect(record.sealed.map(\.name) == ["s"])
    return record.sealed
  }

  @Test func `Shares keep the positions at which participants got access`() throws {
    var record = Self.full
    record.share?.participants += Self.full.share?.participants ?? []
    for position in [1, 1 << 40] as [UInt64] {
      record.share?.participants[1].visibleSince = position
      #expect(try StoredEntry(bytes: StoredEntry.record(record).bytes) == .record(record))
      record.share?.participants[0].isApprovedRequester.toggle()
      record.share?.participants[0].joinProof = [1, 2, 3]
      #expect(try StoredEntry(bytes: StoredEntry.record(record).bytes) == .record(record))
    }
  }

  /// Without fields, few bytes follow the data of the last user.
  @Test(arguments: [1, 2, 3, 5, 130, 300], [false, true])
  func `Shares without fields keep data about many users`(
    _ count: Int, _ areApproved: Bool
  ) throws {
    var record = Self.full
    record.fields = RecordFields()
    var person = try #require(Self.full.share?.participants.first)
    person.isApprovedRequester = areApproved
    person.visibleSince = areApproved ? nil : 1
    record.share?.participants = Array(repeating: person, count: count)
    #expect(try StoredEntry(bytes: StoredEntry.record(record).bytes) == .record(record))
  }

  @Test func `Shares keep participants' own links and the times of additions`() throws {
    var record = Self.full
    record.share?.participants[0].oneTimeName = "0abc"
    #expect(try StoredEntry(bytes: StoredEntry.record(record).bytes) == .record(record))
    record.share?.participants[0].added = Timestamp(milliseconds: 1)
    #expect(try StoredEntry(bytes: StoredEntry.record(record).bytes) == .record(record))
    record.share?.participants[0].oneTimeName = nil
    #expect(try StoredEntry(bytes: StoredEntry.record(record).bytes) == .record(record))
  }

  @Test func `Shares keep access requests`() throws {
    var record = Self.full
    record.share?.requests = ShareRequests(
      areAllowed: true,
      requesters: [UserIdentity(userRecordName: "_bob"), UserIdentity(userRecordName: "_eve")],
      blocked: [UserIdentity(lookupInfo: .emailAddress("m@example.com"))])
    #expect(try StoredEntry(bytes: StoredEntry.record(record).bytes) == .record(record))
    record.share?.requests = ShareRequests()
    record.share?.participants[0].isApprovedRequester = true
    #expect(try StoredEntry(bytes: StoredEntry.record(record).bytes) == .record(record))
  }

  @Test func `The sign of zero and not-a-number values are kept`() throws {
    var record = Self.full
    record.fields = ["n": Field(.double(.nan)), "z": Field(.double(-0.0))]
    guard case .record(let read) = try StoredEntry(bytes: StoredEntry.record(record).bytes),
      case .double(let zero)? = read.fields["z"]?.value,
      case .double(let none)? = read.fields["n"]?.value
    else {
      Issue.record("no record")
      return
    }
    #expect(zero.sign == .minus)
    #expect(none.isNaN)
  }

  @Test func `Copies share storage until one changes`() {
    let record = Self.full
    var copy = record
    copy.fields["text"] = Field(.string("other"))
    copy.tag = 301
    #expect(record == Self.full)
    #expect(record.tag == 300)
    #expect(copy != record)
    copy.tag = 300
    copy.fields["text"] = record.fields["text"]
    #expect(copy == record)
    #expect(Set([copy, record]).count == 1)
  }

  @Test func `The estimated size is an upper bound`() {
    var record = Self.full
    #expect(record.mostBytes == .max)
    record.share = nil
    #expect(record.mostBytes >= StoredEntry.record(record).bytes.count)
    record.fields = ["text": Field(.string(String(repeating: "é", count: 10_000)))]
    let bytes = StoredEntry.record(record).bytes.count
    #expect((bytes...bytes + 1_000).contains(record.mostBytes))
  }

  @Test func `Truncated encodings are rejected`() {
    let whole = StoredEntry.record(Self.full).bytes
    for length in 0..<whole.count {
      #expect(throws: (any Error).self) { try StoredEntry(bytes: Array(whole.prefix(length))) }
    }
    #expect(throws: (any Error).self) { try StoredEntry(bytes: whole + [0]) }
  }

  @Test func `Arbitrary bytes never crash the program`() {
    var random = SeededGenerator.forTest()
    let whole = StoredEntry.record(Self.full).bytes
    var refused = 0
    for _ in 0..<20_000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(
          in: 0...255, using: &random)
      }
      if (try? StoredEntry(bytes: bytes)) == nil { refused += 1 }
    }
    #expect((1_000..<20_000).contains(refused), "\(random)")
  }

  /// The stored encoding is stable: every later version reads these bytes or upgrades them.
  @Test func `Version 1 has these bytes`() {
    let small = StoredRecord(
      recordName: "r", recordType: "T", tag: 300,
      created: RecordStamp(time: Timestamp(milliseconds: 1), userRecordName: "u"),
      modified: RecordStamp(time: Timestamp(milliseconds: 2), userRecordName: "u"),
      fields: ["a": Field(.int64(-1))])
    #expect(
      StoredEntry.record(small).bytes == [
        1, 1, 0x72, 1, 0x54, 0xAC, 2, 2, 1, 0x75, 0, 4, 1, 0x75, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0x61, 2,
        1,
      ])
  }
}

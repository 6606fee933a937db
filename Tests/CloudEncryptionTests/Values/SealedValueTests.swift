import CloudEncryption
import CloudRecords
import Cryptography
import EncryptionTestSupport
import TestSupport
import Testing

@Suite struct `Sealed values` {
  static let place = RecordPlace(
    container: ContainerAddress.test,
    record: RecordIdentifier(
      recordName: "r", zone: RecordZoneIdentifier(zoneName: "Z", ownerName: "_ada")),
    recordType: "Note")
  static let key = ZoneKey(SecretBytes([UInt8](repeating: 3, count: 32)))

  static let values: [FieldValue] = [
    .string(""), .string("the treasure lies beneath the third oak 🌳"), .int64(0), .int64(.min),
    .int64(.max),
    .int64(-1),
    .double(0), .double(-0.0), .double(.infinity), .double(.leastNonzeroMagnitude),
    .timestamp(Timestamp(milliseconds: -62_135_596_800_000)),
    .bytes([]), .bytes([0, 255]), .location(LocationValue(latitude: -90, longitude: 180)),
    .location(full),
    .list(of: .string, []), .list(of: .string, [.string("a"), .string("")]),
    .list(of: .int64, [.int64(1), .int64(-2)]),
    .list(of: .double, [.double(1.5)]),
    .list(of: .timestamp, [.timestamp(Timestamp(milliseconds: 1))]),
    .list(of: .bytes, [.bytes([1]), .bytes([])]), .list(of: .location, [.location(full)]),
  ]

  private static var full: LocationValue {
    var location = LocationValue(latitude: 1.25, longitude: -3)
    location.horizontalAccuracy = 1
    location.verticalAccuracy = 2
    location.altitude = -3
    location.speed = 4
    location.course = 359.5
    location.timestamp = Timestamp(milliseconds: 1_700_000_000_000)
    return location
  }

  private static let stamp = SealStamp(name: [UInt8](repeating: 5, count: 16), order: 3)

  private func seal(
    _ value: FieldValue, share: String? = nil, under key: ZoneKey = key,
    nonce: [UInt8] = SecureRandom.bytes(24)
  ) throws -> [UInt8] {
    try ValueDraft(
      SealedContent(value, stamp: Self.stamp, known: [KnownSave(field: "f", stamp: Self.stamp)]),
      field: "secret",
      of: BoundPlace(Self.place), under: key, shareName: share
    ).sealed(signature: nil, nonce: nonce)
  }

  private func open(
    _ bytes: [UInt8], field: String = "secret", _ place: RecordPlace = place,
    with key: ZoneKey = key
  ) throws -> FieldValue {
    let place = BoundPlace(place)
    var hasher = ShortHasher()
    let opened = try SealedValue(bytes, field: field, of: place).open(
      field: field, of: place, with: key, &hasher)
    let content = opened.content
    #expect(
      content.stamp == Self.stamp && content.known == [KnownSave(field: "f", stamp: Self.stamp)])
    #expect(opened.signature == nil)
    return try #require(content.value)
  }

  @Test(arguments: values) func `Sealed values open unchanged`(value: FieldValue) throws {
    for share in [nil, "Share-1"] { #expect(try open(try seal(value, share: share)) == value) }
  }

  @Test func `Not-a-number values stay not-a-number`() throws {
    guard case .double(let number) = try open(try seal(.double(.nan))) else {
      return #expect(Bool(false))
    }
    #expect(number.isNaN)
  }

  @Test func `Sealed values have the bytes of DESIGN.md`() throws {
    let sealed = try seal(.string("hi"), share: "S", nonce: [UInt8](repeating: 9, count: 24))
    #expect(Array(sealed.prefix(4)) == [0xE1, 1, 1, UInt8(ascii: "S")])
    #expect(Array(sealed[4..<20]) == Self.key.identifier.bytes)
    #expect(sealed[20] == 1)
    #expect(Array(sealed[21..<45]) == [UInt8](repeating: 9, count: 24))
    // The save's stamp, and one other field of the save; then type, length, text and its tag.
    let bound = 17 + 1 + 2 + 1
    #expect(sealed.count == 45 + bound + 1 + 1 + 2 + 16 + 1)
    #expect(sealed.last == 0, "the signature's kind")
    let zones = try seal(.string("hi"))
    #expect(Array(zones.prefix(3)) == [0xE1, 1, 0] && zones.count == 44 + bound + 4 + 16 + 1)
  }

  @Test func `The form of sealed values is that of the first version`() throws {
    let sealed = try seal(.string("hi"), share: "S", nonce: [UInt8](repeating: 9, count: 24))
    #expect(
      hexadecimal(sealed)
        == Self.firstVersion,
      "The form has changed: give it another version, and read this one as before.")
  }

  @Test func `A value of the first version opens`() throws {
    let digits = Array(Self.firstVersion)
    let bytes = try stride(from: 0, to: digits.count, by: 2).map {
      try #require(UInt8(String(digits[$0...$0 + 1]), radix: 16))
    }
    #expect(try open(bytes) == .string("hi"))
  }

  private static let firstVersion =
    "e1010153e23c521427ae672ffd52f6acfb26c32c01"
    + "0909090909090909090909090909090909090909090909095997fde8b79decb9d8813be91419afc9fb8edc38"
    + "8ec45a1a463c989f3e039b72f5d3630c32622e5e3b00"

  @Test func `A value with any changed bit gives an error and never a value`() throws {
    var generator = SeededGenerator.forTest()
    for value in [Self.values[1], .int64(7), .list(of: .string, [.string("a")])] as [FieldValue] {
      let sealed = try seal(value, share: Bool.random(using: &generator) ? "S" : nil)
      for bit in 0..<sealed.count * 8 {
        var changed = sealed
        changed[bit / 8] ^= 1 << UInt8(bit % 8)
        #expect(throws: EncryptionError.self, "\(generator) \(bit)") { try open(changed) }
      }
      for count in 0..<sealed.count {
        #expect(throws: EncryptionError.self) { try open(Array(sealed.prefix(count))) }
      }
      #expect(refusal { _ = try open(sealed + [0]) } == "tampered")
    }
  }

  @Test func `Malformed values are rejected and never crash`() {
    var generator = SeededGenerator.forTest()
    for _ in 0..<3_000 {
      var bytes = (0..<Int.random(in: 0..<120, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      if bytes.count > 2, Bool.random(using: &generator) {
        bytes.replaceSubrange(0..<3, with: [0xE1, 1, 0])
      }
      #expect(throws: EncryptionError.self, "\(generator)") { try open(bytes) }
    }
  }

  @Test func `Values open only where they were sealed`() throws {
    let sealed = try seal(.string("x"))
    #expect(refusal { _ = try open(sealed, field: "other") } == "tampered")
    let changes: [(inout RecordPlace) -> Void] = [
      { $0.container.container = "iCloud.other" }, { $0.container.environment = .production },
      { $0.record.recordName = "s" }, { $0.record.zone.zoneName = "Y" },
      { $0.record.zone.ownerName = "_bob" },
      { $0.recordType = "Page" },
    ]
    for change in changes {
      var place = Self.place
      change(&place)
      #expect(refusal { _ = try open(sealed, place) } == "tampered", "\(place)")
    }
    let other = ZoneKey(SecretBytes([UInt8](repeating: 4, count: 32)))
    #expect(refusal { _ = try open(sealed, with: other) } == "tampered")
  }

  @Test func `Names with equal concatenations are distinguished`() throws {
    var (one, two) = (Self.place, Self.place)
    (one.record.recordName, one.recordType) = ("ab", "c")
    (two.record.recordName, two.recordType) = ("a", "bc")
    let sealed = try ValueDraft(
      SealedContent(.int64(1), stamp: Self.stamp), field: "f", of: BoundPlace(one),
      under: Self.key, shareName: nil
    ).sealed(signature: nil, nonce: SecureRandom.bytes(24))
    #expect(refusal { _ = try open(sealed, field: "f", two) } == "tampered")
  }

  @Test func `Equal values are sealed differently`() throws {
    #expect(try seal(.int64(1)) != seal(.int64(1)))
  }

  @Test func `References and assets cannot be sealed`() {
    for value in [
      .reference(RecordReference(recordName: "a")), .asset(AssetValue(fileChecksum: "", size: 0)),
      .list(of: .reference, []), .list(of: .asset, []),
    ] as [FieldValue] {
      #expect(refusal { _ = try seal(value) } == "cannotBeSealed")
    }
  }

  @Test func `A prefix distinguishes sealed values`() throws {
    #expect(SealedValue.isSealed(.bytes([0xE1, 1, 0] + [UInt8](repeating: 0, count: 41))))
    // Only the heading of a later version is known.
    #expect(SealedValue.isSealed(.bytes([0xE1, 2])))
    let others: [FieldValue] = [
      .string("text"), .int64(0xE1), .bytes([]), .bytes([0xE1]), .bytes([0xE2, 1, 0]),
      .bytes([0xE1, 1]),
      .bytes([0xE1, 1, 0] + [UInt8](repeating: 0, count: 40)),
    ]
    for value in others { #expect(!SealedValue.isSealed(value), "\(value)") }
  }

  @Test func `Values of a later version are reported as such`() throws {
    var sealed = try seal(.int64(1))
    sealed[1] = 2
    #expect(refusal { _ = try open(sealed) } == "unknownVersion")
  }

  // MARK: Whole records

  @Test func `Encrypted fields are sealed, and the others pass`() throws {
    let ada = UserKeys(SecretBytes(SecureRandom.bytes(32)), userRecordName: "_ada")
    let ring = KeyRing(scope: KeyScope(zone: Self.place.record.zone), owner: ada.identity) {
      SecureRandom.bytes($0)
    }
    let fields: RecordFields = [
      "a": Field(.string("plain")), "b": Field(.string("sealed"), isEncrypted: true),
      "c": Field(.list(of: .int64, [.int64(1)]), isEncrypted: true),
    ]
    let save = SaveBinding(
      name: SecureRandom.bytes(16), over: [:], at: Timestamp(milliseconds: 1_000))
    let draft = try RecordDraft(fields, of: Self.place, under: ring, in: save)
    let sealed = RecordDraft.seal([draft], signedBy: ada) { SecureRandom.bytes($0) }[0]
    #expect(sealed["a"] == fields["a"])
    for name in ["b", "c"] {
      #expect(sealed[name]?.isEncrypted == true && sealed[name]?.value.type == .bytes)
    }
    func open(_ fields: RecordFields) throws -> (fields: RecordFields, seals: SealStamps) {
      var verified = VerifiedSignatures()
      return try SealedFields(fields, of: Self.place).open(rings: { _ in ring }, &verified)
    }
    #expect(
      try SealedFields(sealed, of: Self.place).keys.map(\.key) == [ring.newest.identifier])
    let opened = try open(sealed)
    #expect(opened.fields == fields)
    #expect(opened.seals == ["b": save.stamp, "c": save.stamp])
    #expect(save.stamp.order == 1_000)
    // One field's value in place of another's.
    var swapped = sealed
    swapped["b"] = sealed["c"]
    #expect(refusal { _ = try open(swapped) } == "tampered")
  }

  @Test(
    arguments: [.string("in plain"), .bytes(Array("in plain".utf8)), .int64(3)] as [FieldValue])
  func `A value that only claims to be sealed is not trusted`(value: FieldValue) throws {
    let fields: RecordFields = ["b": Field(value, isEncrypted: true)]
    #expect(refusal { _ = try SealedFields(fields, of: Self.place) } == "notSealed")
  }
}

func hexadecimal(_ bytes: [UInt8]) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

import CloudEncryption
import CloudRecords
import Cryptography
import EncryptionTestSupport
import TestSupport
import Testing

/// Values of several versions of a record, which a server could show as one.
@Suite struct `Values of one version` {
  private let place = RecordPlace(
    container: ContainerAddress.test,
    record: RecordIdentifier(
      recordName: "r", zone: RecordZoneIdentifier(zoneName: "Z", ownerName: "_ada")),
    recordType: "Note")
  private let ring: KeyRing
  private let ada = UserKeys(SecretBytes(SecureRandom.bytes(32)), userRecordName: "_ada")

  init() {
    ring = KeyRing(scope: KeyScope(zone: place.record.zone), owner: ada.identity) {
      SecureRandom.bytes($0)
    }
  }

  /// A record on an honest server, with its former versions.
  private struct Record {
    var fields = RecordFields()
    var seals = SealStamps()
    var versions: [RecordFields] = []
  }

  /// Saves fields; a nil text removes the field.
  private func save(
    _ texts: [String: String?], _ record: inout Record, knowsVersion: Bool = true,
    at time: Int64 = 5
  ) throws {
    var fields = RecordFields()
    for case (let name, let text?) in texts {
      fields[name] = Field(.string(text), isEncrypted: true)
    }
    let removed = texts.filter { $0.value == nil }.map(\.key)
    let binding = SaveBinding(
      name: SecureRandom.bytes(16), over: knowsVersion ? record.seals : nil,
      at: Timestamp(milliseconds: time))
    let draft = try RecordDraft(fields, removing: removed, of: place, under: ring, in: binding)
    let sealed = RecordDraft.seal([draft], signedBy: ada) { SecureRandom.bytes($0) }
    for entry in sealed[0] { record.fields[entry.name] = entry.field }
    record.versions.append(record.fields)
    record.seals = try open(record.fields).seals
  }

  private func open(
    _ fields: RecordFields, wanted: Set<String>? = nil
  ) throws -> (fields: RecordFields, seals: SealStamps) {
    var verified = VerifiedSignatures()
    return try SealedFields(fields, of: place).open(
      wanted: wanted, rings: { _ in ring }, &verified)
  }

  /// Whether a mix of versions is detected, given the version of each field.
  private func isDetected(_ versions: [String: Int], _ record: Record) -> Bool {
    var mixed = RecordFields()
    for (name, version) in versions { mixed[name] = record.versions[version][name] }
    return refusal { _ = try open(mixed) } == "tampered"
  }

  @Test func `Every version opens, whole and in parts`() throws {
    var record = Record()
    try save(["a": "1", "b": "1", "c": "1"], &record)
    try save(["a": "2"], &record)
    try save(["b": "3", "c": nil], &record)
    try save(["c": "4", "d": "4"], &record)
    try save(["a": "5", "b": "5", "c": "5", "d": "5"], &record)
    for version in record.versions {
      for names in [["a"], ["b"], ["a", "b"], ["a", "b", "c", "d"]] {
        var part = RecordFields()
        for name in names { part[name] = version[name] }
        #expect(throws: Never.self) { try open(part, wanted: Set(names)) }
      }
    }
  }

  @Test func `A field of an earlier version beside later ones is detected`() throws {
    var record = Record()
    try save(["a": "1", "b": "1", "c": "1"], &record)
    try save(["a": "2", "b": "2", "c": "2"], &record)
    for mix in [["a": 0, "b": 1, "c": 1], ["a": 1, "b": 0, "c": 0], ["a": 1, "b": 1, "c": 0]] {
      #expect(isDetected(mix, record), "\(mix)")
    }
    #expect(!isDetected(["a": 1, "b": 1, "c": 1], record))
  }

  @Test func `A partial save is bound to the version that it changes`() throws {
    var record = Record()
    try save(["a": "1", "b": "1"], &record)
    try save(["a": "2", "b": "2"], &record)
    try save(["b": "3"], &record)
    // Version 2 of a beside version 3 of b is the present record.
    #expect(!isDetected(["a": 1, "b": 2], record))
    #expect(isDetected(["a": 0, "b": 2], record))
    // Version 1 of both is a whole earlier version, which only a device that has seen a later one
    // detects.
    #expect(!isDetected(["a": 0, "b": 0], record))
  }

  @Test func `A value that the server leaves out is detected`() throws {
    var record = Record()
    try save(["a": "1", "b": "1", "c": "1"], &record)
    for name in ["a", "b", "c"] {
      var part = record.fields
      part[name] = nil
      // The carrier names all fields, the others the carrier.
      #expect(refusal { _ = try open(part) } == "leftOut", "\(name)")
      #expect(refusal { _ = try open(part, wanted: ["a", "b", "c"]) } == "leftOut")
      #expect(throws: Never.self) { try open(part, wanted: Set(part.map(\.name))) }
      var alone = RecordFields()
      alone[name] = record.fields[name]
      #expect(refusal { _ = try open(alone) } == "leftOut")
    }
    // A later save of one field names the others, too.
    try save(["c": "2"], &record)
    record.fields["b"] = nil
    #expect(refusal { _ = try open(record.fields) } == "leftOut")
  }

  @Test func `A removed value is no value, and its removal cannot be left out`() throws {
    for knowsVersion in [true, false] {
      var record = Record()
      try save(["a": "1", "b": "1"], &record)
      try save(["b": nil], &record, knowsVersion: knowsVersion)
      let opened = try open(record.fields).fields
      #expect(opened["b"] == nil && opened["a"] != nil)
      record.fields["b"] = nil
      #expect(refusal { _ = try open(record.fields) } == "leftOut")
    }
  }

  @Test func `A removed field does not come back beside what was saved with its removal`() throws {
    var record = Record()
    try save(["a": "1", "b": "1"], &record)
    try save(["a": "2", "b": nil], &record)
    #expect(isDetected(["a": 1, "b": 0], record))
    try save(["a": "3"], &record)
    #expect(isDetected(["a": 2, "b": 0], record))
    try save(["b": "4"], &record)
    #expect(!isDetected(["a": 2, "b": 3], record))
  }

  @Test func `A save over any version has no order, and gives no false alarm`() throws {
    var record = Record()
    try save(["a": "1", "b": "1"], &record)
    try save(["a": "forced"], &record, knowsVersion: false)
    #expect(!isDetected(["a": 1, "b": 1], record))
    #expect(record.seals["a"]?.isOrdered == true, "the former order is known by b")
    // The next save that knows the version orders the field again.
    try save(["a": "3", "b": "3"], &record)
    #expect(isDetected(["a": 2, "b": 0], record))
  }

  @Test func `A record that is made again begins after the former one`() throws {
    var (former, next) = (Record(), Record())
    try save(["a": "1"], &former, at: 1_000)
    try save(["a": "2"], &former, at: 1_000)
    try save(["a": "1"], &next, at: 2_000)
    let (one, two) = (try #require(former.seals["a"]), try #require(next.seals["a"]))
    #expect(two.mayFollow(one) && !one.mayFollow(two))
  }

  @Test func `Stamps survive archiving, and truncated ones are rejected`() throws {
    let stamps: SealStamps = ["a": SealStamp(name: [UInt8](repeating: 1, count: 16), order: 7)]
    #expect(SealStamps(bytes: stamps.bytes) == stamps)
    #expect(SealStamps(bytes: Array(stamps.bytes.dropLast())) == nil)
    #expect(SealStamps(bytes: []) == nil)
  }
}

import CloudEncryption
import CloudRecords
import Cryptography
import EncryptionTestSupport
import TestSupport
import Testing

/// The signatures that prove to readers that a person with permission wrote a value.
@Suite struct `Signatures of writers` {
  private let zone = RecordZoneIdentifier(zoneName: "Z", ownerName: "_ada")
  private let ada = keys("_ada")
  private let bob = keys("_bob")
  private let eve = keys("_eve")

  private static func keys(_ user: String) -> UserKeys {
    UserKeys(SecretBytes(SecureRandom.bytes(32)), userRecordName: user)
  }

  private func random(_ count: Int) -> [UInt8] { SecureRandom.bytes(count) }

  /// Ada's ring, of which Bob is a writer and Eve a reader.
  private func ring(readers: Set<String> = ["_eve"]) -> KeyRing {
    KeyRing(scope: KeyScope(zone: zone), owner: ada.identity, randomBytes: random).withRecipients(
      [ada, bob, eve].map(\.identity), readers: readers, random)
  }

  private func place(_ name: String) -> RecordPlace {
    RecordPlace(
      container: ContainerAddress.test,
      record: RecordIdentifier(recordName: name, zone: zone), recordType: "Note")
  }

  private func draft(
    _ texts: [String: String], _ name: String = "r", under ring: KeyRing,
    over base: SealStamps? = [:]
  ) throws -> RecordDraft {
    var fields = RecordFields()
    for (field, text) in texts { fields[field] = Field(.string(text), isEncrypted: true) }
    let save = SaveBinding(
      name: SecureRandom.bytes(16), over: base, at: Timestamp(milliseconds: 5))
    return try RecordDraft(fields, of: place(name), under: ring, in: save)
  }

  private func seal(
    _ texts: [String: String], _ name: String = "r", by writer: UserKeys?, under ring: KeyRing,
    over base: SealStamps? = [:]
  ) throws -> RecordFields {
    RecordDraft.seal([try draft(texts, name, under: ring, over: base)], signedBy: writer) {
      SecureRandom.bytes($0)
    }[0]
  }

  private func open(
    _ fields: RecordFields, _ name: String = "r", in ring: KeyRing, wanted: Set<String>? = nil
  ) throws -> (fields: RecordFields, seals: SealStamps) {
    var verified = VerifiedSignatures()
    return try SealedFields(fields, of: place(name)).open(
      wanted: wanted, rings: { _ in ring }, &verified)
  }

  private func sealedBytes(_ field: Field?) throws -> [UInt8] {
    let sealed: [UInt8]? = if case .bytes(let bytes)? = field?.value { bytes } else { nil }
    return try #require(sealed)
  }

  private func error(
    _ fields: RecordFields, _ name: String = "r", in ring: KeyRing
  ) -> String? {
    refusal { _ = try open(fields, name, in: ring) }
  }

  // MARK: Trees

  @Test func `Each value of a batch is checked alone`() {
    var hasher = ShortHasher()
    for count in [1, 2, 3, 5, 8, 33, 1_023, 1_024] {
      let leaves = (0..<count).map { _ in digest(SecureRandom.bytes(8), &hasher) }
      let signatures = WriteSignature.sign(leaves, by: ada, &hasher)
      let others = Set([0, 1, count / 2, count - 1]).filter { $0 < count }
      for index in others {
        var verified = VerifiedSignatures()
        for other in others {
          let isTrue = verified.verify(signatures[index], of: leaves[other], by: ada.identity)
          #expect(isTrue == (index == other), "\(index) \(other) of \(count)")
        }
        let isOthers = verified.verify(signatures[index], of: leaves[index], by: bob.identity)
        #expect(!isOthers)
      }
    }
  }

  @Test func `A batch is checked in any order, with false values between`() {
    var hasher = ShortHasher()
    var generator = SeededGenerator.forTest()
    for count in [1, 2, 3, 5, 8, 33, 200] {
      let leaves = (0..<count).map { _ in digest(SecureRandom.bytes(8), &hasher) }
      let signatures = WriteSignature.sign(leaves, by: ada, &hasher)
      var verified = VerifiedSignatures()
      for index in leaves.indices.shuffled(using: &generator) {
        let other = leaves.indices.randomElement(using: &generator) ?? 0
        for leaf in [leaves[other], digest([1], &hasher), leaves[index]] {
          let isTrue = verified.verify(signatures[index], of: leaf, by: ada.identity)
          #expect(isTrue == (leaf == leaves[index]), "\(generator) \(index) of \(count)")
        }
      }
    }
  }

  private func digest(_ bytes: [UInt8], _ hasher: inout ShortHasher) -> ShortDigest {
    hasher.digest(of: [], bytes[...], for: ShortDigest.Purpose("parhelion.tests."))
  }

  @Test func `The order of the values changes the root`() {
    var hasher = ShortHasher()
    let leaves = (0..<5).map { digest([$0], &hasher) }
    let roots = [leaves, leaves.reversed()].map { SignatureTree($0[...], &hasher).root }
    #expect(roots[0] != roots[1])
  }

  // MARK: Writers

  @Test func `Values of writers open, alone and in batches`() throws {
    let ring = ring()
    for writer in [ada, bob] {
      // More values than one signature has.
      let names = (0..<400).map { "r\($0)" }
      let drafts = try names.map { try draft(["a": $0, "b": $0, "c": $0], $0, under: ring) }
      let sealed = RecordDraft.seal(drafts, signedBy: writer) { SecureRandom.bytes($0) }
      for (name, fields) in zip(names, sealed) {
        #expect(try open(fields, name, in: ring).fields["b"]?.value == .string(name))
        var alone = RecordFields()
        alone["c"] = fields["c"]
        #expect(throws: Never.self) { try open(alone, name, in: ring, wanted: ["c"]) }
      }
    }
  }

  @Test func `A value without a signature is an error`() throws {
    #expect(error(try seal(["a": "1"], by: nil, under: ring()), in: ring()) != nil)
    let ring = ring()
    #expect(error(try seal(["a": "1"], by: nil, under: ring), in: ring) == "notSigned")
  }

  @Test func `A person with the keys cannot write in another person's name`() throws {
    let ring = ring()
    // Bob signs as Ada: her name, and his key.
    let secret = SecretBytes(SecureRandom.bytes(32))
    let false1 = UserKeys(secret, userRecordName: "_ada")
    #expect(error(try seal(["a": "1"], by: false1, under: ring), in: ring) == "notWriter")
    // Ada's signature of another value, in each place that Bob can put it.
    let ours = try seal(["a": "yes", "b": "no"], by: ada, under: ring)
    for name in ["a", "b"] {
      let forged = try forge(ours, field: name, by: ring)
      #expect(error(forged, in: ring) == "wrongSignature", "\(name)")
    }
  }

  /// Replaces a value under Ada's signature, as a person with the keys can.
  private func forge(_ fields: RecordFields, field: String, by ring: KeyRing) throws -> RecordFields
  {
    let place = BoundPlace(place("r"))
    let bytes = try sealedBytes(fields[field])
    var hasher = ShortHasher()
    let opened = try SealedValue(bytes, field: field, of: place).open(
      field: field, of: place, with: ring.newest, &hasher)
    var forged = fields
    let draft = try ValueDraft(
      SealedContent(.string("false"), stamp: opened.content.stamp, known: opened.content.known),
      field: field, of: place, under: ring.newest, shareName: nil)
    forged[field] = Field(
      .bytes(draft.sealed(signature: opened.signature, nonce: SecureRandom.bytes(24))),
      isEncrypted: true)
    return forged
  }

  @Test func `A value that was moved or sealed under another key has no valid signature`() throws {
    let ring = ring()
    let fields = try seal(["a": "1"], by: ada, under: ring)
    let place = BoundPlace(place("r"))
    let bytes = try sealedBytes(fields["a"])
    var hasher = ShortHasher()
    let opened = try SealedValue(bytes, field: "a", of: place).open(
      field: "a", of: place, with: ring.newest, &hasher)
    let rotated = ring.rotated(random)
    for (name, field, key) in [
      ("s", "a", ring.newest), ("r", "b", ring.newest), ("r", "a", rotated.newest),
    ] {
      let place = BoundPlace(self.place(name))
      let draft = try ValueDraft(
        opened.content, field: field, of: place, under: key, shareName: nil)
      var moved = RecordFields()
      moved[field] = Field(
        .bytes(draft.sealed(signature: opened.signature, nonce: SecureRandom.bytes(24))),
        isEncrypted: true)
      #expect(error(moved, name, in: rotated) == "wrongSignature", "\(name) \(field)")
    }
  }

  @Test func `A reader's values are an error, until the reader may write`() throws {
    let ring = ring()
    let fields = try seal(["a": "1"], by: eve, under: ring)
    #expect(error(fields, in: ring) == "notWriter")
    let wider = ring.withRecipients(ring.recipients, random)
    #expect(wider.newest == ring.newest && error(fields, in: wider) == nil)
  }

  @Test func `Earlier values of a removed person stay readable, and later ones are an error`()
    throws
  {
    let ring = ring()
    let before = try seal(["a": "1"], by: bob, under: ring)
    let removed = ring.withRecipients([ada, eve].map(\.identity), readers: ["_eve"], random)
    #expect(error(before, in: removed) == nil)
    // Another reader gives him the key.
    let after = try seal(["a": "2"], by: bob, under: removed)
    #expect(error(after, in: removed) == "notWriter")
    // Eve never wrote.
    #expect(error(try seal(["a": "3"], by: eve, under: ring), in: removed) == "notWriter")
    let back = removed.withRecipients(ring.recipients, readers: ["_eve"], random)
    #expect(error(after, in: back) == nil)
  }

  @Test func `A writer who becomes a reader cannot write under the next key`() throws {
    let ring = ring()
    let before = try seal(["a": "1"], by: bob, under: ring)
    let changed = ring.withRecipients(ring.recipients, readers: ["_bob", "_eve"], random)
    #expect(changed.newest != ring.newest)
    #expect(error(before, in: changed) == nil)
    #expect(error(try seal(["a": "2"], by: bob, under: changed), in: changed) == "notWriter")
  }

  @Test func `A person's values stay valid after their key is merged into another ring`() throws {
    let (first, second) = (ring(), ring())
    let theirs = try seal(["a": "1"], by: bob, under: second)
    let alone = first.withRecipients([ada.identity], random)
    // The keys of a ring that ended, or of another device.
    let merged = alone.merging(keysOf: second)
    #expect(error(theirs, in: merged) == nil)
    #expect(error(try seal(["a": "2"], by: bob, under: merged), in: merged) == "notWriter")
    #expect(merged.merging(keysOf: second).hasSameContents(as: merged))
    #expect(merged.merging(keysOf: alone).hasSameContents(as: merged))
  }

  @Test func `Each value belongs to the person who wrote it`() throws {
    let ring = ring()
    var fields = try seal(["a": "ada's", "b": "ada's"], by: ada, under: ring)
    let seals = try open(fields, in: ring).seals
    for base in [seals, nil] as [SealStamps?] {
      // Bob saves one field, over the version that he knows or over any.
      fields["a"] = try seal(["a": "bob's"], by: bob, under: ring, over: base)["a"]
      let opened = try open(fields, in: ring).fields
      #expect(opened["a"]?.value == .string("bob's") && opened["b"]?.value == .string("ada's"))
      var rest = fields
      rest["a"] = nil
      #expect(throws: Never.self) { try open(rest, in: ring, wanted: ["b"]) }
    }
  }

  @Test func `A bag shows its readers who may write`() throws {
    let ring = ring().withRecipients([ada, bob].map(\.identity), random)
    for readers in [[], ["_bob"]] as [Set<String>] {
      let sent = ring.withRecipients(ring.recipients, readers: readers, random)
      let bytes = try KeyRingBag.bytes(of: sent, signedBy: ada, in: ContainerAddress.test) {
        SecureRandom.bytes($0)
      }
      let read = try KeyRingBag.ring(
        of: bytes, scope: sent.scope, in: ContainerAddress.test, owner: ada.identity, reader: bob)
      #expect(read.hasSameContents(as: sent))
      let fields = try seal(["a": "1"], by: bob, under: read)
      #expect(error(fields, in: read) == (readers.isEmpty ? nil : "notWriter"))
    }
  }

  @Test func `An administrator's bag cannot give the owner other keys`() throws {
    let fake = Self.keys("_ada")
    let ring = ring().withRecipients([fake, bob].map(\.identity), random)
    let bytes = try KeyRingBag.bytes(of: ring, signedBy: ada, in: ContainerAddress.test) {
      SecureRandom.bytes($0)
    }
    #expect(
      refusal {
        _ = try KeyRingBag.ring(
          of: bytes, scope: ring.scope, in: ContainerAddress.test, owner: ada.identity,
          reader: bob)
      } == "forgedBag")
  }

  @Test func `A signature with any changed bit is an error`() throws {
    let ring = ring()
    let fields = try seal(["a": "1", "b": "2", "c": "3"], by: bob, under: ring)
    let bytes = try sealedBytes(fields["a"])
    // The kind, the name of the key, the signature and the path.
    let count = 1 + 8 + 64 + 2 + 2 * 16
    #expect(Int(bytes[19]) == count)
    for bit in 0..<count * 8 {
      var changed = bytes
      changed[bytes.count - count + bit / 8] ^= 1 << UInt8(bit % 8)
      var forged = fields
      forged["a"] = Field(.bytes(changed), isEncrypted: true)
      #expect(error(forged, in: ring) != nil, "\(bit)")
    }
  }

  @Test func `A signature of a later kind needs a later library`() throws {
    let ring = ring()
    var fields = try seal(["a": "1"], by: ada, under: ring)
    var bytes = try sealedBytes(fields["a"])
    bytes[bytes.count - Int(bytes[19])] = 2
    fields["a"] = Field(.bytes(bytes), isEncrypted: true)
    #expect(error(fields, in: ring) == "unknownVersion")
  }
}

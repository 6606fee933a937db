import BinaryCoding
import CloudEncryption
import CloudRecords
import Cryptography

/// The benchmarks of sealing and opening the encrypted values of records.
///
/// The reference uses the same cipher, values and authenticated data, but no stamps or signatures.
package struct EncryptionBenchmark: Sendable {
  /// The number of records in a batch.
  package var records = 200
  /// The number of rounds of each workload.
  package var rounds = 15

  package init() {}

  package typealias Measured = LocalBenchmark.Measured

  /// The error if the values do not open, so that their times mean nothing.
  struct NotOpened: Error, CustomStringConvertible {
    var description: String { "The benchmark's records do not open." }
  }

  /// The encrypted fields of a record.
  private struct Shape {
    let name: String
    let fields: Int
    let bytes: Int
  }

  private static let shapes = [
    Shape(name: "texts", fields: 5, bytes: 2_000), Shape(name: "words", fields: 10, bytes: 100),
    Shape(name: "number", fields: 1, bytes: 20),
  ]

  /// The workloads: sealing and opening, with signatures and without.
  package func workloads() -> [BenchmarkWorkload] {
    Self.shapes.flatMap { shape in
      [false, true].flatMap { isSigned in
        let name = "\(shape.name).\(isSigned ? "signed" : "unsigned")"
        let limit = isSigned ? 1.5 : 1.2
        return [
          BenchmarkWorkload("encryption.seal.\(name)") {
            try seal(shape, isSigned, "encryption.seal.\(name)", limit)
          },
          BenchmarkWorkload("encryption.open.\(name)") {
            try open(shape, isSigned, "encryption.open.\(name)", limit)
          },
        ]
      }
    }
  }

  private func seal(
    _ shape: Shape, _ isSigned: Bool, _ name: String, _ limit: Double
  ) throws -> Measured {
    let batch = Batch(shape.fields, shape.bytes, records)
    let sides = try SideBySide(
      rounds: rounds, ours: { _ = try batch.sealed(isSigned: isSigned) },
      reference: { _ = batch.plainlySealed() })
    return Measured(
      result: sides.result(name, items: records, limit: limit), spread: sides.spread)
  }

  private func open(
    _ shape: Shape, _ isSigned: Bool, _ name: String, _ limit: Double
  ) throws -> Measured {
    let batch = Batch(shape.fields, shape.bytes, records)
    let (sealed, plain) = (try batch.sealed(isSigned: isSigned), batch.plainlySealed())
    let sides = try SideBySide(
      rounds: rounds,
      ours: { isSigned ? try batch.open(sealed) : try batch.openUnsigned(sealed) },
      reference: { try batch.openPlainly(plain) })
    return Measured(
      result: sides.result(name, items: records, limit: limit), spread: sides.spread)
  }
}

/// Records of one zone that are sealed together.
private struct Batch {
  private let writer: UserKeys
  private let ring: KeyRing
  private let records: [(place: RecordPlace, fields: RecordFields)]

  init(_ fieldCount: Int, _ byteCount: Int, _ recordCount: Int) {
    let zone = RecordZoneIdentifier(
      zoneName: "com.apple.coredata.cloudkit.zone", ownerName: "_0123456789abcdef0123456789abcdef")
    writer = UserKeys(
      SecretBytes([UInt8](repeating: 7, count: 32)), userRecordName: zone.ownerName)
    ring = KeyRing(scope: KeyScope(zone: zone), owner: writer.identity) {
      [UInt8](repeating: 9, count: $0)
    }
    let container = ContainerAddress(
      container: "iCloud.com.example.app", environment: .development)
    records = (0..<recordCount).map { number in
      var fields = RecordFields()
      for field in 0..<fieldCount {
        let text = "\(number) " + String(repeating: "x", count: byteCount)
        fields["CD_field\(field)"] = Field(.string(text), isEncrypted: true)
      }
      let record = RecordIdentifier(
        recordName: "3E1F2C44-9D0B-4B55-8E54-\(100_000_000_000 + number)", zone: zone)
      return (RecordPlace(container: container, record: record, recordType: "CD_Note"), fields)
    }
  }

  func sealed(isSigned: Bool) throws -> [RecordFields] {
    let names = SaveBinding.names(records.count) { SecureRandom.bytes($0) }
    let drafts = try zip(records, names).map { record, name in
      let save = SaveBinding(
        name: name, over: [:], at: Timestamp(milliseconds: 1_700_000_000_000))
      return try RecordDraft(record.fields, of: record.place, under: ring, in: save)
    }
    return RecordDraft.seal(drafts, signedBy: isSigned ? writer : nil) { SecureRandom.bytes($0) }
  }

  func open(_ sealed: [RecordFields]) throws {
    var verified = VerifiedSignatures()
    for (record, fields) in zip(records, sealed) {
      let opened = try SealedFields(fields, of: record.place).open(rings: { _ in ring }, &verified)
      guard opened.fields.count == record.fields.count else {
        throw EncryptionBenchmark.NotOpened()
      }
    }
  }

  func openUnsigned(_ sealed: [RecordFields]) throws {
    var hasher = ShortHasher()
    for (record, fields) in zip(records, sealed) {
      let place = BoundPlace(record.place)
      var opened = fields
      for entry in fields {
        guard case .bytes(let bytes) = entry.field.value else {
          throw EncryptionBenchmark.NotOpened()
        }
        let value = try SealedValue(bytes, field: entry.name, of: place)
        let found = try value.open(field: entry.name, of: place, with: ring.newest, &hasher)
        opened[entry.name] = found.content.value.map { Field($0, isEncrypted: true) }
      }
    }
  }

  // MARK: The reference

  private func associated(_ field: String, _ place: RecordPlace) -> [UInt8] {
    var form = BinaryWriter()
    form.text("parhelion.value.1")
    form.text(place.container.container)
    form.text(place.container.environment.rawValue)
    form.text(place.record.zone.ownerName)
    form.text(place.record.zone.zoneName)
    form.text(place.record.recordName)
    form.text(place.recordType)
    form.text(field)
    form.text("")
    form.fixed(ring.newest.identifier.bytes)
    return form.bytes
  }

  func plainlySealed() -> [RecordFields] {
    records.map { record in
      var sealed = record.fields
      for entry in record.fields {
        var plain = BinaryWriter()
        plain.byte(entry.field.value.type.rawValue)
        entry.field.value.write(to: &plain)
        let nonce = SecureRandom.bytes(24)
        let ciphertext = AuthenticatedEncryption.seal(
          plain.bytes, key: ring.newest.valueKey, nonce: nonce,
          associated: associated(entry.name, record.place))
        var form = BinaryWriter()
        form.byte(SealedValueHeader.mark)
        form.byte(SealedValueHeader.version)
        SealedValueHeader(shareName: nil, key: ring.newest.identifier).write(to: &form)
        form.fixed(nonce)
        form.fixed(ciphertext)
        sealed[entry.name] = Field(.bytes(form.bytes), isEncrypted: true)
      }
      return sealed
    }
  }

  func openPlainly(_ sealed: [RecordFields]) throws {
    for (record, fields) in zip(records, sealed) {
      var opened = fields
      for entry in fields {
        guard case .bytes(let bytes) = entry.field.value else {
          throw EncryptionBenchmark.NotOpened()
        }
        var form = BinaryReader(bytes)
        _ = try form.fixed(2)
        let header = try SealedValueHeader(from: &form)
        let nonce = try form.fixed(24)
        let ciphertext = try form.fixed(bytes.count - form.offset)
        guard header.key == ring.newest.identifier,
          let plain = AuthenticatedEncryption.open(
            ciphertext, key: ring.newest.valueKey, nonce: nonce,
            associated: associated(entry.name, record.place))
        else { throw EncryptionBenchmark.NotOpened() }
        var reader = BinaryReader(plain)
        guard let type = FieldType(rawValue: try reader.byte()) else {
          throw EncryptionBenchmark.NotOpened()
        }
        opened[entry.name] = Field(try FieldValue(type, from: &reader), isEncrypted: true)
      }
    }
  }
}

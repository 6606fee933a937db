import Foundation

/// Digests of property values, which show whether a property changed in the cloud.
///
/// They replace a copy of the common ancestor: the ledger has digests of the server's last known
/// version. Once in 2⁶⁴, two values have the same digest, and a change is missed.
extension MirrorEntity {
  /// Returns the digests of some properties.
  ///
  /// A long value has the same digest inline and in a file. An unreadable one has none, and counts
  /// as changed.
  package func digests(of properties: some Sequence<String>, in content: ObjectContent) -> [String:
    UInt64]
  {
    var digests: [String: UInt64] = [:]
    for property in properties { digests[property] = digest(of: property, in: content) }
    return digests
  }

  /// Returns the properties that differ from their former digests, or have none.
  package func properties(
    of properties: Set<String>, in content: ObjectContent, unlike former: [String: UInt64]
  ) -> Set<String> {
    properties.filter { former[$0] == nil || former[$0] != digest(of: $0, in: content) }
  }

  private func digest(of property: String, in content: ObjectContent) -> UInt64? {
    var digest = ByteDigest()
    for attribute in attributes(of: property) {
      let value = content[attribute.key]
      do { try digest.add(value.inRecord) } catch { return nil }
      if let text = value.exactText { digest.add(text) }
    }
    digest.add(content.references[property])
    for name in content.orders[property] ?? [] { digest.add(name) }
    return digest.value
  }
}

/// FNV-1a over the bytes of values, each after its kind and its length.
///
/// Long values are digested eight bytes at a time.
private struct ByteDigest {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  /// Adds a value.
  ///
  /// - Throws: An error of reading a file.
  mutating func add(_ value: RecordValue?) throws {
    switch value {
    case nil: add(kind: 0, 0)
    case .string(let text)?: add(text)
    case .integer(let number)?: add(kind: 2, UInt64(bitPattern: number))
    case .double(let number)?: add(kind: 3, number == 0 ? 0 : number.bitPattern)
    case .milliseconds(let number)?: add(kind: 4, UInt64(bitPattern: number))
    case .bytes(let data)?: add(data)
    case .file(let file)?: add(try file.mapped())
    }
  }

  mutating func add(_ text: String?) {
    guard var text else { return add(kind: 0, 0) }
    text.withUTF8 { bytes in
      add(kind: 1, UInt64(bytes.count))
      unsafe add(UnsafeRawBufferPointer(bytes))
    }
  }

  private mutating func add(_ data: Data) {
    add(kind: 5, UInt64(data.count))
    unsafe data.withUnsafeBytes { bytes in unsafe add(bytes) }
  }

  private mutating func add(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count > MappingLimits.digestedByBytes else {
      for index in bytes.indices { add(unsafe bytes[index]) }
      return
    }
    let words = bytes.count / 8
    for word in 0..<words {
      add(
        word: UInt64(
          littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: 8 * word, as: UInt64.self)))
    }
    for index in 8 * words..<bytes.count { add(unsafe bytes[index]) }
  }

  private mutating func add(kind: UInt8, _ number: UInt64) {
    add(kind)
    for shift in stride(from: 0, to: 64, by: 8) {
      add(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
    }
  }

  private mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* Self.prime }

  /// Folds the upper half into the lower one, because a multiplication moves bits upwards only.
  private mutating func add(word: UInt64) {
    value = (value ^ word) &* Self.prime
    value ^= value >> 32
  }

  private static let prime: UInt64 = 0x0000_0100_0000_01B3
}

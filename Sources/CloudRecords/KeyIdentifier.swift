package import BinaryCoding

/// The identifier of a key, which reveals nothing about the key.
///
/// It is derived from the key, so no key can get the identifier of another one.
package struct KeyIdentifier: Hashable, Sendable, CustomStringConvertible {
  package static let byteCount = 16

  /// The halves, each with the lowest byte first.
  private let halves: (UInt64, UInt64)

  /// - Parameter bytes: 16 bytes.
  package init(_ bytes: [UInt8]) {
    precondition(bytes.count == Self.byteCount, "The identifier of a key has 16 bytes.")
    func half(_ bytes: ArraySlice<UInt8>) -> UInt64 {
      bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    halves = (half(bytes[..<8]), half(bytes[8...]))
  }

  package var bytes: [UInt8] {
    var form = BinaryWriter(capacity: Self.byteCount)
    form.keyIdentifier(self)
    return form.bytes
  }

  package static func == (one: KeyIdentifier, other: KeyIdentifier) -> Bool {
    one.halves == other.halves
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(halves.0) }

  package var description: String {
    bytes.prefix(4).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  fileprivate init(_ halves: (UInt64, UInt64)) { self.halves = halves }

  fileprivate func write(to form: inout BinaryWriter) {
    form.word(halves.0)
    form.word(halves.1)
  }
}

extension BinaryWriter {
  package mutating func keyIdentifier(_ identifier: KeyIdentifier) { identifier.write(to: &self) }
}

extension BinaryReader {
  package mutating func keyIdentifier() throws(BinaryCodingError) -> KeyIdentifier {
    KeyIdentifier((try word(), try word()))
  }
}

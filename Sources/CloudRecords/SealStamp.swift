package import BinaryCoding

/// The save in which a device sealed a value: its name, and its order among the record's saves.
package struct SealStamp: Hashable, Sendable {
  package static let nameByteCount = 16

  /// The halves of a random name of the save.
  private let name: (UInt64, UInt64)
  /// Grows with each save of the record; 0 if the device did not know the version that it changed.
  package let order: Int64

  /// - Parameter name: 16 random bytes.
  package init(name: [UInt8], order: Int64) {
    precondition(name.count == Self.nameByteCount, "The name of a save has 16 bytes.")
    func half(_ bytes: ArraySlice<UInt8>) -> UInt64 {
      bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    self.init((half(name[..<8]), half(name[8...])), order: order)
  }

  fileprivate init(_ name: (UInt64, UInt64), order: Int64) {
    (self.name, self.order) = (name, order)
  }

  package static func == (one: SealStamp, other: SealStamp) -> Bool {
    one.name == other.name && one.order == other.order
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(name.0) }

  fileprivate func write(to form: inout BinaryWriter) {
    form.word(name.0)
    form.word(name.1)
    form.signed(order)
  }

  package var isOrdered: Bool { order > 0 }

  /// Whether a field may have this stamp after a device has seen the stamp `known` of the field.
  package func mayFollow(_ known: SealStamp) -> Bool {
    !isOrdered || !known.isOrdered || order > known.order || self == known
  }
}

extension BinaryWriter {
  package mutating func stamp(_ stamp: SealStamp) { stamp.write(to: &self) }
}

extension BinaryReader {
  package mutating func stamp() throws(BinaryCodingError) -> SealStamp {
    let name = (try word(), try word())
    return SealStamp(name, order: try signed())
  }
}

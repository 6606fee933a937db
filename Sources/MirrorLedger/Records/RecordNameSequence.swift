import Foundation

/// The names of the records that one transaction creates: consecutive UUIDs.
///
/// One random UUID is created, and its last 48 bits are counted up. So names of one transaction are
/// adjacent in the index; otherwise as many pages as names would change. Version, variant and 74
/// random bits stay.
struct RecordNameSequence {
  private let makeUUID: () -> UUID
  private var last: (high: UInt64, low: UInt64)?

  init(makeUUID: @escaping () -> UUID) { self.makeUUID = makeUUID }

  package mutating func next() -> RecordName {
    let current = last.map { Self.following($0) } ?? Self.halves(makeUUID())
    last = current
    return .uuid(current.high, current.low)
  }

  private static let counted: UInt64 = 0xFFFF_FFFF_FFFF

  private static func following(_ halves: (high: UInt64, low: UInt64)) -> (
    high: UInt64, low: UInt64
  ) {
    (halves.high, halves.low & ~counted | (halves.low &+ 1) & counted)
  }

  private static func halves(_ uuid: UUID) -> (high: UInt64, low: UInt64) {
    let halves = unsafe unsafeBitCast(uuid.uuid, to: (UInt64, UInt64).self)
    return (UInt64(bigEndian: halves.0), UInt64(bigEndian: halves.1))
  }
}

import BinaryCoding

/// The last write of each ring of a zone or share that the user's devices have seen.
///
/// Marks outlive the keys. So a server that pretends that a zone was deleted cannot show an earlier
/// ring as the present one.
struct RingMarks: Hashable, Sendable {
  private struct Mark: Hashable, Sendable {
    var epoch: Int64
    /// Whether the zone was deleted, or another ring took its place.
    var hasEnded: Bool
  }

  private var marks: [[UInt8]: Mark] = [:]

  /// Notes that a ring is the present one.
  mutating func note(_ ring: KeyRing) {
    for identifier in marks.keys where identifier != ring.identifier {
      marks[identifier]?.hasEnded = true
    }
    guard ring.epoch > epoch(of: ring) else { return }
    marks[ring.identifier] = Mark(epoch: ring.epoch, hasEnded: false)
  }

  /// Notes that the zone or share is gone, with its ring.
  mutating func end() { for identifier in marks.keys { marks[identifier]?.hasEnded = true } }

  /// Whether a ring is not the present one: a later write of it was seen, or it has ended.
  func isOutdated(_ ring: KeyRing) -> Bool {
    guard let mark = marks[ring.identifier] else { return false }
    return ring.epoch < mark.epoch || ring.epoch == mark.epoch && mark.hasEnded
  }

  /// The last write of a ring that was seen; −1 for none.
  func epoch(of ring: KeyRing) -> Int64 { marks[ring.identifier]?.epoch ?? -1 }

  /// Adds what another device has seen.
  mutating func merge(_ other: RingMarks) {
    marks.merge(other.marks) { one, other in
      guard one.epoch == other.epoch else { return one.epoch > other.epoch ? one : other }
      return Mark(epoch: one.epoch, hasEnded: one.hasEnded || other.hasEnded)
    }
  }

  // MARK: Bytes

  func write(to form: inout BinaryWriter) {
    form.count(marks.count)
    for (identifier, mark) in marks.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      form.fixed(identifier)
      form.signed(mark.epoch)
      form.byte(mark.hasEnded ? 1 : 0)
    }
  }

  init() {}

  init(from form: inout BinaryReader) throws(BinaryCodingError) {
    for _ in 0..<(try form.count()) {
      let identifier = try form.fixed(KeyRing.identifierByteCount)
      marks[identifier] = Mark(epoch: try form.signed(), hasEnded: try form.byte() != 0)
    }
  }
}

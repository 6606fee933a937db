import BinaryCoding

/// The last write of each ring of a zone or share that the user's devices have seen.
///
/// Marks outlive the keys. So a server that pretends that a zone was deleted cannot show an earlier
/// ring as the current one.
struct RingMarks: Hashable, Sendable {
  private struct Mark: Hashable, Sendable {
    var epoch: Int64
    /// The epoch of the owner's last write that was seen.
    var authority: Int64
    /// Whether the zone was deleted, or another ring took its place.
    var hasEnded: Bool
  }

  private var marks: [[UInt8]: Mark] = [:]

  /// Records that a ring is the current one.
  mutating func note(_ ring: KeyRing) {
    for identifier in marks.keys where identifier != ring.identifier {
      marks[identifier]?.hasEnded = true
    }
    guard ring.epoch > epoch(of: ring) else { return }
    let authority = max(ring.authority.epoch, marks[ring.identifier]?.authority ?? .min)
    marks[ring.identifier] = Mark(epoch: ring.epoch, authority: authority, hasEnded: false)
  }

  /// Records that the zone or share was deleted, with its ring.
  mutating func end() { for identifier in marks.keys { marks[identifier]?.hasEnded = true } }

  /// Whether all rings have ended.
  var haveEnded: Bool { marks.values.allSatisfy(\.hasEnded) }

  /// Whether a ring is not the current one: a later write of it or of its authority was seen, or it
  /// has ended.
  func isOutdated(_ ring: KeyRing) -> Bool {
    guard let mark = marks[ring.identifier] else { return false }
    return ring.epoch < mark.epoch || ring.authority.epoch < mark.authority
      || ring.epoch == mark.epoch && mark.hasEnded
  }

  /// The epoch of the last write of a ring that was seen; −1 for none.
  func epoch(of ring: KeyRing) -> Int64 { marks[ring.identifier]?.epoch ?? -1 }

  /// Merges the marks of another device.
  mutating func merge(_ other: RingMarks) {
    marks.merge(other.marks) { one, other in
      var merged = one.epoch > other.epoch ? one : other
      if one.epoch == other.epoch { merged.hasEnded = one.hasEnded || other.hasEnded }
      merged.authority = max(one.authority, other.authority)
      return merged
    }
  }

  // MARK: Bytes

  func write(to form: inout BinaryWriter) {
    form.count(marks.count)
    for (identifier, mark) in marks.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      form.fixed(identifier)
      form.signed(mark.epoch)
      form.signed(mark.authority)
      form.byte(mark.hasEnded ? 1 : 0)
    }
  }

  init() {}

  init(from form: inout BinaryReader) throws(BinaryCodingError) {
    for _ in 0..<(try form.count()) {
      let identifier = try form.fixed(KeyRing.identifierByteCount)
      marks[identifier] = Mark(
        epoch: try form.signed(), authority: try form.signed(), hasEnded: try form.byte() != 0)
    }
  }
}

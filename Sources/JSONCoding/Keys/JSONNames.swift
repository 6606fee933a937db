/// A fixed set of names with a lookup by bytes, which creates no string.
///
/// The hash is perfect: its multiplier was chosen so that no two names share a slot. So a lookup is
/// one multiplication and one comparison for any number of names.
@usableFromInline struct JSONNames: Sendable {
  /// A value that identifies names of up to 16 bytes, and nearly all longer ones.
  struct Fingerprint: Equatable {
    var head: UInt64
    var tail: UInt64
    var length: Int

    func slot(multiplier: UInt64, bits: Int) -> Int {
      let mixed =
        (head ^ (tail &* 0x9E37_79B9_7F4A_7C15) ^ UInt64(truncatingIfNeeded: length)) &* multiplier
      return Int(truncatingIfNeeded: mixed >> UInt64(64 - bits))
    }
  }

  private struct Slot {
    var fingerprint: Fingerprint
    var number: Int
  }

  private let slots: [Slot]
  private let names: [[UInt8]]
  private let multiplier: UInt64
  private let bits: Int

  init(_ texts: [String]) {
    precondition(
      texts.count <= Limits.keysOfTable, "A decoder has at most \(Limits.keysOfTable) keys")
    names = texts.map { Array($0.utf8) }
    let fingerprints = names.map { Fingerprint($0.span) }
    var bits = 1
    while (1 << bits) < 2 * texts.count { bits += 1 }
    var multiplier: UInt64 = 0x9E37_79B9_7F4A_7C15
    var attempts = 0
    while Set(fingerprints.map { $0.slot(multiplier: multiplier, bits: bits) }).count < texts.count
    {
      attempts += 1
      precondition(attempts < 10_000, "Two keys of a decoder are equal: \(texts)")
      multiplier = multiplier &* 0xD134_2543_DE82_EF95 | 1
      if attempts.isMultiple(of: 100) { bits += 1 }
    }
    var slots = [Slot](
      repeating: Slot(fingerprint: Fingerprint(head: 0, tail: 0, length: -1), number: -1),
      count: 1 << bits)
    for (number, fingerprint) in fingerprints.enumerated() {
      slots[fingerprint.slot(multiplier: multiplier, bits: bits)] = Slot(
        fingerprint: fingerprint, number: number)
    }
    (self.slots, self.multiplier, self.bits) = (slots, multiplier, bits)
  }

  /// Returns the number of the name with these bytes, or -1 if there is none.
  @inline(__always)
  func find(_ name: Span<UInt8>) -> Int {
    let fingerprint = Fingerprint(name)
    let slot = slots[fingerprint.slot(multiplier: multiplier, bits: bits)]
    guard slot.fingerprint == fingerprint else { return -1 }
    return name.count <= 16 || isSame(names[slot.number], name) ? slot.number : -1
  }

  private func isSame(_ known: [UInt8], _ name: Span<UInt8>) -> Bool {
    for index in name.indices where known[index] != name[index] { return false }
    return true
  }
}

extension JSONNames.Fingerprint {
  /// Creates a fingerprint from the first eight and the last eight bytes, which may overlap.
  ///
  /// A name of fewer than eight bytes is packed whole.
  @inline(__always)
  init(_ name: Span<UInt8>) {
    length = name.count
    let bytes = unsafe name.bytes
    if length >= 8 {
      head = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt64.self)
      tail = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: length - 8, as: UInt64.self)
    } else if length >= 4 {
      head = UInt64(unsafe bytes.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt32.self))
      tail = UInt64(unsafe bytes.unsafeLoadUnaligned(fromByteOffset: length - 4, as: UInt32.self))
    } else {
      head = 0
      tail = 0
      for index in name.indices { head = head << 8 | UInt64(name[index]) }
    }
  }
}

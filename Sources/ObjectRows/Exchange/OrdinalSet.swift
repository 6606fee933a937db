/// A set of properties, by ordinal.
@frozen
public struct OrdinalSet: Hashable, Sendable {
  @usableFromInline package var low: UInt64
  @usableFromInline package var high: [UInt64]

  @inlinable package init() {
    low = 0
    high = []
  }

  package init(_ ordinals: some Sequence<Int>) {
    self.init()
    for ordinal in ordinals { insert(ordinal) }
  }

  @inlinable package var isEmpty: Bool { low == 0 && high.allSatisfy { $0 == 0 } }

  @inlinable
  package func contains(_ ordinal: Int) -> Bool {
    if ordinal < 64 { return low & (1 << UInt64(ordinal)) != 0 }
    let word = ordinal / 64 - 1
    return word < high.count && high[word] & (1 << UInt64(ordinal % 64)) != 0
  }

  @inlinable
  package mutating func insert(_ ordinal: Int) {
    if ordinal < 64 { return low |= 1 << UInt64(ordinal) }
    let word = ordinal / 64 - 1
    while high.count <= word { high.append(0) }
    high[word] |= 1 << UInt64(ordinal % 64)
  }

  package mutating func remove(_ ordinal: Int) {
    if ordinal < 64 { return low &= ~(1 << UInt64(ordinal)) }
    let word = ordinal / 64 - 1
    if word < high.count { high[word] &= ~(1 << UInt64(ordinal % 64)) }
  }

  package mutating func formUnion(_ other: OrdinalSet) {
    low |= other.low
    while high.count < other.high.count { high.append(0) }
    for (word, bits) in other.high.enumerated() { high[word] |= bits }
  }

  package mutating func formIntersection(_ other: OrdinalSet) {
    low &= other.low
    for word in high.indices { high[word] &= word < other.high.count ? other.high[word] : 0 }
  }

  /// Calls a closure with each ordinal, in ascending order.
  @inlinable
  package func forEach<Failure>(_ body: (Int) throws(Failure) -> Void) throws(Failure) {
    try Self.forEach(in: low, from: 0, body)
    for word in high.indices { try Self.forEach(in: high[word], from: (word + 1) * 64, body) }
  }

  @inlinable
  static func forEach<Failure>(
    in word: UInt64, from first: Int, _ body: (Int) throws(Failure) -> Void
  ) throws(Failure) {
    var rest = word
    while rest != 0 {
      try body(first + rest.trailingZeroBitCount)
      rest &= rest - 1
    }
  }

  /// The ordinals in ascending order.
  package var ordinals: [Int] {
    var ordinals: [Int] = []
    forEach { ordinals.append($0) }
    return ordinals
  }
}

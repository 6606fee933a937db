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

  /// The ordinals, lowest first.
  package var ordinals: [Int] {
    ([low] + high).enumerated().flatMap { word, bits in
      (0..<64).filter { bits & (1 << UInt64($0)) != 0 }.map { word * 64 + $0 }
    }
  }
}

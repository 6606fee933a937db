import RecordStorage
import TestSupport

/// A partition and components that are ordered without a key.
struct RandomTuple: Equatable {
  enum Kind: CaseIterable { case unsigned, signed, double, text, bytes }

  enum Component: Equatable {
    case unsigned(UInt64)
    case signed(Int64)
    /// A double by its bits, since NaNs are values too.
    case double(UInt64)
    /// A text by its UTF-8 bytes, since canonically equivalent texts are distinct.
    case text([UInt8])
    case bytes([UInt8])
  }

  let partition: String
  let components: [Component]

  /// Values are few and often extreme, so that tuples share prefixes and reach limits.
  init(kinds: [Kind], using random: inout SeededGenerator) {
    partition = ["", "a", "a\u{0}", "b"].randomElement(using: &random) ?? ""
    components = kinds.map { Component(kind: $0, using: &random) }
  }

  private init(partition: String, components: [Component]) {
    self.partition = partition
    self.components = components
  }

  static func randomKinds(using random: inout SeededGenerator) -> [Kind] {
    (0..<Int.random(in: 0...4, using: &random)).map { _ in
      Kind.allCases.randomElement(using: &random) ?? .text
    }
  }

  func beginning(_ count: Int) -> Self {
    Self(partition: partition, components: Array(components.prefix(count)))
  }

  var key: StorageKey {
    var key = StorageKey(partition: partition, keyspace: 3)
    for component in components { component.append(to: &key) }
    return key
  }

  func precedes(_ other: Self) -> Bool {
    if partition != other.partition {
      return partition.unicodeScalars.lexicographicallyPrecedes(other.partition.unicodeScalars)
    }
    for (one, other) in zip(components, other.components) where one != other {
      return one.precedes(other)
    }
    return false
  }
}

extension RandomTuple.Component {
  init(kind: RandomTuple.Kind, using random: inout SeededGenerator) {
    let number =
      UInt64.random(in: .min ... .max, using: &random) >> UInt64.random(in: 0..<64, using: &random)
    let extreme = [0, 1, 0xFF, 1 << 63, .max].randomElement(using: &random) ?? number
    let bits = Bool.random(using: &random) ? number : extreme
    func run(of bytes: [UInt8]) -> [UInt8] {
      (0..<Int.random(in: 0...4, using: &random)).map { _ in
        bytes.randomElement(using: &random) ?? 0
      }
    }
    switch kind {
    case .unsigned: self = .unsigned(bits)
    case .signed: self = .signed(Int64(bitPattern: bits))
    case .double:
      let doubles: [Double] = [
        0, -0.0, 1, -1, .infinity, -.infinity, .nan, -.nan, .leastNonzeroMagnitude,
      ]
      self = .double(
        Bool.random(using: &random) ? bits : (doubles.randomElement(using: &random) ?? 0).bitPattern
      )
    case .text:
      let texts = ["", "\u{0}", "\u{1}", "\u{2}", "a", "ä", "a\u{308}", "ｆ", "😀"]
      let text = (0..<Int.random(in: 0...3, using: &random)).map { _ in
        texts.randomElement(using: &random) ?? ""
      }
      .joined()
      self = .text(Array(text.utf8))
    case .bytes: self = .bytes(run(of: [0, 1, 2, 0x61, 0xFE, 0xFF]))
    }
  }

  func append(to key: inout StorageKey) {
    switch self {
    case .unsigned(let number): key.append(unsigned: number)
    case .signed(let number): key.append(signed: number)
    case .double(let bits): key.append(double: Double(bitPattern: bits))
    case .text(let utf8): key.append(text: String(decoding: utf8, as: UTF8.self))
    case .bytes(let bytes): key.append(bytes: bytes)
    }
  }

  /// Reads a component of this kind from a key.
  func read(from key: Span<UInt8>, _ reader: inout StorageKeyReader) throws -> Self {
    switch self {
    case .unsigned: .unsigned(try reader.unsigned(in: key))
    case .signed: .signed(try reader.signed(in: key))
    case .double: .double(try reader.double(in: key).bitPattern)
    case .text: .text(Array(try reader.text(in: key).utf8))
    case .bytes: .bytes(try reader.bytes(in: key))
    }
  }

  func precedes(_ other: Self) -> Bool {
    switch (self, other) {
    case (.unsigned(let one), .unsigned(let other)): one < other
    case (.signed(let one), .signed(let other)): one < other
    case (.double(let one), .double(let other)):
      Double(bitPattern: one).isTotallyOrdered(belowOrEqualTo: Double(bitPattern: other))
        && one != other
    case (.text(let one), .text(let other)):
      String(decoding: one, as: UTF8.self).unicodeScalars
        .lexicographicallyPrecedes(String(decoding: other, as: UTF8.self).unicodeScalars)
    case (.bytes(let one), .bytes(let other)): one.lexicographicallyPrecedes(other)
    default: false
    }
  }
}

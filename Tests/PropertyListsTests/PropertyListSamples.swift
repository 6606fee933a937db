import PropertyLists
import TestSupport

/// Random property lists with every kind of value.
enum PropertyListSamples {
  static func random(_ random: inout SeededGenerator, depth: Int = 4) -> PropertyList {
    switch Int.random(in: 0..<(depth > 0 ? 13 : 10), using: &random) {
    case 0: .null
    case 1: .boolean(Bool.random(using: &random))
    case 2: .integer(integer(&random))
    case 3: .float(Float(Int.random(in: -1000...1000, using: &random)) / 8)
    case 4: .double(Double.random(in: -1e9...1e9, using: &random))
    case 5: .date(Double.random(in: -1e9...1e9, using: &random))
    case 6:
      .data((0..<Int.random(in: 0...300, using: &random)).map { UInt8(truncatingIfNeeded: $0) })
    case 7, 8: .string(string(&random))
    case 9:
      .uid(
        UInt64.random(in: 0...UInt64.max, using: &random)
          >> UInt64.random(in: 0..<64, using: &random))
    case 10: .array(elements(&random, depth: depth))
    case 11: .set(elements(&random, depth: depth))
    default: dictionary(&random, depth: depth)
    }
  }

  private static func integer(_ random: inout SeededGenerator) -> Int128 {
    let magnitude =
      UInt64.random(in: 0...UInt64.max, using: &random) >> UInt64.random(in: 0..<64, using: &random)
    return Bool.random(using: &random)
      ? Int128(magnitude) : Int128(Int64(truncatingIfNeeded: magnitude))
  }

  private static func string(_ random: inout SeededGenerator) -> String {
    let alphabet = Array("abc xyz é ß 漢 👍🏽\u{0}")
    let count = Int.random(in: 0...40, using: &random)
    return String((0..<count).compactMap { _ in alphabet.randomElement(using: &random) })
  }

  private static func elements(_ generator: inout SeededGenerator, depth: Int) -> [PropertyList] {
    let count = Int.random(in: 0...20, using: &generator)
    return (0..<count).map { _ in random(&generator, depth: depth - 1) }
  }

  private static func dictionary(_ generator: inout SeededGenerator, depth: Int) -> PropertyList {
    var entries: [String: PropertyList] = [:]
    for _ in 0..<Int.random(in: 0...20, using: &generator) {
      entries[string(&generator)] = random(&generator, depth: depth - 1)
    }
    return .dictionary(entries)
  }
}

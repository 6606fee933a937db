import JSONCoding

extension JSONValue {
  /// A random value of at most `depth` levels.
  static func random(_ random: inout some RandomNumberGenerator, depth: Int) -> JSONValue {
    switch Int.random(in: 0...(depth > 0 ? 7 : 5), using: &random) {
    case 0: .null
    case 1: .boolean(Bool.random(using: &random))
    case 2:
      .integer(
        Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0...63, using: &random))
    case 3: .double(randomDouble(&random))
    case 4, 5: .string(randomText(&random))
    case 6: .array(list(&random) { random in JSONValue.random(&random, depth: depth - 1) })
    default:
      .object(
        list(&random) { random in randomText(&random) }.enumerated().map { index, key in
          Member("\(key)\(index)", JSONValue.random(&random, depth: depth - 1))
        })
    }
  }

  private static func list<Element, Random: RandomNumberGenerator>(
    _ random: inout Random, _ element: (inout Random) -> Element
  ) -> [Element] {
    (0..<Int.random(in: 0...5, using: &random)).map { _ in element(&random) }
  }

  private static func randomDouble(_ random: inout some RandomNumberGenerator) -> Double {
    let double = Double(bitPattern: UInt64.random(in: .min ... .max, using: &random))
    return double.isFinite ? double : 0.5
  }

  static func randomText(_ random: inout some RandomNumberGenerator) -> String {
    let pieces = [
      "a", "text", "\"", "\\", "/", "\n", "\u{0}", "\u{1F}", "é", "€", "😀", "e\u{301}", " ",
      "0123456789abcdef",
      "\u{2028}",
    ]
    return (0..<Int.random(in: 0...8, using: &random)).map { _ in
      pieces.randomElement(using: &random) ?? ""
    }.joined()
  }
}

import Foundation
import ManagedObjectModel
import MirrorModel
import TestSupport

/// Makes contents with random values, often with unusual ones.
struct RandomContents {
  let schema: MirrorSchema
  private(set) var random: SeededGenerator

  init(schema: MirrorSchema, random: SeededGenerator) {
    self.schema = schema
    self.random = random
  }

  /// A content with some values of an entity.
  mutating func content(_ name: String, _ recordName: String) -> ObjectContent {
    var content = ObjectContent(entity: name, recordName: recordName)
    guard let entity = schema[name] else { return content }
    for attribute in entity.attributes where attribute.substitute != .null || chance(3, in: 4) {
      content.values[attribute.key] = value(attribute.type)
    }
    for reference in entity.references where chance(1, in: 2) {
      content.references[reference.property] = someName(9)
    }
    for order in entity.orders where chance(1, in: 2) {
      let names = Set((0..<number(1...4)).map { _ in someName(9) })
      content.orders[order.property] = names.sorted().shuffled(using: &random)
    }
    return content
  }

  /// Some properties of an entity's records.
  mutating func properties(_ name: String) -> Set<String> {
    let all = (schema[name]?.sentProperties ?? []).sorted()
    return Set(all.filter { _ in chance(1, in: 2) })
  }

  private mutating func someName(_ count: Int) -> String { "RECORD-\(number(1...count))" }

  private mutating func value(_ type: NSAttributeType) -> MirrorValue {
    switch type {
    case .integer16AttributeType: .integer(Int64(Int16.random(in: .min ... .max, using: &random)))
    case .integer32AttributeType: .integer(Int64(Int32.random(in: .min ... .max, using: &random)))
    case .integer64AttributeType: .integer(Int64(bitPattern: random.next()))
    case .booleanAttributeType: .boolean(chance(1, in: 2))
    case .doubleAttributeType: .double(double())
    case .floatAttributeType: .float(Float(double()))
    case .decimalAttributeType: .decimal(decimal())
    case .dateAttributeType:
      .date(
        Date(timeIntervalSince1970: Double(number(-9_999_999_999_999...9_999_999_999_999)) / 1_000))
    case .stringAttributeType: .string(text())
    case .UUIDAttributeType: .uuid(UUID(uuid: randomBits()))
    case .URIAttributeType:
      .uri(URL(string: "https://example.com/\(number(0...999))?q=a%20b#f") ?? URL(filePath: "/"))
    default: .data(Data((0..<number(0...40)).map { _ in UInt8(truncatingIfNeeded: random.next()) }))
    }
  }

  /// A decimal with as many digits as a double keeps.
  private mutating func decimal() -> Decimal {
    let digits = Decimal(number(-999_999_999_999_999...999_999_999_999_999))
    return Decimal(sign: .plus, exponent: number(-20...20), significand: digits)
  }

  private mutating func double() -> Double {
    [
      0, -1.5, 0.1, .greatestFiniteMagnitude / 1e300, 1e-300,
      Double(number(-1_000_000...1_000_000)) / 7,
    ].randomElement(
      using: &random) ?? 0
  }

  private mutating func text() -> String {
    let letters = ["a", "Z", " ", "\n", "\"", "ä", "e\u{301}", "👩‍👩‍👧", "\u{0}", ":", "日"]
    return (0..<number(0...30)).map { _ in letters.randomElement(using: &random) ?? "" }.joined()
  }

  private mutating func randomBits() -> uuid_t {
    var bytes: [UInt8] = []
    for _ in 0..<16 { bytes.append(UInt8(truncatingIfNeeded: random.next())) }
    return (
      bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8],
      bytes[9], bytes[10],
      bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
    )
  }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  private mutating func chance(_ part: Int, in whole: Int) -> Bool { number(1...whole) <= part }
}

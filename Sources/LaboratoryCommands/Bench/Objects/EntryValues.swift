import Foundation

/// The values of the benchmarks' rows, which repeat after `variety` rows, so that creating them is
/// not measured.
struct EntryValues {
  static let variety = 1_000

  /// Twelve bytes each.
  let titles = (0..<variety).map { "Entry no." + String(1_000 + $0).suffix(3) }
  /// Sixty bytes each.
  let bodies = (0..<variety).map { number in
    String(String(repeating: "the body of the entry with number \(number), ", count: 2).prefix(60))
  }
  let marks = (0..<variety).map { number in
    let byte = { (index: Int) in UInt8(truncatingIfNeeded: number &* 31 &+ index &* 7) }
    return UUID(
      uuid: (
        byte(0), byte(1), byte(2), byte(3), byte(4), byte(5), byte(6), byte(7), byte(8), byte(9),
        byte(10), byte(11),
        byte(12), byte(13), byte(14), byte(15)
      ))
  }

  /// Sets an object's properties to the values of a row.
  func fill(_ entry: some EntryContents, row: Int) {
    let turn = row % Self.variety
    entry.flag = row & 1 == 1
    entry.count = Int32(turn)
    entry.number = Int64(row)
    entry.date = Date(timeIntervalSinceReferenceDate: Double(row))
    entry.score = Double(row) * 0.5
    entry.body = bodies[turn]
    entry.title = titles[turn]
    entry.mark = marks[turn]
  }

  /// The checksum of a row as the C reference computes it, to prove that both read the same values.
  static func sum(_ entry: some EntryContents, key: Int64, version: Int64) -> Int64 {
    var sum = key + version + (entry.flag ? 1 : 0) + Int64(entry.count) + entry.number
    sum += Int64((entry.date?.timeIntervalSinceReferenceDate ?? 0) + entry.score)
    sum += glance(entry.body) + glance(entry.title)
    if let mark = entry.mark { sum += Int64(mark.uuid.0) + 16 }
    return sum
  }

  private static func glance(_ text: String?) -> Int64 {
    guard let text, let first = text.utf8.first else { return 0 }
    return Int64(first) + Int64(text.utf8.count)
  }
}

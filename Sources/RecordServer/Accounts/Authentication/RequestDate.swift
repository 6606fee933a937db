import CloudRecords

/// The date of a signed request: `2026-01-31T12:00:00Z`, or with an offset such as `+00:00` instead
/// of the `Z`.
enum RequestDate {
  /// Parses a date; nil if it has another form or does not exist.
  static func time(_ text: String) -> Timestamp? {
    let bytes = Array(text.utf8)
    guard bytes.count == 20 || bytes.count == 25, hasPunctuation(bytes),
      let year = number(bytes[0..<4]), let month = number(bytes[5..<7]),
      let day = number(bytes[8..<10]),
      let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]),
      let second = number(bytes[17..<19]),
      let offset = offsetSeconds(bytes[19...]), hour < 24, minute < 60, second < 60,
      let days = days(year, month, day)
    else { return nil }
    let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second - offset
    return Timestamp(milliseconds: seconds * 1_000)
  }

  private static func hasPunctuation(_ bytes: [UInt8]) -> Bool {
    let places: [(Int, UInt8)] = [
      (4, UInt8(ascii: "-")), (7, UInt8(ascii: "-")), (10, UInt8(ascii: "T")),
      (13, UInt8(ascii: ":")),
      (16, UInt8(ascii: ":")),
    ]
    return places.allSatisfy { bytes[$0.0] == $0.1 }
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
    var value: Int64 = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      value = value * 10 + Int64(digit - UInt8(ascii: "0"))
    }
    return value
  }

  private static func offsetSeconds(_ zone: ArraySlice<UInt8>) -> Int64? {
    let zone = Array(zone)
    if zone == [UInt8(ascii: "Z")] { return 0 }
    guard zone.count == 6, zone[3] == UInt8(ascii: ":"), let hours = number(zone[1..<3]),
      let minutes = number(zone[4..<6]), hours < 24, minutes < 60
    else { return nil }
    switch zone[0] {
    case UInt8(ascii: "+"): return hours * 3_600 + minutes * 60
    case UInt8(ascii: "-"): return -(hours * 3_600 + minutes * 60)
    default: return nil
    }
  }

  /// The number of days from 1970 to a date; nil if the calendar has no such date.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64? {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard year >= 1970, (1...12).contains(month), (1...lengths[Int(month) - 1]).contains(day) else {
      return nil
    }
    let before = year - 1
    let leapDays = before / 4 - before / 100 + before / 400 - 477
    return (year - 1970) * 365 + leapDays + lengths.prefix(Int(month) - 1).reduce(0, +) + day - 1
  }
}

/// The format of times in HTTP: `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Formats a time in seconds since 1970, which must not be negative.
  package static func text(secondsSince1970 seconds: Int) -> String {
    let (day, second) = seconds.quotientAndRemainder(dividingBy: 86_400)
    let date = civil(day)
    let time = [second / 3600, second / 60 % 60, second % 60].map(twoDigits).joined(separator: ":")
    return
      "\(days[day % 7]), \(twoDigits(date.day)) \(months[date.month - 1]) \(date.year) \(time) GMT"
  }

  /// Returns the `Date` line of a response's head.
  static func line(secondsSince1970 seconds: Int) -> [UInt8] {
    Array("Date: \(text(secondsSince1970: seconds))\r\n".utf8)
  }

  private static func twoDigits(_ number: Int) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }

  /// Returns the date of a day since 1970.
  ///
  /// The calculation uses eras of 400 years that begin in March, so that leap days come last.
  private static func civil(_ daysSince1970: Int) -> (year: Int, month: Int, day: Int) {
    let daysOfEra = 146_097
    let shifted = daysSince1970 + 719_468
    let (era, dayOfEra) = shifted.quotientAndRemainder(dividingBy: daysOfEra)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
  }
}

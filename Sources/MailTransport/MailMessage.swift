/// A mail with a text, and with the same content as HTML.
///
/// This type writes the header fields, from values that cannot end a line: addresses are plain, and
/// other texts become encoded words (RFC 2047).
package struct MailMessage: Hashable, Sendable {
  package var from: MailAddress
  /// The name that mail programs show for the sender.
  package var fromName: String
  package var to: MailAddress
  package var subject: String
  package var text: String
  package var html: String
  /// The time of the mail, in seconds since 1970.
  package var seconds: Int64
  /// An identifier of ASCII letters and digits, unique among the sender's mails.
  package var identifier: String

  package init(
    from: MailAddress, fromName: String, to: MailAddress, subject: String, text: String,
    html: String, seconds: Int64, identifier: String
  ) {
    (self.from, self.fromName, self.to, self.subject) = (from, fromName, to, subject)
    (self.text, self.html, self.seconds) = (text, html, seconds)
    self.identifier = identifier.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
  }

  /// The mail as it is sent, with lines that end in CRLF (RFC 5322).
  package var bytes: [UInt8] {
    let boundary = "=_\(identifier)"
    let head = [
      "Date: \(MailDate.text(seconds))",
      "From: \(EncodedWords.text(fromName, after: 6)) <\(from.text)>",
      "To: <\(to.text)>",
      "Subject: \(EncodedWords.text(subject, after: 9))",
      "Message-ID: <\(identifier)@\(from.domain)>",
      "Auto-Submitted: auto-generated",
      "MIME-Version: 1.0",
      "Content-Type: multipart/alternative; boundary=\"\(boundary)\"",
      "",
    ]
    let parts = [("plain", text), ("html", html)].flatMap { kind, content in
      [
        "--\(boundary)", "Content-Type: text/\(kind); charset=utf-8",
        "Content-Transfer-Encoding: base64", "",
      ] + Self.lines(of: content) + [""]
    }
    let all = head + parts + ["--\(boundary)--", ""]
    return Array(all.joined(separator: "\r\n").utf8)
  }

  /// A text in Base64, in lines of 76 characters.
  private static func lines(of text: String) -> [String] {
    let encoded = Array(MailBase64.text(Array(text.utf8)).utf8)
    return stride(from: 0, to: encoded.count, by: 76).map {
      String(decoding: encoded[$0..<min($0 + 76, encoded.count)], as: UTF8.self)
    }
  }
}

/// Texts of header fields as words in Base64, which hold no character that could end the field.
enum EncodedWords {
  /// The words, folded so that no line is longer than 76 characters.
  ///
  /// - Parameter position: The number of characters before the first word in its line.
  static func text(_ text: String, after position: Int) -> String {
    var words: [[UInt8]] = [[]]
    for scalar in text.unicodeScalars where !isControl(scalar) {
      let bytes = Array(String(scalar).utf8)
      let room = words.count == 1 ? mostBytes - position : mostBytes
      if words[words.count - 1].count + bytes.count > room { words.append([]) }
      words[words.count - 1] += bytes
    }
    return words.filter { !$0.isEmpty }.map { "=?UTF-8?B?\(MailBase64.text($0))?=" }
      .joined(separator: "\r\n ")
  }

  /// Whether a scalar is a control or format character, such as a line break or a direction mark.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
    default: false
    }
  }

  /// The maximum number of bytes in a word of 75 characters, of which 12 surround the Base64.
  private static let mostBytes = 45
}

/// Base64 (RFC 4648).
enum MailBase64 {
  private static let digits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func text(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = (0..<3).reduce(UInt32(0)) { bits, place in
        bits << 8 | (place < group.count ? UInt32(group[start + place]) : 0)
      }
      for place in 0..<4 {
        text.append(
          place <= group.count
            ? digits[Int(bits >> UInt32(18 - 6 * place) & 63)] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}

/// Dates of mails, in UTC.
enum MailDate {
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  static func text(_ seconds: Int64) -> String {
    let (day, rest) = (floored(seconds, 86_400), seconds - floored(seconds, 86_400) * 86_400)
    let date = civil(day)
    let weekday = days[Int(day - floored(day, 7) * 7)]
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let time = [rest / 3_600, rest / 60 % 60, rest % 60].map(two).joined(separator: ":")
    let month = months[Int(date.month) - 1]
    return "\(weekday), \(two(date.day)) \(month) \(date.year) \(time) +0000"
  }

  private static func floored(_ number: Int64, _ divisor: Int64) -> Int64 {
    let quotient = number / divisor
    return number % divisor < 0 ? quotient - 1 : quotient
  }

  /// The Gregorian date of a number of days since 1970.
  private static func civil(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    // Days are counted from the first of March of year 0, so that a leap day ends its year.
    let shifted = day + 719_468
    let era = floored(shifted, 146_097)
    let ofEra = shifted - era * 146_097
    let yearOfEra = (ofEra - ofEra / 1_460 + ofEra / 36_524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * ofYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, ofYear - (153 * shiftedMonth + 2) / 5 + 1)
  }
}

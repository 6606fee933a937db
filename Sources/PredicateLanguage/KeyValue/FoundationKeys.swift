import Foundation

/// The properties of Foundation's value classes that key-value coding reads, such as `name.length >
/// 3`.
enum FoundationKeys {
  /// The value of the property, with `NSNull` for `nil`; nil if the value's type does not have it.
  static func value(of object: Any, forKey key: String) -> Any? {
    switch Value(object) {
    case .string(let text): string(text, key)
    case .number(let number): self.number(number, key)
    case .date(let date): self.date(date, key)
    case .data(let data): key == "length" ? data.count : nil
    case .uuid(let uuid): key == "UUIDString" ? uuid.uuidString : nil
    case .url(let url): self.url(url, key)
    default: nil
    }
  }

  private static func string(_ text: String, _ key: String) -> Any? {
    switch key {
    case "length": text.utf16.count
    case "uppercaseString", "uppercased": text.uppercased()
    case "lowercaseString", "lowercased": text.lowercased()
    case "capitalizedString", "capitalized": text.capitalized
    case "intValue", "integerValue", "longLongValue": (text as NSString).integerValue
    case "floatValue", "doubleValue": (text as NSString).doubleValue
    case "boolValue": (text as NSString).boolValue
    case "lastPathComponent": (text as NSString).lastPathComponent
    case "pathExtension": (text as NSString).pathExtension
    case "description": text
    default: nil
    }
  }

  private static func number(_ number: Number, _ key: String) -> Any? {
    switch key {
    case "intValue", "integerValue", "longLongValue": number.integer ?? NSNull()
    case "floatValue", "doubleValue": number.double
    case "boolValue": number.double != 0
    case "stringValue", "description": "\(number.boxed)"
    default: nil
    }
  }

  private static func date(_ date: Date, _ key: String) -> Any? {
    switch key {
    case "timeIntervalSinceReferenceDate": date.timeIntervalSinceReferenceDate
    case "timeIntervalSince1970": date.timeIntervalSince1970
    case "timeIntervalSinceNow": date.timeIntervalSinceNow
    default: nil
    }
  }

  private static func url(_ url: URL, _ key: String) -> Any? {
    switch key {
    case "absoluteString": url.absoluteString
    case "path": url.path
    case "host": url.host ?? NSNull()
    case "scheme": url.scheme ?? NSNull()
    case "query": url.query ?? NSNull()
    case "fragment": url.fragment ?? NSNull()
    case "lastPathComponent": url.lastPathComponent
    case "pathExtension": url.pathExtension
    default: nil
    }
  }
}

import Foundation

/// Formats values of a model, such as defaults, for people, independent of locale and time zone.
package enum ModelValue {
  /// The value as text, or nil for nil.
  package static func text(_ value: Any?) -> String? {
    switch value {
    case nil: nil
    case let text as String: "\"\(text)\""
    case let date as Date: Date.ISO8601FormatStyle(includingFractionalSeconds: true).format(date)
    case let data as Data: "\(data.count) bytes"
    case let identifier as UUID: identifier.uuidString
    case let address as URL: address.absoluteString
    case let number as NSNumber: text(number)
    case let value?: String(describing: value)
    }
  }

  /// A number as text, without a fraction if it is whole.
  private static func text(_ number: NSNumber) -> String {
    let text = number.stringValue
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}

import Foundation

/// Values of a model, such as defaults, in a form that people read and that does not depend on
/// locale or time zone.
package enum ModelValue {
  /// The value in words, or nil where there is none.
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

  /// A whole number is written without a fraction, whatever its type is.
  private static func text(_ number: NSNumber) -> String {
    let text = number.stringValue
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}

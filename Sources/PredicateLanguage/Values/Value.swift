package import Foundation

/// A value classified for comparisons, independent of its Swift or Foundation type.
package enum Value {
  case null
  case number(Number)
  case string(String)
  case date(Date)
  case data(Data)
  case uuid(UUID)
  case url(URL)
  case collection(Elements)
  case other(Any)

  /// Classifies a value.
  package init(_ value: Any?) {
    guard let value else {
      self = .null
      return
    }
    let type = type(of: value)
    if type is AnyClass {
      self.init(object: value as AnyObject)
    } else {
      self.init(scalar: value, type: type)
    }
  }

  private init(object: AnyObject) {
    switch object {
    case let string as NSString: self = .string(string.asSwiftString)
    case let number as NSNumber: self = Number(number).map(Value.number) ?? .other(number)
    case let date as NSDate: self = .date(date as Date)
    case let data as NSData: self = .data(data as Data)
    case let uuid as NSUUID: self = .uuid(uuid as UUID)
    case let url as NSURL: self = .url(url as URL)
    case is NSNull: self = .null
    default: self = Elements(object).map(Value.collection) ?? .other(object)
    }
  }

  private init(scalar value: Any, type: any Any.Type) {
    if type == String.self, let string = value as? String {
      self = .string(string)
    } else if type == Date.self, let date = value as? Date {
      self = .date(date)
    } else if let number = Number(value) {
      self = .number(number)
    } else {
      self.init(structure: value)
    }
  }

  private init(structure value: Any) {
    switch value {
    case let date as Date: self = .date(date)
    case let uuid as UUID: self = .uuid(uuid)
    case let data as Data: self = .data(data)
    case let url as URL: self = .url(url)
    case let text as Substring: self = .string(String(text))
    case let text as Character: self = .string(String(text))
    default:
      if let inner = unwrapped(value) {
        self = Elements(inner).map(Value.collection) ?? Value(rewrapped: inner, of: value)
      } else {
        self = .null
      }
    }
  }

  /// Classifies the value inside an optional; other values are opaque.
  private init(rewrapped inner: Any, of value: Any) {
    self = type(of: inner) == type(of: value) ? .other(inner) : Value(inner)
  }
}

extension NSString {
  fileprivate var asSwiftString: String { self as String }
}

/// The value as a string; nil if it is not a text.
package func asString(_ value: Any) -> String? {
  if case .string(let text) = Value(value) { return text }
  return nil
}

import Foundation

/// The values for a format string's placeholders, taken in order.
struct PlaceholderArguments {
  /// The reason why a placeholder cannot take an argument; the parser adds the position.
  struct Mismatch: Error {
    let message: String
  }

  private enum Source {
    case values(FormatArguments)
    case list(CArgumentList)
    case markers([NSExpression])
  }

  private let source: Source
  private var taken = 0

  /// Takes values as Swift passes them.
  init(_ values: FormatArguments) { source = .values(values) }

  /// Takes the values of an argument array.
  init(values: [Any?]) { self.init(.values(values)) }

  /// Takes the arguments of a C function.
  init(list: CArgumentList) { source = .list(list) }

  /// Takes expressions that mark the places of the arguments.
  init(markers: [NSExpression]) { source = .markers(markers) }

  /// Takes the value for the next placeholder.
  mutating func take(for placeholder: Placeholder) throws(Mismatch) -> Any? {
    defer { taken += 1 }
    return try next(for: placeholder).get()
  }

  private func next(for placeholder: Placeholder) -> Result<Any?, Mismatch> {
    switch source {
    case .list(let list): .success(list.next(for: placeholder.conversion))
    case .markers(let markers): .success(taken < markers.count ? markers[taken] : nil)
    case .values(let values): Self.value(values, taken, for: placeholder)
    }
  }

  /// Returns the argument with a number, converted for its placeholder.
  ///
  /// The result is a failure if the argument is missing or has the wrong type.
  static func value(_ values: FormatArguments, _ number: Int, for placeholder: Placeholder)
    -> Result<Any?, Mismatch>
  {
    guard number < values.count else {
      return .failure(
        Mismatch(
          message:
            "there is no argument \(number + 1) for \(placeholder.text); \(values.count) given"))
    }
    guard let given = values[number], let value = unwrapped(given) else {
      return placeholder.conversion == .object
        ? .success(nil) : .failure(mismatch(nil, number, placeholder))
    }
    if let converted = converted(value, placeholder.conversion) { return .success(converted) }
    return .failure(mismatch(value, number, placeholder))
  }

  /// Converts a value for a placeholder; nil if the placeholder does not take its type.
  private static func converted(_ value: Any, _ conversion: Placeholder.Conversion) -> Any? {
    switch conversion {
    case .object: value
    case .keyPath: asString(value)
    case .cString, .utf16String: asString(value) ?? text(at: value, conversion)
    default: Number(value)?.boxed
    }
  }

  /// The text of a C string that Swift passed as a pointer.
  private static func text(at value: Any, _ conversion: Placeholder.Conversion) -> String? {
    switch (conversion, value) {
    case (.cString, let pointer as UnsafePointer<CChar>): return unsafe String(cString: pointer)
    case (.cString, let pointer as UnsafeMutablePointer<CChar>):
      return unsafe String(cString: pointer)
    case (.utf16String, let pointer as UnsafePointer<UInt16>): return unsafe String(utf16: pointer)
    case (.utf16String, let pointer as UnsafeMutablePointer<UInt16>):
      return unsafe String(utf16: pointer)
    default: return nil
    }
  }

  private static func mismatch(_ value: Any?, _ number: Int, _ placeholder: Placeholder) -> Mismatch
  {
    let given = value.map { "a value of type \(type(of: $0))" } ?? "nil"
    let wanted =
      switch placeholder.conversion {
      case .object: "an object"
      case .keyPath: "a key path as a String"
      case .cString, .utf16String: "a string"
      default: "a number"
      }
    return Mismatch(
      message: "argument \(number + 1) for \(placeholder.text) is \(given); it takes \(wanted)")
  }
}

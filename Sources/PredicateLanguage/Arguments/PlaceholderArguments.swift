import Foundation

/// The values for a format string's placeholders, taken one after the other.
struct PlaceholderArguments {
  /// Why a placeholder gets no value; the parser adds the place.
  struct Mismatch: Error {
    let message: String
  }

  private enum Source {
    case values([Any?])
    case list(CArgumentList)
    case places([NSExpression])
  }

  private let source: Source
  private var taken = 0

  /// Values as Swift passes them: an element of `[CVarArg]` or of an argument array.
  init(values: [Any?]) { source = .values(values) }

  /// The arguments of a C function.
  init(list: CArgumentList) { source = .list(list) }

  /// Expressions in the places of values.
  init(places: [NSExpression]) { source = .places(places) }

  /// The value for the next placeholder.
  mutating func take(for placeholder: Placeholder) throws(Mismatch) -> Any? {
    defer { taken += 1 }
    switch source {
    case .list(let list):
      return list.next(for: placeholder.conversion)
    case .places(let places):
      return taken < places.count ? places[taken] : nil
    case .values(let values):
      guard taken < values.count else {
        throw Mismatch(message: "there is no argument \(taken + 1) for \(placeholder.text); \(values.count) given")
      }
      return try checked(values[taken].flatMap(unwrapped), for: placeholder)
    }
  }

  private func checked(_ value: Any?, for placeholder: Placeholder) throws(Mismatch) -> Any? {
    switch placeholder.conversion {
    case .object: return value
    case .keyPath: return try keyPath(value, placeholder)
    case .cString, .utf16String: return try text(value, placeholder)
    default:
      if let value, let number = Number(value) { return number.boxed }
      throw mismatch(value, placeholder, "a number")
    }
  }

  private func keyPath(_ value: Any?, _ placeholder: Placeholder) throws(Mismatch) -> String {
    if let path = value.flatMap(asString) { return path }
    throw mismatch(value, placeholder, "a key path as a String")
  }

  /// A C string as Swift passes it, or a String in its place.
  private func text(_ value: Any?, _ placeholder: Placeholder) throws(Mismatch) -> String {
    if let text = value.flatMap(asString) { return text }
    switch (placeholder.conversion, value) {
    case (.cString, let pointer as UnsafePointer<CChar>): return unsafe String(cString: pointer)
    case (.cString, let pointer as UnsafeMutablePointer<CChar>): return unsafe String(cString: pointer)
    case (.utf16String, let pointer as UnsafePointer<UInt16>): return unsafe String(utf16: pointer)
    case (.utf16String, let pointer as UnsafeMutablePointer<UInt16>): return unsafe String(utf16: pointer)
    default: throw mismatch(value, placeholder, "a string")
    }
  }

  private func mismatch(_ value: Any?, _ placeholder: Placeholder, _ wanted: String) -> Mismatch {
    let given = value.map { "a value of type \(type(of: $0))" } ?? "nil"
    return Mismatch(message: "argument \(taken + 1) for \(placeholder.text) is \(given); it takes \(wanted)")
  }
}

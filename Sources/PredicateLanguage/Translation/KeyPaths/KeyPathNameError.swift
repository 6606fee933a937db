/// The error of a Swift key path without a name that a predicate can use.
///
/// Parhelion's addition.
public struct KeyPathNameError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of errors.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The stable name of the kind.
    public let rawValue: String

    /// Creates a code with a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The root type of the key path cannot report which property is read.
    public static let unknownRoot = Code(rawValue: "unknownRoot")
    /// The key path reads no property of the model, or several properties.
    public static let notOneProperty = Code(rawValue: "notOneProperty")
    /// The key path continues into the property's value, to something that Core Data has no name
    /// for.
    public static let beyondProperties = Code(rawValue: "beyondProperties")
  }

  /// The kind of the error.
  public let code: Code
  /// A message with the error and a remedy.
  public let message: String
  /// The key path as Swift describes it.
  public let keyPath: String

  init(_ code: Code, _ message: String, _ keyPath: AnyKeyPath) {
    self.code = code
    self.message = message
    self.keyPath = keyPath.debugDescription
  }

  /// The message.
  public var description: String { message }
}

extension KeyPathNameError {
  static func unknownRoot(_ keyPath: AnyKeyPath) -> KeyPathNameError {
    let root = type(of: keyPath).rootType
    let final =
      root is AnyClass ? "Mark the class final if the property is stored. Otherwise use" : "Use"
    return KeyPathNameError(
      .unknownRoot,
      "The key path \(keyPath.debugDescription) starts at \(root), which cannot report the names of its properties. "
        + "\(final) a managed object class, adopt KeyPathProbeable, or give the name as a string.",
      keyPath)
  }

  static func notOneProperty(_ keyPath: AnyKeyPath, _ paths: [String]) -> KeyPathNameError {
    let reads = paths.isEmpty ? "no property of the model" : paths.joined(separator: " and ")
    return KeyPathNameError(
      .notOneProperty,
      "The key path \(keyPath.debugDescription) reads \(reads); it has to read one stored property. Name the property "
        + "itself, or compare in memory.", keyPath)
  }

  static func beyondProperties(_ keyPath: AnyKeyPath, _ path: String) -> KeyPathNameError {
    KeyPathNameError(
      .beyondProperties,
      "The key path \(keyPath.debugDescription) continues into the value of “\(path)”, in which only “count” of a collection "
        + "has a name. Use an expression or a format string instead.", keyPath)
  }
}

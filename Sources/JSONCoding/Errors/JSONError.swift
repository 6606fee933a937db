/// An error in a JSON document, in its syntax or its contents.
public struct JSONError: Error, Equatable, Sendable {
  /// The kind of the error.
  public let code: Code
  /// A description without the location, such as "expected a string".
  public let message: String
  /// The offset of the error in bytes.
  public let offset: Int
  /// The path of the value, such as `records[3].fields.name`.
  ///
  /// Empty for the document itself.
  public let path: String

  /// Creates an error at a location in a document.
  public init(_ code: Code, _ message: String, offset: Int, path: String) {
    self.code = code
    self.message = message
    self.offset = offset
    self.path = path
  }
}

extension JSONError: CustomStringConvertible {
  /// The message with its location, such as "expected a string at records[3].recordName (byte
  /// 211)".
  public var description: String {
    path.isEmpty ? "\(message) at byte \(offset)" : "\(message) at \(path) (byte \(offset))"
  }
}

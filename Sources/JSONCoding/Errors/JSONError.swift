/// Why bytes are not JSON, or not the JSON that a decoder asked for.
public struct JSONError: Error, Equatable, Sendable {
  /// The kind of failure.
  public let code: Code
  /// What was wrong, without where: "expected a string".
  public let message: String
  /// The byte at which it was found.
  public let offset: Int
  /// The value that was being read, such as `records[3].fields.name`; empty for the document
  /// itself.
  public let path: String

  /// An error at a place of a document.
  public init(_ code: Code, _ message: String, offset: Int, path: String) {
    self.code = code
    self.message = message
    self.offset = offset
    self.path = path
  }
}

extension JSONError: CustomStringConvertible {
  /// The message and the place, for whoever wrote the document: "expected a string at
  /// records[3].recordName (byte 211)".
  public var description: String {
    path.isEmpty ? "\(message) at byte \(offset)" : "\(message) at \(path) (byte \(offset))"
  }
}

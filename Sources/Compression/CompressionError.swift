/// The reason why a stream could not be compressed or decompressed.
package struct CompressionError: Error, Equatable, CustomStringConvertible {
  /// The kind of failure.
  ///
  /// A later release may add kinds.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The input ends before the stream does.
    package static let truncated = Code(rawValue: "truncated")
    /// The input is not a stream of this kind.
    package static let corrupted = Code(rawValue: "corrupted")
    /// Bytes follow the end of the stream.
    package static let trailingBytes = Code(rawValue: "trailingBytes")
    /// The output would exceed the caller's limit.
    package static let tooLarge = Code(rawValue: "tooLarge")
    /// The library failed: no memory, or a wrong argument.
    package static let library = Code(rawValue: "library")
  }

  package let code: Code
  package let message: String
  /// The number of input bytes that were consumed before the failure.
  package let inputOffset: Int

  package init(_ code: Code, _ message: String, inputOffset: Int) {
    self.code = code
    self.message = message
    self.inputOffset = inputOffset
  }

  package var description: String { "\(message) (after \(inputOffset) bytes of input)" }
}

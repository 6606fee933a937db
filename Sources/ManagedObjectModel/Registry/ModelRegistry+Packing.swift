import Compression
public import Foundation

extension ModelRegistry {
  /// The text that generated code holds in place of a compiled model: deflated, in base 64.
  package static func packed(_ compiledModel: Data) throws -> String {
    try RawDeflate.deflate(compiledModel).base64EncodedString()
  }

  /// The compiled model that generated code holds as text.
  ///
  /// For generated code.
  ///
  /// Stops the program, with a sentence, where the text is not what the generator writes.
  public static func _unpacked(_ text: StaticString) -> Data {
    do {
      return try unpacked("\(text)")
    } catch {
      preconditionFailure(
        "The compiled model in generated code is damaged; build the package anew. \(error)")
    }
  }

  /// The compiled model that a text holds.
  package static func unpacked(_ text: String) throws -> Data {
    guard let deflated = Data(base64Encoded: text) else { throw NotBase64() }
    return try RawDeflate.inflate(deflated, maximumOutputBytes: Limits.unpackedModelBytes)
  }

  private struct NotBase64: Error, CustomStringConvertible {
    var description: String { "It is not base 64." }
  }
}

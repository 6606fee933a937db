import Compression
public import Foundation

extension ModelRegistry {
  /// The text for a compiled model in generated code: deflated, in base 64.
  package static func packed(_ compiledModel: Data) throws -> String {
    try RawDeflate.deflate(compiledModel).base64EncodedString()
  }

  /// Decodes the compiled model that generated code contains as text.
  ///
  /// For generated code.
  ///
  /// It stops the program if the text is invalid.
  public static func _unpacked(_ text: StaticString) -> Data {
    do {
      return try unpacked("\(text)")
    } catch {
      preconditionFailure(
        "The compiled model in generated code is damaged; build the package again. \(error)")
    }
  }

  /// Decodes the compiled model in a text.
  package static func unpacked(_ text: String) throws -> Data {
    guard let deflated = Data(base64Encoded: text) else { throw NotBase64() }
    return try RawDeflate.inflate(deflated, maximumOutputBytes: Limits.unpackedModelBytes)
  }

  private struct NotBase64: Error, CustomStringConvertible {
    var description: String { "It is not base 64." }
  }
}

import CloudRecords
import HTTPServer

/// The fields of a form that a browser sends.
struct FormFields: Sendable {
  /// The maximum size of a form, which has a name, a password and little more.
  private static let maximumBytes = 16 << 10

  private let parameters: QueryParameters

  /// Creates the fields of a body.
  ///
  /// - Parameter body: Names and values in the encoding of a URL's query.
  init(_ body: [UInt8] = []) { parameters = QueryParameters(String(decoding: body, as: UTF8.self)) }

  subscript(name: String) -> String? { parameters.value(of: name, plusIsSpace: true) }

  /// Reads the form of a request; nil if it is too long.
  static func read(_ request: HTTPRequest) async throws -> FormFields? {
    do {
      return FormFields(try await request.collect(limit: maximumBytes))
    } catch HTTPParseError.bodyTooLong {
      return nil
    }
  }

  /// The error for a form that is too long.
  static let tooLong = CloudError(
    .badRequest, "The form has more than \(maximumBytes) bytes. Shorten your entries.",
    extension: .limitExceeded)
}

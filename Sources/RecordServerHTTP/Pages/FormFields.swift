/// The fields of a form that a browser sends.
struct FormFields: Sendable {
  private let parameters: QueryParameters

  /// Creates the fields of a body.
  ///
  /// - Parameter body: Names and values in the encoding of a URL's query.
  init(_ body: [UInt8] = []) { parameters = QueryParameters(String(decoding: body, as: UTF8.self)) }

  subscript(name: String) -> String? { parameters.value(of: name, plusIsSpace: true) }
}

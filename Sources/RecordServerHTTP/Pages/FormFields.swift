/// What a browser sends of a form.
struct FormFields: Sendable {
  private let parameters: QueryParameters

  /// - Parameter body: Names and values as addresses have them.
  init(_ body: [UInt8] = []) { parameters = QueryParameters(String(decoding: body, as: UTF8.self)) }

  subscript(name: String) -> String? { parameters.value(of: name, plusIsSpace: true) }
}

import CloudRecords
import Foundation

/// An operation in the description of the server.
struct DescribedOperation {
  let path: String
  let method: String
  let identifier: String
  let summary: String
  /// Without the default for all other statuses.
  let statuses: [Int]
  /// The names of the accepted credentials.
  let schemes: Set<String>
  /// The schema of a successful answer; nil if that is not JSON.
  let form: JSONNode?
  /// The body in the description.
  let example: String?

  static func all(in document: JSONNode) -> [DescribedOperation] {
    document["paths"].keys.sorted().flatMap { path in
      document["paths"][path].keys.subtracting(["parameters"]).sorted().map { method in
        DescribedOperation(path, method, document["paths"][path][method])
      }
    }
  }

  private init(_ path: String, _ method: String, _ node: JSONNode) {
    self.path = path
    self.method = method.uppercased()
    identifier = node["operationId"].text ?? ""
    summary = node["summary"].text ?? ""
    statuses = node["responses"].keys.compactMap { Int($0) }.sorted()
    schemes = node["security"].list.reduce(into: []) { $0.formUnion($1.keys) }
    let schema = node["responses"]["200"]["content"]["application/json"]["schema"]
    form = schema.isThere ? schema : nil
    example = node["requestBody"]["content"]["application/json"]["example"].serialised
  }

  /// A path with values in place of its braces.
  ///
  /// Users and shares are reached through the public database.
  static func path(of template: String) -> String {
    let isPublic = ["users/", "records/resolve", "records/accept"].contains {
      template.contains("}/\($0)")
    }
    return template.replacing("{container}", with: TestService.container.container)
      .replacing("{environment}", with: TestService.container.environment.rawValue)
      .replacing("{database}", with: isPublic ? "public" : "private")
      .replacing("{invitation}", with: "0123456789abcdef")
  }
}

extension JSONNode {
  /// The object as a text; nil if there is none.
  fileprivate var serialised: String? {
    guard isThere, let data = try? JSONSerialization.data(withJSONObject: object) else {
      return nil
    }
    return String(decoding: data, as: UTF8.self)
  }
}

import CloudTransport
import Foundation

/// A JSON object of a request or response, for decorators of transports.
typealias WireObject = [String: Any]

extension WireObject {
  init(_ bytes: [UInt8]) {
    self = (try? JSONSerialization.jsonObject(with: Data(bytes))) as? WireObject ?? [:]
  }

  init(_ request: TransportRequest) {
    guard case .bytes(let bytes)? = request.body else {
      self = [:]
      return
    }
    self.init(bytes)
  }

  /// The object as JSON, with the same bytes for equal objects.
  var bytes: [UInt8] {
    (try? JSONSerialization.data(withJSONObject: self, options: .sortedKeys)).map { Array($0) }
      ?? []
  }

  func text(_ key: String) -> String? { self[key] as? String }

  func object(_ key: String) -> WireObject { self[key] as? WireObject ?? [:] }

  func list(_ key: String) -> [WireObject] { self[key] as? [WireObject] ?? [] }
}

/// Records within requests and responses.
extension WireObject {
  var recordName: String { text("recordName") ?? "" }

  var fields: WireObject {
    get { object("fields") }
    set { self["fields"] = newValue }
  }

  /// Whether it is an operation that deletes a record.
  var isDeletion: Bool { text("operationType")?.lowercased().hasSuffix("delete") == true }

  /// Whether it is a record, and not a deletion or an error.
  var isRecord: Bool { self["fields"] != nil || self["recordChangeTag"] != nil }

  /// The texts of its fields, including the names of the records that it refers to.
  var texts: [String] { fields.values.compactMap { ($0 as? WireObject)?.text("value") } }

  /// The result that a server would send if it had saved this record.
  var inventedResult: WireObject {
    [
      "recordName": recordName, "recordType": text("recordType") ?? "", "recordChangeTag": "1",
      "fields": WireObject(),
    ]
  }
}

import CloudRecords
import CloudSchema
import CloudWire
import RecordServer
import Testing

/// An administrator of a container's schemas.
struct SchemaAdministrator {
  let server: RecordServer
  let container = "iCloud.test"

  init(_ cloud: Cloud) { server = cloud.server }

  func text(_ environment: CloudEnvironment = .development) async throws -> String {
    try await server.schema(of: ContainerAddress(container: container, environment: environment))
      .text
  }

  @discardableResult
  func importing(_ text: String) async throws -> SchemaReplacement {
    try await server.importSchema(Array(text.utf8), into: container)
  }

  @discardableResult
  func deploy(revoking: Bool = false) async throws -> SchemaDifference {
    try await server.deploySchema(of: container, revokingPermissions: revoking)
  }

  /// The message of an error; empty if the call succeeds.
  func refusal(_ body: () async throws -> Void) async throws -> String {
    do {
      try await body()
      return ""
    } catch let failure as SchemaFailure {
      return failure.description
    }
  }
}

extension Client {
  /// Saves a record of a type with fields that are given as JSON.
  func put(
    _ name: String, _ type: String, _ fields: String = "", zone: String? = nil, more: String = ""
  ) async throws
    -> Reply
  {
    try await modify(
      zone: zone,
      (
        "forceUpdate",
        #""recordName":"\#(name)","recordType":"\#(type)","fields":{\#(fields)}\#(more)"#
      ))
  }

  /// Applies an operation to the records `n0`, `n1` and so on, two hundred at a time.
  func modifyMany(_ operation: String, _ range: Range<Int>, zone: String, _ rest: String = "")
    async throws
  {
    for start in stride(from: range.lowerBound, to: range.upperBound, by: 200) {
      let list = (start..<min(start + 200, range.upperBound)).map {
        #"{"operationType":"\#(operation)","record":{"recordName":"n\#($0)"\#(rest)}}"#
      }
      let body =
        #"{"operations":[\#(list.joined(separator: ","))],"zoneID":{"zoneName":"\#(zone)"}}"#
      let reply = try await ask(.private, .recordsModify, body)
      #expect(reply["records"].list.count == list.count, "\(reply)")
      #expect(reply["records"].list.allSatisfy { !$0["serverErrorCode"].isThere }, "\(reply)")
    }
  }
}

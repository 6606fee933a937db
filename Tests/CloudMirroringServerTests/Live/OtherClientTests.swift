import CloudKitClient
import CloudKitTesting
import CloudMirroring
import CloudTransport
import Foundation
import ManagedObjects
import TestSupport
import Testing

/// A client of another vendor that participates in a share of mirrored objects.
@Suite struct OtherClientTests {
  @Test(.endsAtAll)
  func `A client that knows only the documented protocol joins a share, writes in it, and leaves`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let ada = try await SharingDevice(try await cloud.signIn("ada"), in: folder)
      let client = DocumentedClient(try await cloud.signIn("bob"))
      try await ada.addTown("Paris", people: ["Ada", "Eve"])
      try await ada.addTown("Rome", people: ["Carl"])
      let link = try await publish("Paris", of: ada)
      // The link has the short name in its path; the part after "#" never reaches a server.
      let short = try #require(link.path.split(separator: "/").last.map(String.init))
      let named = ["shortGUIDs": [["value": short]]]

      // Before the client participates, it sees the share's description, but not its contents.
      let offer = try await client.ask("public", "records/resolve", named)["results"][0]
      #expect(offer["share"]["fields"]["cloudkit.title"]["value"].text == "Our town")
      #expect(offer["participantPermission"].text == "READ_WRITE", "\(offer)")
      #expect(offer["ownerIdentity"]["userRecordName"].text == ada.user.userRecordName)
      #expect(try await client.ask("shared", "zones/list")["zones"].count == 0)

      let joined = try await client.ask("public", "records/accept", named)["results"][0]
      #expect(joined["databaseScope"].text == "SHARED", "\(joined)")
      #expect(joined["participantStatus"].text == "ACCEPTED")
      let zone = try await client.ask("shared", "zones/list")["zones"][0]["zoneID"]
      let zoneID = try #require(zone.dictionary)
      #expect(zone["zoneName"].text == joined["zoneID"]["zoneName"].text)
      #expect(zone["ownerRecordName"].text == ada.user.userRecordName)

      // It reads the shared objects, and nothing else.
      let people: [String: Any] = ["query": ["recordType": "CD_Person"], "zoneID": zoneID]
      let found = try await client.ask("shared", "records/query", people)["records"]
      #expect(found.names == ["Ada", "Eve"])
      let changes = try await client.ask(
        "shared", "changes/zone", ["zones": [["zoneID": zoneID]]])["zones"][0]["records"]
      #expect(changes.names.filter { !$0.isEmpty }.sorted() == ["Ada", "Eve", "Paris"])

      // It changes a record by its tag, and creates another one like it.
      let eve = try #require(found.elements.first { $0.name == "Eve" })
      var fields = try #require(eve["fields"].dictionary)
      fields["CD_name"] = ["value": "Eva"]
      let update: [String: Any] = [
        "operationType": "update",
        "record": [
          "recordName": try #require(eve["recordName"].text), "recordType": "CD_Person",
          "recordChangeTag": try #require(eve["recordChangeTag"].text),
          "fields": ["CD_name": ["value": "Eva"]],
        ],
      ]
      fields["CD_name"] = ["value": "Fay"]
      let creation: [String: Any] = [
        "operationType": "create",
        "record": [
          "recordName": UUID().uuidString, "recordType": "CD_Person", "fields": fields,
        ],
      ]
      let saved = try await client.ask(
        "shared", "records/modify", ["operations": [update, creation], "zoneID": zoneID])
      #expect(saved["records"].names == ["Eva", "Fay"], "\(saved)")
      try await ada.sync()
      #expect(
        try await ada.people() == ["Ada of Paris", "Carl of Rome", "Eva of Paris", "Fay of Paris"])

      // The owner's changes arrive in the other client.
      try await ada.save { try $0.object("Ada", "Person").setValue("Ann", forKey: "name") }
      try await ada.sync()
      let names = try await client.ask("shared", "records/query", people)["records"].names
      #expect(names.sorted() == ["Ann", "Eva", "Fay"])

      // It leaves by deleting the share. The owner keeps everything.
      let leaving: [String: Any] = [
        "operationType": "forceDelete",
        "record": ["recordName": "cloudkit.zoneshare", "recordType": "cloudkit.share"],
      ]
      _ = try await client.ask(
        "shared", "records/modify", ["operations": [leaving], "zoneID": zoneID])
      #expect(try await client.ask("shared", "zones/list")["zones"].count == 0)
      let gone = try await client.ask("shared", "records/query", people)
      #expect(gone["serverErrorCode"].text == "ZONE_NOT_FOUND", "\(gone)")
      try await ada.sync()
      #expect(try await ada.people().count == 4)
      #expect(try ada.container.fetchShares(in: nil).first?.participants.count == 1)
      #expect(cloud.serverErrors.isEmpty)
      await cloud.end()
    }
  }

  @Test(.endsAtAll)
  func `A client without an invitation learns nothing of a private share`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let ada = try await SharingDevice(try await cloud.signIn("ada"), in: folder)
      let client = DocumentedClient(try await cloud.signIn("bob"))
      try await ada.addTown("Paris", people: ["Ada"])
      let link = try await publish("Paris", of: ada, .none)
      let short = try #require(link.path.split(separator: "/").last.map(String.init))
      let unknown: String = (short.hasPrefix("0") ? "1" : "0") + short.dropFirst()
      let answers = try await [short, unknown].asyncMap { name in
        try await ["records/resolve", "records/accept"].asyncMap { operation in
          let result = try await client.ask(
            "public", operation, ["shortGUIDs": [["value": name]]])["results"][0]
          return result["serverErrorCode"].text ?? "none"
        }
      }
      #expect(answers[0] == answers[1])
      #expect(!answers[0].contains("none"))
      #expect(try await client.ask("shared", "zones/list")["zones"].count == 0)
      await cloud.end()
    }
  }

  /// Shares a town with everyone who has the link.
  private func publish(
    _ town: String, of device: SharingDevice,
    _ permission: CKShare.ParticipantPermission = .readWrite
  ) async throws -> URL {
    let (_, share, _) = try await device.share([town])
    share[CKShare.SystemFieldKey.title] = "Our town"
    share.publicPermission = permission
    let saved = try await device.container.persistUpdatedShare(share, in: device.own)
    try await device.sync()
    return try #require(saved.url)
  }
}

/// A client written from Apple's documentation of CloudKit Web Services: HTTP messages and JSON,
/// and none of our types.
private struct DocumentedClient {
  private let transport: any CloudTransport
  private let address: String
  private let query: String

  init(_ device: TestDevice) {
    transport = device.transport
    address = "https://cloud.test/database/1/\(device.cloud.container)/development"
    query = "ckAPIToken=\(device.apiToken)&ckWebAuthToken=\(device.webAuthToken ?? "")"
  }

  /// Sends a request, and returns the document of the answer.
  func ask(_ database: String, _ operation: String, _ body: [String: Any] = [:]) async throws
    -> Document
  {
    let bytes = try JSONSerialization.data(withJSONObject: body)
    var request = TransportRequest(
      .post, "\(address)/\(database)/\(operation)?\(query)", body: .bytes(Array(bytes)))
    request.headers = [("Content-Type", "application/json")]
    let answer = try await transport.send(request)
    return Document(try JSONSerialization.jsonObject(with: Data(answer.body)))
  }
}

/// A position in a JSON document, which may be missing.
private struct Document: CustomStringConvertible {
  private let tree: Any?

  init(_ tree: Any?) { self.tree = tree }

  subscript(_ key: String) -> Document { Document(dictionary?[key]) }
  subscript(_ index: Int) -> Document {
    elements.indices.contains(index) ? elements[index] : Document(nil)
  }
  var dictionary: [String: Any]? { tree as? [String: Any] }
  var elements: [Document] { (tree as? [Any])?.map { Document($0) } ?? [] }
  var count: Int { elements.count }
  var text: String? { tree as? String }
  /// The name of a record of a person or a town.
  var name: String { self["fields"]["CD_name"]["value"].text ?? "" }
  /// The names of a list of records.
  var names: [String] { elements.map(\.name) }
  var description: String { "\(tree ?? "nothing")" }
}

extension Sequence {
  fileprivate func asyncMap<Result>(_ body: (Element) async throws -> Result) async rethrows
    -> [Result]
  {
    var results: [Result] = []
    for element in self { results.append(try await body(element)) }
    return results
  }
}

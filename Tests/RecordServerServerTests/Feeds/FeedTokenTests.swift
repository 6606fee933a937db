import CloudRecords
import CloudWire
import RecordServer
import Testing

/// Tokens and types in feed requests.
@Suite struct `Invalid feed requests` {
  /// The token with a change in its middle or in its checksum at the end.
  private static func changed(_ token: String) -> [String] {
    let characters = Array(token)
    let places = [characters.count / 2, characters.count - 4, characters.count - 6].filter {
      characters[$0] != "="
    }
    return places.map { place in
      var changed = characters
      changed[place] = characters[place] == "A" ? "B" : "A"
      return String(changed)
    }
  }

  @Test func `A token with a changed character is rejected`() async throws {
    let ada = try await Cloud().user("_ada")
    try await ada.makeZone("Z")
    for number in 0..<5 {
      _ = try await ada.modify(
        zone: "Z", ("create", #""recordName":"n\#(number)","recordType":"Note","fields":{}"#))
    }
    let zone = try #require(
      try await ada.changes(zone: "Z", limit: 3)["zones"][0]["syncToken"].text)
    let database = try #require(try await ada.databaseChanges()["syncToken"].text)
    for token in Self.changed(zone) {
      let reply = try await ada.changes(zone: "Z", since: token)["zones"][0]
      #expect(
        reply["serverErrorCode"].text == "BAD_REQUEST" && !reply["extensionErrorCode"].isThere,
        "\(reply)")
    }
    for token in Self.changed(database) {
      let reply = try await ada.databaseChanges(since: token)
      #expect(
        reply["serverErrorCode"].text == "BAD_REQUEST" && !reply["extensionErrorCode"].isThere,
        "\(reply)")
    }
    #expect(try await ada.changes(zone: "Z", since: zone)["zones"][0].records == ["n3@4", "n4@5"])
  }

  /// The owner's records are all visible; a participant's entries are checked one by one.
  @Test func `Only the requested record types are reported`() async throws {
    let zone = try await SharedZone(Cloud())
    let bob = try await zone.cloud.user("_bob")
    try await zone.modify(.save("root"))
    try await zone.share("s", of: "root", with: [(bob, "READ_WRITE")])
    let leaf =
      #""recordName":"leaf","recordType":"Leaf","fields":{},"parent":{"recordName":"root"}"#
    let place = Client.zoneID(SharedZone.name, "_ada")
    let created = try await zone.ada.modify(zone: SharedZone.name, ("create", leaf))
    #expect(
      created.records == ["leaf@\(created["records"][0]["recordChangeTag"].text ?? "?")"],
      "\(created)")
    for (client, scope) in [(zone.ada, DatabaseScope.private), (bob, .shared)] {
      for (types, expected) in [
        (#"["Leaf"]"#, ["leaf"]), (#"["Node"]"#, ["root"]),
        (#"["Node","Leaf"]"#, ["leaf", "root"]), ("[]", []),
      ] {
        let reply = try await client.ask(
          scope, .changesZone, #"{"zones":[{"zoneID":\#(place),"desiredRecordTypes":\#(types)}]}"#)[
            "zones"][0]
        let names = reply["records"].list.filter { $0["recordType"].text != "cloudkit.share" }
          .compactMap { $0["recordName"].text }
        #expect(names.sorted() == expected, "\(types): \(reply)")
      }
    }
  }
}

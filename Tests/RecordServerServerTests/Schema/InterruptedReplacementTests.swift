import CloudRecords
import CloudSchema
import RecordServer
import Testing

/// The process ends after each transaction of a replacement in turn, and another process continues.
@Suite struct `Schema replacements interrupted by a crash` {
  private static let zones = 3
  /// The names of more users than fit in one transaction.
  private static let users = (0..<501).map { "_user\($0)" }

  private func library(_ cloud: Cloud) async throws -> Client {
    let ada = try await cloud.user("_ada")
    for name in Self.users {
      let user = StoredUser(identity: UserIdentity(userRecordName: name))
      try await cloud.server.saveUser(user, named: name, in: ada.realm)
    }
    for zone in 0..<Self.zones {
      try await ada.makeZone("Z\(zone)")
      _ = try await ada.put("r", "Gone", zone: "Z\(zone)")
      _ = try await ada.put("s", "Note", #""a":{"value":"x"},"b":{"value":"y"}"#, zone: "Z\(zone)")
    }
    return ada
  }

  private func replace(_ server: RecordServer, reset: Bool) async throws {
    if reset {
      _ = try await server.resetDevelopment(of: "iCloud.test")
    } else {
      _ = try await server.importSchema(
        Array("DEFINE SCHEMA RECORD TYPE Note (a STRING);".utf8), into: "iCloud.test")
    }
  }

  /// Ends the process after a number of writes, and lets another process continue.
  ///
  /// - Returns: Whether the replacement reached its end without the second process.
  private func crash(afterWrites count: Int, reset: Bool) async throws -> Bool {
    let engine = FailingEngine()
    let cloud = Cloud(engine: engine)
    let ada = try await library(cloud)
    engine.fail(afterWrites: count)
    var isDone = true
    do { try await replace(cloud.server, reset: reset) } catch { isDone = false }
    engine.fail(afterWrites: nil)
    let next = Cloud(engine: engine)
    let later = try await next.user("_ada")
    // In between, no record is saved under either schema.
    let wasInterrupted = !isDone && count > 0
    let refusal = try await later.put("t", "Other")["serverErrorCode"].text
    #expect(refusal == (wasInterrupted ? "TRY_AGAIN_LATER" : nil), "after \(count) writes")
    try await next.server.runMaintenance()
    if isDone || wasInterrupted { try await checkReplaced(later, reset: reset) }
    if !isDone, count == 0 { #expect(try await ada.lookUp(zone: "Z0", "r").records == ["r@1"]) }
    return isDone
  }

  private func checkReplaced(_ client: Client, reset: Bool) async throws {
    let text = try await SchemaAdministrator(client.cloud).text()
    #expect(text.contains("RECORD TYPE Note") == !reset && !text.contains("Gone"))
    for zone in 0..<Self.zones {
      let left = try await client.lookUp(zone: "Z\(zone)", "r", "s")["records"]
      #expect(left[0]["serverErrorCode"].text == (reset ? "ZONE_NOT_FOUND" : "NOT_FOUND"))
      #expect(left[1].field("a") == (reset ? nil : "x") && left[1].field("b") == nil)
    }
    #expect(try await client.put("u", "Note")["records"][0]["recordChangeTag"].isThere)
    guard reset else { return }
    for name in [Self.users[0], Self.users[1], Self.users[500]] {
      let found = try await client.lookUp(in: .public, name)["records"][0]
      #expect(found["recordType"].text == "Users", "\(found)")
    }
  }

  @Test(arguments: [true, false]) func `A replacement is completed after the crash`(reset: Bool)
    async throws
  {
    var writes = 0
    while try await !crash(afterWrites: writes, reset: reset) {
      writes += 1
      try #require(writes < 50)
    }
    #expect(writes >= 3)
  }
}

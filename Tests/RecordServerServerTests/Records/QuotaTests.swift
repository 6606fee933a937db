import CloudRecords
import CloudWire
import RecordServer
import RecordStorage
import Testing

@Suite struct `Databases with a quota` {
  private static let bytes = 10_000

  private func cloud(
    _ change: (inout ServiceLimits) -> Void = { $0.privateDatabaseBytes = Int64(bytes) }
  ) -> Cloud {
    var limits = ServiceLimits()
    change(&limits)
    return Cloud(limits: limits)
  }

  private func note(_ name: String, _ count: Int) -> (String, String) {
    let text = String(repeating: "x", count: count)
    return (
      "forceReplace",
      #""recordName":"\#(name)","recordType":"Note","fields":{"text":{"value":"\#(text)"}}"#
    )
  }

  private func delete(_ name: String) -> (String, String) {
    ("forceDelete", #""recordName":"\#(name)""#)
  }

  private func codes(_ reply: Reply) -> [String?] {
    reply["records"].list.map { $0["serverErrorCode"].text }
  }

  @Test func `A save beyond the quota is rejected, and accepted once there is space`() async throws
  {
    let ada = try await cloud().user("_ada")
    #expect(
      codes(try await ada.modify(note("a", 6_000), note("b", 6_000), note("c", 10))) == [
        nil, "QUOTA_EXCEEDED", nil,
      ])
    #expect(codes(try await ada.modify(note("b", 6_000))) == ["QUOTA_EXCEEDED"])
    // A record that does not grow can always be saved.
    #expect(codes(try await ada.modify(note("a", 6_000))) == [nil])
    #expect(codes(try await ada.modify(delete("a"), note("b", 6_000))) == [nil, nil])
    #expect(codes(try await ada.modify(note("a", 6_000))) == ["QUOTA_EXCEEDED"])
    #expect(codes(try await ada.modify(note("b", 10), note("a", 6_000))) == [nil, nil])
  }

  @Test func `A database can be filled to the byte`() async throws {
    let engine = MemoryStorageEngine()
    let former = try await Cloud(engine: engine).user("_ada")
    #expect(codes(try await former.modify(note("a", 1_000), note("b", 10))) == [nil, nil])
    let full = try await cloud { $0.privateDatabaseBytes = 1 }.user("_ada")
    #expect(codes(try await full.modify(note("a", 1))) == ["QUOTA_EXCEEDED"])
    // The owner learns the usage.
    var limits = ServiceLimits()
    limits.privateDatabaseBytes = 1
    let reported = try await Cloud(limits: limits, engine: engine).user("_ada").modify(note("c", 1))
    let bytes = try #require(
      reported["records"][0]["reason"].text?.split(separator: " ").lazy.compactMap { Int64($0) }
        .first)
    for (room, expected) in [(bytes, nil), (bytes - 1, "QUOTA_EXCEEDED")] as [(Int64, String?)] {
      let ada = try await cloud { $0.privateDatabaseBytes = room }.user("_ada")
      #expect(codes(try await ada.modify(note("a", 1_000), note("b", 10))) == [nil, expected])
    }
  }

  @Test(arguments: [false, true])
  func `Usage is calculated at the end of a batch, in any order of its records`(
    atomic: Bool
  ) async throws {
    let ada = try await cloud().user("_ada")
    try await ada.makeZone("Notes")
    #expect(codes(try await ada.modify(zone: "Notes", note("a", 6_000))) == [nil])
    #expect(
      codes(try await ada.modify(zone: "Notes", atomic: atomic, note("b", 6_000), delete("a"))) == [
        nil, nil,
      ])
    #expect(
      codes(try await ada.modify(zone: "Notes", atomic: atomic, note("c", 6_000), note("b", 10)))
        == [nil, nil])
    let refused = try await ada.modify(zone: "Notes", atomic: atomic, note("a", 6_000), delete("b"))
    #expect(codes(refused) == ["QUOTA_EXCEEDED", atomic ? "ATOMIC_ERROR" : nil])
    #expect(codes(try await ada.modify(zone: "Notes", note("d", 4_000))) == ["QUOTA_EXCEEDED"])
  }

  @Test func `A database beyond its quota accepts what does not enlarge it`() async throws {
    let engine = MemoryStorageEngine()
    let former = try await Cloud(engine: engine).user("_ada")
    try await former.makeZone("Notes")
    #expect(
      codes(try await former.modify(zone: "Notes", note("a", 20_000), note("b", 20_000))) == [
        nil, nil,
      ])
    var limits = ServiceLimits()
    limits.privateDatabaseBytes = Int64(Self.bytes)
    let ada = try await Cloud(limits: limits, engine: engine).user("_ada")
    #expect(
      codes(try await ada.modify(zone: "Notes", atomic: true, note("c", 6_000), delete("a"))) == [
        nil, nil,
      ])
    #expect(codes(try await ada.modify(zone: "Notes", note("d", 10))) == ["QUOTA_EXCEEDED"])
  }

  @Test func `The space of a record is not available if its deletion fails`() async throws {
    let ada = try await cloud().user("_ada")
    let child = ("create", #""recordName":"child","recordType":"Note","parent":{"recordName":"a"}"#)
    #expect(codes(try await ada.modify(note("a", 6_000), child)) == [nil, nil])
    // The parent cannot be deleted, so there is no space for the other record.
    let reply = try await ada.modify(note("b", 6_000), delete("a"))
    #expect(codes(reply) == ["QUOTA_EXCEEDED", "VALIDATING_REFERENCE_ERROR"])
  }

  /// The record frees its space once, although the batch also recreates or changes it.
  @Test(arguments: [false, true]) func `A record deleted by a cascade is counted once`(
    isRecreated: Bool
  ) async throws {
    let ada = try await cloud().user("_ada")
    func tied(_ count: Int) -> (String, String) {
      let text = String(repeating: "x", count: count)
      let fields =
        #""text":{"value":"\#(text)"},"to":{"value":{"recordName":"target","action":"DELETE_SELF"}}"#
      return ("forceReplace", #""recordName":"tied","recordType":"Note","fields":{\#(fields)}"#)
    }
    #expect(codes(try await ada.modify(note("target", 10), tied(7_000))) == [nil, nil])
    let reply =
      isRecreated
      ? try await ada.modify(
        delete("target"), note("tied", 5_000), note("a", 4_000), note("b", 4_000))
      : try await ada.modify(tied(10), delete("target"), note("a", 5_000), note("b", 6_000))
    #expect(codes(reply) == [nil, nil, nil, "QUOTA_EXCEEDED"])
    // The answer of the batch matches the stored usage.
    #expect(codes(try await ada.modify(note("b", 6_000))) == ["QUOTA_EXCEEDED"])
  }

  @Test func `Usage counts all zones of the owner and no other user's`() async throws {
    let cloud = cloud()
    let (ada, bob) = (try await cloud.user("_ada"), try await cloud.user("_bob"))
    for zone in ["Notes", "Trips"] { try await ada.makeZone(zone) }
    #expect(codes(try await ada.modify(zone: "Notes", note("a", 6_000))) == [nil])
    #expect(codes(try await ada.modify(zone: "Trips", note("a", 6_000))) == ["QUOTA_EXCEEDED"])
    #expect(codes(try await ada.modify(in: .public, note("a", 6_000))) == [nil])
    #expect(codes(try await bob.modify(note("a", 6_000))) == [nil])
    let gone =
      #"{"operations":[{"operationType":"delete","zone":{"zoneID":{"zoneName":"Notes"}}}]}"#
    #expect(try await ada.ask(.private, .zonesModify, gone)["zones"][0]["deleted"].flag == true)
    #expect(codes(try await ada.modify(zone: "Trips", note("a", 6_000))) == [nil])
  }

  @Test func `Usage belongs to the owner, whichever user writes`() async throws {
    let cloud = cloud()
    let (ada, bob) = (try await cloud.user("_ada"), try await cloud.user("_bob"))
    try await ada.makeZone("Notes")
    let share = try await ada.modify(
      zone: "Notes",
      (
        "create",
        #""recordName":"cloudkit.zoneshare","recordType":"cloudkit.share","publicPermission":"READ_WRITE""#
      ))
    let link = try #require(share["records"][0]["shortGUID"].text, "\(share)")
    _ = try await bob.ask(.public, .recordsAccept, #"{"shortGUIDs":[{"value":"\#(link)"}]}"#)
    func save(_ name: String) async throws -> Reply {
      try await bob.modify(in: .shared, zone: "Notes", owner: "_ada", note(name, 6_000))
    }
    #expect(codes(try await save("a")) == [nil])
    let refused = try await save("b")
    #expect(codes(refused) == ["QUOTA_EXCEEDED"])
    #expect(codes(try await bob.modify(note("b", 6_000))) == [nil])
    // Only the owner may know the usage.
    func isWithoutFigures(_ reply: Reply) -> Bool {
      reply["records"][0]["reason"].text.map { !$0.contains(where: \.isNumber) } ?? false
    }
    #expect(isWithoutFigures(refused), "\(refused)")
    let own = try await ada.modify(zone: "Notes", note("b", 6_000))
    #expect(codes(own) == ["QUOTA_EXCEEDED"] && !isWithoutFigures(own), "\(own)")
  }

  @Test func `Files count towards the quota`() async throws {
    let ada = try await cloud().user("_ada")
    let upload = #"{"tokens":[{"recordType":"T","fieldName":"file"}]}"#
    #expect(try await ada.ask(.private, .assetsUpload, upload).status == 200)
    let file = try await ada.upload(String(repeating: "x", count: 9_000))
    #expect(try await ada.save("a", file).hasPrefix("a@"))
    #expect(try await ada.save("b", file) == "b: QUOTA_EXCEEDED")
    #expect(codes(try await ada.modify(delete("a"))) == [nil])
    #expect(try await ada.save("b", file).hasPrefix("b@"))
  }

  @Test func `Files without a record are limited, and a record's file is not`() async throws {
    let cloud = cloud()
    let ada = try await cloud.user("_ada")
    let (grant, other) = (ada.grant, try await cloud.user("_bob").grant)
    func send(_ name: String, _ size: Int64, _ grant: UploadGrant) -> CloudErrorCode? {
      cloud.send(name, size, grant)
    }
    let file = try await ada.upload(String(repeating: "x", count: 6_000))
    #expect(send(String(repeating: "x", count: 6_000), 6_000, grant) == nil)
    #expect(send("second", 4_001, grant) == .quotaExceeded && send("second", 4_000, grant) == nil)
    #expect(send("second", 4_000, grant) == nil, "a file counts once")
    #expect(send("third", 1, grant) == .quotaExceeded && send("third", 10_000, other) == nil)
    #expect(try await ada.save("a", file).hasPrefix("a@"))
    #expect(send("third", 6_000, grant) == nil)
    #expect(send("fourth", 1, grant) == .quotaExceeded)
    cloud.pass(seconds: 86_401)
    #expect(send("fourth", 10_000, grant) == nil)
  }

  @Test func `A file that is uploaded again counts until its last receipt expires`() async throws {
    let cloud = cloud()
    let grant = try await cloud.user("_ada").grant
    for _ in 0..<200 {
      cloud.pass(seconds: 60)
      #expect(cloud.send("first", 6_000, grant) == nil)
    }
    cloud.pass(seconds: 86_399)
    #expect(cloud.send("second", 4_001, grant) == .quotaExceeded)
    cloud.pass(seconds: 1)
    #expect(cloud.send("second", 10_000, grant) == nil)
  }

  @Test func `Deleting a missing record releases no file that it names`() async throws {
    let cloud = cloud()
    let ada = try await cloud.user("_ada")
    let contents = String(repeating: "x", count: 6_000)
    let file = try await ada.upload(contents)
    try cloud.server.countUnreferencedFile(
      AssetChecksum(of: contents), size: 6_000, for: ada.grant)
    let operation = ("forceDelete", #""recordName":"none","fields":{"file":{"value":\#(file)}}"#)
    #expect(try await ada.modify(operation).records == ["none: deleted"])
    let error = #expect(throws: CloudError.self) {
      try cloud.server.countUnreferencedFile(
        AssetChecksum(of: "second"), size: 4_001, for: ada.grant)
    }
    #expect(error?.code == .quotaExceeded)
  }

  @Test func `Tombstones count until they are deleted`() async throws {
    let cloud = cloud()
    let ada = try await cloud.user("_ada")
    try await ada.makeZone("Notes")
    var count = 0
    while true {
      let name = "record \(count)"
      guard codes(try await ada.modify(zone: "Notes", note(name, 10))) == [nil] else { break }
      #expect(codes(try await ada.modify(zone: "Notes", delete(name))) == [nil])
      count += 1
      try #require(count < 10_000)
    }
    #expect((50..<1_000).contains(count), "\(count)")
    cloud.pass(seconds: 181 * 86_400)
    try await cloud.server.runMaintenance()
    #expect(codes(try await ada.modify(zone: "Notes", note("a", 9_000))) == [nil])
  }

  @Test func `The public database can have a quota`() async throws {
    let cloud = cloud { $0.publicDatabaseBytes = Int64(Self.bytes) }
    let (ada, bob) = (try await cloud.user("_ada"), try await cloud.user("_bob"))
    #expect(codes(try await ada.modify(in: .public, note("a", 6_000))) == [nil])
    #expect(codes(try await bob.modify(in: .public, note("b", 6_000))) == ["QUOTA_EXCEEDED"])
    let refused = try await bob.ask(
      .private, .assetsUpload, #"{"tokens":[{"recordType":"T","fieldName":"file"}]}"#)
    #expect(refused.status == 200)
    #expect(codes(try await bob.modify(note("b", 60_000))) == [nil])
  }

  @Test func `A full database gives no upload URL`() async throws {
    let ada = try await cloud { $0.privateDatabaseBytes = 0 }.user("_ada")
    let reply = try await ada.ask(
      .private, .assetsUpload, #"{"tokens":[{"recordType":"T","fieldName":"file"}]}"#)
    #expect(reply.status == 413 && reply["serverErrorCode"].text == "QUOTA_EXCEEDED", "\(reply)")
  }

  @Test func `An atomic batch is rejected as a whole`() async throws {
    let ada = try await cloud().user("_ada")
    try await ada.makeZone("Notes")
    let reply = try await ada.modify(
      zone: "Notes", atomic: true, note("a", 6_000), note("b", 6_000))
    #expect(codes(reply) == ["ATOMIC_ERROR", "QUOTA_EXCEEDED"])
    #expect(codes(try await ada.modify(zone: "Notes", atomic: true, note("b", 6_000))) == [nil])
  }
}

extension Cloud {
  /// Counts an uploaded file, and returns the code of the error if the quota is exceeded.
  fileprivate func send(_ name: String, _ size: Int64, _ grant: UploadGrant) -> CloudErrorCode? {
    do throws(CloudError) {
      try server.countUnreferencedFile(AssetChecksum(of: name), size: size, for: grant)
      return nil
    } catch { return error.code }
  }
}

extension Client {
  /// A URL for uploading a file to the client's own database.
  fileprivate var grant: UploadGrant {
    UploadGrant(
      realm: realm, scope: .private, owner: name, userRecordName: name, recordName: nil,
      fieldName: "file",
      expires: cloud.server.dependencies.now())
  }
}

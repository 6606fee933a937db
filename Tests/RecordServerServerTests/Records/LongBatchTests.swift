import CloudRecords
import CloudWire
import RecordServer
import RecordStorage
import Testing

@Suite struct `Long batches` {
  /// Records that are created, changed, deleted and recreated, with parents and references, in a
  /// database with a quota.
  @Test func `The result equals that of single operations`() async throws {
    let names = (0..<150).map { "n\($0)" }
    let creations = names.enumerated().map { number, name in
      note(
        name, String(repeating: "\(number) ", count: number),
        parent: number > 0 ? names[number / 2] : nil)
    }
    let changes = names.enumerated().compactMap { number, name in
      switch number % 3 {
      case 0: note(name, "changed \(number)", parent: number > 0 ? names[number / 2] : nil)
      case 1 where number >= names.count / 2:
        #"{"operationType":"forceDelete","record":{"recordName":"\#(name)"}}"#
      default: note("m\(number)", "new", parent: name)
      }
    }
    let together = try await stored(by: [creations, changes])
    let apart = try await stored(by: (creations + changes).map { [$0] })
    #expect(together.count > 400)
    #expect(together == apart)
  }

  private func note(_ name: String, _ text: String, parent: String?) -> String {
    var (fields, place) = (#""text":{"value":"\#(text)"}"#, "")
    if let parent {
      fields += #","link":{"value":{"recordName":"\#(parent)","action":"VALIDATE"}}"#
      place = #","parent":{"recordName":"\#(parent)"}"#
    }
    return
      #"{"operationType":"forceReplace","record":{"recordName":"\#(name)","recordType":"Note","fields":{\#(fields)}\#(place)}}"#
  }

  /// The contents of the storage after some requests.
  private func stored(by requests: [[String]]) async throws -> [StorageEntry] {
    let engine = MemoryStorageEngine()
    var limits = ServiceLimits()
    limits.privateDatabaseBytes = 1_000_000
    let ada = try await Cloud(limits: limits, engine: engine).user("_ada")
    try await ada.makeZone("Z")
    for operations in requests {
      let reply = try await ada.ask(
        .private, .recordsModify,
        #"{"operations":[\#(operations.joined(separator: ","))],"zoneID":{"zoneName":"Z"}}"#)
      #expect(
        reply.status == 200
          && reply["records"].list.allSatisfy { $0["serverErrorCode"].text == nil }, "\(reply)")
    }
    return try await engine.read { try $0.entries(in: .all) }
  }
}

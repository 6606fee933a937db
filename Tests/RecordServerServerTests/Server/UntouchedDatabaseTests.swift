import CloudRecords
import CloudWire
import Foundation
import RecordServer
import RecordStorage
import SQLiteRecordStorage
import TestSupport
import Testing

@Suite("Untouched databases")
struct UntouchedDatabaseTests {
  private static let questions: [(Endpoint, String)] = [
    (.recordsQuery, #"{"query":{"recordType":"T"}}"#),
    (
      .recordsQuery,
      #"{"query":{"recordType":"T","filterBy":[{"comparator":"EQUALS","fieldName":"a","fieldValue":{"value":1}}]}}"#
    ),
    (.recordsLookup, #"{"records":[{"recordName":"a"}]}"#), (.zonesList, ""),
    (.zonesLookup, #"{"zones":[{"zoneName":"_defaultZone"}]}"#), (.subscriptionsList, ""),
    (.assetsUpload, #"{"tokens":[{"recordType":"T","fieldName":"f"}]}"#),
    (.assetsRereference, #"{"assets":[{"recordName":"a","fieldName":"f"}]}"#),
  ]

  @Test(arguments: [DatabaseScope.private, .public])
  func `An untouched database answers every request`(scope: DatabaseScope) async throws {
    try await withTemporaryDirectory { folder in
      let engine = try SQLiteStorageEngine(folder: folder.path)
      for engine in [engine, MemoryStorageEngine()] as [any StorageEngine] {
        let cloud = Cloud(engine: engine)
        let (ada, bob) = (try await cloud.user("_ada"), try await cloud.user("_bob"))
        // The type is known from another database.
        _ = try await bob.modify(
          ("create", #""recordName":"b","recordType":"T","fields":{"a":{"value":1}}"#))
        for _ in 0..<2 {
          for (endpoint, body) in Self.questions {
            let reply = try await ada.ask(scope, endpoint, body)
            #expect(reply.status == 200, "\(endpoint.rawValue): \(reply)")
          }
        }
        let saved = try await ada.modify(
          in: scope, ("create", #""recordName":"a","recordType":"T","fields":{}"#))
        #expect(saved.records == ["a@1"])
        #expect(try await ada.lookUp(in: scope, "a").records == ["a@1"])
      }
      await engine.close()
    }
  }
}

import RecordServerHTTP
import RecordStorage
import TestSupport
import Testing

@Suite("Background maintenance", .blockingThreads, .endsAtAll)
struct MaintenanceScheduleTests {
  @Test(.endsAtAll) func `Deleted zones are erased`() async throws {
    let engine = MemoryStorageEngine()
    try await TestService.run(on: engine) {
      $0.maintenanceInterval = .milliseconds(20)
    } _: { testService in
      let ada = try await testService.user("ada")
      let zone = #"{"zoneID":{"zoneName":"Notes"}}"#
      func change(_ kind: String) throws {
        let body = #"{"operations":[{"operationType":"\#(kind)","zone":\#(zone)}]}"#
        #expect(try ada.ask("private", "zones/modify", body).status == 200)
      }
      try change("create")
      let operations = (0..<50).map {
        #"{"operationType":"create","record":{"recordName":"n\#($0)","recordType":"Note","fields":{}}}"#
      }
      let body =
        #"{"operations":[\#(operations.joined(separator: ","))],"zoneID":{"zoneName":"Notes"}}"#
      #expect(try ada.ask("private", "records/modify", body)["records"].count == 50)
      let before = try await count(engine)
      try change("delete")
      try await yields(while: try await count(engine) > before - 50)
    }
  }

  private func count(_ engine: MemoryStorageEngine) async throws -> Int {
    try await engine.read(in: nil) { try $0.entries(in: .all).count }
  }
}

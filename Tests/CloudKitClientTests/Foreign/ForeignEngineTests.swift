import ClientTestSupport
import CloudKitClient
import CloudSyncEngine
import Foundation
import Synchronization
import TestSupport
import Testing

/// Automatic engines on a foreign server, which does not report that a subscription ended.
@Suite("An engine on a foreign server", .endsAtAll)
struct ForeignEngineTests {
  private let server = ForeignServer()
  private let clock = ManualClock()

  private func asked(_ operation: String) -> Int {
    server.asked.withLock { $0.count { $0.operation == operation } }
  }

  @Test func `An engine checks its subscription hourly and fetches`() async throws {
    server.answers.withLock {
      $0["changes/database"] = #"{"zones":[],"syncToken":"QQ==","moreComing":false}"#
      $0["subscriptions/list"] =
        #"{"subscriptions":[{"subscriptionID":"s","subscriptionType":"database"}]}"#
    }
    let notesProgram = NotesProgram()
    let database = server.container(.device, clock.dependencies).privateCloudDatabase
    let engine = CKSyncEngine(
      CKSyncEngine.Configuration(
        database: database, stateSerialization: nil, delegate: notesProgram))
    await notesProgram.hears("didFetchChanges scheduled")
    try await yields(while: !engine.isIdle || asked("wait/c1") == 0)
    for hour in 1...3 {
      try await yields(while: await clock.nextAlarm() != 3_600)
      try await yields(while: !engine.isIdle)
      let checks = asked("subscriptions/list")
      _ = notesProgram.heard()
      clock.advance(by: 3_600)
      await notesProgram.hears("didFetchChanges scheduled")
      #expect(asked("subscriptions/list") == checks + 1, "Hour \(hour)")
      try await yields(while: !engine.isIdle)
    }
  }
}

import ClientTestSupport
import CloudKitClient
import CloudKitTesting
import Foundation
import Synchronization
import Testing
import WatchedClouds

/// Options of operations.
@Suite("Operation options")
struct OptionTests {
  @available(*, deprecated)
  @Test func `Deprecated options of an operation set its configuration`() {
    let operation = CKFetchRecordsOperation(recordIDs: [])
    #expect(operation.isAsynchronous && operation.allowsCellularAccess && !operation.isLongLived)
    #expect(
      operation.timeoutIntervalForRequest == 60 && operation.timeoutIntervalForResource == 604_800)
    let container = CKContainer(identifier: "iCloud.test")
    (operation.allowsCellularAccess, operation.isLongLived, operation.container) = (
      false, true, container
    )
    (operation.timeoutIntervalForRequest, operation.timeoutIntervalForResource) = (5, 7)
    operation.qualityOfService = .background
    let configuration = operation.configuration as CKOperation.Configuration
    #expect(
      !configuration.allowsCellularAccess && configuration.isLongLived
        && configuration.container == container)
    #expect(
      configuration.timeoutIntervalForRequest == 5 && configuration.timeoutIntervalForResource == 7)
    #expect(configuration.qualityOfService == .background)
  }

  @Test
  func `A configured container or database keeps its source's options unless it sets its own`()
    async throws
  {
    let cloud = try await WatchedCloud()
    let (outer, inner) = (CKOperation.Configuration(), CKOperation.Configuration())
    (outer.timeoutIntervalForRequest, inner.timeoutIntervalForRequest) = (7, 9)
    _ = try await cloud.container("anna").configuredWith(configuration: outer) { container in
      try await container.configuredWith(group: CKOperationGroup()) { container in
        try await container.privateCloudDatabase.configuredWith(group: CKOperationGroup()) {
          database in
          _ = try await database.allRecordZones()
          _ = try await database.configuredWith(configuration: inner) {
            try await $0.allRecordZones()
          }
        }
      }
    }
    let limits = cloud.idleLimits.withLock {
      $0.filter { $0.operation == "zones/list" }.map(\.limit)
    }
    #expect(limits == [.seconds(7), .seconds(9)])
  }

  @Test func `A group survives archiving`() throws {
    let group = CKOperationGroup()
    (group.name, group.quantity) = ("first sync", 3)
    (group.expectedSendSize, group.expectedReceiveSize) = (.kilobytes, .tensOfMegabytes)
    let bytes = try NSKeyedArchiver.archivedData(withRootObject: group, requiringSecureCoding: true)
    let read = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CKOperationGroup.self, from: bytes))
    #expect(
      read.operationGroupID == group.operationGroupID && read.name == "first sync"
        && read.quantity == 3)
    #expect(read.expectedSendSize == .kilobytes && read.expectedReceiveSize == .tensOfMegabytes)
  }

  @available(*, deprecated)
  @Test func `Both blocks get the page's token or the error`() async throws {
    let device = try await TestCloud().signIn("anna@example.com")
    let transcript = Transcript()
    for token in [device.apiToken, "not the page's", ""] {
      let operation = CKFetchWebAuthTokenOperation(apiToken: token)
      operation.fetchWebAuthTokenResultBlock = { transcript.note("token", $0) }
      operation.fetchWebAuthTokenCompletionBlock = { transcript.note("older \($0 != nil)", $1) }
      await device.container.privateCloudDatabase.carryOut(operation)
    }
    #expect(
      transcript.lines == [
        "token: done", "older true: done", "token: badContainer", "older false: badContainer",
        "token: invalidArguments", "older false: invalidArguments",
      ])
  }
}

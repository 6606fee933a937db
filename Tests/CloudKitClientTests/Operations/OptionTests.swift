import CloudKitClient
import CloudKitTesting
import Foundation
import Testing

/// How operations ask, by the names of the API alone.
@Suite("Options of operations")
struct OptionTests {
  @available(*, deprecated)
  @Test func `Older names of options are those of the configuration`() {
    let operation = CKFetchRecordsOperation(recordIDs: [])
    #expect(operation.isAsynchronous && operation.allowsCellularAccess && !operation.isLongLived)
    #expect(operation.timeoutIntervalForRequest == 60 && operation.timeoutIntervalForResource == 604_800)
    let container = CKContainer(identifier: "iCloud.test")
    (operation.allowsCellularAccess, operation.isLongLived, operation.container) = (false, true, container)
    (operation.timeoutIntervalForRequest, operation.timeoutIntervalForResource) = (5, 7)
    operation.qualityOfService = .background
    let configuration = operation.configuration as CKOperation.Configuration
    #expect(!configuration.allowsCellularAccess && configuration.isLongLived && configuration.container == container)
    #expect(configuration.timeoutIntervalForRequest == 5 && configuration.timeoutIntervalForResource == 7)
    #expect(configuration.qualityOfService == .background)
  }

  @Test func `A group comes back from an archive`() throws {
    let group = CKOperationGroup()
    (group.name, group.quantity) = ("first sync", 3)
    (group.expectedSendSize, group.expectedReceiveSize) = (.kilobytes, .tensOfMegabytes)
    let bytes = try NSKeyedArchiver.archivedData(withRootObject: group, requiringSecureCoding: true)
    let read = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: CKOperationGroup.self, from: bytes))
    #expect(read.operationGroupID == group.operationGroupID && read.name == "first sync" && read.quantity == 3)
    #expect(read.expectedSendSize == .kilobytes && read.expectedReceiveSize == .tensOfMegabytes)
  }

  @available(*, deprecated)
  @Test func `The token for a page is told to both blocks`() async throws {
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
        "token: done", "older true: done", "token: notAuthenticated", "older false: notAuthenticated",
        "token: invalidArguments", "older false: invalidArguments",
      ])
  }
}

import ClientTestSupport
import CloudKitClient
import CloudRecords
import CloudTransport
import CloudWire
import Foundation
import Testing

@Suite struct ServerErrorTests {
  @Test(arguments: [
    (CloudErrorCode.accessDenied, CKError.Code.permissionFailure),
    (.atomicError, .batchRequestFailed),
    (.authenticationFailed, .notAuthenticated), (.authenticationRequired, .notAuthenticated),
    (.badRequest, .invalidArguments), (.conflict, .serverRecordChanged),
    (.exists, .serverRecordChanged),
    (.internalError, .internalError), (.notFound, .unknownItem), (.quotaExceeded, .quotaExceeded),
    (.throttled, .requestRateLimited), (.tryAgainLater, .serviceUnavailable),
    (.validatingReferenceError, .referenceViolation), (.zoneNotFound, .zoneNotFound),
  ])
  func `A code of the protocol is one of Apple's`(_ wire: CloudErrorCode, _ code: CKError.Code) {
    let error = CKError(CloudError(wire, "Because."))
    #expect(
      error.code == code && error.localizedDescription == "Because."
        && error.retryAfterSeconds == nil)
    #expect(error.userInfo["ServerErrorDescription"] as? String == "Because.")
  }

  @Test(arguments: [
    (CloudError.Extension.changeTokenExpired, CKError.Code.changeTokenExpired),
    (.zoneRecreated, .changeTokenExpired),
    (.userDeletedZone, .userDeletedZone),
    (.encryptedDataReset, .zoneNotFound), (.limitExceeded, .limitExceeded),
    (.alreadyShared, .alreadyShared),
    (.tooManyParticipants, .tooManyParticipants),
    (.participantMayNeedVerification, .participantMayNeedVerification),
    (.schemaNotDeployed, .invalidArguments),
  ])
  func `The extension of a protocol error decides the code`(
    _ said: CloudError.Extension, _ code: CKError.Code
  ) {
    let error = CKError(CloudError(.badRequest, "Because.", extension: said))
    #expect(error.code == code)
    #expect(
      (error.userInfo[CKErrorUserDidResetEncryptedDataKey] != nil) == (said == .encryptedDataReset))
  }

  @Test(arguments: [(200, ""), (204, ""), (200, "  "), (200, "<html>"), (200, "{\"records\":[")])
  func `A success without a complete JSON body is a network failure`(
    _ status: Int, _ body: String
  ) async throws {
    let server = ScriptedTransport { _ throws(TransportError) in
      TransportResponse(status: status, body: Array(body.utf8))
    }
    let session = try CloudSession(
      address: CloudAddress(
        server: "https://cloud.example.com",
        container: ContainerAddress(container: "iCloud.silent", environment: .development)),
      credentials: .user(apiToken: "program", webAuthToken: "ada"), userRecordName: "_ada",
      transport: server)
    await #expect { try await session.call(ChangesDatabaseRequest(), .private) } throws: {
      CKError.networkFailure ~= $0
    }
  }

  @Test func `The delay before a retry is reported`() {
    #expect(
      CKError(CloudError(.throttled, "Slowly.", retryAfterSeconds: 30)).retryAfterSeconds == 30)
  }
}

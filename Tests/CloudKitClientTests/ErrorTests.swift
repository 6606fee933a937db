import ClientTestSupport
import CloudEncryption
import CloudKitClient
import Foundation
import Testing

@Suite struct ErrorTests {
  @Test func `Codes have Apple's numbers`() {
    #expect(CKError.Code.allCases.map(\.rawValue) == Array(1...37))
    let known: [(CKError.Code, Int)] = [
      (.internalError, 1), (.partialFailure, 2), (.networkFailure, 4), (.notAuthenticated, 9),
      (.unknownItem, 11),
      (.serverRecordChanged, 14), (.changeTokenExpired, 21), (.batchRequestFailed, 22),
      (.quotaExceeded, 25),
      (.limitExceeded, 27), (.userDeletedZone, 28), (.alreadyShared, 30),
      (.participantAlreadyInvited, 37),
    ]
    for (code, number) in known { #expect(code.rawValue == number) }
  }

  @Test func `An error is caught by its code`() {
    /// The name of the clause that catches an error.
    func clause(for error: any Error) -> String {
      do {
        throw error
      } catch CKError.networkUnavailable {
        return "networkUnavailable"
      } catch CKError.networkFailure {
        return "networkFailure"
      } catch {
        return "none"
      }
    }
    #expect(clause(for: CKError(.networkFailure)) == "networkFailure")
    #expect(clause(for: CKError(.networkUnavailable)) == "networkUnavailable")
    #expect(clause(for: CKError(.zoneBusy)) == "none")
    #expect(clause(for: CancellationError()) == "none")
  }

  @Test func `An error is an NSError of the domain, the code and the details`() {
    let error =
      CKError(.zoneBusy, userInfo: [CKErrorRetryAfterKey: NSNumber(value: 2.5), "more": "x"])
      as NSError
    #expect(
      error.domain == CKErrorDomain && error.code == 23 && error.userInfo["more"] as? String == "x")
    #expect(CKError(_bridgedNSError: error)?.retryAfterSeconds == 2.5)
    #expect(CKError(_bridgedNSError: NSError(domain: NSCocoaErrorDomain, code: 4)) == nil)
    #expect(CKError(_bridgedNSError: NSError(domain: CKErrorDomain, code: 99)) == nil)
  }

  @Test func `A conflict has its three records`() {
    let records = ["a", "b", "c"].map {
      CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: $0))
    }
    let error = CKError(
      .serverRecordChanged,
      userInfo: [
        CKRecordChangedErrorAncestorRecordKey: records[0],
        CKRecordChangedErrorServerRecordKey: records[1],
        CKRecordChangedErrorClientRecordKey: records[2],
      ])
    #expect(error.ancestorRecord === records[0] && error.serverRecord === records[1])
    #expect(error.clientRecord === records[2] && error.retryAfterSeconds == nil)
  }

  @Test func `A partial failure has an error for each item`() {
    let name = CKRecord.ID(recordName: "a")
    let error = CKError(
      .partialFailure,
      userInfo: [
        CKPartialErrorsByItemIDKey: [name: CKError(.unknownItem)] as [AnyHashable: any Error]
      ]
    )
    #expect(
      (error.partialErrorsByItemID?[CKRecord.ID(recordName: "a")] as? CKError)?.code == .unknownItem
    )
  }

  @Test func `People with any names can have changed keys`() {
    let error = CKError(encryption: EncryptionError.changed(["", "ö"]))
    #expect(error.peopleWithChangedKeys?.map(\.recordName) == ["", "ö"])
  }

  @Test func `An error describes what went wrong`() {
    #expect(CKError(.quotaExceeded).localizedDescription == "CloudKit error 25: quotaExceeded.")
    let reported = CKError(
      .quotaExceeded, userInfo: [NSLocalizedDescriptionKey: "The disk is full."])
    #expect(
      reported.localizedDescription == "The disk is full." && reported != CKError(.quotaExceeded))
    #expect(CKError(.quotaExceeded) == CKError(.quotaExceeded))
  }
}

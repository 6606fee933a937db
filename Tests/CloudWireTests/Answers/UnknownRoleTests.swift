import CloudRecords
import CloudWire
import Testing

@Suite struct UnknownRoleTests {
  /// A share in a response of a server that knows more roles than this client.
  private static let response = #"""
    {"results":[{"shortGUID":{"value":"g"},"containerIdentifier":"iCloud.x",
    "environment":"PRODUCTION","databaseScope":"SHARED",
    "zoneID":{"zoneName":"Z","ownerRecordName":"_a"},"share":{"recordName":"cloudkit.zoneshare",
    "recordType":"cloudkit.share","publicPermission":"NONE","participants":[
    {"participantId":"1","userIdentity":{"userRecordName":"_a"},"type":"OWNER",
    "permission":"READ_WRITE","acceptanceStatus":"ACCEPTED"},
    {"participantId":"2","userIdentity":{"userRecordName":"_b"},"type":"SUPERVISOR",
    "permission":"READ_WRITE","acceptanceStatus":"ACCEPTED"}]}}]}
    """#

  @Test func `Case 43: A client that does not know a role reads a private user`() throws {
    let response = try SharesResponse(answer: Array(Self.response.utf8))
    guard case .share(let metadata)? = response.results.first else {
      Issue.record("\(response)")
      return
    }
    let participants = metadata.share.record.share?.participants
    #expect(participants?.map(\.role) == [.owner, .user])
    #expect(participants?.map(\.permission) == [.readWrite, .readWrite])
  }
}

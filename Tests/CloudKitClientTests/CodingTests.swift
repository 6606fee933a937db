import ClientTestSupport
import CloudKitClient
import CloudRecords
import Foundation
import GeographicLocations
import Testing

@Suite struct RecordCodingTests {
  private let coding = RecordCoding(currentUser: "_me")

  @Test func `A record of the server has its fields and no changes`() {
    let record = coding.record(.sample)
    #expect(record.recordType == "Note" && record.recordChangeTag == "1e")
    #expect(
      record.allKeys() == ["count", "day", "file", "link", "other", "place", "tags", "title"])
    #expect(record.changedKeys().isEmpty && record.encryptedValues.changedKeys().isEmpty)
    #expect(
      record["title"] == "Milk" && record["count"] as? Int == 3
        && record["tags"] as? [String] == ["a"])
    #expect(record["day"] as? Date == Date(timeIntervalSince1970: 1.5))
    #expect(record.encryptedValues["secret"] as? Data == Data([9]))
    #expect((record["file"] as? CKAsset)?.fileURL == nil)
    #expect((record["place"] as? CLLocation)?.coordinate.latitude == 48)
    #expect((record["place"] as? CLLocation)?.speed == -1)
  }

  @Test func `The signed-in user has the default name, and others have their own`() {
    let record = coding.record(.sample)
    #expect(record.recordID.zoneID.ownerName == CKCurrentUserDefaultName)
    #expect(record.creatorUserRecordID?.recordName == CKCurrentUserDefaultName)
    #expect(record.lastModifiedUserRecordID?.recordName == "_you")
    #expect(RecordCoding(currentUser: "_you").record(.sample).recordID.zoneID.ownerName == "_me")
    #expect(RecordCoding(currentUser: nil).record(.sample).recordID.zoneID.ownerName == "_me")
  }

  @Test func `Names are sent with the owner's real name`() {
    let own = CKRecordZone.ID(zoneName: "Notes")
    let other = CKRecordZone.ID(zoneName: "Notes", ownerName: "_you")
    #expect(coding.identifier(own) == RecordZoneIdentifier(zoneName: "Notes", ownerName: "_me"))
    #expect(coding.identifier(other).ownerName == "_you")
    #expect(
      RecordCoding(currentUser: nil).identifier(own).ownerName
        == RecordZoneIdentifier.currentOwnerName)
    for zoneID in [own, other] { #expect(coding.zoneID(coding.identifier(zoneID)) == zoneID) }
  }

  @Test func `A reference without a zone points into the record's own zone`() {
    let record = coding.record(.sample)
    let link = record["link"] as? CKRecord.Reference
    let other = record["other"] as? CKRecord.Reference
    #expect(link?.recordID.zoneID == record.recordID.zoneID && link?.action == .deleteSelf)
    #expect(
      other?.recordID.zoneID.zoneName == "Elsewhere"
        && other?.action == CKRecord.ReferenceAction.none)
    #expect(
      record.parent?.recordID.zoneID == record.recordID.zoneID
        && record.share?.recordID.recordName == "s1")
  }

  @Test func `A requester has a name or an address`() throws {
    var sample = CloudRecord.sample
    var details = ShareDetails(publicPermission: .none, participants: [])
    var byAddress = UserIdentity()
    byAddress.lookupInfo = .emailAddress("a@example.com")
    // Foreign servers may report unknown users, who cannot be answered.
    details.requests.requesters = [UserIdentity(userRecordName: "_you"), UserIdentity(), byAddress]
    sample.share = details
    let share = try #require(coding.record(sample) as? CKShare)
    let infos = share.requesters.map(\.participantLookupInfo)
    #expect(infos.map(\.userRecordID?.recordName) == ["_you", nil])
    #expect(infos.map(\.emailAddress) == [nil, "a@example.com"])
    share.blockRequesters(share.requesters)
    #expect(share.requesters.isEmpty && share.blockedIdentities.count == 2)
  }

  @Test func `Names from the server are accepted unchanged`() {
    var odd = CloudRecord.sample
    odd.identifier = RecordIdentifier(
      recordName: "ö", zone: RecordZoneIdentifier(zoneName: "_system", ownerName: "_you"))
    let record = coding.record(odd)
    #expect(record.recordID.recordName == "ö" && record.recordID.zoneID.zoneName == "_system")
  }

  @Test func `System fields keep the latest time that a server can send`() throws {
    var odd = CloudRecord.sample
    odd.modified = RecordStamp(time: Timestamp(milliseconds: .max), userRecordName: "_you")
    let record = coding.record(odd)
    let read = try #require(CKRecord(systemFields: record.systemFields))
    #expect(read.modificationDate == record.modificationDate && read.modificationDate != nil)
  }
}

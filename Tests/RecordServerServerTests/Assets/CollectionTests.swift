import CloudRecords
import CloudWire
import RecordServer
import TestSupport
import Testing

@Suite("Garbage collection of files")
struct AssetCollectionTests {
  let cloud = Cloud()
  private static let limits = ServiceLimits()
  private let receiptSeconds = Int64(limits.assetReceiptSeconds)
  private let graceSeconds = Int64(limits.assetAddressSeconds)

  /// Collects all files that are due, and returns the names of deleted ones.
  private func collect() async throws -> [String] {
    while try await cloud.server.collectAssets(atMost: 3) {}
    let names = try await cloud.server.doomedAssetFiles(atMost: .max)
    try await cloud.server.forgetDoomedAssetFiles(names)
    return names
  }

  private func entry(_ contents: String) async throws -> AssetEntry? {
    try await cloud.server.assetEntry(of: AssetChecksum(of: contents))
  }

  @Test func `Files stay as long as a receipt or an earlier URL is valid`() async throws {
    let ada = try await cloud.user("_ada")
    _ = try await ada.upload("one")
    let name = try #require(try await entry("one")).fileName
    cloud.pass(seconds: receiptSeconds + graceSeconds - 1)
    #expect(try await collect() == [])
    cloud.pass(seconds: 1)
    #expect(try await collect() == [name])
    #expect(try await entry("one") == nil)
    #expect(try await collect() == [])
  }

  @Test func `Files stay while a record uses them, and for some time after the last one`()
    async throws
  {
    let ada = try await cloud.user("_ada")
    let asset = try await ada.upload("one")
    #expect(try await ada.save("a", asset) == "a@1")
    #expect(try await ada.save("b", asset) == "b@2")
    cloud.pass(seconds: 2 * receiptSeconds)
    #expect(try await collect() == [])
    _ = try await ada.modify(("forceDelete", #""recordName":"a""#))
    cloud.pass(seconds: 2 * graceSeconds)
    #expect(try await collect() == [])
    _ = try await ada.modify(("forceUpdate", #""recordName":"b","fields":{"file":{"value":null}}"#))
    cloud.pass(seconds: graceSeconds - 1)
    #expect(try await collect() == [])
    cloud.pass(seconds: 1)
    #expect(try await collect().count == 1)
  }

  @Test func `Files are deleted with their zone`() async throws {
    let ada = try await cloud.user("_ada")
    try await ada.makeZone("Notes")
    for number in 0..<10 {
      let asset = try await ada.upload("\(number)")
      _ = try await ada.modify(
        zone: "Notes",
        (
          "create",
          #""recordName":"r\#(number)","recordType":"T","fields":{"file":{"value":\#(asset)}}"#
        ))
    }
    cloud.pass(seconds: 2 * receiptSeconds)
    #expect(try await collect() == [])
    _ = try await ada.ask(
      .private, .zonesModify,
      #"{"operations":[{"operationType":"delete","zone":{"zoneID":{"zoneName":"Notes"}}}]}"#)
    try await cloud.server.runMaintenance()
    cloud.pass(seconds: graceSeconds)
    #expect(try await collect().count == 10)
  }

  @Test func `A save of a collected file is rejected, and the file can be uploaded again`()
    async throws
  {
    let ada = try await cloud.user("_ada")
    let asset = try await ada.upload("one")
    let first = try #require(try await entry("one")).fileName
    cloud.pass(seconds: receiptSeconds + graceSeconds)
    #expect(try await collect() == [first])
    let receipt = AssetReceipt(
      checksum: AssetChecksum(of: "one"), size: 3, realm: ada.realm, userRecordName: "_ada",
      expires: Timestamp(milliseconds: .max))
    var late = asset
    late.receipt = cloud.tickets.receipt(receipt)
    #expect(try await ada.refusal("a", late).contains("no longer on the server"))
    #expect(try await ada.save("a", try await ada.upload("one")) == "a@1")
    #expect(try #require(try await entry("one")).fileName != first)
  }

  @Test func `Equal contents are one file`() async throws {
    let (ada, bob) = (try await cloud.user("_ada"), try await cloud.user("_bob"))
    _ = try await ada.upload("one")
    let name = try await entry("one")?.fileName
    cloud.pass(seconds: receiptSeconds - 1)
    let again = try await bob.upload("one")
    #expect(try await entry("one")?.fileName == name)
    cloud.pass(seconds: graceSeconds + 1)
    #expect(try await collect() == [])
    #expect(try await bob.save("a", again) == "a@1")
  }

  @Test func `Files stay while a backup pins them`() async throws {
    let ada = try await cloud.user("_ada")
    _ = try await ada.upload("one")
    cloud.pass(seconds: receiptSeconds + graceSeconds)
    try await cloud.server.pinAssets("backup", seconds: 60)
    try await cloud.server.pinAssets("other", seconds: 120)
    #expect(try await collect() == [])
    try await cloud.server.unpinAssets("other")
    cloud.pass(seconds: 59)
    #expect(try await collect() == [])
    // The pin of an abandoned backup expires.
    cloud.pass(seconds: 1)
    #expect(try await collect().count == 1)
  }

  @Test func `Lost files are replaced by new uploads`() async throws {
    let ada = try await cloud.user("_ada")
    _ = try await ada.upload("one")
    let lost = try #require(try await entry("one")).fileName
    let checksum = AssetChecksum(of: "one")
    #expect(try await cloud.server.replaceAssetFile("other", by: "new", of: checksum) == false)
    #expect(try await cloud.server.replaceAssetFile(lost, by: "new", of: checksum))
    #expect(try await entry("one")?.fileName == "new")
    #expect(try await collect() == [lost])
  }

  @Test func `Files are kept and deleted as a model of their references predicts`() async throws {
    var random = SeededGenerator.forTest()
    let ada = try await cloud.user("_ada")
    var now: Int64 = 0
    var neededUntil: [String: Int64] = [:]
    var holding: [String: String] = [:]
    var receipts: [String: (asset: UploadedAsset, expires: Int64)] = [:]
    for step in 0..<300 {
      let contents = "\(Int.random(in: 0..<4, using: &random))"
      let record = "r\(Int.random(in: 0..<4, using: &random))"
      switch Int.random(in: 0..<5, using: &random) {
      case 0:
        receipts[contents] = (try await ada.upload(contents), now + receiptSeconds)
        neededUntil[contents] = max(neededUntil[contents] ?? 0, now + receiptSeconds)
      case 1:
        guard let receipt = receipts[contents] else { continue }
        let isGood = receipt.expires > now || holding[record] == contents
        let result = try await ada.save(record, receipt.asset)
        #expect(result.contains("@") == isGood, "\(random), step \(step): \(result)")
        guard isGood else { continue }
        if let old = holding.updateValue(contents, forKey: record), old != contents {
          neededUntil[old] = max(neededUntil[old] ?? 0, now)
        }
      case 2:
        guard let old = holding.removeValue(forKey: record) else { continue }
        _ = try await ada.modify(("forceDelete", #""recordName":"\#(record)""#))
        neededUntil[old] = max(neededUntil[old] ?? 0, now)
      case 3:
        let seconds = Int64.random(in: 1...receiptSeconds / 2, using: &random)
        now += seconds
        cloud.pass(seconds: seconds)
      default:
        _ = try await collect()
        for (contents, time) in neededUntil {
          let isNeeded = holding.values.contains(contents) || time + graceSeconds > now
          #expect(
            (try await entry(contents) != nil) == isNeeded, "\(random), step \(step): \(contents)")
          if !isNeeded { neededUntil[contents] = nil }
        }
      }
    }
  }
}

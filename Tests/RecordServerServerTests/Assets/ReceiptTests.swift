import CloudRecords
import CloudWire
import RecordServer
import TestSupport
import Testing

@Suite("Receipts for files")
struct ReceiptTests {
  let cloud = Cloud()

  @Test func `A receipt is valid for its user, record and field`() async throws {
    let (ada, bob) = (try await cloud.user("_ada"), try await cloud.user("_bob"))
    let asset = try await ada.upload("one", record: "a", field: "file")
    #expect(try await bob.refusal("a", asset).contains("another user"))
    #expect(try await ada.refusal("b", asset).contains("another record or field"))
    #expect(try await ada.refusal("a", asset, field: "other").contains("another record or field"))
    #expect(try await ada.save("a", asset) == "a@1")
  }

  @Test func `A receipt is valid only in its database`() async throws {
    let ada = try await cloud.user("_ada")
    for (number, scope) in [DatabaseScope.private, .public].enumerated() {
      let other: DatabaseScope = scope == .private ? .public : .private
      let asset = try await ada.upload("one", in: scope)
      #expect(try await ada.refusal("a\(number)", asset, in: other).contains("another database"))
      #expect(try await ada.save("a\(number)", asset, in: scope).hasPrefix("a\(number)@"))
    }
    // A receipt for an existing file is valid in all of them.
    let free = AssetReceipt(
      checksum: AssetChecksum(of: "one"), size: 3, realm: ada.realm, userRecordName: "_ada",
      expires: Timestamp(milliseconds: .max))
    let again = UploadedAsset(
      checksum: free.checksum.text, size: 3, receipt: cloud.tickets.receipt(free))
    for scope in [DatabaseScope.private, .public] {
      #expect(try await ada.save("b", again, in: scope).hasPrefix("b@"))
    }
  }

  /// Zones that different owners share with a user belong to different databases.
  @Test func `A receipt is valid in its owner's database`() async throws {
    let carol = try await cloud.user("_carol")
    let owners = ["_ada", "_bob"]
    for owner in owners { try await share(owner, with: carol) }
    for (owner, other) in [(owners[0], owners[1]), (owners[1], owners[0])] {
      let fields = #"{"recordType":"T","fieldName":"file"}"#
      let reply = try await carol.ask(
        .shared, .assetsUpload, #"{"tokens":[\#(fields)],"zoneID":\#(Client.zoneID("Z", owner))}"#)
      let address = try #require(
        reply["tokens"][0]["url"].text?.split(separator: "&").first, "\(reply)")
      let grant = try cloud.tickets.uploadGrant(ticket(of: String(address)))
      let asset = try await carol.upload(owner, in: .shared, of: grant.owner)
      func save(in other: String) async throws -> Reply {
        let record = #""recordName":"a","recordType":"T","fields":{"file":{"value":\#(asset)}}"#
        return try await carol.modify(
          in: .shared, zone: "Z", owner: other, ("forceUpdate", record))["records"][0]
      }
      #expect(try await save(in: other)["reason"].text?.contains("another database") == true)
      #expect(try await save(in: owner)["recordChangeTag"].isThere)
    }
  }

  /// Creates a zone that another user writes to.
  private func share(_ owner: String, with guest: Client) async throws {
    let client = try await cloud.user(owner)
    try await client.makeZone("Z")
    let share = try await client.modify(
      zone: "Z",
      (
        "create",
        #""recordName":"cloudkit.zoneshare","recordType":"cloudkit.share","fields":{},"publicPermission":"READ_WRITE""#
      ))
    let short = try #require(share["records"][0]["shortGUID"].text, "\(share)")
    _ = try await guest.ask(.public, .recordsAccept, #"{"shortGUIDs":[{"value":"\#(short)"}]}"#)
  }

  @Test func `A receipt is valid only in its container's environment`() async throws {
    let ada = try await cloud.user("_ada")
    let other = try await cloud.user("_ada", environment: .production)
    let asset = try await other.upload("one")
    #expect(try await ada.refusal("a", asset).contains("another container"))
  }

  @Test func `A receipt without a record name is valid for any record`() async throws {
    let ada = try await cloud.user("_ada")
    let asset = try await ada.upload("one", field: "file")
    #expect(try await ada.save("a", asset) == "a@1")
    #expect(try await ada.save("b", asset) == "b@2")
    #expect(try await ada.refusal("c", asset, field: "other").contains("another record or field"))
  }

  @Test func `A receipt expires`() async throws {
    let ada = try await cloud.user("_ada")
    let asset = try await ada.upload("one")
    let held = try await ada.upload("two")
    #expect(try await ada.save("a", held) == "a@1")
    cloud.pass(seconds: Int64(ServiceLimits().assetReceiptSeconds))
    #expect(try await ada.refusal("b", asset).contains("expired"))
    // A file that the record already has needs no receipt.
    #expect(try await ada.save("a", held) == "a@2")
  }

  @Test func `The files of a list need no receipt once the record has them`() async throws {
    let ada = try await cloud.user("_ada")
    let (one, two) = (try await ada.upload("one"), try await ada.upload("two"))
    #expect(try await ada.save("a", "[\(one),\(two),\(one)]", field: "files") == "a@1")
    let kept = [one, two, two].map { #"{"fileChecksum":"\#($0.checksum)","size":\#($0.size)}"# }
    #expect(
      try await ada.save("a", "[\(kept.joined(separator: ","))]", field: "files") == "a@2")
    let wrong = #"[{"fileChecksum":"\#(one.checksum)","size":4}]"#
    #expect(try await ada.refusal("a", wrong, field: "files").contains("receipt"))
  }

  @Test func `Changing only the keys of a file needs no receipt`() async throws {
    let ada = try await cloud.user("_ada")
    let asset = try await ada.upload("one")
    func save(_ more: String) async throws -> [String?] {
      #expect(
        try await ada.save("a", #"{"fileChecksum":"\#(asset.checksum)","size":3\#(more)}"#)
          .hasPrefix("a@"))
      let value = try await ada.lookUp("a")["records"][0]["fields"]["file"]["value"]
      #expect(!value["receipt"].isThere)
      return ["referenceChecksum", "wrappingKey"].map { value[$0].text }
    }
    #expect(
      try await save(#","receipt":"\#(asset.receipt)","referenceChecksum":"r","wrappingKey":"w""#)
        == ["r", "w"])
    #expect(try await save("") == ["r", "w"])
    #expect(try await save(#","wrappingKey":"v""#) == ["r", "v"])
  }

  @Test func `A receipt names one file with its size`() async throws {
    let ada = try await cloud.user("_ada")
    let (one, two) = (try await ada.upload("one"), try await ada.upload("two"))
    var mixed = one
    mixed.checksum = two.checksum
    #expect(try await ada.refusal("a", mixed).contains("did not issue"))
    mixed = one
    mixed.size += 1
    #expect(try await ada.refusal("a", mixed).contains("did not issue"))
    mixed = one
    mixed.checksum = "01"
    #expect(try await ada.refusal("a", mixed).contains("did not issue"))
  }

  @Test func `A receipt with any changed byte is rejected`() async throws {
    let ada = try await cloud.user("_ada")
    let asset = try await ada.upload("one", record: "a", field: "file")
    let use = AssetUse(
      realm: ada.realm, scope: .private, owner: "_ada", userRecordName: "_ada", recordName: "a",
      fieldName: "file")
    func defect(_ receipt: [UInt8]) -> AssetReceiptDefect? {
      let value = AssetValue(
        fileChecksum: asset.checksum, size: asset.size,
        receipt: String(decoding: receipt, as: UTF8.self))
      return cloud.tickets.defect(of: value, for: use)
    }
    let good = Array(asset.receipt.utf8)
    #expect(defect(good) == nil)
    for index in good.indices {
      var changed = good
      changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
      #expect(defect(changed) == .forged, "byte \(index)")
      #expect(defect(Array(good[..<index])) == .forged, "the first \(index) bytes")
    }
    #expect(defect(good + good) == .forged)
    #expect(defect(good + [UInt8(ascii: "=")]) == .forged)
  }

  @Test func `Receipts and URLs are invalid on another server`() async throws {
    let ada = try await cloud.user("_ada")
    let asset = try await ada.upload("one")
    let other = AssetTickets(
      secretBytes: [UInt8](repeating: 8, count: 32), dependencies: cloud.server.dependencies)
    let value = AssetValue(fileChecksum: asset.checksum, size: asset.size, receipt: asset.receipt)
    let use = AssetUse(
      realm: ada.realm, scope: .private, owner: "_ada", userRecordName: "_ada", recordName: "a",
      fieldName: "f")
    #expect(other.defect(of: value, for: use) == .forged)
    let ticket = try #require(
      cloud.tickets.download(of: value)?.split(separator: "=", maxSplits: 1).last)
    #expect(throws: CloudError.self) { try other.downloadGrant(String(ticket)) }
    #expect(try cloud.tickets.downloadGrant(String(ticket)).checksum.text == asset.checksum)
  }

  @Test func `Receipts and URLs cannot replace each other`() async throws {
    let ada = try await cloud.user("_ada")
    let asset = try await ada.upload("one")
    let grant = UploadGrant(
      realm: ada.realm, scope: .private, owner: "_ada", userRecordName: "_ada", recordName: nil,
      fieldName: "f",
      expires: Timestamp(milliseconds: .max))
    let upload = ticket(of: cloud.tickets.upload(for: grant))
    let download = ticket(
      of: cloud.tickets.download(of: AssetValue(fileChecksum: asset.checksum, size: asset.size))
        ?? "")
    for wrong in [download, asset.receipt, "", "A", "%", String(repeating: "A", count: 5_000)] {
      let error = #expect(throws: CloudError.self) { try cloud.tickets.uploadGrant(wrong) }
      #expect(error?.code == .accessDenied)
    }
    for wrong in [upload, asset.receipt] {
      let error = #expect(throws: CloudError.self) { try cloud.tickets.downloadGrant(wrong) }
      #expect(error?.code == .accessDenied)
    }
    #expect(try cloud.tickets.uploadGrant(upload) == grant)
  }

  @Test func `URLs expire, and stay the same for a while`() async throws {
    let asset = AssetValue(fileChecksum: AssetChecksum(of: "one").text, size: 3)
    let first = try #require(cloud.tickets.download(of: asset))
    let life = Int64(ServiceLimits().assetAddressSeconds)
    cloud.pass(seconds: 1)
    #expect(cloud.tickets.download(of: asset) == first)
    cloud.pass(seconds: life / 4)
    #expect(cloud.tickets.download(of: asset) != first)
    #expect(try cloud.tickets.downloadGrant(ticket(of: first)).size == 3)
    cloud.pass(seconds: life)
    let error = #expect(throws: CloudError.self) {
      try cloud.tickets.downloadGrant(ticket(of: first))
    }
    #expect(error?.reason.contains("expired") == true)
  }

  private func ticket(of address: String) -> String {
    String(address.split(separator: "=", maxSplits: 1).last ?? "")
  }
}

@Suite("File checksums")
struct AssetChecksumTests {
  @Test func `A checksum can be read from its text`() {
    var random = SeededGenerator.forTest()
    for _ in 0..<200 {
      let digest = (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
      let text = AssetChecksum(digest: digest)?.text ?? ""
      #expect(AssetChecksum(text: text)?.digest == digest, "\(random)")
      #expect(text.utf8.count == 44)
    }
  }

  @Test(arguments: [
    "", "01", "AQ==", String(repeating: "A", count: 44), String(repeating: "-", count: 44),
  ])
  func `Other texts are not checksums`(text: String) {
    #expect(AssetChecksum(text: text) == nil)
  }

  @Test func `A checksum has 32 bytes`() {
    #expect(AssetChecksum(digest: [UInt8](repeating: 0, count: 31)) == nil)
  }
}

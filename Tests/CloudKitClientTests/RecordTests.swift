import CloudKitClient
import Foundation
import GeographicLocations
import TestSupport
import Testing

@Suite struct RecordTests {
  private let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "n1"))

  @Test func `A new record knows its type and name and no server values`() {
    #expect(record.recordType == "Note" && record.recordID.recordName == "n1")
    #expect(
      record.recordID.zoneID == .default
        && record.recordID.zoneID.ownerName == CKCurrentUserDefaultName)
    #expect(
      record.recordChangeTag == nil && record.creationDate == nil && record.modificationDate == nil)
    #expect(record.creatorUserRecordID == nil && record.lastModifiedUserRecordID == nil)
    #expect(
      record.parent == nil && record.share == nil && record.allKeys().isEmpty
        && record.changedKeys().isEmpty)
    #expect(CKRecord(recordType: "Note").recordID != CKRecord(recordType: "Note").recordID)
  }

  @Test func `Values come back with the types in which they were set`() {
    record["text"] = "Milk"
    record["integer"] = 7
    record["small"] = UInt8(200)
    record["double"] = 2.5
    record["float"] = Float(0.5)
    record["bool"] = true
    record["date"] = Date(timeIntervalSince1970: 1_000.125)
    record["data"] = Data([1, 2])
    record["link"] = CKRecord.Reference(
      recordID: CKRecord.ID(recordName: "n2"), action: .deleteSelf)
    record["place"] = CLLocation(latitude: 1, longitude: 2)
    record["file"] = CKAsset(fileURL: URL(fileURLWithPath: "/tmp/a"))
    record["texts"] = ["a", "b"]
    record["numbers"] = [1, 2]
    #expect(record["text"] as? String == "Milk" && record["text"] == "Milk")
    #expect(
      record["integer"] as? Int == 7 && record["integer"] as? Int64 == 7
        && record["integer"] as? Double == 7)
    #expect(record["small"] as? UInt8 == 200)
    #expect(record["double"] as? Double == 2.5 && record["float"] as? Float == 0.5)
    #expect(record["bool"] as? Bool == true && record["bool"] as? Int == 1)
    #expect(record["date"] as? Date == Date(timeIntervalSince1970: 1_000.125))
    #expect(record["data"] as? Data == Data([1, 2]))
    #expect((record["link"] as? CKRecord.Reference)?.action == .deleteSelf)
    #expect((record["place"] as? CLLocation)?.coordinate.longitude == 2)
    #expect((record["file"] as? CKAsset)?.fileURL?.path == "/tmp/a")
    #expect(record["texts"] as? [String] == ["a", "b"] && record["numbers"] as? [Int] == [1, 2])
  }

  @Test func `A typed lookup returns nil without a value of that type`() {
    record["text"] = "Milk"
    let missing: String? = record["other"]
    let wrong: Date? = record["text"]
    let right: String? = record["text"]
    #expect(missing == nil && wrong == nil && right == "Milk")
  }

  @Test func `Foundation's classes are values too`() {
    record["text"] = "Milk" as NSString
    record["integer"] = NSNumber(value: 7)
    record["double"] = NSNumber(value: 7.5)
    record["bool"] = NSNumber(value: true)
    record["date"] = NSDate(timeIntervalSince1970: 5)
    record["data"] = NSData(data: Data([3]))
    record["list"] = ["a", "b"] as NSArray
    #expect(
      record["text"] == "Milk" && record["integer"] as? Int == 7
        && record["double"] as? Double == 7.5)
    #expect(
      record["bool"] as? Bool == true && record["date"] as? Date == Date(timeIntervalSince1970: 5))
    #expect(record["data"] as? Data == Data([3]) && record["list"] as? [String] == ["a", "b"])
  }

  @Test func `A list with a double has doubles, and an empty list fits any type`() {
    record["mixed"] = [NSNumber(value: 1), NSNumber(value: 2.5)]
    record["empty"] = [Int]()
    #expect(record["mixed"] as? [Double] == [1, 2.5])
    #expect(record["empty"] as? [Int] == [] && record["empty"] as? [String] == [])
  }

  @Test func `Fields that were set or cleared have changed`() {
    record["b"] = 1
    record["a"] = 2
    record["c"] = 3
    record["c"] = nil
    #expect(record.allKeys() == ["a", "b"] && record.changedKeys() == ["a", "b", "c"])
    #expect(record["c"] as? Int == nil)
    #expect(record.map { "\($0.0)=\($0.1)" } == ["a=2", "b=1"])
  }

  @Test func `Values can be set and read by key-value coding`() {
    record.setValue("Milk", forKey: "text")
    record.setObject(3 as any CKRecordValue, forKey: "count")
    record.setValuesForKeys(["flag": true, "text": NSNull()])
    #expect(record.value(forKey: "text") == nil && record.object(forKey: "count") as? Int == 3)
    #expect(record.value(forKey: "flag") as? Bool == true)
  }

  @Test func `Encrypted values are separate from plain ones`() {
    record.encryptedValues["secret"] = "Pin"
    record["plain"] = "Milk"
    #expect(record.encryptedValues["secret"] == "Pin" && record["secret"] as? String == nil)
    #expect(record.allKeys() == ["plain"] && record.encryptedValues.allKeys() == ["secret"])
    #expect(record.changedKeys() == ["plain"] && record.encryptedValues.changedKeys() == ["secret"])
    #expect(!record.description.contains("Pin"))
  }

  @Test func `Removing a field leaves a value that was set in its other form`() {
    record.encryptedValues["secret"] = "Pin"
    record["secret"] = nil
    record["plain"] = "Milk"
    record.encryptedValues["plain"] = nil
    #expect(record.encryptedValues["secret"] == "Pin" && record["plain"] == "Milk")
    #expect(record.changedKeys() == ["plain"] && record.encryptedValues.changedKeys() == ["secret"])
  }

  @Test func `A parent is a reference without an action`() {
    let parent = CKRecord(recordType: "List")
    record.setParent(parent)
    #expect(
      record.parent?.recordID == parent.recordID
        && record.parent?.action == CKRecord.ReferenceAction.none)
    record.setParent(nil as CKRecord?)
    #expect(record.parent == nil)
  }

  @Test func `A copy is another record with the same values`() throws {
    record["text"] = "Milk"
    let copy = try #require(record.copy() as? CKRecord)
    copy["text"] = "Bread"
    #expect(record["text"] == "Milk" && copy["text"] == "Bread" && copy.recordID == record.recordID)
  }

  @Test func `A record's tokens are the words of its texts and lists of texts`() {
    record["a"] = "Buy fresh Milk"
    record["b"] = ["Ice-cream", "2 eggs"]
    record["c"] = 5
    #expect(record.allTokens() == ["buy", "fresh", "milk", "ice", "cream", "2", "eggs"])
  }

  @Test func `Many threads can use one record`() {
    DispatchQueue.concurrentPerform(iterations: 200) { number in
      record["field\(number % 10)"] = number
      _ = record.allKeys()
    }
    #expect(record.allKeys().count == 10)
  }
}

@Suite struct RecordMistakeTests {
  @Test func `An invalid record name stops the program`() async {
    await #expect(processExitsWith: .failure) { _ = CKRecord.ID(recordName: "") }
    await #expect(processExitsWith: .failure) { _ = CKRecord.ID(recordName: "é") }
    await #expect(processExitsWith: .failure) { _ = CKRecordZone.ID(zoneName: "_mine") }
    await #expect(processExitsWith: .failure) { _ = CKRecord(recordType: "no spaces") }
  }

  @Test func `An invalid value stops the program with a message`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      CKRecord(recordType: "Note").setValue(URL(fileURLWithPath: "/"), forKey: "address")
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("address cannot hold a"))
    await #expect(processExitsWith: .failure) { CKRecord(recordType: "Note")["big"] = UInt64.max }
    await #expect(processExitsWith: .failure) {
      CKRecord(recordType: "Note")["mixed"] = ["a", 1] as NSArray
    }
    await #expect(processExitsWith: .failure) { CKRecord(recordType: "Note")["nested"] = [["a"]] }
    await #expect(processExitsWith: .failure) { CKRecord(recordType: "Note")["no spaces"] = 1 }
  }

  @Test func `A field is plain or encrypted, and references and assets are plain`() async {
    await #expect(processExitsWith: .failure) {
      let record = CKRecord(recordType: "Note")
      record["a"] = 1
      record.encryptedValues["a"] = 1
    }
    await #expect(processExitsWith: .failure) {
      let record = CKRecord(recordType: "Note")
      record.encryptedValues["a"] = CKRecord.Reference(record: record, action: .none)
    }
    await #expect(processExitsWith: .failure) {
      CKRecord(recordType: "Note").encryptedValues["a"] = [
        CKAsset(fileURL: URL(fileURLWithPath: "/tmp/a"))
      ]
    }
  }

  @Test func `An asset of a URL that is not a file's stops the program`() async throws {
    await #expect(processExitsWith: .failure) {
      _ = CKAsset(fileURL: URL(string: "https://example.org/a")!)
    }
  }
}

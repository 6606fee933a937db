import CloudRecords
import Foundation
import RecordServer
import RecordStorage
import Testing

/// Fields that a client sends in plain text and marks as encrypted.
///
/// There is one of every possible type, with the bytes that a readable file would contain.
enum MarkedFields {
  static let json = """
    "text":{"value":"ThePlainSecretWord","type":"STRING","isEncrypted":true},\
    "texts":{"value":["ListedSecretItem","x"],"type":"STRING_LIST","isEncrypted":true},\
    "bytes":{"value":"\(base64("HiddenBytesOfAda"))","type":"BYTES","isEncrypted":true},\
    "manyBytes":{"value":["\(base64("MoreHiddenBytes"))"],"type":"BYTES_LIST","isEncrypted":true},\
    "number":{"value":8070450532247928832,"type":"INT64","isEncrypted":true},\
    "double":{"value":\(double),"type":"DOUBLE","isEncrypted":true},\
    "time":{"value":1700000000123,"type":"TIMESTAMP","isEncrypted":true},\
    "place":{"value":{"latitude":\(double),"longitude":9.5},"type":"LOCATION","isEncrypted":true},\
    "none":{"value":[],"type":"INT64_LIST","isEncrypted":true}
    """

  /// A number whose eight bytes occur nowhere else.
  private static let double = 31.415926535897931

  private static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

  /// Bytes that no file may contain.
  static let traces: [Data] =
    ["ThePlainSecretWord", "ListedSecretItem", "HiddenBytesOfAda", "MoreHiddenBytes"].flatMap {
      [Data($0.utf8), Data(base64($0).dropLast(4).utf8)]
    } + [withUnsafeBytes(of: double.bitPattern.littleEndian) { Data($0) }]

  static var sent: NSDictionary? { fields("{\(json)}") }

  static let names = (sent?.allKeys as? [String] ?? []).sorted()

  /// The fields of a JSON object, independent of their order.
  static func fields(_ json: String) -> NSDictionary? {
    (try? JSONSerialization.jsonObject(with: Data(json.utf8))) as? NSDictionary
  }

  /// The traces that are in any file of a folder.
  static func found(in folder: URL) throws -> [Data] {
    let contents = try contents(of: folder)
    return traces.filter { contents.range(of: $0) != nil }
  }

  static func contents(of folder: URL) throws -> Data {
    let files = try #require(
      FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    var contents = Data()
    for case let file as URL in files
    where (try? file.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true {
      contents.append(try Data(contentsOf: file))
      contents.append(0)
    }
    return contents
  }
}

extension Reply {
  /// All fields of a record.
  var fields: NSDictionary? { self["fields"].tree as? NSDictionary }
}

extension StorageEngine {
  /// The stored size of all records.
  var bytesOfRecords: Int {
    get async throws {
      try await read { transaction in
        try transaction.entries(in: .all).reduce(0) { sum, entry in
          Self.isEntryOfZone(entry.key) ? sum + entry.value.count : sum
        }
      }
    }
  }

  /// Checks the byte after the partition's name and its terminator.
  private static func isEntryOfZone(_ key: StorageKey) -> Bool {
    let end = key.bytes.firstIndex(of: 0) ?? 0
    return key.bytes[end + 1] == 4
  }

  /// Changes every stored record.
  func changeStoredRecords(_ change: @escaping @Sendable (inout StoredRecord) -> Void) async throws
  {
    try await changeStoredEntries { entry in
      guard case .record(var record) = entry else { return }
      change(&record)
      entry = .record(record)
    }
  }

  /// Changes every stored record and tombstone.
  func changeStoredEntries(_ change: @escaping @Sendable (inout StoredEntry) -> Void) async throws {
    try await write { transaction in
      for stored in try transaction.entries(in: .all) where Self.isEntryOfZone(stored.key) {
        var entry = try StoredEntry(bytes: stored.value)
        change(&entry)
        try transaction.set(entry.bytes, for: stored.key)
      }
    }
  }
}

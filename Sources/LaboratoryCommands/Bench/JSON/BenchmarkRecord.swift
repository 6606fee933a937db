import JSONCoding

/// A record in the form of CloudKit's web services: twelve fields of the usual types, about 1.4 kB
/// of JSON.
struct BenchmarkRecord: Equatable {
  var recordName = ""
  var recordType = ""
  var recordChangeTag = ""
  var created: Int64 = 0
  var modified: Int64 = 0
  var isDeleted = false
  var fields: [String: FieldValue] = [:]

  enum FieldValue: Equatable {
    case string(String)
    case int64(Int64)
    case double(Double)
    case timestamp(Int64)
    case bytes([UInt8])
    case texts([String])
  }

  init() {}

  /// Creates the record with a number, which determines its content.
  init(number: Int) {
    recordName = "3F2504E0-4F89-11D3-9A0C-\(100_000_000_000 + number)"
    recordType = "CD_Entry"
    recordChangeTag = "k\(number)x"
    created = 1_790_000_000_000 + Int64(number)
    modified = created + 86_400_000
    let sentence =
      "The quick brown fox number \(number) jumps over the lazy dog, and café owners watch it pass. "
    fields = [
      "CD_title": .string("Entry \(number)"),
      "CD_body": .string(sentence + sentence + "A \"quoted\" end.\n"),
      "CD_summary": .string(sentence), "CD_folder": .string("folder/\(number % 10)/entries"),
      "CD_count": .int64(Int64(number)), "CD_rank": .int64(Int64(number) &* 1_000_003),
      "CD_score": .double(Double(number) * 1.1),
      "CD_latitude": .double(47.3769 + Double(number) / 9973),
      "CD_createdAt": .timestamp(created), "CD_modifiedAt": .timestamp(modified),
      "CD_digest": .bytes((0..<96).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number) }),
      "CD_tags": .texts(["work", "home", "later"]),
    ]
  }
}

// MARK: - Types

extension BenchmarkRecord.FieldValue {
  enum TypeTag: String, Codable, JSONKey {
    case string = "STRING"
    case int64 = "INT64"
    case double = "DOUBLE"
    case timestamp = "TIMESTAMP"
    case bytes = "BYTES"
    case stringList = "STRING_LIST"

    static let table = JSONKeyTable<Self>()
  }

  var tag: TypeTag {
    switch self {
    case .string: .string
    case .int64: .int64
    case .double: .double
    case .timestamp: .timestamp
    case .bytes: .bytes
    case .texts: .stringList
    }
  }
}

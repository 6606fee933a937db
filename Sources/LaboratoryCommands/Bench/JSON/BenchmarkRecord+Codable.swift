import Foundation

// The reference: codes the same JSON with Foundation, as an application would.
extension BenchmarkRecord: Codable {
  struct Response: Codable {
    var records: [BenchmarkRecord]
  }

  private struct Action: Codable {
    var timestamp: Int64
  }

  private enum CodingKeys: String, CodingKey {
    case recordName, recordType, recordChangeTag, created, modified, deleted, fields
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    recordName = try container.decode(String.self, forKey: .recordName)
    recordType = try container.decode(String.self, forKey: .recordType)
    recordChangeTag = try container.decode(String.self, forKey: .recordChangeTag)
    created = try container.decode(Action.self, forKey: .created).timestamp
    modified = try container.decode(Action.self, forKey: .modified).timestamp
    isDeleted = try container.decode(Bool.self, forKey: .deleted)
    fields = try container.decode([String: FieldValue].self, forKey: .fields)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(recordName, forKey: .recordName)
    try container.encode(recordType, forKey: .recordType)
    try container.encode(recordChangeTag, forKey: .recordChangeTag)
    try container.encode(Action(timestamp: created), forKey: .created)
    try container.encode(Action(timestamp: modified), forKey: .modified)
    try container.encode(isDeleted, forKey: .deleted)
    try container.encode(fields, forKey: .fields)
  }
}

extension BenchmarkRecord.FieldValue: Codable {
  private enum CodingKeys: String, CodingKey {
    case value, type
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    switch try container.decode(TypeTag.self, forKey: .type) {
    case .string: self = .string(try container.decode(String.self, forKey: .value))
    case .int64: self = .int64(try container.decode(Int64.self, forKey: .value))
    case .double: self = .double(try container.decode(Double.self, forKey: .value))
    case .timestamp: self = .timestamp(try container.decode(Int64.self, forKey: .value))
    case .bytes: self = .bytes(Array(try container.decode(Data.self, forKey: .value)))
    case .stringList: self = .texts(try container.decode([String].self, forKey: .value))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .string(let text): try container.encode(text, forKey: .value)
    case .int64(let integer), .timestamp(let integer): try container.encode(integer, forKey: .value)
    case .double(let double): try container.encode(double, forKey: .value)
    case .bytes(let bytes): try container.encode(Data(bytes), forKey: .value)
    case .texts(let texts): try container.encode(texts, forKey: .value)
    }
    try container.encode(tag, forKey: .type)
  }
}

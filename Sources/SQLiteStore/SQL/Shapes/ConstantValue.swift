import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage
import SQLiteDriver

/// A constant of a fetch, as SQLite keeps its kind.
enum ConstantValue {
  case plain(SQLiteDriver.Value, ConstantKind)
  case object(NSManagedObjectID)
  case entity(NSEntityDescription)
  case list([ConstantValue], ListShape)

  var kind: ConstantKind {
    switch self {
    case .plain(_, let kind): kind
    case .object: .object
    case .entity: .entity
    case .list(_, let shape): .list(shape)
    }
  }

  var isNull: Bool { kind == .null }

  var isKeyOrInteger: Bool { kind == .object || kind == .integer }
}

extension ConstantValue {
  /// Looks at a value of a predicate.
  init(_ value: Any?) {
    guard let value else {
      self = .plain(.null, .null)
      return
    }
    let type = type(of: value)
    if type == String.self, let text = value as? String {
      self = .plain(.text(text), .text)
    } else if type is AnyClass, let known = Self.known(value) {
      self = known
    } else {
      self.init(PredicateLanguage.Value(value))
    }
  }

  /// What stands for a row, an entity or a transformed value.
  private static func known(_ value: Any) -> ConstantValue? {
    switch value {
    case let identifier as NSManagedObjectID: .object(identifier)
    case let entity as NSEntityDescription: .entity(entity)
    case let encoded as EncodedValue: .plain(.blob([UInt8](encoded.data)), .encoded)
    case let object as any ObjectIdentified: .object(object.identified)
    default: nil
    }
  }

  private init(_ value: PredicateLanguage.Value) {
    switch value {
    case .null: self = .plain(.null, .null)
    case .number(let number): self.init(number)
    case .string(let text): self = .plain(.text(text), .text)
    case .date(let date): self = .plain(.real(date.timeIntervalSinceReferenceDate), .date)
    case .data(let data): self = .plain(.blob([UInt8](data)), .data)
    case .uuid(let uuid): self = .plain(.blob(uuid.bytes), .uuid)
    case .url(let url): self = .plain(.text(url.absoluteString), .url)
    case .collection(let elements):
      let values = elements.values.map { ConstantValue($0) }
      self = .list(values.filter { !$0.isNull }, ListShape(values))
    case .other(let value): self = .plain(.null, .other("\(type(of: value))"))
    }
  }

  private init(_ number: Number) {
    switch number {
    case .integer(let value): self = .plain(.integer(Int64(value)), .integer)
    case .unsigned, .double: self = .plain(.real(number.double), .real)
    case .decimal:
      let whole = number.integer.flatMap { Number.integer($0) == number ? Int64($0) : nil }
      self = .plain(whole.map(SQLiteDriver.Value.integer) ?? .real(number.double), .decimal)
    }
  }
}

extension UUID {
  /// The sixteen bytes, as a store keeps them.
  var bytes: [UInt8] { unsafe withUnsafeBytes(of: uuid) { unsafe Array($0) } }
}

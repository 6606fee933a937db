import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage
import SQLiteDriver

/// A constant of a fetch, by SQLite's storage classes.
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
  /// Classifies a value of a predicate.
  init(_ value: Any?) {
    guard let value else {
      self = .plain(.null, .null)
      return
    }
    let type = type(of: value)
    if type == String.self, let text = value as? String {
      self = .plain(.text(text), .text)
    } else if type == Int.self, let integer = value as? Int {
      self = .plain(.integer(Int64(integer)), .integer)
    } else if type is AnyClass, let known = Self.known(value) {
      self = known
    } else {
      self.init(PredicateLanguage.Value(value))
    }
  }

  /// The constant for a value that identifies a row, an entity, or a transformed value.
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
      var values = elements.values.map { ConstantValue($0) }
      let shape = ListShape(values)
      values.removeAll(where: \.isNull)
      // The arbitrary order of a set must affect neither the bindings nor a log of them.
      if elements.isSet { values.sort { $0.precedes($1) } }
      self = .list(values, shape)
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

extension ConstantValue {
  /// Defines an order of a set's elements.
  fileprivate func precedes(_ other: ConstantValue) -> Bool {
    switch (self, other) {
    case (.object(let one), .object(let other)): one.key < other.key
    case (.plain(.integer(let one), _), .plain(.integer(let other), _)): one < other
    case (.plain(.text(let one), _), .plain(.text(let other), _)):
      one.utf8.lexicographicallyPrecedes(other.utf8)
    case (.plain(.blob(let one), _), .plain(.blob(let other), _)):
      one.lexicographicallyPrecedes(other)
    case (.entity(let one), .entity(let other)): precedesInStore(one, other)
    default: rank < other.rank
    }
  }

  /// The sort key among different kinds: numbers by value, then texts, bytes, and the rest.
  private var rank: (Int, Double) {
    switch self {
    case .plain(.null, _): (0, 0)
    case .plain(.integer(let value), _): (1, Double(value))
    case .plain(.real(let value), _): (1, value)
    case .plain(.text, _): (2, 0)
    case .plain(.blob, _): (3, 0)
    case .object(let identifier): (4, Double(identifier.key))
    case .entity: (5, 0)
    case .list: (6, 0)
    }
  }
}

extension UUID {
  /// The sixteen bytes, as a store keeps them.
  var bytes: [UInt8] { unsafe withUnsafeBytes(of: uuid) { unsafe Array($0) } }
}

package import CloudRecords

/// What queries may ask of a field.
package struct FieldIndexes: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Filters may ask for equality, and for members of lists.
  package static let queryable = FieldIndexes(rawValue: 1)
  /// Filters may ask for ranges, and results may be sorted by it.
  package static let sortable = FieldIndexes(rawValue: 2)
  /// Its words may be searched for.
  package static let searchable = FieldIndexes(rawValue: 4)

  /// Each index with its word, in the order in which Apple's exports have them.
  static let words: [(index: FieldIndexes, word: String)] = [
    (.queryable, "QUERYABLE"), (.searchable, "SEARCHABLE"), (.sortable, "SORTABLE"),
  ]

  /// The words of the indexes, as schemas write them.
  package var words: [String] { Self.words.filter { contains($0.index) }.map(\.word) }
}

extension Datatype {
  /// The indexes that a field of this type can have.
  ///
  /// Encrypted values and assets have none: the server cannot look into them. Lists have no order.
  /// Only texts have words.
  package var possibleIndexes: FieldIndexes {
    switch self {
    case .encrypted, .plain(.asset), .plain(.assetList): []
    case .plain(.string): [.queryable, .sortable, .searchable]
    case .plain(.stringList): [.queryable, .searchable]
    case .plain(let type): type.isList ? .queryable : [.queryable, .sortable]
    case .number: [.queryable, .sortable]
    case .numberList: .queryable
    }
  }

  /// The indexes of a field that development learns.
  ///
  /// Texts, numbers and times get all that they can have, as Apple's just-in-time schemas show. So
  /// do references (by name), places (whose order is their distance from another) and lists of all
  /// these: Apple is not seen to index lists, but a developer who saves a list in development
  /// expects to ask for its members, and an index costs nothing here before the first question.
  /// Bytes, assets and encrypted values get none.
  package var learntIndexes: FieldIndexes {
    switch self {
    case .plain(.bytes), .plain(.bytesList), .plain(.locationList): []
    case .plain(.stringList): .queryable
    case .plain(.reference): .queryable
    default: possibleIndexes
    }
  }
}

extension SystemField {
  /// The indexes of the field in types that development learns.
  ///
  /// Apple gives none, and "Field 'recordName' is not marked queryable" is the first thing that its
  /// users meet. Ours are what lists of all records, the newest first, need; a mirrored public
  /// database needs the same.
  package var learntIndexes: FieldIndexes {
    switch self {
    case .recordIdentifier: .queryable
    case .createdTime, .modifiedTime: [.queryable, .sortable]
    case .createdBy, .modifiedBy, .changeTag, .parent, .share: []
    }
  }
}

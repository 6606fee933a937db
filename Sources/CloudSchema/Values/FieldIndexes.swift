package import CloudRecords

/// The indexes of a field, which determine the queries that it supports.
package struct FieldIndexes: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Allows filters by equality, distance, prefix and list members.
  package static let queryable = FieldIndexes(rawValue: 1)
  /// Allows filters by range and prefix, and sorting.
  package static let sortable = FieldIndexes(rawValue: 2)
  /// Allows searches for words.
  package static let searchable = FieldIndexes(rawValue: 4)

  /// Each index with its keyword, in the order of Apple's exports.
  static let words: [(index: FieldIndexes, word: String)] = [
    (.queryable, "QUERYABLE"), (.searchable, "SEARCHABLE"), (.sortable, "SORTABLE"),
  ]

  /// The keywords of the indexes in schemas.
  package var words: [String] { Self.words.filter { contains($0.index) }.map(\.word) }
}

extension Datatype {
  /// The indexes that a field of this type can have.
  ///
  /// Encrypted values and assets have none, because the server cannot read them. Lists have no
  /// order. Only texts have words.
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
  /// Texts, numbers and dates get all possible indexes, as in Apple's just-in-time schemas. So do
  /// locations (by distance). References (by name) become queryable, and so do lists of texts,
  /// numbers, dates and references. Apple does not seem to index lists, but developers expect to
  /// query their members, and an unused index costs nothing here. Bytes, assets, encrypted values
  /// and lists of locations get none.
  package var learnedIndexes: FieldIndexes {
    switch self {
    case .plain(.bytes), .plain(.bytesList), .plain(.locationList): []
    case .plain(.stringList): .queryable
    case .plain(.reference): .queryable
    default: possibleIndexes
    }
  }
}

extension SystemField {
  /// The indexes of a system field in types that development learns.
  ///
  /// Apple gives none, so the first query often fails with "Field 'recordName' is not marked
  /// queryable". These indexes suffice to list all records, newest first, which a mirrored public
  /// database needs, too.
  package var learnedIndexes: FieldIndexes {
    switch self {
    case .recordIdentifier: .queryable
    case .createdTime, .modifiedTime: [.queryable, .sortable]
    case .createdBy, .modifiedBy, .changeTag, .parent, .share: []
    }
  }
}

package import CloudRecords

/// What a field's values are, as a schema defines it.
///
/// Lists are not a case of their own: `FieldType` has a list for every type.
package enum Datatype: Hashable, Sendable {
  case plain(FieldType)
  /// Sealed by the client. Only types that `FieldType.canBeEncrypted` admits.
  case encrypted(FieldType)
  /// Learnt from numbers whose type the client did not say: whole or not, until a preference is
  /// given.
  case number(preferred: NumberPreference?)
  /// A list of such numbers.
  case numberList(preferred: NumberPreference?)

  /// What a number is treated as from then on.
  package enum NumberPreference: String, CaseIterable, Hashable, Sendable {
    case int64 = "INT64"
    case double = "DOUBLE"

    package var type: FieldType { self == .int64 ? .int64 : .double }
  }

  package var isList: Bool {
    switch self {
    case .plain(let type), .encrypted(let type): type.isList
    case .number: false
    case .numberList: true
    }
  }

  package var isEncrypted: Bool {
    if case .encrypted = self { true } else { false }
  }

  /// The type of every value; nil for numbers without a preference, which are INT64 or DOUBLE each.
  package var fieldType: FieldType? {
    switch self {
    case .plain(let type), .encrypted(let type): type
    case .number(let preference): preference?.type
    case .numberList(let preference): preference?.type.list
    }
  }

  /// Whether a field of this type may be given the other: only a number may, by a first preference.
  package func canBecome(_ other: Datatype) -> Bool {
    switch (self, other) {
    case (.number(preferred: nil), .number), (.numberList(preferred: nil), .numberList): true
    default: self == other
    }
  }
}

// MARK: - Names

extension Datatype {
  /// The type in the language of schemas, such as `LIST<ENCRYPTED STRING>`.
  package var schemaText: String {
    switch self {
    case .plain(let type): Self.listed(type.isList, Self.primitiveName(type))
    case .encrypted(let type): Self.listed(type.isList, "ENCRYPTED " + Self.primitiveName(type))
    case .number(let preference): Self.numberText(preference)
    case .numberList(let preference): Self.listed(true, Self.numberText(preference))
    }
  }

  /// The type in sentences of errors, such as `ENCRYPTED_STRING`.
  package var errorName: String {
    switch self {
    case .plain(let type): type.name
    case .encrypted(let type): "ENCRYPTED_" + type.name
    case .number(let preference): Self.numberName(preference)
    case .numberList(let preference): Self.numberName(preference) + "_LIST"
    }
  }

  private static func listed(_ isList: Bool, _ name: String) -> String {
    isList ? "LIST<\(name)>" : name
  }

  /// Schemas say ASSET where the wire says ASSETID.
  static func primitiveName(_ type: FieldType) -> String {
    let member = type.member ?? type
    return member == .asset ? "ASSET" : member.name
  }

  private static func numberText(_ preference: NumberPreference?) -> String {
    preference.map { "NUMBER PREFERRED AS \($0.rawValue)" } ?? "NUMBER"
  }

  private static func numberName(_ preference: NumberPreference?) -> String {
    preference.map { "NUMBER_\($0.rawValue)" } ?? "NUMBER"
  }
}

package import CloudRecords

/// The type of a field's values in a schema.
///
/// Only lists of untyped numbers need a case, because `FieldType` has a list of every type.
package enum Datatype: Hashable, Sendable {
  case plain(FieldType)
  /// A type that the client seals. `FieldType.canBeEncrypted` names the allowed types.
  case encrypted(FieldType)
  /// Numbers that clients send without a type: INT64 or DOUBLE until a preference is set.
  case number(preferred: NumberPreference?)
  /// A list of such numbers.
  case numberList(preferred: NumberPreference?)

  /// The type that a field's numbers have once the preference is set.
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

  /// The type of every value, or nil for numbers without a preference, each of which is INT64 or
  /// DOUBLE.
  package var fieldType: FieldType? {
    switch self {
    case .plain(let type), .encrypted(let type): type
    case .number(let preference): preference?.type
    case .numberList(let preference): preference?.type.list
    }
  }

  /// Whether a field of this type may change to another type.
  ///
  /// Only a number may, with its first preference.
  package func canBecome(_ other: Datatype) -> Bool {
    switch (self, other) {
    case (.number(preferred: nil), .number), (.numberList(preferred: nil), .numberList): true
    default: self == other
    }
  }
}

// MARK: - Names

extension Datatype {
  /// The type in the schema language, such as `LIST<ENCRYPTED STRING>`.
  package var schemaText: String {
    switch self {
    case .plain(let type): Self.listed(type.isList, Self.primitiveName(type))
    case .encrypted(let type): Self.listed(type.isList, "ENCRYPTED " + Self.primitiveName(type))
    case .number(let preference): Self.numberText(preference)
    case .numberList(let preference): Self.listed(true, Self.numberText(preference))
    }
  }

  /// The type in error messages, such as `ENCRYPTED_STRING`.
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

  /// The type's name in schemas, which use ASSET where the wire format uses ASSETID.
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

import SQLiteDriver

/// The system fields of the records of objects and pairs.
///
/// They are in separate tables because they are long, and each save of an object would write them
/// again. They count only if the row has a tag. A pending insertion with system fields but no tag
/// shows that the server once had the record.
enum SystemFields {
  /// The system fields of an object, as SQL over its row.
  static let ofObject =
    "CASE WHEN tag IS NOT NULL THEN (SELECT f.system FROM PHM_OBJECT_SYSTEM f "
    + "WHERE f.entity = PHM_OBJECT.entity AND f.key = PHM_OBJECT.key) END"

  /// The digests of the properties of an object's record, as SQL over its row.
  package static let digests =
    "CASE WHEN tag IS NOT NULL THEN (SELECT f.digests FROM PHM_OBJECT_SYSTEM f "
    + "WHERE f.entity = PHM_OBJECT.entity AND f.key = PHM_OBJECT.key) END"

  /// Whether the server lost an object's record, as SQL over its row.
  static let areLost =
    "(tag IS NULL AND pending = 0 AND EXISTS(SELECT 1 FROM PHM_OBJECT_SYSTEM f "
    + "WHERE f.entity = PHM_OBJECT.entity AND f.key = PHM_OBJECT.key))"

  /// The system fields of a pair, as SQL over its row.
  static let ofPair =
    "CASE WHEN tag IS NOT NULL THEN (SELECT f.system FROM PHM_PAIR_SYSTEM f WHERE "
    + "f.relationship = PHM_PAIR.relationship "
    + "AND f.first = PHM_PAIR.first AND f.second = PHM_PAIR.second) END"

  /// Returns SQL over rows of objects or pairs: whether a reader in the bits `?2` received them.
  static func areReceived(_ table: String) -> String {
    let keys = table == "PHM_OBJECT" ? ["entity", "key"] : ["relationship", "first", "second"]
    return "EXISTS(SELECT 1 FROM \(table)_SYSTEM f WHERE "
      + keys.map { "f.\($0) = \(table).\($0) AND " }.joined() + "f.readers & ?2)"
  }

  static let settingObject =
    "INSERT INTO PHM_OBJECT_SYSTEM(entity, key, system, digests) VALUES(?1, ?2, ?3, ?4) "
    + "ON CONFLICT(entity, key) DO UPDATE SET system = excluded.system, digests = excluded.digests"
  static let formerDigests = "SELECT digests FROM PHM_OBJECT_SYSTEM WHERE entity = ?1 AND key = ?2"
  static let settingPair =
    "INSERT INTO PHM_PAIR_SYSTEM(relationship, first, second, system) VALUES(?1, ?2, ?3, ?4) "
    + "ON CONFLICT(relationship, first, second) DO UPDATE SET system = excluded.system"

  /// Sets the system fields of an object or pair, and the digests of an object's properties.
  package static func set(
    _ system: [UInt8]?, _ digests: PropertyDigests = PropertyDigests(), of numbers: [Int64],
    on connection: Connection
  ) throws(SQLiteError) {
    let isObject = numbers.count == 2
    var statement = try connection.prepare(isObject ? settingObject : settingPair)
    for (place, number) in numbers.enumerated() { try statement.bind(number, at: place + 1) }
    try statement.bind(value: system.map(Value.blob) ?? .null, at: numbers.count + 1)
    if isObject { try statement.bind(value: digests.value, at: 4) }
    try statement.run()
  }

  /// Drops the system fields of an object, as if it had never had a record.
  package static func forget(ofObject numbers: [Int64], on connection: Connection)
    throws(SQLiteError)
  {
    try connection.run(forgetting, numbers.map(Value.integer))
  }

  package static let forgetting = "DELETE FROM PHM_OBJECT_SYSTEM WHERE entity = ?1 AND key = ?2"

  /// Returns the digests of an object's properties.
  package static func digests(of numbers: [Int64], on connection: Connection) throws(SQLiteError)
    -> PropertyDigests
  {
    guard case .blob(let bytes)? = try connection.value(formerDigests, numbers.map(Value.integer))
    else { return PropertyDigests() }
    return PropertyDigests(bytes)
  }
}

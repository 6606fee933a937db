import SQLiteDriver

/// The system fields of the records of objects and pairs.
///
/// They lie in tables of their own: they are long, and a save that changes the row of an object would write them again. They
/// count only where the row has a tag.
enum SystemFields {
  /// The system fields of an object, as SQL over its row.
  static let ofObject =
    "CASE WHEN tag IS NOT NULL THEN (SELECT f.system FROM PHM_OBJECT_SYSTEM f "
    + "WHERE f.entity = PHM_OBJECT.entity AND f.key = PHM_OBJECT.key) END"

  /// The system fields of a pair, as SQL over its row.
  static let ofPair =
    "CASE WHEN tag IS NOT NULL THEN (SELECT f.system FROM PHM_PAIR_SYSTEM f WHERE f.relationship = PHM_PAIR.relationship "
    + "AND f.first = PHM_PAIR.first AND f.second = PHM_PAIR.second) END"

  static let settingObject = "INSERT OR REPLACE INTO PHM_OBJECT_SYSTEM(entity, key, system) VALUES(?1, ?2, ?3)"
  static let settingPair =
    "INSERT OR REPLACE INTO PHM_PAIR_SYSTEM(relationship, first, second, system) VALUES(?1, ?2, ?3, ?4)"

  /// Sets the system fields of the object or pair that some numbers name.
  static func set(_ system: [UInt8]?, of numbers: [Int64], on connection: Connection) throws(SQLiteError) {
    var statement = try connection.prepare(numbers.count == 2 ? settingObject : settingPair)
    for (place, number) in numbers.enumerated() { try statement.bind(number, at: place + 1) }
    if let system {
      try statement.bind(system, at: numbers.count + 1)
    } else {
      try statement.bindNull(at: numbers.count + 1)
    }
    try statement.run()
  }
}

/// The tables that every store has in addition to those of its entities.
package enum HousekeepingTables {
  package static let primaryKey =
    "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)"
  package static let metadata =
    "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)"
  package static let modelCache = "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)"
}

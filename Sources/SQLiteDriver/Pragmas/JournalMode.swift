/// The mechanism by which SQLite rolls back an unfinished write.
package enum JournalMode: String, PragmaValue {
  case delete
  case truncate
  case persist
  case memory
  case wal
  case off
}

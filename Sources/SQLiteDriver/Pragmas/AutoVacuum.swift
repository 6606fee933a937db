/// The handling of free pages by SQLite.
///
/// A change between `full` and `incremental` takes effect at once. Any other change takes effect on
/// an empty database, or at the next `VACUUM`.
package enum AutoVacuum: Int64, PragmaValue {
  case none = 0
  case full = 1
  case incremental = 2
}

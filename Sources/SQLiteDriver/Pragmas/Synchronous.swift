/// The level at which SQLite syncs its writes to the disk.
package enum Synchronous: Int64, PragmaValue {
  case off = 0
  case normal = 1
  case full = 2
  case extra = 3
}

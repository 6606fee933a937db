/// Whether the connection keeps its file locks between transactions.
package enum LockingMode: String, PragmaValue {
  case normal
  case exclusive
}

/// The limits of this module, each with its reason.
package enum Limits {
  /// The size from which a value that may lie in a file of its own does so.
  ///
  /// Core Data's is a rule of thumb somewhere between 100 and 128 kilobytes.
  package static let externalDataBytes = 100 * 1024
}

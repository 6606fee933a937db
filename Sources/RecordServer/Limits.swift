/// The bounds of this module, each with its reason.
///
/// Those that clients or operators know are `ServiceLimits`.
enum ServerLimits {
  /// Entries that one transaction of a chore goes through.
  ///
  /// All writers wait for it: this is some milliseconds.
  static let entriesPerStep = 500

  /// Zones that one transaction of a reset deletes.
  static let zonesPerStep = 100

  /// When the mark of a deleted zone is looked at again that cannot be forgotten yet, since no zone was made after it.
  static let lastZoneSeconds: Int64 = 86_400
}

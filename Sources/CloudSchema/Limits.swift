/// The limits of schemas, both learned and imported ones.
///
/// The maximum number of fields of a type is `ServiceLimits.fieldsPerRecordType`.
package enum SchemaLimits {
  /// The maximum number of record types.
  ///
  /// Applications have tens, so this stops programs that generate type names.
  package static let recordTypes = 500
  /// The maximum number of roles that a schema creates.
  package static let roles = 100
  /// The maximum size of a schema's text in bytes, enough for the largest schema within the default
  /// limits.
  package static let textBytes = 64 << 20
  /// The maximum number of reported issues of one text.
  ///
  /// Further ones are only counted.
  package static let reportedIssues = 100
}

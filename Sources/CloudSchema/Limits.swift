/// Bounds of schemas: what a development environment learns, or somebody imports, stays within
/// them.
///
/// The number of fields of a type is `ServiceLimits.fieldsPerRecordType`, which is Apple's.
package enum SchemaLimits {
  /// Record types of a schema: applications have tens; a program that makes up names for types is
  /// stopped here.
  package static let recordTypes = 500
  /// Roles that a schema creates.
  package static let roles = 100
  /// Bytes of a schema's text: enough for the largest schema that the other limits admit.
  package static let textBytes = 64 << 20
  /// Problems that are told of one text; the rest is counted.
  package static let problemsTold = 100
}

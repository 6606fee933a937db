package import Foundation

/// An object as decoded from its record.
package struct DecodedObject: Sendable {
  /// The values.
  ///
  /// A missing value that the model requires has its substitute here.
  package internal(set) var content: ObjectContent
  /// The fields with invalid values; their properties keep their local values.
  package internal(set) var issues: [FieldIssue] = []
  /// The properties whose assets came without bytes; fetch the record to get them.
  package internal(set) var unfetched: Set<String> = []
  /// The record name of the user who saved the record last.
  package var modifiedBy: String?
  /// The date of the record's last save.
  package var modified: Date?
  /// The keys of attributes for which the record has no value.
  package var missing: Set<String> = []
  package let entity: MirrorEntity

  package init(_ content: ObjectContent, _ entity: MirrorEntity) {
    self.content = content
    self.entity = entity
  }

  // MARK: Comparing

  /// The properties that the record determines: all except invalid and unfetched ones.
  package var determinedProperties: Set<String> {
    unfetched.isEmpty && issues.isEmpty
      ? entity.sentProperties
      : entity.sentProperties.subtracting(unfetched).subtracting(issues.map(\.property))
  }

  /// The properties without a value in the record, perhaps because an older model wrote it.
  package var absentProperties: Set<String> { determinedProperties.filter { !hasValue(of: $0) } }

  private func hasValue(of property: String) -> Bool {
    content.references[property] != nil || content.orders[property] != nil
      || entity.attributes(of: property).contains { !missing.contains($0.key) }
  }

  /// Returns the properties in which the record differs from an object.
  ///
  /// A local value that encodes to what the record holds is no difference, so its exact bits stay.
  ///
  /// - Parameter local: The object's content; nil for a new object, in which every value differs.
  /// - Throws: An error of reading a file, when long values are compared.
  package func differences(from local: ObjectContent?) throws -> Set<String> {
    let empty = ObjectContent(entity: content.entity, recordName: content.recordName)
    return try determinedProperties.filter { try !isSame($0, local ?? empty) }
  }

  /// Returns the object with the record's values, and the properties that changed.
  package func merged(
    over local: ObjectContent?
  ) throws -> (content: ObjectContent, changed: Set<String>) {
    let changed = try differences(from: local)
    var merged = local ?? ObjectContent(entity: content.entity, recordName: content.recordName)
    for property in changed { merged.take(property, from: content) }
    return (merged, changed)
  }

  /// Whether the record holds the encoded form of a local property.
  package func isSame(_ property: String, _ local: ObjectContent) throws -> Bool {
    for attribute in entity.attributes(of: property) {
      guard try local[attribute.key].isSameInRecord(as: content[attribute.key]) else {
        return false
      }
    }
    return local.references[property] == content.references[property]
      && local.orders[property] ?? [] == content.orders[property] ?? []
  }
}

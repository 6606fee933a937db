package import Foundation

/// An object as its record has it.
package struct DecodedObject: Sendable {
  /// The values.
  ///
  /// Where the record lacks one that the model requires, its substitute stands here.
  package internal(set) var content: ObjectContent
  /// Fields whose values are of no use; their properties stay as they are locally.
  package internal(set) var problems: [FieldProblem] = []
  /// The properties whose assets came without their bytes: fetch the record to have them.
  package internal(set) var unfetched: Set<String> = []
  /// Fields of mirroring that the model does not know, of a later version perhaps, in the order of
  /// their names.
  ///
  /// They stay in the record.
  package internal(set) var unknownFields: [String] = []
  /// The record name of the user who saved the record last.
  package var modifiedBy: String?
  /// When the record was last saved.
  package var modified: Date?
  /// The keys of attributes that the record has nothing of.
  package var missing: Set<String> = []
  package let entity: MirrorEntity

  package init(_ content: ObjectContent, _ entity: MirrorEntity) {
    self.content = content
    self.entity = entity
  }

  // MARK: Comparing

  /// The properties whose values the record tells: all but those with problems, and those that were
  /// not fetched.
  package var toldProperties: Set<String> {
    unfetched.isEmpty && problems.isEmpty
      ? entity.sentProperties
      : entity.sentProperties.subtracting(unfetched).subtracting(problems.map(\.property))
  }

  /// The properties without a value in the record, perhaps because an older model wrote it.
  package var absentProperties: Set<String> { toldProperties.filter { !hasValue(of: $0) } }

  private func hasValue(of property: String) -> Bool {
    content.references[property] != nil || content.orders[property] != nil
      || entity.attributes(of: property).contains { !missing.contains($0.key) }
  }

  /// The properties in which the record differs from what an object has, seen as records see it.
  ///
  /// A local value that encodes to what the record holds is no difference: its exact bits stay.
  ///
  /// - Parameter local: What the object has; nil for a new object, for which all that has a value
  ///   differs.
  /// - Throws: What reading files throws, where long values are compared.
  package func differences(from local: ObjectContent?) throws -> Set<String> {
    let empty = ObjectContent(entity: content.entity, recordName: content.recordName)
    return try toldProperties.filter { try !isSame($0, local ?? empty) }
  }

  /// The object with the record's values where they differ, and which these are.
  package func merged(
    over local: ObjectContent?
  ) throws -> (content: ObjectContent, changed: Set<String>) {
    let changed = try differences(from: local)
    var merged = local ?? ObjectContent(entity: content.entity, recordName: content.recordName)
    for property in changed { merged.take(property, from: content) }
    return (merged, changed)
  }

  /// Whether the record holds what a property encodes to.
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

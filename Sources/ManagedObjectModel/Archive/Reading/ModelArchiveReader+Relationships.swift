import Foundation

/// Relationships.
///
/// | key of `NSRelationshipDescription` | meaning |
/// |---|---|
/// | `NSDestinationEntity`, `_NSDestinationEntityName` | the destination, and its name |
/// | `NSInverseRelationship`, `_NSInverseRelationshipName` | the inverse, and its name |
/// | `NSMinCount`, `NSMaxCount` | 0 as the maximum means no limit |
/// | `NSDeleteRule` | Apple's public number |
/// | `NSIsOrdered` | missing means false |
///
/// If a reference is missing, the name is used.
extension ModelArchiveReader {
  func connect(_ relationship: NSRelationshipDescription, _ object: ArchivedObject)
    throws(ModelArchiveError)
  {
    relationship.minCount = try count("NSMinCount", of: object)
    relationship.maxCount = try count("NSMaxCount", of: object)
    relationship.isOrdered = try object.flag("NSIsOrdered")
    let rule = try object.integer("NSDeleteRule", in: 0...3)
    relationship.deleteRule = NSDeleteRule(rawValue: UInt(rule)) ?? .nullifyDeleteRule
    relationship.destinationEntity = try destination(of: object)
    relationship.inverseRelationship = try inverse(of: object, in: relationship.destinationEntity)
  }

  /// A count of 32 bits, as many as the version hash contains.
  ///
  /// Models that were created in code use -1 for no limit.
  private func count(_ key: String, of object: ArchivedObject) throws(ModelArchiveError) -> Int {
    let count = try object.integer(key) ?? 0
    guard (-1...Int(Int32.max)).contains(count) else {
      throw object.error(.contradiction, "\(count) is not a count of related objects.", key: key)
    }
    return count
  }

  private func destination(of object: ArchivedObject) throws(ModelArchiveError)
    -> NSEntityDescription?
  {
    if let entity = try entity("NSDestinationEntity", of: object) { return entity }
    guard let name = try object.string("_NSDestinationEntityName") else { return nil }
    return try entity(named: name, in: object, key: "_NSDestinationEntityName")
  }

  private func inverse(
    of object: ArchivedObject, in destination: NSEntityDescription?
  ) throws(ModelArchiveError) -> NSRelationshipDescription? {
    if let reference = try object.object("NSInverseRelationship"),
      let inverse = properties[reference.index] as? NSRelationshipDescription
    {
      return inverse
    }
    guard let name = try object.string("_NSInverseRelationshipName") else { return nil }
    guard let inverse = destination?.propertiesByName[name] as? NSRelationshipDescription else {
      throw object.error(
        .contradiction, "The destination has no relationship “\(name.prefix(60))”.",
        key: "_NSInverseRelationshipName")
    }
    return inverse
  }

  func entity(
    named name: String, in object: ArchivedObject, key: String
  ) throws(ModelArchiveError) -> NSEntityDescription {
    guard let entity = entitiesByName[name] else {
      throw object.error(.contradiction, "The model has no entity “\(name.prefix(60))”.", key: key)
    }
    return entity
  }
}

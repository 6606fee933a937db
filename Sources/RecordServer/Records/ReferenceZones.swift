import CloudRecords

/// References stay within their zone, so a stored reference names its own zone or no zone.
extension FieldValue {
  /// The value to store for a value from a client.
  ///
  /// - Throws: If a reference is to another zone.
  func withOwnZone(
    in access: ZoneAccess, field: String, of record: String
  ) throws(CloudError) -> FieldValue {
    switch self {
    case .reference(var reference):
      if let zone = reference.zone, !access.isOwn(zone) {
        throw CloudError(
          .badRequest,
          """
          The field \(field) of “\(record)” refers to the zone \
          “\(zone.zoneName.asNameInSentence)” of \(zone.ownerName.asNameInSentence). References \
          stay within their zone.
          """)
      }
      // If a client names the zone, responses name it too, except in the public database.
      if reference.zone != nil { reference.zone = access.isPublic ? nil : access.identifier }
      return .reference(reference)
    case .list(of: .reference, let members):
      let stored = try members.map { member throws(CloudError) in
        try member.withOwnZone(in: access, field: field, of: record)
      }
      return .list(of: .reference, stored)
    default: return self
    }
  }
}

extension ZoneAccess {
  /// Whether an identifier from a client, possibly without an owner, names this zone.
  fileprivate func isOwn(_ zone: RecordZoneIdentifier) -> Bool {
    guard zone.zoneName == identifier.zoneName else { return false }
    // The public database has one zone, for which any owner name is accepted.
    return isPublic || zone.ownerName == identifier.ownerName
      || zone.ownerName == RecordZoneIdentifier.currentOwnerName
  }
}

package import CloudRecords
package import JSONCoding

/// A share as visible to a user who has its short name.
package struct ShareMetadata: Hashable, Sendable {
  package var shortIdentifier: String
  package var container: ContainerAddress
  /// Private for the owner, shared for all other users.
  package var scope: DatabaseScope
  package var zone: RecordZoneIdentifier
  package var share: VisibleRecord
  package var rootName: String?
  package var root: VisibleRecord?
  package var owner: UserIdentity
  package var role: ShareParticipant.Role
  /// The state of the caller's invitation, or nil if the caller was not invited.
  package var acceptance: ShareParticipant.Acceptance?
  package var permission: ShareParticipant.Permission
  /// Invitations by address that may be the caller's.
  package var potentialMatches: [ShareParticipant]
  package var webpageURL: String?

  package init(
    shortIdentifier: String, container: ContainerAddress, scope: DatabaseScope,
    zone: RecordZoneIdentifier,
    share: VisibleRecord, rootName: String?, root: VisibleRecord?, owner: UserIdentity,
    role: ShareParticipant.Role,
    acceptance: ShareParticipant.Acceptance?, permission: ShareParticipant.Permission,
    potentialMatches: [ShareParticipant] = [], webpageURL: String? = nil
  ) {
    self.shortIdentifier = shortIdentifier
    self.container = container
    self.scope = scope
    self.zone = zone
    self.share = share
    self.rootName = rootName
    self.root = root
    self.owner = owner
    self.role = role
    self.acceptance = acceptance
    self.permission = permission
    self.potentialMatches = potentialMatches
    self.webpageURL = webpageURL
  }
}

/// The shares that were resolved or accepted, in the request's order.
package struct SharesResponse: ClientResponse, Hashable {
  package enum Item: Hashable, Sendable {
    case share(ShareMetadata)
    case failed(shortIdentifier: String, CloudError)
  }

  package var results: [Item]

  package init(results: [Item]) { self.results = results }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("results")
    writer.beginArray()
    for item in results {
      writer.beginObject()
      switch item {
      case .share(let metadata): metadata.writeMembers(to: &writer)
      case .failed(let identifier, let error):
        writer.shortIdentifier(identifier, wantsRoot: false)
        writer.errorMembers(error)
      }
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
  }
}

extension ShareMetadata {
  /// The status of a user who was not invited.
  static let notInvited = "UNKNOWN"

  fileprivate func writeMembers(to writer: inout JSONWriter) {
    writer.shortIdentifier(shortIdentifier, wantsRoot: root != nil)
    writer.text("containerIdentifier", container.container)
    writer.text("environment", container.environment.rawValue)
    writer.text("databaseScope", scope == .private ? "PRIVATE" : "SHARED")
    writer.key("zoneID")
    writer.zone(zone)
    writer.key("share")
    writer.record(share)
    // A share of a whole zone has no root, but clients expect a name here.
    writer.text("rootRecordName", rootName ?? share.record.identifier.recordName)
    if let root {
      writer.key("rootRecord")
      writer.record(root)
    }
    writer.key("ownerIdentity")
    writer.identity(owner)
    writer.text("participantType", role.name)
    writer.text("participantStatus", acceptance?.name ?? Self.notInvited)
    writer.text("participantPermission", permission.name)
    writer.key("potentialMatchList")
    writer.beginArray()
    for match in potentialMatches {
      writer.beginObject()
      writer.text("participantId", match.identifier)
      writer.text("contactInformation", ifPresent: match.identity.lookupInfo?.masked)
      writer.endObject()
    }
    writer.endArray()
    writer.text("webpageURL", ifPresent: webpageURL)
  }
}

extension UserIdentity.LookupInfo {
  /// The address in a form that its owner recognizes and that reveals little to others.
  fileprivate var masked: String {
    switch self {
    case .emailAddress(let address):
      guard let at = address.lastIndex(of: "@") else { return "…" }
      return address.prefix(1) + "…" + address[at...]
    case .phoneNumber(let number): return "…" + number.suffix(2)
    case .userRecordName: return "…"
    }
  }
}

extension JSONWriter {
  fileprivate mutating func shortIdentifier(_ value: String, wantsRoot: Bool) {
    key("shortGUID")
    beginObject()
    text("value", value)
    bool("shouldFetchRootRecord", wantsRoot)
    endObject()
  }
}

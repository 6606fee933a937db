import CloudKitClient
import Foundation

/// The container of a command on shares.
struct ShareContext {
  static let options = [
    CommandOption("--container", value: "ID", "The container, if not the default one."),
    CommandOption(
      "--server", value: "URL", "The server of a development user; default http://127.0.0.1:8080."),
    CommandOption(
      "--user", value: "NAME", "A development user of a local server, instead of an account."),
  ]

  let container: CKContainer

  init(_ invocation: Invocation) throws {
    let identifier = invocation.value(of: "--container")
    guard let user = invocation.value(of: "--user") else {
      guard invocation.value(of: "--server") == nil else {
        throw UsageError("--server needs --user.")
      }
      container = identifier.map { CKContainer(identifier: $0) } ?? .default()
      return
    }
    guard let identifier else { throw UsageError("--user needs --container.") }
    let address = invocation.value(of: "--server") ?? "http://127.0.0.1:8080"
    guard let server = URL(string: address), server.host != nil else {
      throw UsageError("--server cannot be \"\(address)\".")
    }
    CKContainer.configure(.development(identifier, user: user, server: server))
    container = CKContainer(identifier: identifier)
  }

  /// Converts errors of the client into errors of commands.
  static func translating<Value>(_ body: () async throws -> Value) async throws -> Value {
    do { return try await body() } catch let error as CKError {
      throw CommandError(error.localizedDescription)
    }
  }

  // MARK: Shares

  /// The share that an operand names.
  func session(_ name: String) async throws -> CloudSharingSession {
    let share: CKShare
    if name.contains("://") {
      share = try await container.shareMetadata(for: try Self.link(name)).share
    } else {
      let zoneID = CKRecordZone.ID(zoneName: name)
      let recordID = CKRecord.ID(recordName: CKRecordNameZoneWideShare, zoneID: zoneID)
      guard
        let found = try await container.privateCloudDatabase.record(for: recordID) as? CKShare
      else { throw CommandError("The zone “\(name)” is not shared.") }
      share = found
    }
    return Self.session(share, container)
  }

  private static func session(_ share: CKShare, _ container: CKContainer) -> CloudSharingSession {
    let session = CloudSharingSession(share: share, container: container)
    session.allowedSharingOptions.allowsAccessRequests = true
    session.allowedSharingOptions.allowsParticipantsToInviteOthers = true
    return session
  }

  static func link(_ text: String) throws -> URL {
    guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased() ?? "")
    else { throw UsageError("\"\(text)\" is not the link of a share.") }
    return url
  }

  /// Shares a zone as a whole.
  func created(_ zoneName: String, title: String?, thumbnail: String?) async throws
    -> CloudSharingSession
  {
    let image = try thumbnail.map { path -> Data in
      guard let data = FileManager.default.contents(atPath: path) else {
        throw CommandError("\(path) cannot be read.")
      }
      return data
    }
    let zone = CKRecordZone(zoneName: zoneName)
    try await container.privateCloudDatabase.save(zone)
    let share = CKShare(recordZoneID: zone.zoneID)
    share[CKShare.SystemFieldKey.title] = title
    share[CKShare.SystemFieldKey.thumbnailImageData] = image
    let session = Self.session(share, container)
    try await session.change { _ in }
    return session
  }

  /// All shares of the user's own zones, and of those that others share with the user.
  func shares() async throws -> [CKShare] {
    var shares: [CKShare] = []
    for database in [container.privateCloudDatabase, container.sharedCloudDatabase] {
      for zone in try await database.allRecordZones()
      where zone.zoneID.zoneName != CKRecordZoneDefaultName {
        shares += try await self.shares(in: zone.zoneID, of: database)
      }
    }
    return shares
  }

  private func shares(in zoneID: CKRecordZone.ID, of database: CKDatabase) async throws -> [CKShare]
  {
    var shares: [CKRecord.ID: CKShare] = [:]
    var token: CKServerChangeToken?
    var isMore = true
    while isMore {
      let changes = try await database.recordZoneChanges(
        inZoneWith: zoneID, since: token, desiredKeys: [CKShare.SystemFieldKey.title])
      for (recordID, result) in changes.modificationResultsByID {
        shares[recordID] = try result.get().record as? CKShare
      }
      for deletion in changes.deletions { shares[deletion.recordID] = nil }
      (token, isMore) = (changes.changeToken, changes.moreComing)
    }
    return shares.sorted { $0.key.recordName < $1.key.recordName }.map(\.value)
  }
}

// MARK: - People

extension CloudSharingSession {
  /// The participant that an operand names.
  func participant(_ name: String) throws -> CKShare.Participant {
    try Self.one(name, participants.filter { $0.role != .owner }, "participant") { person in
      [person.participantID] + person.userIdentity.names
    }
  }

  func requester(_ name: String) throws -> CKShare.AccessRequester {
    try Self.one(name, requesters, "access request") { $0.userIdentity.names }
  }

  func blocked(_ name: String) throws -> CKShare.BlockedIdentity {
    try Self.one(name, blockedIdentities, "blocked person") { $0.userIdentity.names }
  }

  private static func one<Person>(
    _ name: String, _ people: [Person], _ kind: String, _ names: (Person) -> [String]
  ) throws -> Person {
    let found = people.filter { names($0).contains { $0.lowercased() == name.lowercased() } }
    guard let person = found.first else {
      throw CommandError("The share has no \(kind) “\(name)”. See “parhelion share show”.")
    }
    guard found.count == 1 else {
      throw CommandError("“\(name)” is the name of several. Use an address or an identifier.")
    }
    return person
  }
}

extension CKUserIdentity {
  /// The name, the address and the record name of the person.
  var names: [String] {
    [ShareText.name(of: self), lookupInfo?.emailAddress, lookupInfo?.phoneNumber]
      .compactMap(\.self) + [userRecordID?.recordName].compactMap(\.self)
  }
}

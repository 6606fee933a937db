import CloudKitClient
import CloudRecords
import Foundation
import RecordServerHTTP

/// The container of a command on shares.
struct ShareContext {
  /// The options that take the place of environment variables.
  private static let variables: [(option: CommandOption, setting: ConfigurationSetting)] = [
    (
      CommandOption("--container", value: "ID", "The container, instead of PARHELION_CONTAINER."),
      .container
    ),
    (
      CommandOption(
        "--server", value: "URL",
        "The server, instead of PARHELION_SERVER; default with --user: http://127.0.0.1:8080."),
      .server
    ),
    (
      CommandOption(
        "--user", value: "NAME",
        "A development user, instead of PARHELION_DEVELOPMENT_USER, tokens and keys."),
      .developmentUser
    ),
  ]

  static let options = variables.map { $0.option }

  let container: CKContainer

  /// Finds the container of a call.
  ///
  /// If neither variables nor options describe a server, the configuration file does.
  init(_ invocation: Invocation) throws {
    let given = Self.variables.filter { invocation.has($0.option.name) }
    guard !given.isEmpty else {
      container = .default()
      return
    }
    let environment = try Self.environment(invocation)
    guard let identifier = environment[ConfigurationSetting.container.variable],
      !identifier.isEmpty
    else { throw UsageError("The container is missing: use --container or PARHELION_CONTAINER.") }
    let describesServer = ConfigurationSetting.allCases.contains {
      $0 != .container && !environment[$0.variable, default: ""].isEmpty
    }
    if describesServer { CKContainer.configure(try Self.configuration(environment, given)) }
    container = CKContainer(identifier: identifier)
  }

  /// The environment variables, overridden by the options.
  private static func environment(_ invocation: Invocation) throws(UsageError) -> [String: String] {
    var environment = ProcessInfo.processInfo.environment
    for (option, setting) in variables {
      guard let value = invocation.value(of: option.name) else { continue }
      guard !value.isEmpty else { throw UsageError("\(option.name) is empty.") }
      environment[setting.variable] = value
      guard setting == .developmentUser else { continue }
      // Development users have no credentials, and exist in the development environment only.
      let replaced: [ConfigurationSetting] = [
        .environment, .apiToken, .webAuthToken, .keyID, .keyFile,
      ]
      for other in replaced { environment[other.variable] = nil }
      if environment[ConfigurationSetting.server.variable, default: ""].isEmpty {
        environment[ConfigurationSetting.server.variable] =
          CKContainer.Configuration.developmentServer.absoluteString
      }
    }
    return environment
  }

  private static func configuration(
    _ environment: [String: String],
    _ given: [(option: CommandOption, setting: ConfigurationSetting)]
  ) throws(UsageError) -> CKContainer.Configuration {
    do throws(CKError) {
      let found = try FoundConfigurations(environment, file: nil) {
        (_: String) throws(CKError) -> String in
        throw CKError(
          .badContainer,
          "A key has no shares. Unset PARHELION_KEY_ID and PARHELION_KEY_FILE, or use --user.")
      }
      guard let configuration = found.configurations.first else {
        preconditionFailure("The variables describe a container.")
      }
      return configuration
    } catch {
      // The error names variables. If an option replaces a variable, the message names the option.
      throw UsageError(
        given.reduce(error.localizedDescription) {
          $0.replacing($1.setting.variable, with: $1.option.name)
        })
    }
  }

  /// Converts errors of the client into errors of commands.
  static func translating<Value>(_ body: () async throws -> Value) async throws -> Value {
    do { return try await body() } catch let error as CKError {
      throw CommandError(error.localizedDescription)
    }
  }

  // MARK: Shares

  /// The share that an operand names.
  ///
  /// - Parameter check: Called with the metadata if the operand is a link. A share that is named by
  ///   its zone is the user's own.
  func session(_ name: String, check: (CKShare.Metadata) throws -> Void = { _ in }) async throws
    -> CloudSharingSession
  {
    let share: CKShare
    if name.contains("://") {
      let metadata = try await metadata(name)
      try check(metadata)
      share = metadata.share
    } else {
      share = try await self.share(of: try Self.zoneID(name))
    }
    return Self.session(share, container)
  }

  /// The zone-wide share of a zone.
  private func share(of zoneID: CKRecordZone.ID) async throws -> CKShare {
    let recordID = CKRecord.ID(recordName: CKRecordNameZoneWideShare, zoneID: zoneID)
    let missing = CommandError("The zone “\(zoneID.zoneName)” is not shared.")
    do {
      let record = try await container.privateCloudDatabase.record(for: recordID)
      guard let share = record as? CKShare else { throw missing }
      return share
    } catch let error as CKError {
      guard error.code == .unknownItem else { throw error }
      throw missing
    }
  }

  /// The share of a link, and the user's part in it.
  func metadata(_ link: String) async throws -> CKShare.Metadata {
    let url = try Self.link(link)
    do {
      return try await container.shareMetadata(for: url)
    } catch let error as CKError {
      guard error.code == .unknownItem else { throw error }
      throw CommandError("There is no share with this link, or you are not invited to it.")
    }
  }

  private static func session(_ share: CKShare, _ container: CKContainer) -> CloudSharingSession {
    let session = CloudSharingSession(share: share, container: container)
    session.allowedSharingOptions.allowsAccessRequests = true
    session.allowedSharingOptions.allowsParticipantsToInviteOthers = true
    return session
  }

  static func link(_ text: String) throws(UsageError) -> URL {
    guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased() ?? ""),
      url.host?.isEmpty == false
    else { throw UsageError("\"\(text)\" is not the link of a share.") }
    return url
  }

  /// The identifier of a zone that an operand names.
  ///
  /// The initializer of an identifier stops the program if the name is invalid.
  private static func zoneID(_ name: String) throws(UsageError) -> CKRecordZone.ID {
    if let defect = CloudName.zoneName.defect(in: name) {
      throw UsageError("The zone name \"\(name.prefix(80))\" \(defect).")
    }
    guard name != CKRecordZoneDefaultName else {
      throw UsageError("The default zone cannot be shared. Save the records in another zone.")
    }
    return CKRecordZone.ID(zoneName: name)
  }

  private static func image(_ path: String) throws(CommandError) -> Data {
    let file = NamedFile(path, of: "--thumbnail")
    let data = Data(try file.bytes())
    guard ThumbnailFormat(data) != nil else {
      throw CommandError("\(file) is not an image in PNG, JPEG or GIF.")
    }
    return data
  }

  /// Creates a zone-wide share, and its zone if necessary; throws if the zone is already shared.
  func created(_ zoneName: String, title: String?, thumbnail: String?) async throws
    -> CloudSharingSession
  {
    let zone = CKRecordZone(zoneID: try Self.zoneID(zoneName))
    let image = try thumbnail.map { try Self.image($0) }
    let database = container.privateCloudDatabase
    try await database.save(zone)
    let share = CKShare(recordZoneID: zone.zoneID)
    share[CKShare.SystemFieldKey.title] = title
    share[CKShare.SystemFieldKey.thumbnailImageData] = image
    do {
      try await database.save(share)
    } catch let error as CKError {
      guard error.code == .serverRecordChanged else { throw error }
      let link = try await self.share(of: zone.zoneID).url?.absoluteString ?? "no link yet"
      throw CommandError("The zone “\(zoneName)” is already shared: \(link)")
    }
    return Self.session(share, container)
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

  /// The participant, or the owner, with an e-mail address; nil if the share has none.
  func participant(emailAddress: String) async throws -> CKShare.Participant? {
    let person = try await container?.shareParticipant(forEmailAddress: emailAddress)
    return person.flatMap { person in participants.first { $0.isSamePerson(as: person) } }
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
  /// The name, e-mail address, phone number and record name of the person.
  var names: [String] {
    [ShareText.name(of: self), lookupInfo?.emailAddress, lookupInfo?.phoneNumber]
      .compactMap(\.self) + [userRecordID?.recordName].compactMap(\.self)
  }
}

import CloudEncryption
import CloudRecords
public import Foundation

extension CKContainer.Encryption {
  /// Another user, with the keys that this user's devices trust.
  ///
  /// Parhelion's addition. A device trusts the first keys that it sees for a person. They are the
  /// person's own keys if both users see the same digits.
  public struct Person: Equatable, Sendable {
    /// The ID of the person's user record.
    public let userRecordID: CKRecord.ID
    /// Digits that are equal on the devices of both users, unless the server gave one of them
    /// forged keys.
    ///
    /// They belong to the keys that this device seals values for. Compare them with the person
    /// through another channel, such as by voice, and then call ``confirm(safetyNumber:with:)``.
    public let safetyNumber: String
    /// The date when one of the user's devices first saw the keys.
    public let firstSeen: Date
    /// The last confirmation of the digits on one of the user's devices; nil before.
    public let verification: Verification?
    /// The digits of other keys that the server now shows for the person; nil if it shows the
    /// trusted keys or none.
    ///
    /// Nothing is sealed for these keys until the digits are confirmed. Either the person has reset
    /// the encrypted data, or the server shows forged keys.
    public let changedSafetyNumber: String?

    /// The digits as a QR code, which any reader shows as digits.
    ///
    /// The other person scans it and compares, or the program passes the scanned digits to
    /// ``confirm(safetyNumber:with:)``.
    public var safetyCode: SafetyCode? {
      CloudEncryption.SafetyCode(safetyNumber).map {
        SafetyCode(modules: $0.modules, terminalText: $0.text)
      }
    }

    /// A QR code.
    public struct SafetyCode: Hashable, Sendable {
      /// Whether a module is dark, by row and column.
      ///
      /// Readers need a light margin of four modules.
      public let modules: [[Bool]]
      /// The code as lines of block characters, for a terminal with a dark background.
      public let terminalText: String
    }

    /// A confirmation of the digits.
    public struct Verification: Equatable, Sendable {
      /// The time of the confirmation, by the clock of the device.
      public let date: Date
      /// The name of the device on which the user confirmed the digits.
      public let deviceName: String
    }
  }

  /// The policy for giving keys to invited people.
  ///
  /// Parhelion's addition.
  public enum KeyPolicy: Hashable, Sendable {
    /// All invited people get keys.
    case invited
    /// Only people whose safety numbers the user has confirmed get keys.
    case verifiedOnly
  }

  /// The policy that the user's devices follow; ``KeyPolicy/invited`` unless another one was set.
  ///
  /// Parhelion's addition.
  public func keyPolicy() async throws -> KeyPolicy {
    try await withEngine { try await $0.policy() } == .verifiedOnly ? .verifiedOnly : .invited
  }

  /// Chooses which of the invited people get keys, on all devices of the user.
  ///
  /// Parhelion's addition. With ``KeyPolicy/verifiedOnly``, people without a confirmed safety
  /// number are in ``keyRequests()``, and new values are sealed under a key that they do not get.
  public func setKeyPolicy(_ policy: KeyPolicy) async throws {
    let work = try container.work()
    try await work.session.vault.withEngine(work.options) {
      try await $0.choose(policy == .verifiedOnly ? .verifiedOnly : .invited)
    }
    try container.session().vault.markKeysUndelivered()
  }

  /// Posted when the server shows other keys for a person whose keys a device trusts.
  ///
  /// Parhelion's addition. Saving encrypted values in shares with the person fails until the user
  /// has confirmed ``Person/changedSafetyNumber`` or removed the person
  /// (`CKError.peopleWithChangedKeys`). The `userInfo` has
  /// ``containerIdentifierKey`` and ``userRecordIDsKey``.
  public static let personKeysChanged = Notification.Name("ParhelionPersonKeysChanged")

  /// Posted when participants of a share wait for a decision about its keys.
  ///
  /// Parhelion's addition. They are in ``keyRequests()``. The `userInfo` has
  /// ``containerIdentifierKey`` and ``userRecordIDsKey``.
  public static let keysRequested = Notification.Name("ParhelionKeysRequested")

  /// Posted when the server shows an earlier version of a record than this process has seen or
  /// saved.
  ///
  /// Parhelion's addition. The encrypted values of the record are from that version. The server was
  /// restored from a backup, or it hides what was saved since. The `userInfo` has
  /// ``containerIdentifierKey`` and ``recordIDsKey``.
  public static let olderRecordsShown = Notification.Name("ParhelionOlderRecordsShown")

  /// The records in the `userInfo` of ``olderRecordsShown``, as `[CKRecord.ID]`.
  public static let recordIDsKey = "ParhelionRecordIDs"

  /// The container's identifier in the `userInfo` of ``personKeysChanged``, ``keysRequested`` and
  /// ``olderRecordsShown``, a `String`.
  public static let containerIdentifierKey = "ParhelionContainerIdentifier"

  /// The persons in the `userInfo` of ``personKeysChanged`` and ``keysRequested``, as
  /// `[CKRecord.ID]`.
  public static let userRecordIDsKey = "ParhelionUserRecordIDs"

  /// A participant who does not have the keys of one of the user's shares yet.
  ///
  /// Parhelion's addition. Either no device of the user invited the participant, or the policy
  /// requires a confirmed safety number. Uninvited people joined by the share's URL, or the server
  /// made them up.
  public struct KeyRequest: Hashable, Sendable {
    /// The ID of the share in which the person participates, according to the server.
    public let shareID: CKRecord.ID
    /// The ID of the participant's user record.
    public let userRecordID: CKRecord.ID

    /// Creates a request, to compare it with those of ``keyRequests()``.
    public init(shareID: CKRecord.ID, userRecordID: CKRecord.ID) {
      (self.shareID, self.userRecordID) = (shareID, userRecordID)
    }
  }

  /// The participants who wait for a decision about the keys of a share, in order.
  ///
  /// Parhelion's addition. With ``KeyPolicy/invited``, participants whom a device of the user added
  /// with `CKShare.addParticipant(_:)` get keys without a decision by the user. The server's list
  /// of participants is not enough, because it could contain anyone. The result covers the
  /// participants of all shares that this device has fetched.
  public func keyRequests() async throws -> [KeyRequest] {
    let session = try container.session()
    let coding = try await session.coding()
    await session.vault.keyDeliveriesAreDone()
    let requests = try await withEngine { try await $0.keyRequests() }
    return requests.sorted { $0.key < $1.key }.flatMap { scope, users in
      users.sorted().map {
        KeyRequest(
          shareID: CKRecord.ID(
            received: scope.shareName ?? CKRecordNameZoneWideShare,
            zoneID: coding.zoneID(scope.zone)),
          userRecordID: CKRecord.ID(received: $0, zoneID: .default))
      }
    }
  }

  /// Gives a participant the keys of the share.
  ///
  /// Parhelion's addition. The person can read everything that was sealed for the share so far. To
  /// be sure of the person, compare the ``safetyNumber(with:)`` before.
  ///
  /// - Throws: `CKError.permissionFailure` if the policy requires a confirmed safety number. The
  ///   person then gets the keys after ``confirm(safetyNumber:with:)``.
  public func allow(_ request: KeyRequest) async throws {
    let scope = try await scope(of: request)
    let name = request.userRecordID.recordName
    _ = try await withEngine { try await $0.allow(name, in: scope) }
  }

  /// Denies a participant the keys of the share, and ends the request.
  ///
  /// Parhelion's addition. Remove the participant from the share, too.
  public func deny(_ request: KeyRequest) async throws {
    let scope = try await scope(of: request)
    let name = request.userRecordID.recordName
    try await withEngine { try await $0.decide(on: scope, ShareDecisions(removing: [name])) }
  }

  private func scope(of request: KeyRequest) async throws -> KeyScope {
    try await scope(of: request.shareID)
  }

  private func scope(of shareID: CKRecord.ID) async throws -> KeyScope {
    let coding = try await container.session().coding()
    return KeyScope(zone: coding.identifier(shareID.zoneID), shareName: shareID.recordName)
  }

  /// Returns a link to one of the user's shares, with a secret that the server never sees.
  ///
  /// Parhelion's addition. People who join by the link in the program get the keys without a
  /// decision by the user. A device of the user delivers them when it fetches the changed share.
  /// Both sides then trust each other's keys because of the link's channel, not because of the
  /// server.
  ///
  /// The secret is in the URL's fragment: pass the whole URL to `CKContainer.shareMetadata(for:)`.
  /// Send the link through a channel that the server does not read, and let the program open it. In
  /// a browser, a page of the server could read the fragment. `CKShare.url` is the same URL without
  /// the secret; people who join by `CKShare.url` wait in ``keyRequests()``.
  ///
  /// The link is valid until ``withdrawLinks(to:)``, until a person with keys is removed from the
  /// share, or until the share is deleted.
  ///
  /// - Throws: `CKError.invalidArguments` if the share was not saved yet.
  public func link(to share: CKShare) async throws -> URL {
    guard let url = share.url, var parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
    else {
      throw CKError(
        .invalidArguments,
        "The share \(share.recordID.recordName) has no URL yet. Save it, and use the saved share.")
    }
    let (scope, work) = (try await scope(of: share.recordID), try container.work())
    parts.fragment = try await work.session.vault.withEngine(work.options) {
      try await $0.link(to: scope).fragment
    }
    guard let link = parts.url else {
      throw CKError(.internalError, "The URL \(url) of the share takes no fragment.")
    }
    return link
  }

  /// Withdraws all links to a share.
  ///
  /// Parhelion's addition. People who join by them wait in ``keyRequests()`` from then on.
  /// Participants keep their keys.
  public func withdrawLinks(to share: CKShare) async throws {
    let scope = try await scope(of: share.recordID)
    try await withEngine { try await $0.withdrawLinks(to: scope) }
  }

  /// Returns what this user's devices know of another user.
  ///
  /// Parhelion's addition. Trusts the keys that the server shows if no device has seen any before.
  ///
  /// - Throws: `CKError.unknownItem` if the other user has no keys yet.
  public func person(for userRecordID: CKRecord.ID) async throws -> Person {
    let name = userRecordID.recordName
    guard let person = try await withEngine({ try await $0.person(name) }) else {
      throw CKError(
        .unknownItem,
        """
        \(name) has no encryption keys yet. They are created when that user's app first uses \
        encryption.
        """
      )
    }
    return Person(
      userRecordID: userRecordID, safetyNumber: person.safetyNumber,
      firstSeen: Date(person.known.pinned.time),
      verification: person.known.verified.map {
        Person.Verification(date: Date($0.time), deviceName: $0.device)
      }, changedSafetyNumber: person.changedSafetyNumber)
  }

  /// The users whose keys this user's devices trust.
  ///
  /// Parhelion's addition. Sends no request.
  public func people() async throws -> [CKRecord.ID] {
    try await withEngine { try await $0.people() }.map {
      CKRecord.ID(received: $0.identity.userRecordName, zoneID: .default)
    }
  }

  /// Returns digits that are equal on the devices of two users, unless the server gave one of them
  /// forged keys.
  ///
  /// Parhelion's addition. The digits belong to the keys that this device seals values for.
  ///
  /// - Throws: `CKError.unknownItem` if the other user has no keys yet; `CKError.permissionFailure`
  ///   if the server shows other keys than the trusted ones. Then compare
  ///   ``Person/changedSafetyNumber``.
  public func safetyNumber(with userRecordID: CKRecord.ID) async throws -> String {
    let person = try await person(for: userRecordID)
    if let changed = person.changedSafetyNumber {
      throw CKError(
        .permissionFailure,
        """
        The server shows other keys of \(userRecordID.recordName) than this device trusts \
        (\(person.safetyNumber)): the user reset the encrypted data, or the server lies. Compare \
        the digits of the new keys, \(changed), through another channel, and confirm them.
        """
      )
    }
    return person.safetyNumber
  }

  /// Records that both users see the same digits.
  ///
  /// Parhelion's addition. The user's other devices adopt the confirmation. If the digits belong to
  /// changed keys, these become the trusted ones. The zones and shares that the person's former
  /// keys could open then get new keys.
  ///
  /// - Throws: `CKError.permissionFailure` if the digits belong neither to the trusted keys nor to
  ///   those that the server shows.
  public func confirm(safetyNumber: String, with userRecordID: CKRecord.ID) async throws {
    let name = userRecordID.recordName
    let isConfirmed = try await withEngine { try await $0.verify(name, safetyNumber: safetyNumber) }
    guard isConfirmed else {
      throw CKError(
        .permissionFailure,
        """
        The digits do not belong to the keys of \(name). Show the present digits, and compare them \
        again.
        """
      )
    }
    try container.session().vault.markKeysUndelivered()
    postKeysArrived()
  }
}

import CloudEncryption
import CloudRecords
public import Foundation

extension CKContainer {
  /// The user's keys for encrypted values.
  ///
  /// Parhelion's addition: Apple's system keeps them in the keychain and brings them from device to
  /// device. Here the first device makes them and has a recovery code, and a further one gets them
  /// by that code or by the approval of another.
  public var encryption: Encryption { Encryption(container: self) }

  /// The user's keys for encrypted values.
  ///
  /// Parhelion's addition.
  ///
  /// ```swift
  /// switch try await container.encryption.status() {
  /// case .ready: break
  /// case .readyWithNewKeys(let recoveryCode): show(recoveryCode)   // to be written down
  /// case .needsApproval: try await container.encryption.recover(with: codeThatTheUserTyped)
  /// }
  /// ```
  public struct Encryption: Sendable {
    let container: CKContainer

    /// How the device stands.
    public enum Status: Equatable, Sendable {
      /// The device has the user's keys.
      case ready
      /// The device has just made the user's first keys: show the recovery code, to be written
      /// down.
      case readyWithNewKeys(recoveryCode: String)
      /// The user has keys that the device has not: use the recovery code, or another device.
      case needsApproval
    }

    /// Another device that asks for the keys.
    public struct WaitingDevice: Hashable, Sendable {
      let request: [UInt8]
      /// The name that the device gives itself: one line of visible characters.
      ///
      /// The server could have put any name there. It proves nothing.
      public let name: String
      /// When it asked.
      public let date: Date
    }

    /// How far this device's question to the others has come.
    public enum Progress: Equatable, Sendable {
      /// No other device has answered yet.
      case waiting
      /// This device shows these digits, and the user types them on the other one.
      case compare(digits: String)
      /// The other device did not want to.
      case refused
      /// The device has the keys.
      case ready
    }
  }
}

extension CKContainer.Encryption {
  private func ask<Result: Sendable>(_ question: (EncryptionEngine) async throws -> Result)
    async throws -> Result
  {
    do {
      let work = try container.work()
      return try await work.options.limitingKeys {
        try await question(try await work.session.vault.engine())
      }
    } catch {
      throw CKError(encryption: error)
    }
  }

  // MARK: Keys

  /// Whether this device has the user's keys, which are made where there are none.
  package func hasKeys() async throws -> Bool {
    let work = try container.work()
    return try await work.session.vault.hasKeys(work.options)
  }

  /// Who waits for the keys is told that they are there.
  private func tellOfKeys() {
    guard let binding = try? container.binding() else { return }
    NotificationCenter.default.post(
      name: ContainerBinding.keysCame, object: nil,
      userInfo: [ContainerBinding.bindingKey: ObjectIdentifier(binding)])
  }

  /// How the device stands; the first device of a user makes the keys here.
  ///
  /// The first encrypted value that is saved makes them, too: then this tells of the recovery code,
  /// once, whenever it is asked.
  public func status() async throws -> Status {
    let status: Status = try await ask { engine in
      if case .needsApproval = try await engine.start() { return .needsApproval }
      guard let code = try await engine.unseenCode() else { return .ready }
      try await engine.noteCodeSeen()
      return .readyWithNewKeys(recoveryCode: code.text)
    }
    if status != .needsApproval {
      tellOfKeys()
      await (try? container.session())?.vault.goOnWithLeftover()
    }
    return status
  }

  /// The recovery code, to be shown again; nil on devices that got the keys from another one.
  public func recoveryCode() async throws -> String? {
    try await ask { engine in
      let code = try await engine.recoveryCode()
      try await engine.noteCodeSeen()
      return code?.text
    }
  }

  /// Gets the keys by the recovery code, however it is typed: case, spaces and dashes do not
  /// matter.
  public func recover(with recoveryCode: String) async throws {
    try await ask { try await $0.recover(try RecoveryCode(recoveryCode)) }
    tellOfKeys()
  }

  /// Makes another recovery code.
  ///
  /// The server has nothing any more that the former one opens.
  ///
  /// - Warning: The user's keys stay the same. Anybody who has the former code and a copy of the
  ///   key bag from before, such as a backup of the server, can read everything, also what is saved
  ///   later. Only ``resetAll()`` makes other keys.
  public func renewRecoveryCode() async throws -> String {
    try await ask { try await $0.renewRecoveryCode().text }
  }

  // MARK: Another device

  /// Asks the user's other devices for the keys; a device that has them asks nobody.
  public func requestApproval(deviceName: String) async throws {
    try await ask { try await $0.askForApproval(deviceName: deviceName) }
  }

  /// How far the question has come; ask again from time to time.
  ///
  /// - Throws: `CKError.invalidArguments` where there is no question any more: it was taken back,
  ///   or too many others came after it.
  public func approvalProgress() async throws -> Progress {
    try await ask { engine in
      switch try await engine.approvalProgress() {
      case .waiting: .waiting
      case .compare(let digits): .compare(digits: digits)
      case .refused: .refused
      case .ready: .ready
      }
    }
  }

  /// Takes the keys.
  ///
  /// Call it after the user has said on this device that the other one accepted the digits.
  ///
  /// - Warning: Do not call it before the user has said so. If a server passes for the other
  ///   device, that answer alone shows it.
  /// - Returns: Whether the keys are there; false as long as the other device has not approved.
  /// - Throws: `CKError.invalidArguments` if there is no request any more: it was refused or
  ///   withdrawn, or too many others came after it.
  public func confirmDigits() async throws -> Bool {
    let isThere = try await ask { try await $0.takeApprovedKeys() }
    if isThere { tellOfKeys() }
    return isThere
  }

  /// Withdraws the request, because the other device refused the digits or the user changed their
  /// mind.
  public func withdrawRequest() async throws { try await ask { try await $0.withdrawRequest() } }

  /// The devices that ask this one for the keys, eight at most.
  public func waitingDevices() async throws -> [WaitingDevice] {
    try await ask { engine in
      try await engine.waitingDevices().map {
        WaitingDevice(request: $0.request, name: $0.name, date: Date($0.asked))
      }
    }
  }

  /// Begins to answer a device, which shows digits then.
  ///
  /// Call it again if it fails: a request is answered once, whatever fails.
  public func beginApproval(of device: WaitingDevice) async throws {
    try await ask { try await $0.beginApproval(of: device.request) }
  }

  /// Hands the keys over, if the user typed the digits that the new device shows.
  ///
  /// Ask the user for the digits, and let the new device alone show them: a person who only
  /// compares says yes too easily. After three wrong attempts the approval ends, and the new device
  /// has to ask again.
  ///
  /// - Parameter code: The digits as the user typed them; spaces and dashes do not matter.
  /// - Throws: `CKError.permissionFailure` for digits that are wrong, or typed before the new
  ///   device has answered; `CKError.invalidArguments` if there is no request any more;
  ///   `CKError.internalError` if the approval has ended.
  public func approve(_ device: WaitingDevice, code: String) async throws {
    try await ask { try await $0.approve(device.request, code: code) }
  }

  /// Turns a device away.
  public func refuse(_ device: WaitingDevice) async throws {
    try await ask { try await $0.refuse(device.request) }
  }

  // MARK: Other people

  /// Digits that are the same on a device of somebody else's, unless the server gave one of you
  /// false keys of the other.
  ///
  /// Parhelion's addition. Compare them with the other person by a way of your own, such as by
  /// voice; a device takes the first keys that it sees of somebody for true. Where they are others
  /// later, nothing is sealed for them any more until ``confirm(safetyNumber:with:)`` says that
  /// they are right.
  ///
  /// - Throws: `CKError.unknownItem` where the other person has no keys yet.
  public func safetyNumber(with userRecordID: CKRecord.ID) async throws -> String {
    try await ask { engine in
      try await engine.safetyNumber(with: try await identity(of: userRecordID, engine))
    }
  }

  /// Takes somebody's keys for true from now on, after both of you have seen the same digits.
  ///
  /// Parhelion's addition.
  ///
  /// - Throws: `CKError.permissionFailure` where the keys have others digits by now: compare anew.
  public func confirm(safetyNumber: String, with userRecordID: CKRecord.ID) async throws {
    try await ask { engine in
      let identity = try await identity(of: userRecordID, engine)
      guard try await engine.safetyNumber(with: identity) == safetyNumber else {
        throw CKError(
          .permissionFailure,
          "The keys of \(userRecordID.recordName) are not those whose digits were compared. Show the digits anew, and compare them."
        )
      }
      try await engine.trust(identity)
    }
    try container.session().vault.handKeysAnew()
  }

  private func identity(of userRecordID: CKRecord.ID, _ engine: EncryptionEngine) async throws
    -> PublicIdentity
  {
    guard let identity = try await engine.identity(of: userRecordID.recordName) else {
      throw CKError(
        .unknownItem,
        "\(userRecordID.recordName) has no keys for encrypted values yet: a program of theirs makes them when it uses encryption first."
      )
    }
    return identity
  }

  // MARK: Starting over

  /// Gives up what is encrypted in a zone, and deletes it with all it holds.
  ///
  /// Who names the zone then is told `zoneNotFound` with `CKErrorUserDidResetEncryptedDataKey`:
  /// make it anew and send everything again.
  public func reset(_ zoneID: CKRecordZone.ID) async throws {
    let coding = try await container.session().coding()
    try await ask { try await $0.resetZone(coding.identifier(zoneID)) }
  }

  /// Gives up everything that is encrypted, and makes new keys: for a user who has neither a device
  /// with the keys nor the recovery code.
  ///
  /// Parhelion's addition. All zones of the private database are deleted with all they hold,
  /// encrypted or not, as by ``reset(_:)``. The default zone stays, since it cannot be deleted:
  /// what is encrypted in it cannot be read any more. Other devices of the user are told
  /// `accountTemporarilyUnavailable`, and get the new keys as a new device does. Where it was
  /// interrupted, call it again.
  ///
  /// - Warning: A device that still has the keys, or the recovery code, would bring all of it back:
  ///   ask the user for them first.
  /// - Returns: The new recovery code, to be written down.
  public func resetAll() async throws -> String {
    let session = try container.session()
    let coding = try await session.coding()
    let zones = try await container.privateCloudDatabase.allRecordZones().map {
      coding.identifier($0.zoneID)
    }
    let code = try await ask { try await $0.resetEverything(zones: zones) }
    session.vault.beginAnew()
    tellOfKeys()
    return code.text
  }
}

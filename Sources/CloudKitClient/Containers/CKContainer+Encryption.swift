import CloudEncryption
import CloudRecords
public import Foundation

extension CKContainer {
  /// The user's encryption keys.
  ///
  /// Parhelion's addition. Apple's system stores keys in the keychain and syncs them between
  /// devices. With Parhelion, the first device creates the keys, together with a recovery code.
  /// Further devices get the keys with that code or by the approval of another device.
  public var encryption: Encryption { Encryption(container: self) }

  /// The user's encryption keys.
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

    /// Whether the device has the user's keys.
    public enum Status: Equatable, Sendable {
      /// The device has the user's keys.
      case ready
      /// The device has just created the user's first keys. Show the recovery code to the user, who
      /// must keep it.
      case readyWithNewKeys(recoveryCode: String)
      /// The user has keys, but this device does not. Use the recovery code or another device.
      case needsApproval
    }

    /// Another device that requests the keys.
    public struct WaitingDevice: Hashable, Sendable {
      let request: [UInt8]
      /// The device's name for itself, in one line of visible characters.
      ///
      /// The server could have changed the name, so it proves nothing.
      public let name: String
      /// The time of the request.
      public let date: Date
    }

    /// The state of this device's request for approval.
    public enum Progress: Equatable, Sendable {
      /// No other device has responded yet.
      case waiting
      /// Show these digits. The user types them on the other device.
      case compare(digits: String)
      /// The other device rejected the request.
      case refused
      /// The device has the keys.
      case ready
    }
  }
}

extension CKContainer.Encryption {
  func withEngine<Result: Sendable>(_ body: (EncryptionEngine) async throws -> Result)
    async throws -> Result
  {
    do {
      let work = try container.work()
      return try await work.options.limitingKeyRequests {
        try await body(try await work.session.vault.engine())
      }
    } catch {
      throw CKError(encryption: error)
    }
  }

  // MARK: Keys

  /// Whether this device has the user's keys.
  ///
  /// Creates them if the user has none.
  package func hasKeys() async throws -> Bool {
    let work = try container.work()
    return try await work.session.vault.hasKeys(work.options)
  }

  /// Posts a notification that the keys are available.
  func postKeysArrived() {
    guard let binding = try? container.binding() else { return }
    NotificationCenter.default.post(
      name: ContainerBinding.keysArrived, object: nil,
      userInfo: [ContainerBinding.bindingKey: ObjectIdentifier(binding)])
  }

  /// Returns whether the device has the keys.
  ///
  /// On a user's first device, the method creates the keys. Saving the first encrypted value
  /// creates them too. The first call after the keys were created returns the recovery code, once.
  public func status() async throws -> Status {
    let status: Status = try await withEngine { engine in
      if case .needsApproval = try await engine.start() { return .needsApproval }
      guard let code = try await engine.unseenCode() else { return .ready }
      try await engine.markCodeSeen()
      return .readyWithNewKeys(recoveryCode: code.text)
    }
    if status != .needsApproval {
      postKeysArrived()
      await (try? container.session())?.vault.resumeLeftoverResealing()
    }
    return status
  }

  /// Returns the recovery code, so that the program can show it again.
  ///
  /// Asks the server which code opens the keys. Nil on a device that got the keys from another
  /// device, and after another device has renewed the code.
  public func recoveryCode() async throws -> String? {
    try await withEngine { engine in
      let code = try await engine.recoveryCode()
      try await engine.markCodeSeen()
      return code?.text
    }
  }

  /// Gets the keys with the recovery code.
  ///
  /// Case, spaces and dashes are ignored.
  public func recover(with recoveryCode: String) async throws {
    try await withEngine { try await $0.recover(try RecoveryCode(recoveryCode)) }
    postKeysArrived()
  }

  /// Creates a new recovery code.
  ///
  /// The server replaces the key bag that the old code opens. If the call fails, the server may
  /// have done so: the next ``status()`` then returns the new code.
  ///
  /// - Warning: The keys stay the same. The old code still decrypts a copy of the old key bag, such
  ///   as in a backup of the server, and so all values, including those that are saved later.
  ///   Only ``resetAll()`` creates new keys.
  public func renewRecoveryCode() async throws -> String {
    try await withEngine { try await $0.renewRecoveryCode().text }
  }

  // MARK: Another device

  /// Requests the keys from the user's other devices.
  ///
  /// Has no effect if this device has them.
  public func requestApproval(deviceName: String) async throws {
    try await withEngine { try await $0.askForApproval(deviceName: deviceName) }
  }

  /// Returns the state of the request.
  ///
  /// Poll this method.
  ///
  /// - Throws: `CKError.invalidArguments` if the request no longer exists: it was withdrawn, it
  ///   expired after a day, or too many newer ones displaced it.
  public func approvalProgress() async throws -> Progress {
    try await withEngine { engine in
      switch try await engine.approvalProgress() {
      case .waiting: .waiting
      case .compare(let digits): .compare(digits: digits)
      case .refused: .refused
      case .ready: .ready
      }
    }
  }

  /// Adopts the keys from the other device.
  ///
  /// Call it after the user has confirmed on this device that the other one accepted the digits.
  ///
  /// - Warning: Do not call it before this confirmation, which is the only protection against a
  ///   server that impersonates the other device.
  /// - Returns: Whether the device has the keys; false until the other device has approved.
  /// - Throws: `CKError.invalidArguments` if the request no longer exists: it was rejected or
  ///   withdrawn, it expired after a day, or too many newer ones displaced it.
  public func confirmDigits() async throws -> Bool {
    let isThere = try await withEngine { try await $0.takeApprovedKeys() }
    if isThere { postKeysArrived() }
    return isThere
  }

  /// Withdraws the request, because the other device rejected the digits or the user changed their
  /// mind.
  public func withdrawRequest() async throws {
    try await withEngine { try await $0.withdrawRequest() }
  }

  /// The devices that request the keys from this one, eight at most.
  public func waitingDevices() async throws -> [WaitingDevice] {
    try await withEngine { engine in
      try await engine.waitingDevices().map {
        WaitingDevice(request: $0.request, name: $0.name, date: Date($0.asked))
      }
    }
  }

  /// Responds to a device's request.
  ///
  /// The new device then shows digits.
  ///
  /// If the call fails, repeat it: a repeated call gives the same response.
  public func beginApproval(of device: WaitingDevice) async throws {
    try await withEngine { try await $0.beginApproval(of: device.request) }
  }

  /// Sends the keys if the user has typed the digits that the new device shows.
  ///
  /// Let the user type the digits, and show them on the new device only: people who just compare
  /// them confirm too easily. After three wrong attempts, the approval ends and the new device must
  /// send a new request.
  ///
  /// - Parameters:
  ///   - device: The device to approve.
  ///   - code: The digits as typed. Spaces and dashes are ignored.
  /// - Throws: `CKError.permissionFailure` if the digits are wrong, or typed before the new device
  ///   has responded; `CKError.invalidArguments` if the request no longer exists or its approval
  ///   has ended; `CKError.internalError` if this call ends the approval.
  public func approve(_ device: WaitingDevice, code: String) async throws {
    try await withEngine { try await $0.approve(device.request, code: code) }
  }

  /// Refuses a device's request.
  public func refuse(_ device: WaitingDevice) async throws {
    try await withEngine { try await $0.refuse(device.request) }
  }

  // MARK: Starting over

  /// Deletes a zone and everything in it, and abandons its encrypted values.
  ///
  /// Requests for the zone then fail with `zoneNotFound` and `CKErrorUserDidResetEncryptedDataKey`.
  /// Create the zone again and upload everything.
  public func reset(_ zoneID: CKRecordZone.ID) async throws {
    let coding = try await container.session().coding()
    try await withEngine { try await $0.resetZone(coding.identifier(zoneID)) }
  }

  /// Abandons all encrypted values and creates new keys, for a user who has neither a device with
  /// the keys nor the recovery code.
  ///
  /// Parhelion's addition. All zones of the private database are deleted with everything in them,
  /// as by ``reset(_:)``. The default zone cannot be deleted; its encrypted values become
  /// unreadable. The user's other devices get `accountTemporarilyUnavailable`, and obtain the new
  /// keys like a new device. If the call is interrupted, repeat it.
  ///
  /// - Warning: A device that still has the keys, or the recovery code, can recover everything. Ask
  ///   the user for them first.
  /// - Returns: The new recovery code. The user must keep it.
  public func resetAll() async throws -> String {
    let session = try container.session()
    let coding = try await session.coding()
    let zones = try await container.privateCloudDatabase.allRecordZones().map {
      coding.identifier($0.zoneID)
    }
    let code = try await withEngine { try await $0.resetEverything(zones: zones) }
    session.vault.forgetKeyState()
    postKeysArrived()
    return code.text
  }
}

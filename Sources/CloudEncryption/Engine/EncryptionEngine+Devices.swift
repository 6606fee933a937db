package import CloudRecords

/// Getting the user's keys from one device to another; `DeviceApproval` shows the steps.
extension EncryptionEngine {
  /// Another device that asks for the keys.
  package struct WaitingDevice: Hashable, Sendable {
    /// The request's name, for the calls that answer it.
    package let request: [UInt8]
    /// What the device says that it is called.
    package let name: String
    package let asked: Timestamp
  }

  /// How far this device's own request has come.
  package enum Progress: Hashable, Sendable {
    /// No other device has answered yet.
    case waiting
    /// Both devices show these digits: the user must say on both that they are the same.
    case compare(String)
    /// The other device did not want to.
    case refused
    /// The device has the keys.
    case ready
  }

  // MARK: The new device

  /// Asks the user's other devices for the keys; a device that has them asks nobody.
  package func askForApproval(deviceName: String) async throws {
    if try await hasPresentKeys() { return }
    let device = NewDevice(account, surroundings.randomBytes)
    let name = Self.shortened(deviceName)
    let ownTime = surroundings.now()
    try await changeRequests { requests, now in
      // This one is there where another device was faster with something else.
      requests.removeAll { [device.request, newDevice?.request].contains($0.identifier) }
      if requests.count >= Limits.waitingDevices { requests.removeFirst(requests.count - Limits.waitingDevices + 1) }
      requests.append(device.asked(deviceName: name, at: now ?? ownTime))
    }
    newDevice = device
  }

  /// Looks whether another device has answered, and answers it.
  package func approvalProgress() async throws -> Progress {
    guard var device = newDevice else {
      guard try await hasPresentKeys() else { throw Self.noSuchRequest }
      return .ready
    }
    var progress = Progress.waiting
    try await changePrivateBag { bag in
      guard var bag, let index = bag.requests.firstIndex(where: { $0.identifier == device.request }) else {
        throw Self.noSuchRequest
      }
      switch bag.requests[index].step {
      case .asked: progress = .waiting
      case .challenged(_, let challenge):
        bag.requests[index].step = try device.reveal(for: challenge, of: bag.identity)
        progress = device.code.map { .compare($0) } ?? .waiting
        return bag
      case .revealed, .approved: progress = device.code.map { .compare($0) } ?? .waiting
      case .refused: progress = .refused
      }
      return nil
    }
    newDevice = progress == .refused ? nil : device
    return progress
  }

  /// Whether the device has the user's keys, and no others were made since.
  private func hasPresentKeys() async throws -> Bool {
    guard try stored().own != nil, let bag = try await privateBag()?.bag else { return false }
    return try userKeys().identity == bag.identity
  }

  /// Takes the keys, after the user has said on this device that the digits are the same.
  ///
  /// - Returns: Whether the keys are there; false as long as the user has not said so on the other device.
  /// - Throws: ``EncryptionError/Code/noSuchRequest`` where the other device did not want to.
  package func takeApprovedKeys() async throws -> Bool {
    guard let device = newDevice else { throw Self.noSuchRequest }
    guard let bag = try await privateBag()?.bag,
      let request = bag.requests.first(where: { $0.identifier == device.request })
    else { throw Self.noSuchRequest }
    if case .refused = request.step { throw Self.noSuchRequest }
    guard case .approved(let sealedSecret) = request.step else { return false }
    let keys = try device.keys(sealedSecret)
    try take(keys, code: nil)
    newDevice = nil
    try await publish(keys)
    try await removeRequest(device.request)
    return true
  }

  /// Ends this device's request, because the digits differ or the user thought better of it.
  package func withdrawRequest() async throws {
    guard let device = newDevice else { return }
    newDevice = nil
    try await removeRequest(device.request)
  }

  // MARK: The device that has the keys

  /// The devices that ask, in the order in which they did.
  package func waitingDevices() async throws -> [WaitingDevice] {
    _ = try userKeys()
    return (try await privateBag()?.bag.requests ?? []).compactMap { request in
      switch request.step {
      case .approved, .refused: nil
      case .challenged,
        .revealed where approving[request.identifier] == nil:
        nil
      default:
        WaitingDevice(
          request: request.identifier, name: Self.shortened(request.deviceName), asked: request.asked)
      }
    }
  }

  /// Begins to answer a device: it can show digits then.
  package func beginApproval(of request: [UInt8]) async throws {
    let keys = try userKeys()
    var device: ApprovingDevice?
    try await changePrivateBag { bag in
      guard var bag, let index = bag.requests.firstIndex(where: { $0.identifier == request }) else {
        throw Self.noSuchRequest
      }
      guard bag.identity == keys.identity else { throw DeviceApproval.failed("the key bag names other keys") }
      let step = bag.requests[index].step
      // The new device may have gone on from a challenge whose answer was lost.
      if let device, device.hasChallenged(step) { return nil }
      guard case .asked(let commitment) = step else { throw Self.noSuchRequest }
      let answering = ApprovingDevice(
        request: request, commitment: commitment, account, surroundings.randomBytes)
      device = answering
      bag.requests[index].step = answering.challenged
      return bag
    }
    approving[request] = device
  }

  /// The digits to show; nil as long as the new device has not answered.
  package func approvalCode(of request: [UInt8]) async throws -> String? {
    guard var device = approving[request] else { throw Self.noSuchRequest }
    guard let found = try await privateBag()?.bag.requests.first(where: { $0.identifier == request }) else {
      throw Self.noSuchRequest
    }
    let code = try device.code(found.step, identity: try userKeys().identity)
    approving[request] = device
    return code
  }

  /// Hands the keys over, after the user has said on this device that the digits are the same.
  package func approve(_ request: [UInt8]) async throws {
    guard let device = approving[request] else { throw Self.noSuchRequest }
    let approved = try device.approve(try userKeys(), surroundings.randomBytes)
    try await setStep(approved, of: request)
    approving[request] = nil
  }

  /// Turns a device away.
  package func refuse(_ request: [UInt8]) async throws {
    approving[request] = nil
    try await setStep(.refused, of: request)
  }

  // MARK: Requests

  private func setStep(_ step: DeviceRequest.Step, of request: [UInt8]) async throws {
    let identity = try userKeys().identity
    try await changePrivateBag { bag in
      guard var bag, let index = bag.requests.firstIndex(where: { $0.identifier == request }) else {
        throw Self.noSuchRequest
      }
      guard bag.identity == identity else { throw DeviceApproval.failed("the key bag names other keys") }
      bag.requests[index].step = step
      return bag
    }
  }

  private func removeRequest(_ request: [UInt8]) async throws {
    try await changeRequests { requests, _ in requests.removeAll { $0.identifier == request } }
  }

  /// - Parameter change: Is given what time it is on the server.
  private func changeRequests(_ change: (inout [DeviceRequest], Timestamp?) -> Void) async throws {
    try await changePrivateBag { bag in
      guard var bag else { throw Self.noSuchRequest }
      change(&bag.requests, bag.fetched)
      return bag
    }
  }

  private static func shortened(_ name: String) -> String {
    var short = name
    while short.utf8.count > Limits.deviceNameBytes { short.removeLast() }
    return short
  }

  private static var noSuchRequest: EncryptionError {
    EncryptionError(
      .noSuchRequest,
      "There is no such request of a device: it was withdrawn, refused, answered by another device, made room for later ones, or waited for more than a day. Ask again on the new device."
    )
  }
}

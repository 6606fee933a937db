package import CloudRecords

/// Passing the user's keys from one device to another, by the steps of `DeviceApproval`.
extension EncryptionEngine {
  // MARK: The new device

  /// Asks the user's other devices for the keys.
  ///
  /// Does nothing if this device already has them.
  package func askForApproval(deviceName: String) async throws {
    if try await hasCurrentKeys() { return }
    let device = NewDevice(account, dependencies.randomBytes)
    let (request, former) = (device.request, ownRequests)
    let (name, ownTime) = (DeviceName.cleaned(deviceName), dependencies.now())
    newDevice = consume device
    ownRequests.insert(request)
    try await changeRequests { requests, now in
      guard let asked = newDevice?.asked(deviceName: name, at: now ?? ownTime),
        asked.identifier == request
      else {
        throw EncryptionError.noSuchRequest
      }
      requests.removeAll { ownRequests.contains($0.identifier) }
      if requests.count >= Limits.waitingDevices {
        requests.removeFirst(requests.count - Limits.waitingDevices + 1)
      }
      requests.append(asked)
    }
    ownRequests.subtract(former)
  }

  /// Checks whether another device has answered, and replies to its challenge.
  ///
  /// - Throws: ``EncryptionError/Code/approvalFailed`` if the server shows a second challenge,
  ///   which ends the request.
  package func approvalProgress() async throws -> ApprovalProgress {
    guard let request = newDevice?.request else {
      guard try await hasCurrentKeys() else { throw EncryptionError.noSuchRequest }
      return .ready
    }
    var progress = ApprovalProgress.waiting
    do {
      try await exchange.changePrivateBag(of: account) { bag in
        // The request may have been withdrawn or repeated during a suspension.
        guard newDevice?.request == request, var bag,
          let index = bag.requests.firstIndex(where: { $0.identifier == request })
        else { throw EncryptionError.noSuchRequest }
        switch bag.requests[index].step {
        case .asked: progress = .waiting
        case .challenged(_, let challenge):
          // The answer is stored before it is sent, so no later failure allows an answer to another
          // challenge.
          guard let answer = try newDevice?.reveal(for: challenge, of: bag.identity) else {
            return nil
          }
          bag.requests[index].step = answer
          progress = shownProgress
          return bag
        case .revealed, .approved: progress = shownProgress
        case .refused: progress = .refused
        }
        return nil
      }
    } catch let error as EncryptionError where error.code == .approvalFailed {
      endRequest(request)
      throw error
    }
    if progress == .refused { endRequest(request) }
    return progress
  }

  private var shownProgress: ApprovalProgress { newDevice?.code.map { .compare($0) } ?? .waiting }

  private func endRequest(_ request: [UInt8]) {
    if newDevice?.request == request { newDevice = nil }
  }

  /// Whether the device has the user's current keys.
  private func hasCurrentKeys() async throws -> Bool {
    guard try stored().own != nil, let bag = try await exchange.privateBag(of: account)?.bag else {
      return false
    }
    return try userKeys().identity == bag.identity
  }

  /// Takes the keys after the user has confirmed on this device that the other device accepted the
  /// digits.
  ///
  /// - Returns: Whether the device has the keys. False until the user has approved on the other
  ///   device.
  /// - Throws: ``EncryptionError/Code/noSuchRequest`` if the other device rejected the request.
  package func takeApprovedKeys() async throws -> Bool {
    guard let name = newDevice?.request else {
      guard try await hasCurrentKeys() else { throw EncryptionError.noSuchRequest }
      return true
    }
    guard let bag = try await exchange.privateBag(of: account)?.bag,
      let request = bag.requests.first(where: { $0.identifier == name })
    else {
      throw EncryptionError.noSuchRequest
    }
    // The request may have been withdrawn, or the keys taken, during the suspension.
    guard newDevice?.request == name else { return try await takeApprovedKeys() }
    if case .refused = request.step { throw EncryptionError.noSuchRequest }
    guard case .approved(let sealedSecret) = request.step else { return false }
    guard let (keys, number) = try newDevice?.keys(sealedSecret) else {
      throw EncryptionError.noSuchRequest
    }
    let state = bag.state(keys, account)
    guard state?.number ?? 0 >= number else { throw EncryptionError.stateRolledBack }
    try take(keys, code: nil)
    try takeState(state)
    newDevice = nil
    try await publish(keys)
    try await removeOwnRequests()
    return true
  }

  /// Withdraws this device's request, because the other device rejected the digits or the user
  /// cancelled.
  package func withdrawRequest() async throws {
    newDevice = nil
    if !ownRequests.isEmpty { try await removeOwnRequests() }
  }

  // MARK: The device that has the keys

  /// The devices that ask for the keys, in the order of their requests.
  package func waitingDevices() async throws -> [WaitingDevice] {
    _ = try userKeys()
    return (try await exchange.privateBag(of: account)?.bag.requests ?? []).filter {
      $0.isWaiting(approvals[$0.identifier])
    }.map {
      WaitingDevice(
        request: $0.identifier, name: DeviceName.cleaned($0.deviceName), asked: $0.asked)
    }
  }

  /// Starts to answer a device, which can then show its digits.
  ///
  /// A request gets only one challenge, even after failures. The challenge belongs to the first
  /// commitment that this device saw.
  ///
  /// - Throws: ``EncryptionError/Code/approvalFailed`` if the request has another commitment now,
  ///   which ends the approval.
  package func beginApproval(of request: [UInt8]) async throws {
    let keys = try userKeys()
    try await exchange.changePrivateBag(of: account) { bag in
      guard var bag, let index = bag.requests.firstIndex(where: { $0.identifier == request }) else {
        throw EncryptionError.noSuchRequest
      }
      guard bag.identity == keys.identity else {
        throw DeviceApproval.failed("the key bag names other keys")
      }
      let step = bag.requests[index].step
      if case .asked(let commitment) = step, approvals[request] == nil {
        approvals[request] = .open(
          ApprovingDevice(
            request: request, commitment: commitment, account, dependencies.randomBytes))
      }
      return try answering(request) { (device) throws(EncryptionError) -> PrivateBag? in
        switch try device.relation(to: step) {
        case .before:
          bag.requests[index].step = device.challenged
          return bag
        case .after: return nil
        case .ofAnotherDevice: throw EncryptionError.noSuchRequest
        }
      }
    }
  }

  /// Passes the keys to a device if the user typed the digits that it shows.
  ///
  /// - Parameter code: The digits as typed, in any grouping.
  /// - Throws: ``EncryptionError/Code/wrongApprovalCode`` for wrong digits,
  ///   ``EncryptionError/Code/notAnswered`` if there are none yet,
  ///   ``EncryptionError/Code/approvalFailed`` if this ends the approval; then `noSuchRequest`.
  package func approve(_ request: [UInt8], code: String) async throws {
    guard case .open? = approvals[request] else { throw EncryptionError.noSuchRequest }
    guard
      let found = try await exchange.privateBag(of: account)?.bag.requests.first(where: {
        $0.identifier == request
      })
    else {
      throw EncryptionError.noSuchRequest
    }
    if case .refused = found.step { throw EncryptionError.noSuchRequest }
    let keys = try userKeys()
    // The state is sent first, so that the new device knows the trusted keys and the ended rings.
    try await shareState()
    let number = try stored().stateNumber
    let approved = try answering(request) { (device) throws(EncryptionError) in
      try device.recordReveal(found.step)
      return try device.approve(
        keys, stateNumber: number, typed: code, dependencies.randomBytes)
    }
    try await setStep(approved, of: request)
    approvals[request] = .ended
  }

  /// Rejects the request of a device.
  package func refuse(_ request: [UInt8]) async throws {
    approvals[request] = .ended
    try await setStep(.refused, of: request)
  }

  /// Changes a started approval, which the error `approvalFailed` ends.
  private func answering<Value>(
    _ request: [UInt8], _ change: (inout ApprovingDevice) throws(EncryptionError) -> Value
  ) throws(EncryptionError) -> Value {
    guard case .open(var device)? = approvals[request] else { throw EncryptionError.noSuchRequest }
    do throws(EncryptionError) {
      let value = try change(&device)
      approvals[request] = .open(device)
      return value
    } catch {
      approvals[request] = error.code == .approvalFailed ? .ended : .open(device)
      throw error
    }
  }

  // MARK: Requests

  private func setStep(_ step: DeviceRequest.Step, of request: [UInt8]) async throws {
    let identity = try userKeys().identity
    try await exchange.changePrivateBag(of: account) { bag in
      guard var bag, let index = bag.requests.firstIndex(where: { $0.identifier == request }) else {
        throw EncryptionError.noSuchRequest
      }
      guard bag.identity == identity else {
        throw DeviceApproval.failed("the key bag names other keys")
      }
      bag.requests[index].step = step
      return bag
    }
  }

  private func removeOwnRequests() async throws {
    let own = ownRequests
    try await changeRequests { requests, _ in requests.removeAll { own.contains($0.identifier) } }
    ownRequests.subtract(own)
  }

  /// Changes the requests in the private key bag.
  ///
  /// - Parameter change: Changes the requests. Also receives the server's time, if it is known.
  private func changeRequests(_ change: (inout [DeviceRequest], Timestamp?) throws -> Void)
    async throws
  {
    try await exchange.changePrivateBag(of: account) { bag in
      guard var bag else { throw EncryptionError.noSuchRequest }
      try change(&bag.requests, bag.fetched)
      return bag
    }
  }
}

/// Another device that asks for the keys.
package struct WaitingDevice: Hashable, Sendable {
  /// The identifier of the request, for the methods that answer it.
  package let request: [UInt8]
  /// The device's name, as one line without control characters.
  package let name: String
  package let asked: Timestamp
}

/// The progress of this device's own request.
package enum ApprovalProgress: Hashable, Sendable {
  /// No other device has answered yet.
  case waiting
  /// This device shows these digits, and the user types them on the other device.
  case compare(String)
  /// The other device rejected the request.
  case refused
  /// The device has the keys.
  case ready
}

import CloudKit

/// The keys of encrypted values: their state, and how another device gets them.
extension Program {
  /// Runs a command on keys.
  ///
  /// - Returns: Whether the command exists.
  func performKeys(_ words: [String]) async throws -> Bool {
    switch (words.first, words.count) {
    case (nil, 0): try await showKeys()
    case ("recover", 2):
      try await container.encryption.recover(with: words[1])
      print("this device has the keys")
    case ("ask", 2): try await ask(as: words[1])
    case ("approve", 1): try await approve()
    case ("allow", 1): try await allow()
    case ("start-over", 1):
      try await container.encryption.reset(zoneID)
      print("The encrypted values and the contacts were discarded.")
    default: return false
    }
    return true
  }

  private func showKeys() async throws {
    switch try await container.encryption.status() {
    case .ready:
      let code = try await container.encryption.recoveryCode()
      print(
        code.map { "the recovery code is \($0)" }
          ?? "this device got the keys from another one, which has the recovery code")
    case .readyWithNewKeys(let code):
      print("This is your first device. Write down the recovery code:", code, separator: "\n")
    case .needsApproval:
      print("other devices have the keys: contacts keys recover CODE, or contacts keys ask NAME")
    }
  }

  /// Asks the user's other devices for approval, and waits for one of them.
  private func ask(as name: String) async throws {
    guard try await container.encryption.status() == .needsApproval else {
      return print("this device has the keys")
    }
    try await container.encryption.requestApproval(deviceName: name)
    Self.show("On a device that has the keys: contacts keys approve")
    while true {
      switch try await container.encryption.approvalProgress() {
      case .waiting: try await Task.sleep(for: Self.pause)
      case .refused: return print("the other device did not want to")
      case .ready: return print("this device has the keys")
      case .compare(let digits):
        Self.show("Type \(digits) on the other device. Did it accept them? (yes or no)")
        guard readLine() == "yes" else {
          try await container.encryption.withdrawRequest()
          return print("nothing was taken")
        }
        while try await !container.encryption.confirmDigits() {
          try await Task.sleep(for: Self.pause)
        }
        return print("this device has the keys")
      }
    }
  }

  /// Answers each device that asks for approval.
  private func approve() async throws {
    for device in try await container.encryption.waitingDevices() {
      print("\(device.name) asks for the keys")
      try await container.encryption.beginApproval(of: device)
      print(
        try await isApproved(device)
          ? "\(device.name) gets the keys" : "\(device.name) was turned away")
    }
  }

  /// Gives keys to each participant who was not invited by name, if the user agrees.
  ///
  /// The server lists the participants and could invent one, so the user decides about each.
  private func allow() async throws {
    try await book().refresh()
    for request in try await container.encryption.keyRequests() {
      let person = request.userRecordID.recordName
      Self.show("May \(person) read encrypted numbers? (yes or no)")
      guard readLine() == "yes" else {
        try await container.encryption.deny(request)
        print("\(person) gets no keys")
        continue
      }
      try await container.encryption.allow(request)
      print("\(person) gets the keys")
    }
  }

  /// Returns whether the user typed the digits that the device shows.
  ///
  /// No digits reject the device.
  private func isApproved(_ device: CKContainer.Encryption.WaitingDevice) async throws -> Bool {
    Self.show("Type the digits that it shows, or nothing to turn it away:")
    while let digits = readLine(), !digits.isEmpty {
      do {
        try await container.encryption.approve(device, code: digits)
        return true
      } catch CKError.permissionFailure {
        Self.show("These are not its digits. Type them again, or nothing to turn it away:")
      }
    }
    try await container.encryption.refuse(device)
    return false
  }

  /// The pause between two requests, in which another device can answer.
  private static let pause = Duration.milliseconds(500)
}

import CloudKitTesting

/// Another user with data in their account, who signs in on the devices for a while.
struct GuestUser {
  static let user = "bob"

  /// The content of their account.
  let view: ServerView
  /// The names of their records.
  let names: Set<String>
}

/// Access to data: keys for encrypted values, and accounts.
extension World {
  /// The owner of the devices, or the first of several users with devices.
  static let user = "ada"

  // MARK: Keys

  /// Creates the keys on the first device and restores them on the second; others get them later.
  func giveFirstKeys() async throws {
    let code = try await devices[0].makeKeys()
    recoveryCode = code
    try await devices[1].restoreKeys(by: code)
  }

  func giveKeys(_ device: SimulatedDevice) async throws {
    if let recoveryCode { try await device.restoreKeys(by: recoveryCode) }
  }

  // MARK: Accounts

  /// Saves data in another user's account, after the devices have synced: a store belongs to the
  /// first account that it syncs with.
  func addGuest() async throws {
    for device in devices { try await device.runAllSteps() }
    let device = try makeDevice("GuestUser", plan.deviceCount + 1, isWhole: true)
    try await device.signIn(as: GuestUser.user)
    let change = Change(.addNote, number: 0, author: device.name, date: device.now, &generator)
    _ = try await device.save(change)
    try await device.runAllSteps()
    try device.stop()
    let view = try await ServerView(cloud, of: plan.workload, account: GuestUser.user)
    guest = GuestUser(view: view, names: try await view.names())
  }

  // MARK: Checking

  /// Checks that secrets are unreadable without keys, and that no account has other users' data.
  func checkSecrets() async throws {
    if plan.workload.encrypts {
      for text in try await view.readableSecrets() {
        violate(.secrecy, "The server has the encrypted text \"\(text)\" in plain form.")
      }
    }
    guard let guest else { return }
    let names = try await guest.view.names()
    if names != guest.names {
      violate(
        .secrecy,
        "\(GuestUser.user) has \(names.count) records, of which only \(guest.names.count) are their own."
      )
    }
  }
}

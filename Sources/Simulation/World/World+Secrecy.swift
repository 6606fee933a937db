import CloudKitTesting

/// Somebody else with an account and something in it, who signs in on others' devices for a while.
struct GuestUser {
  static let user = "bob"

  /// What their account has.
  let view: ServerView
  /// The names of their records.
  let names: Set<String>
}

/// Who may read what: keys for encrypted values, and accounts.
extension World {
  /// Whose devices these are.
  static let user = "ada"

  // MARK: Keys

  /// The first device makes the keys, and the second one gets them; others get them later.
  func giveFirstKeys() async throws {
    let code = try await devices[0].makeKeys()
    recoveryCode = code
    try await devices[1].getKeys(by: code)
  }

  func giveKeys(_ device: SimulatedDevice) async throws {
    if let recoveryCode { try await device.getKeys(by: recoveryCode) }
  }

  // MARK: Accounts

  /// Somebody else keeps something in an account of their own, and devices have found their user
  /// before that one signs in on them: a store is whose account it meets first.
  func letStrangerIn() async throws {
    for device in devices { try await device.doEverything() }
    let device = try makeDevice("GuestUser", plan.deviceCount + 1, isWhole: true)
    try await device.signIn(as: GuestUser.user)
    let change = Change(.addNote, number: 0, author: device.name, date: device.now, &generator)
    _ = try await device.save(change)
    try await device.doEverything()
    try device.stop()
    let view = try await ServerView(cloud, of: plan.workload, account: GuestUser.user)
    stranger = GuestUser(view: view, names: try await view.names())
  }

  // MARK: Checking

  /// Nobody can read what is secret without keys, and nobody's account has what others have saved.
  func checkSecrets() async throws {
    if plan.workload.encrypts {
      for text in try await view.readableSecrets() {
        violate(.secrecy, "The server knows the encrypted text \"\(text)\".")
      }
    }
    guard let stranger else { return }
    let names = try await stranger.view.names()
    if names != stranger.names {
      violate(
        .secrecy,
        "\(GuestUser.user) has \(names.count) records, of which \(stranger.names.count) are theirs."
      )
    }
  }
}

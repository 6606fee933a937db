private import CSodium

/// What every use of libsodium begins with.
enum Sodium {
  private static let status = sodium_init()

  static func start() {
    precondition(status >= 0, "libsodium could not be started: the system gives no random bytes.")
  }
}

private import CSodium

/// The initialization that every use of libsodium starts with.
enum Sodium {
  private static let status = sodium_init()

  static func start() {
    precondition(
      status >= 0, "libsodium could not be started: the system provides no random bytes.")
  }
}

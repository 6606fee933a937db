import CloudKitClient
import CloudRecords
import MirrorLedger
import MirrorModel
import SQLiteDriver

/// The cloud that a store is mirrored with: a server, a container, and its environment.
///
/// The ledger's tokens, tags and user belong to one cloud. If the program points at another one:
///
/// | difference | signed-in user | reaction |
/// |---|---|---|
/// | only the server's address | the same user | the server has moved: syncing continues |
/// | the environment | the same user | everything is sent there, under the same names |
/// | any | another user | a blocker, until the program moves the store |
///
/// A public store belongs to no user: a blocker follows any difference except the address. Servers
/// derive users' names from a secret and the container, so equal names mean one user of one server.
struct CloudIdentity: Hashable, Sendable {
  let server: String
  let container: String
  let environment: String

  init(_ address: CloudAddress) {
    (server, container) = (address.server, address.container.container)
    environment = address.container.environment.rawValue
  }

  /// Reads the recorded cloud; nil if there is none.
  init?(_ value: Value?) {
    guard case .text(let text)? = value else { return nil }
    let parts = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3 else { return nil }
    (server, container, environment) = (parts[0], parts[1], parts[2])
  }

  var value: Value { .text([server, container, environment].joined(separator: "\n")) }

  /// Whether the clouds differ at most in the server's address.
  func isSameButAddress(_ other: Self) -> Bool {
    container == other.container && environment == other.environment
  }

  /// The cloud, as part of a sentence.
  var words: String { "\(container) in \(environment) at \(server)" }
}

extension LedgerStateKey {
  /// The cloud of the ledger's tokens and tags.
  static let place = Self("place")
}

extension Setup {
  /// Throws if the server would encrypt values after devices have sealed values of the store.
  func checkSealing() throws {
    guard hasEncryptedAttributes,
      try mirror.container.binding().configuration.encryptedValues == .server,
      try ledger.state(.seals) != nil
    else { return }
    throw MirrorError(
      .notConfigured,
      "The container's configuration leaves encryption to the server (encryptedValues), but "
        + "devices have sealed the store's encrypted attributes until now. Nothing is sent. "
        + "Remove encryptedValues from the configuration, or use another store."
    )
  }

  /// Compares the program's cloud with the store's: accepts it, moves the store to it, or throws.
  ///
  /// - Parameter isSameUser: Whether the user of the store's data is signed in; nil if the data
  ///   belongs to no user.
  func checkPlace(isSameUser: Bool?) throws {
    let present = CloudIdentity(try mirror.container.binding().address)
    guard let former = CloudIdentity(try ledger.state(.place)) else {
      return try ledger.setState([.place: present.value])
    }
    if former == present { return }
    switch isSameUser {
    case true? where former.isSameButAddress(present): break
    case true?: return try moveStore(to: present)
    case nil where former.isSameButAddress(present): break
    default:
      throw MirrorError(
        .cloudChanged,
        "The store is mirrored with \(former.words), but the program now uses \(present.words).")
    }
    try ledger.setState([.place: present.value])
  }

  /// Requeues everything for another cloud.
  ///
  /// Records keep their names, so that existing ones are matched instead of duplicated. The new
  /// cloud is recorded last, so that an interrupted move restarts.
  private func moveStore(to place: CloudIdentity) throws {
    try forgetZone(isOfOtherCloud: true)
    try ledger.setState([.place: place.value])
  }

  /// Moves the store to the current cloud, regardless of the signed-in user; the program agreed.
  func adoptCurrentCloud() throws {
    try forgetZone(isOfOtherCloud: true)
    try ledger.setState([.account: .null, .place: .null])
  }
}

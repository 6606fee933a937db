import CloudKitClient
import CloudRecords
import MirrorLedger
import MirrorModel
import SQLiteDriver

/// With which cloud a store is mirrored: a server, a container, and its environment.
///
/// The ledger's tokens, tags and the user's name belong to one cloud. Where the program is pointed
/// at another one:
///
/// | what differs | who is signed in | then |
/// |---|---|---|
/// | the server's address alone | the same user | the same server has moved: all goes on |
/// | the environment | the same user | everything is sent to the other one, under the same names |
/// | anything | somebody else | nothing, until the program says that the store goes there |
///
/// A server makes the names of users with a secret of its own, for each container: the same name is
/// the same user of the same server.
struct CloudPlace: Hashable, Sendable {
  let server: String
  let container: String
  let environment: String

  init(_ address: CloudAddress) {
    (server, container) = (address.server, address.container.container)
    environment = address.container.environment.rawValue
  }

  /// The place that the ledger noted; nil for none.
  init?(_ value: Value?) {
    guard case .text(let text)? = value else { return nil }
    let parts = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3 else { return nil }
    (server, container, environment) = (parts[0], parts[1], parts[2])
  }

  var value: Value { .text([server, container, environment].joined(separator: "\n")) }

  /// Whether records that one has may be the other's.
  func isSameButAddress(_ other: Self) -> Bool {
    container == other.container && environment == other.environment
  }

  /// The place in a sentence.
  var words: String { "\(container) in \(environment) at \(server)" }
}

extension LedgerStateKey {
  /// The cloud that tokens and tags belong to.
  static let place = Self("place")
}

extension Setup {
  /// Refuses to leave encryption to the server after devices have sealed values of the store.
  func checkSealing() throws {
    guard hasEncryptedAttributes,
      try site.container.binding().configuration.encryptedValues == .server,
      try ledger.state(.seals) != nil
    else { return }
    throw MirrorError(
      .notConfigured,
      "The container's configuration leaves encryption to the server (encryptedValues), but "
        + "devices have sealed the store's encrypted attributes until now. Nothing is sent. "
        + "Remove encryptedValues from the configuration, or use another store."
    )
  }

  /// Sees whether the program is pointed at the cloud that the store is mirrored with.
  ///
  /// - Parameter isSameUser: Whether the user whose data the store has is signed in; nil where it
  ///   belongs to nobody.
  func checkPlace(isSameUser: Bool?) throws {
    let present = CloudPlace(try site.container.binding().address)
    guard let former = CloudPlace(try ledger.state(.place)) else {
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
        "The store is mirrored with \(former.words), and the program is pointed at "
          + "\(present.words)."
      )
    }
    try ledger.setState([.place: present.value])
  }

  /// Everything goes to another cloud: records keep their names, so that what is there already is
  /// met and not doubled.
  ///
  /// The place is noted last: what is broken off is done again.
  private func moveStore(to place: CloudPlace) throws {
    try forgetZone(isOfOtherCloud: true)
    try ledger.setState([.place: place.value])
  }

  /// The program has agreed that the store goes to the cloud that it is pointed at, whoever is
  /// signed in there.
  func adoptPresentCloud() throws {
    try forgetZone(isOfOtherCloud: true)
    try ledger.setState([.account: .null, .place: .null])
  }
}

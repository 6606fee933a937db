import Foundation

extension Sharing {
  /// Access requests by people who were not invited.
  struct Requests: Sendable {
    /// The values at one time.
    struct Stated: Equatable, Sendable {
      var areAllowed = false
      var requesters: [CKShare.AccessRequester] = []
      var blocked: [CKShare.BlockedIdentity] = []
    }

    private(set) var stated: Stated
    /// The values when the share was created, fetched or saved.
    private let former: Stated

    init(_ stated: Stated = Stated()) { (self.stated, former) = (stated, stated) }

    var isChanged: Bool { stated != former }

    /// The original values.
    var unchanged: Requests { Requests(former) }

    /// Whether anyone with the share's URL may request access.
    var areAllowed: Bool {
      get { stated.areAllowed }
      set { stated.areAllowed = newValue }
    }

    /// The requesters who were denied or blocked since the share was fetched.
    var denied: [CKShare.AccessRequester] {
      former.requesters.filter { !stated.requesters.contains($0) }
    }

    mutating func deny(_ requesters: [CKShare.AccessRequester]) {
      stated.requesters.removeAll { one in
        requesters.contains { $0.userIdentity.isSamePerson(as: one.userIdentity) }
      }
    }

    mutating func block(_ requesters: [CKShare.AccessRequester]) {
      block(requesters.map(\.userIdentity))
    }

    private mutating func block(_ identities: [CKUserIdentity]) {
      stated.requesters.removeAll { one in
        identities.contains { $0.isSamePerson(as: one.userIdentity) }
      }
      for identity in identities where !isBlocked(identity) {
        stated.blocked.append(CKShare.BlockedIdentity(identity))
      }
    }

    mutating func unblock(_ identities: [CKShare.BlockedIdentity]) {
      stated.blocked.removeAll { one in
        identities.contains { $0.userIdentity.isSamePerson(as: one.userIdentity) }
      }
    }

    private func isBlocked(_ identity: CKUserIdentity) -> Bool {
      stated.blocked.contains { $0.userIdentity.isSamePerson(as: identity) }
    }

    /// Whether the server's values reflect the changes.
    ///
    /// Requests that others made meanwhile are ignored.
    func isGranted(by other: Requests) -> Bool {
      guard isChanged else { return true }
      let (own, theirs) = (stated, other.stated)
      return own.areAllowed == theirs.areAllowed && own.blocked.count == theirs.blocked.count
        && own.blocked.allSatisfy { other.isBlocked($0.userIdentity) }
        && !denied.contains { gone in
          theirs.requesters.contains { $0.userIdentity.isSamePerson(as: gone.userIdentity) }
        }
    }

    /// The server's values, with the changes that the app made while the share was being saved.
    func changed(as now: Requests, since sent: Requests) -> Requests {
      var changed = self
      if now.areAllowed != sent.areAllowed { changed.areAllowed = now.areAllowed }
      changed.unblock(sent.stated.blocked.filter { !now.isBlocked($0.userIdentity) })
      let blocked = now.stated.blocked.map(\.userIdentity).filter { !sent.isBlocked($0) }
      changed.block(blocked)
      changed.deny(sent.stated.requesters.filter { !now.stated.requesters.contains($0) })
      return changed
    }
  }
}

// MARK: - Archives

extension Sharing.Requests {
  init(coder: NSCoder) {
    (stated, former) = (Stated(coder: coder, Self.now), Stated(coder: coder, Self.before))
  }

  func encode(with coder: NSCoder) {
    stated.encode(with: coder, Self.now)
    former.encode(with: coder, Self.before)
  }

  private static let now = ""
  private static let before = "Former"
}

extension Sharing.Requests.Stated {
  fileprivate init(coder: NSCoder, _ time: String) {
    areAllowed =
      coder.containsValue(forKey: time + Key.areAllowed)
      && coder.decodeBool(forKey: time + Key.areAllowed)
    requesters = coder.list(of: CKShareAccessRequester.self, time + Key.requesters) ?? []
    blocked = coder.list(of: CKShareBlockedIdentity.self, time + Key.blocked) ?? []
  }

  fileprivate func encode(with coder: NSCoder, _ time: String) {
    coder.encode(areAllowed, forKey: time + Key.areAllowed)
    coder.encode(list: requesters, forKey: time + Key.requesters)
    coder.encode(list: blocked, forKey: time + Key.blocked)
  }

  private enum Key {
    static let areAllowed = "AllowsAccessRequests"
    static let requesters = "AccessRequesters"
    static let blocked = "BlockedIdentities"
  }
}

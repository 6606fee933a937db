import CloudEncryption
import CloudRecords
import CloudWire

extension RecordVault {
  /// The state of the keys and shares that a vault knows.
  struct Progress {
    /// Whether the device has the user's keys.
    var isReady = false
    /// Whether encrypted data was reset elsewhere, so that this device's keys may be outdated.
    var areKeysDoubted = false
    /// The shares and zones whose keys this vault has delivered to the participants.
    var delivered: Set<KeyScope> = []
    /// The participants of the user's shares whose fetched version was new to this vault.
    ///
    /// These participants get the keys once the app uses encryption.
    var changed: [KeyScope: Guests] = [:]
    /// The change tags of the shares seen so far.
    var shareTags: [KeyScope: String] = [:]
    /// Other users' shares that have changed.
    ///
    /// Their keys are fetched again before the next value is sealed, because the owner creates a
    /// new key after the removal of a participant.
    var doubted: Set<KeyScope> = []
    /// The shares and zones whose values are to be resealed, because a participant has left,
    /// records have moved, or a share is new or was deleted.
    var markedScopes: Set<KeyScope> = []

    /// Whether the guests are those of the last version of a share that was fetched or saved.
    func areCurrent(_ guests: Guests, of scope: KeyScope) -> Bool {
      guests.tag == nil || shareTags[scope] == guests.tag
    }
  }

  /// The participants of a share who may read.
  struct Guests {
    /// The change tag of the share; nil if there is no share.
    var tag: String?
    var names: Set<String> = []
    /// The participants' proofs that they have the share's link, by user record name.
    var proofs: [String: [UInt8]] = [:]
    /// The participants who manage others, according to the server.
    var administrators: Set<String> = []
  }

  /// Records that this program deleted shares, so that all their people need a new invitation.
  ///
  /// Records other than shares are ignored. Like decisions, the end of a share is recorded even if
  /// the program has not encrypted anything yet.
  func recordEnd(of shares: [RecordIdentifier], _ options: CallOptions) async {
    guard !shares.isEmpty, let engine = await engineWithInvitations(options) else { return }
    for share in shares {
      let scope = KeyScope(zone: share.zone, shareName: share.recordName)
      try? await engine.withdrawInvitations(to: scope)
    }
  }

  /// Records that this program deleted zones with all their shares.
  func recordEnd(of zones: [RecordZoneIdentifier], _ options: CallOptions) async {
    guard !zones.isEmpty, let engine = await engineWithInvitations(options) else { return }
    for zone in zones { try? await engine.withdrawInvitations(in: zone) }
  }
}

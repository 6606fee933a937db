import BinaryCoding
import CloudRecords
import RecordStorage

/// A zone as one caller accesses it in one database.
struct ZoneAccess {
  /// The kind of access that the caller has to the zone.
  enum View: Hashable {
    case everyone
    case own
    /// Through shares, with the caller's view of each.
    case shared([SharedView])
  }

  /// A share through which the caller sees a part of the zone.
  struct SharedView: Hashable {
    var shareName: String
    /// The identifier of the owner as a participant, which is new in each share.
    ///
    /// It distinguishes the share from a later one of the same name.
    var identifier: String
    var coversZone: Bool
    var standing: ShareRole
    /// Whether the caller sees the records of the share.
    ///
    /// A participant without permission sees only the share itself.
    var showsRecords: Bool
    /// The zone's position at which the caller got access through the share; zero if it was not
    /// recorded.
    var begun: UInt64
  }

  let identifier: RecordZoneIdentifier
  let keys: ZoneKeys
  var zone: StoredZone
  let view: View
  /// A number that changes with the shares through which the caller sees the zone, so that tokens
  /// from before a change expire.
  var generation: UInt64 = 0

  var isPublic: Bool { view == .everyone }
}

// MARK: - Access to a record

extension ZoneAccess {
  /// The caller's access to a record, through the share that grants the most.
  func subject(of record: StoredRecord?, coveringShareName: String? = nil) -> Subject {
    guard case .shared(let shares) = view else {
      return .own(identifier.isDefaultZone ? .defaultZone : .customZone)
    }
    if let whole = shares.first(where: \.coversZone) { return .others(whole.standing, .wholeZone) }
    let name = record?.coveringShareName ?? coveringShareName
    guard let share = shares.first(where: { $0.shareName == name }) else {
      // The caller has access through another share, and may not learn of records outside it.
      return .others(.participant(.user, .readOnly), .outsideTree)
    }
    return .others(share.standing, record?.shareName == share.shareName ? .root : .inTree)
  }

  /// The caller's access to a share's record.
  func subject(ofShare record: StoredRecord) -> Subject {
    guard case .shared(let shares) = view else {
      return .own(identifier.isDefaultZone ? .defaultZone : .customZone)
    }
    guard let share = shares.first(where: { $0.shareName == record.recordName }) else {
      return .others(.outsider, .outsideTree)
    }
    return .others(share.standing, share.coversZone ? .wholeZone : .inTree)
  }

  /// Whether the caller sees the whole zone.
  var seesAll: Bool {
    guard case .shared(let shares) = view else { return true }
    return shares.contains { $0.coversZone && $0.showsRecords }
  }

  /// The names of the shares that give the caller access.
  var shareNames: Set<String> {
    guard case .shared(let shares) = view else { return [] }
    return Set(shares.map(\.shareName))
  }

  /// The names of those shares that show records to the caller.
  var showingShareNames: Set<String> {
    guard case .shared(let shares) = view else { return [] }
    return Set(shares.lazy.filter(\.showsRecords).map(\.shareName))
  }

  /// Whether the caller saw a record through one of its former shares, and that share stopped
  /// showing the record after a position.
  func saw(_ former: [PreviousShare], endedAfter position: UInt64) -> Bool {
    guard !former.isEmpty, case .shared(let shares) = view else { return false }
    return former.contains { one in
      shares.contains {
        $0.shareName == one.name && $0.showsRecords && max($0.begun, position) < one.end ?? .max
      }
    }
  }

  /// Whether the caller sees the whole zone, and already saw it after `position` but before `end`.
  func sawAll(until end: UInt64, after position: UInt64) -> Bool {
    guard case .shared(let shares) = view else { return true }
    return shares.contains { $0.coversZone && $0.showsRecords && max($0.begun, position) < end }
  }
}

extension [ZoneAccess.SharedView] {
  /// A hash of what these shares show.
  ///
  /// It changes when a share is added, removed or replaced, or when access to one starts or ends.
  var fingerprint: UInt32 {
    var form = BinaryWriter(capacity: 96)
    for view in sorted(by: { $0.shareName < $1.shareName }) {
      form.text(view.shareName)
      form.text(view.identifier)
      form.byte(view.showsRecords ? 1 : 0)
      // A view without a recorded start keeps the fingerprint from before starts were recorded.
      if view.begun > 0 { form.number(view.begun) }
    }
    return Fingerprint.of(form.bytes)
  }
}

import BinaryCoding
import CloudRecords
import RecordStorage

/// A zone, as one caller reaches it in one database.
struct ZoneAccess {
  /// How the caller comes to the zone.
  enum View: Hashable {
    case everybodys
    case own
    /// By shares, with what the caller is to each.
    case shared([SharedView])
  }

  /// A share by which the caller sees something of the zone.
  struct SharedView: Hashable {
    var shareName: String
    /// Tells the share from a later one of the same name: the identifier of its owner as a
    /// participant, which each share gives anew.
    var identifier: String
    var coversZone: Bool
    var standing: ShareRole
    /// Whether the caller sees the records that the share covers; one who may nothing sees the
    /// share alone.
    var showsRecords: Bool
    /// The zone's position from which on the caller has seen by the share; zero where nobody noted
    /// it.
    var begun: UInt64
  }

  let identifier: RecordZoneIdentifier
  let keys: ZoneKeys
  var zone: StoredZone
  let view: View
  /// Tells what the caller sees of the zone now from what it saw by other shares, or when it joined
  /// before: what was read then is no beginning for going on.
  var generation: UInt64 = 0

  var isPublic: Bool { view == .everybodys }
}

// MARK: - Where a record stands

extension ZoneAccess {
  /// The caller's standing towards a record, by the share that gives it the most.
  func subject(of record: StoredRecord?, coveringShareName: String? = nil) -> Subject {
    guard case .shared(let shares) = view else {
      return .own(identifier.isDefaultZone ? .defaultZone : .customZone)
    }
    if let whole = shares.first(where: \.coversZone) { return .others(whole.standing, .wholeZone) }
    let name = record?.coveringShareName ?? coveringShareName
    guard let share = shares.first(where: { $0.shareName == name }) else {
      // The caller is in the zone by another share: it may not know that there is more.
      return .others(.participant(.user, .readOnly), .outsideTree)
    }
    return .others(share.standing, record?.shareName == share.shareName ? .root : .inTree)
  }

  /// The caller's standing towards a share's record.
  func subject(ofShare record: StoredRecord) -> Subject {
    guard case .shared(let shares) = view else {
      return .own(identifier.isDefaultZone ? .defaultZone : .customZone)
    }
    guard let share = shares.first(where: { $0.shareName == record.recordName }) else {
      return .others(.outsider, .outsideTree)
    }
    return .others(share.standing, share.coversZone ? .wholeZone : .inTree)
  }

  /// Whether the caller sees everything that is in the zone.
  var seesAll: Bool {
    guard case .shared(let shares) = view else { return true }
    return shares.contains { $0.coversZone && $0.showsRecords }
  }

  /// The names of the shares that the caller comes by.
  var shareNames: Set<String> {
    guard case .shared(let shares) = view else { return [] }
    return Set(shares.map(\.shareName))
  }

  /// The names of those of them that show the caller records.
  var showingShareNames: Set<String> {
    guard case .shared(let shares) = view else { return [] }
    return Set(shares.lazy.filter(\.showsRecords).map(\.shareName))
  }

  /// Whether the caller saw a record by one of the shares that showed it, and saw it go behind a
  /// position.
  func saw(_ former: [PreviousShare], goBehind position: UInt64) -> Bool {
    guard !former.isEmpty, case .shared(let shares) = view else { return false }
    return former.contains { one in
      shares.contains {
        $0.shareName == one.name && $0.showsRecords && max($0.begun, position) < one.end ?? .max
      }
    }
  }

  /// Whether the caller sees the whole zone, and saw something of it go behind a position.
  func sawAll(goAt end: UInt64, behind position: UInt64) -> Bool {
    guard case .shared(let shares) = view else { return true }
    return shares.contains { $0.coversZone && $0.showsRecords && max($0.begun, position) < end }
  }
}

extension [ZoneAccess.SharedView] {
  /// A number for what these shares show: another share, another permission to read, or the same
  /// one given again has another.
  var fingerprint: UInt32 {
    var form = BinaryWriter(capacity: 96)
    for view in sorted(by: { $0.shareName < $1.shareName }) {
      form.text(view.shareName)
      form.text(view.identifier)
      form.byte(view.showsRecords ? 1 : 0)
      // Whoever saw by a share before it was noted goes on.
      if view.begun > 0 { form.number(view.begun) }
    }
    return Fingerprint.of(form.bytes)
  }
}

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
    var coversZone: Bool
    var standing: Standing
  }

  let identifier: RecordZoneIdentifier
  let keys: ZoneKeys
  var zone: StoredZone
  let view: View
  /// Counts how often the caller joined: what was read before is no beginning for going on.
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
    return shares.contains(where: \.coversZone)
  }

  /// The names of the shares that the caller comes by.
  var shareNames: Set<String> {
    guard case .shared(let shares) = view else { return [] }
    return Set(shares.map(\.shareName))
  }
}

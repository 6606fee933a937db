/// The records that one user could see, and since when.
///
/// This decides which deletions the user may learn of, and whether tokens are valid.
struct SharedZoneView {
  /// A user's participation in a share.
  struct Participation: Hashable {
    var incarnation: String
    var showsRecords: Bool
  }

  /// The view that a token belongs to.
  ///
  /// A token of another view must expire.
  struct TokenView: Hashable {
    fileprivate var participations: [String: Participation] = [:]
    /// The number of times that each share has shown the user records.
    fileprivate var times: [String: Int] = [:]
    /// The number of times that the user joined the zone after seeing nothing of it.
    fileprivate var arrivals = 0
  }

  private(set) var tokenView = TokenView()
  /// The records that each current share has shown since the user sees it.
  private var seen: [String: Set<String>] = [:]
  private var times: [String: Int] = [:]

  /// Whether the user participates in any share.
  var participates: Bool { !tokenView.participations.isEmpty }

  /// Whether the user may learn that a record is gone.
  func mayLearnDeletion(of name: String) -> Bool { seen.values.contains { $0.contains(name) } }

  /// Adds what is visible now.
  ///
  /// - Parameter visible: The visible records, each with the share that shows it.
  mutating func note(_ participations: [String: Participation], _ visible: [String: String]) {
    if tokenView.participations.isEmpty, !participations.isEmpty { tokenView.arrivals += 1 }
    for (share, now) in participations where now.showsRecords {
      let before = tokenView.participations[share]
      if before?.showsRecords != true || before?.incarnation != now.incarnation {
        times[share, default: 0] += 1
        seen[share] = []
      }
    }
    let showing = Set(participations.filter(\.value.showsRecords).keys)
    seen = seen.filter { showing.contains($0.key) }
    for (name, share) in visible { seen[share]?.insert(name) }
    tokenView.participations = participations
    tokenView.times = times.filter { showing.contains($0.key) }
  }
}

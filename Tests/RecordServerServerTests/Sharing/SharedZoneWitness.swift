/// What one person could see, and since when: what it may be told of, and whether its tokens are
/// good.
struct SharedZoneWitness {
  /// How somebody takes part in a share.
  struct Participation: Hashable {
    var incarnation: String
    var showsRecords: Bool
  }

  /// What a token belongs to: with another sight, it has to expire.
  struct Sight: Hashable {
    fileprivate var participations: [String: Participation] = [:]
    /// Of each share that shows the person records, the how-manyth time it does.
    fileprivate var times: [String: Int] = [:]
    /// How often the person came to the zone when it saw nothing of it.
    fileprivate var arrivals = 0
  }

  private(set) var sight = Sight()
  /// What was there to be seen by each share that shows the person records, since it does.
  private var seen: [String: Set<String>] = [:]
  private var times: [String: Int] = [:]

  /// Whether the person takes part in anything.
  var isThere: Bool { !sight.participations.isEmpty }

  /// Whether the person may hear that a record is gone.
  func mayHear(of name: String) -> Bool { seen.values.contains { $0.contains(name) } }

  /// Takes in what is there now.
  ///
  /// - Parameter sights: The records that the person sees, with the share by which it does.
  mutating func note(_ participations: [String: Participation], _ sights: [String: String]) {
    if sight.participations.isEmpty, !participations.isEmpty { sight.arrivals += 1 }
    for (share, now) in participations where now.showsRecords {
      let before = sight.participations[share]
      if before?.showsRecords != true || before?.incarnation != now.incarnation {
        times[share, default: 0] += 1
        seen[share] = []
      }
    }
    let showing = Set(participations.filter(\.value.showsRecords).keys)
    seen = seen.filter { showing.contains($0.key) }
    for (name, share) in sights { seen[share]?.insert(name) }
    sight.participations = participations
    sight.times = times.filter { showing.contains($0.key) }
  }
}

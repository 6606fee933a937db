/// An act of a user with shares.
enum SharingAct: String {
  case share, invite, accept, remove, open, stop, purge, leave, ask, answer

  /// The acts, weighted by repetition.
  static let weighted: [Self] = [
    .share, .share, .share, .invite, .invite, .invite, .accept, .accept, .accept, .accept, .remove,
    .open, .open, .stop, .purge, .leave, .ask, .ask, .answer, .answer,
  ]

  /// Whether the act needs a share of the user, rather than one of another user; nil if it needs no
  /// share.
  var needsOwnShare: Bool? {
    switch self {
    case .invite, .remove, .open, .stop, .purge, .answer: true
    case .leave: false
    case .share, .accept, .ask: nil
    }
  }

  /// The operation for which faults are counted.
  var operation: SimulatedOperation {
    switch self {
    case .share: .share
    case .invite, .remove, .open, .answer: .persistShare
    case .accept, .ask: .acceptShare
    case .stop, .purge, .leave: .endShare
    }
  }
}

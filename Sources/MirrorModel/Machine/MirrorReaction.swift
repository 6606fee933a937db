/// What is done about a fault: the table of DESIGN.md, as a value.
package enum MirrorReaction: Equatable, Sendable {
  /// It passes by itself: the step is done again after a wait.
  case tryAgain
  /// The step is done again with half as much at once.
  case sendLess
  /// Something is forgotten first.
  case reset(MirrorStep.Reset)
  /// Nothing is sent until the cause is gone or the user acts; imports continue.
  case holdExport
  /// Nothing goes on until something happens outside.
  case block(until: Lifting)

  /// What lifts a block.
  package enum Lifting: Equatable, Sendable {
    /// A user signs in.
    case account
    /// The program decides.
    case decision
    /// Nothing, for as long as the store is open.
    case never
  }

  package init(to kind: MirrorError.Kind) {
    self =
      switch kind {
      case .offline, .throttled, .serviceUnavailable, .zoneBusy, .cancelled, .store, .conflict,
        .unexpected,
        .notListening, .notMirrored, .nothingMirrored, .cannotUndo, .paused:
        .tryAgain
      case .limitExceeded: .sendLess
      case .tokenExpired: .reset(.tokens)
      case .zoneMissing: .reset(.zone)
      case .encryptedDataReset: .reset(.encryptedData)
      case .quotaExceeded, .permission, .schemaNotDeployed, .rejectedRecord, .unreadableValue,
        .unreadableRecord,
        .keysMissing, .peopleChanged:
        .holdExport
      case .noAccount, .signInAgain, .accountChanged, .cloudChanged, .notConfigured:
        .block(until: .account)
      case .zoneDeletedByUser: .block(until: .decision)
      case .storeRemoved, .storeInUse: .block(until: .never)
      }
  }
}

extension MirrorError.Kind {
  /// Whether nothing at all can be sent; else single records are held back, and others go.
  package var concernsEverything: Bool {
    self == .quotaExceeded || self == .permission || lacksUser
  }

  /// Whether something of a single record cannot be read, which keeps nothing else from coming.
  package var isOfSingleContents: Bool { self == .unreadableRecord || self == .unreadableValue }

  /// Whether no user is signed in.
  package var lacksUser: Bool { self == .noAccount || self == .signInAgain }
}

/// The reaction to an error; the table is in the DESIGN.md of CloudMirroring.
package enum MirrorReaction: Equatable, Sendable {
  /// The error is temporary: the step is retried after a delay.
  case tryAgain
  /// The step is retried with requests of half the size.
  case sendLess
  /// A reset runs first.
  case reset(MirrorStep.Reset)
  /// Exports wait until the cause is gone or the user acts; imports continue.
  case holdExport
  /// Work stops until an event outside the machine lifts the block.
  case block(until: Lifting)

  /// The event that lifts a block.
  package enum Lifting: Equatable, Sendable {
    /// The account changes, `sync()` checks again, or the program resolves the error.
    case account
    /// The program decides.
    case decision
    /// Nothing lifts it while the store is open.
    case never
  }

  package init(to kind: MirrorError.Kind) {
    self =
      switch kind {
      case .offline, .throttled, .serviceUnavailable, .zoneBusy, .cancelled, .store, .conflict,
        .unexpected, .notListening, .notMirrored, .nothingMirrored, .cannotUndo, .paused:
        .tryAgain
      case .limitExceeded: .sendLess
      case .tokenExpired: .reset(.tokens)
      case .zoneMissing: .reset(.zone)
      case .encryptedDataReset: .reset(.encryptedData)
      case .quotaExceeded, .permission, .schemaNotDeployed, .rejectedRecord, .unreadableValue,
        .unreadableRecord, .keysMissing, .peopleChanged:
        .holdExport
      case .noAccount, .signInAgain, .accountChanged, .cloudChanged, .notConfigured:
        .block(until: .account)
      case .zoneDeletedByUser: .block(until: .decision)
      case .storeRemoved, .storeInUse: .block(until: .never)
      }
  }
}

extension MirrorError.Kind {
  /// Whether nothing at all can be sent; otherwise only single records are held back.
  package var concernsEverything: Bool {
    self == .quotaExceeded || self == .permission || lacksUser
  }

  /// Whether a single record's content is unreadable, which does not stop other records.
  package var concernsSingleRecord: Bool { self == .unreadableRecord || self == .unreadableValue }

  /// Whether keys have to arrive, or a person's keys have to be confirmed.
  package var awaitsKeys: Bool { self == .keysMissing || self == .peopleChanged }

  /// Whether no user is signed in.
  package var lacksUser: Bool { self == .noAccount || self == .signInAgain }
}

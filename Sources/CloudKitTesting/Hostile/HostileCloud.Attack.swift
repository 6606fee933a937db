extension HostileCloud {
  /// An attack by a hostile server on one request.
  public enum Attack: String, CaseIterable, Hashable, Sendable {
    // MARK: People and keys

    /// Adds a person who was not invited to a share.
    case inventParticipant
    /// Shows a share that was never made.
    case inventShare
    /// Shows keys of its own for another user.
    case forgeKeys
    /// Shows an earlier key bag of a zone, a share or the user.
    case replayKeys
    /// Shows no key bag, as if there was none.
    case hideKeys
    /// Changes a bit of a key bag.
    case damageKeys

    // MARK: Records

    /// Shows an earlier version of a record as the current one.
    case replayRecord
    /// Shows fields of several versions of a record as one version.
    case mixVersions
    /// Shows a sealed value in another field or record.
    case moveValue
    /// Shows a value of its own, not sealed, in an encrypted field.
    case forgeValue
    /// Changes a bit of a sealed value.
    case damageValue
    /// Leaves out the sealed values of a record.
    case removeValue
    /// Leaves out one of the sealed values of a record.
    case omitValue
    /// Shows a value in another user's name, if a person with the keys helps the server.
    case impersonate
    /// Leaves out a record of a change feed.
    case hideRecord

    // MARK: Zones

    /// Pretends that a zone was deleted.
    case deleteZone
    /// Pretends that the keys of a zone were reset.
    case resetZone

    // MARK: Requests

    /// Drops the request, and reports a failure.
    case loseRequest
    /// Performs the request, and reports a failure.
    case failAfterDelivery
    /// Reports a failure, and performs the request before a later one.
    case delayRequest
    /// Asks the device to try again later.
    case refuse
  }
}

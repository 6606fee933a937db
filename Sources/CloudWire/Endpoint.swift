/// The operations on a database, by the path that follows the database's name.
package enum Endpoint: String, CaseIterable, Hashable, Sendable {
  case recordsQuery = "records/query"
  case recordsModify = "records/modify"
  case recordsLookup = "records/lookup"
  case recordsChanges = "records/changes"
  case recordsResolve = "records/resolve"
  case recordsAccept = "records/accept"
  /// An addition of Parhelion.
  case recordsRequestAccess = "records/requestAccess"
  case zonesList = "zones/list"
  case zonesLookup = "zones/lookup"
  case zonesModify = "zones/modify"
  case zonesChanges = "zones/changes"
  case changesDatabase = "changes/database"
  case changesZone = "changes/zone"
  case subscriptionsList = "subscriptions/list"
  case subscriptionsLookup = "subscriptions/lookup"
  case subscriptionsModify = "subscriptions/modify"
  case usersCaller = "users/caller"
  case usersCurrent = "users/current"
  case usersDiscover = "users/discover"
  case usersLookupEmail = "users/lookup/email"
  case usersLookupIdentifier = "users/lookup/id"
  case usersLookupContacts = "users/lookup/contacts"
  case assetsUpload = "assets/upload"
  case assetsRereference = "assets/rereference"
  case keyBagsLookup = "keyBags/lookup"
  case keyBagsModify = "keyBags/modify"

  /// Whether the operation changes stored data.
  ///
  /// Such an operation may notify devices, and an eavesdropper must not be able to replay its
  /// requests.
  package var isChanging: Bool {
    switch self {
    case .recordsModify, .recordsAccept, .recordsRequestAccess, .zonesModify, .subscriptionsModify,
      .assetsUpload,
      .assetsRereference, .keyBagsModify:
      true
    case .recordsQuery, .recordsLookup, .recordsChanges, .recordsResolve, .zonesList, .zonesLookup,
      .zonesChanges,
      .changesDatabase, .changesZone, .subscriptionsList, .subscriptionsLookup, .usersCaller,
      .usersCurrent,
      .usersDiscover, .usersLookupEmail, .usersLookupIdentifier, .usersLookupContacts,
      .keyBagsLookup:
      false
    }
  }

  /// Whether the server performs a request only once, even if the client repeats it
  /// (`RequestStamp`).
  ///
  /// The other changing operations only request upload addresses and receipts of files. Repeating
  /// them is harmless.
  package var isPerformedOnce: Bool {
    switch self {
    case .recordsModify, .recordsAccept, .recordsRequestAccess, .zonesModify, .subscriptionsModify,
      .keyBagsModify:
      true
    default: false
    }
  }

  /// Whether the operation may read much of a database.
  ///
  /// The server then reads in slices, between which other requests run.
  package var isReadInSlices: Bool {
    switch self {
    case .recordsQuery, .recordsChanges, .zonesList, .zonesChanges, .changesDatabase, .changesZone:
      true
    default: false
    }
  }

  /// Whether clients also send the request with GET.
  package var allowsGet: Bool {
    switch self {
    case .zonesList, .subscriptionsList, .usersCaller, .usersCurrent, .usersDiscover,
      .usersLookupContacts:
      true
    default: false
    }
  }
}

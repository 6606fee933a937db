package import CloudRecords
package import CloudWire
import Cryptography

extension RecordServer {
  /// Handles a request.
  ///
  /// - Throws: The error of the whole request. Errors of single items are part of the response.
  package func respond(
    to endpoint: Endpoint, body: [UInt8], _ call: Call
  ) async throws(CloudError) -> any WireResponse {
    try call.checkDatabase()
    let call = call.withFingerprint(endpoint, body)
    return switch endpoint {
    case .recordsQuery: try await queryRecords(RecordsQueryRequest(body: body), call)
    case .recordsModify: try await modifyRecords(RecordsModifyRequest(body: body), call)
    case .recordsLookup: try await lookUpRecords(RecordsLookupRequest(body: body), call)
    case .recordsChanges: try await recordChanges(RecordsChangesRequest(body: body), call)
    case .recordsResolve: try await resolveShares(SharesResolveRequest(body: body), call)
    case .recordsAccept: try await acceptShares(SharesAcceptRequest(body: body), call)
    case .recordsRequestAccess:
      try await requestAccess(SharesRequestAccessRequest(body: body), call)
    case .zonesList: try await listZones(call)
    case .zonesLookup: try await lookUpZones(ZonesLookupRequest(body: body), call)
    case .zonesModify: try await modifyZones(ZonesModifyRequest(body: body), call)
    case .zonesChanges:
      ZonesChangesResponse(try await databaseChanges(ChangesDatabaseRequest(body: body), call))
    case .changesDatabase: try await databaseChanges(ChangesDatabaseRequest(body: body), call)
    case .changesZone: try await zoneChanges(ChangesZoneRequest(body: body), call)
    case .keyBagsLookup: try await lookUpKeyBags(KeyBagsLookupRequest(body: body), call)
    case .keyBagsModify: try await modifyKeyBags(KeyBagsModifyRequest(body: body), call)
    case .subscriptionsList: try await listSubscriptions(call)
    case .subscriptionsLookup:
      try await lookUpSubscriptions(SubscriptionsLookupRequest(body: body), call)
    case .subscriptionsModify:
      try await modifySubscriptions(SubscriptionsModifyRequest(body: body), call)
    case .usersCaller: CallerResponse(user: try await currentUser(call))
    case .usersCurrent: CurrentUserResponse(user: try await currentUser(call))
    case .usersDiscover:
      UsersResponse(users: try await discoverUsers(UsersDiscoverRequest(body: body), call))
    case .usersLookupEmail, .usersLookupIdentifier, .usersLookupContacts:
      PlainUsersResponse(users: try await discoverUsers(UsersDiscoverRequest(body: body), call))
    case .assetsUpload: try await requestUploads(AssetsUploadRequest(body: body), call)
    case .assetsRereference: try await rereferenceAssets(AssetsRereferenceRequest(body: body), call)
    }
  }

  /// Handles a request, and returns the status and the body of the response.
  package func answer(
    to endpoint: Endpoint, body: [UInt8], _ call: Call, requestIdentifier: String
  ) async -> (status: Int, body: [UInt8]) {
    do throws(CloudError) {
      return (200, try await respond(to: endpoint, body: body, call).bytes)
    } catch {
      return (
        error.code.httpStatus,
        ErrorResponse(error: error, requestIdentifier: requestIdentifier).bytes
      )
    }
  }
}

extension Call {
  /// The call with a fingerprint of endpoint, database and body; a replay has the same one.
  fileprivate func withFingerprint(_ endpoint: Endpoint, _ body: [UInt8]) -> Call {
    guard stamp != nil else { return self }
    var digest = Digest(.sha256)
    digest.update("\(scope.name) \(endpoint.rawValue) ")
    digest.update(body)
    var call = self
    call.fingerprint = Array(digest.finish().prefix(StoredRequests.fingerprintByteCount))
    return call
  }

  /// Checks that the caller has access to the database.
  ///
  /// - Throws: The error of the whole request if the caller has no access, for example because it
  ///   must sign in.
  fileprivate func checkDatabase() throws(CloudError) {
    let subject: Subject = scope == .public ? .publicDatabase : .own(.customZone)
    let permission = Permission.decide(.seeZone, by: caller, on: subject)
    if let error = permission.error(
      hiding: CloudError(.accessDenied, "This database is not the caller's."))
    {
      throw error
    }
  }
}

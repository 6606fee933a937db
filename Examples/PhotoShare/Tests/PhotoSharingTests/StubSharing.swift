import CloudKit
import CoreData
import Foundation
import PhotoSharing

/// A test double of the cloud: shares are values in memory.
///
/// A test declares the shared objects; all others are unshared.
@MainActor final class StubSharing: SharingProvider, SharingActions {
  /// The shares, by their identifiers.
  private(set) var sharesByIdentifier: [String: StubShare] = [:]
  /// The share of each object.
  private var shareOfObject: [NSManagedObjectID: String] = [:]
  /// Shares whose objects the user may only read.
  private var readOnlyShares: Set<String> = []
  /// The error that actions throw; nil if they succeed.
  var failure: (any Error)?

  /// Declares that objects are in a share.
  func state(_ share: StubShare, of objects: [NSManagedObject], isReadOnly: Bool = false) {
    sharesByIdentifier[share.identifier] = share
    for object in objects { shareOfObject[object.objectID] = share.identifier }
    if isReadOnly { readOnlyShares.insert(share.identifier) }
  }

  /// Changes a share, as another person does.
  func change(_ identifier: String, _ change: (inout StubShare) -> Void) {
    guard var share = sharesByIdentifier[identifier] else { return }
    change(&share)
    sharesByIdentifier[identifier] = share
  }

  /// Ends a share, as another person does.
  func forget(_ identifier: String) {
    sharesByIdentifier[identifier] = nil
    shareOfObject = shareOfObject.filter { $0.value != identifier }
  }

  // MARK: Questions

  func isShared(object: NSManagedObject) -> Bool { isShared(objectID: object.objectID) }

  func isShared(objectID: NSManagedObjectID) -> Bool { shareOfObject[objectID] != nil }

  func participants(for object: NSManagedObject) -> [any RenderableShareParticipant] {
    share(of: object)?.participants ?? []
  }

  func shares(matching objectIDs: [NSManagedObjectID]) throws
    -> [NSManagedObjectID: any RenderableShare]
  {
    var shares: [NSManagedObjectID: any RenderableShare] = [:]
    for objectID in objectIDs {
      shares[objectID] = shareOfObject[objectID].flatMap { sharesByIdentifier[$0] }
    }
    return shares
  }

  func canEdit(object: NSManagedObject) -> Bool {
    guard let identifier = shareOfObject[object.objectID] else { return true }
    return !readOnlyShares.contains(identifier)
  }

  func canDelete(object: NSManagedObject) -> Bool { canEdit(object: object) }

  private func share(of object: NSManagedObject) -> StubShare? {
    shareOfObject[object.objectID].flatMap { sharesByIdentifier[$0] }
  }

  // MARK: Actions

  func shares() throws -> [any RenderableShare] {
    let shares = sharesByIdentifier.values.sorted { $0.identifier < $1.identifier }
    return shares.filter(\.isOwn) + shares.filter { !$0.isOwn }
  }

  @discardableResult
  func share(_ object: NSManagedObject, to share: (any RenderableShare)?, title: String)
    async throws -> any RenderableShare
  {
    if let failure { throw failure }
    let known = share.flatMap { sharesByIdentifier[$0.identifier] }
    let stub = known ?? StubShare(identifier: UUID().uuidString, title: title, isOwn: true)
    state(stub, of: reachable(from: object))
    return stub
  }

  /// Returns an object and all objects that its relationships reach.
  private func reachable(from object: NSManagedObject) -> [NSManagedObject] {
    var (reached, next) = (Set([object]), [object])
    while let object = next.popLast() {
      for name in object.entity.relationshipsByName.keys {
        let value = object.value(forKey: name)
        let targets =
          (value as? Set<NSManagedObject>).map(Array.init)
          ?? [value as? NSManagedObject].compactMap(\.self)
        for target in targets where reached.insert(target).inserted { next.append(target) }
      }
    }
    return Array(reached)
  }

  func invite(
    _ emailAddress: String, _ permission: CKShare.ParticipantPermission,
    to share: any RenderableShare
  ) async throws {
    if let failure { throw failure }
    change(share.identifier) { share in
      share.participants.removeAll { $0.identity.emailAddress == emailAddress }
      share.participants.append(
        StubParticipant(emailAddress, .privateUser, permission, .pending))
    }
  }

  func remove(_ participant: any RenderableShareParticipant, from share: any RenderableShare)
    async throws
  {
    if let failure { throw failure }
    change(share.identifier) { share in
      share.participants.removeAll { $0.participantID == participant.participantID }
    }
  }

  func end(_ share: any RenderableShare) async throws {
    if let failure { throw failure }
    forget(share.identifier)
  }
}

/// A share in memory.
struct StubShare: RenderableShare {
  var identifier: String
  var title: String?
  var isOwn: Bool
  var publicPermission = CKShare.ParticipantPermission.none
  var participants: [StubParticipant]

  init(
    identifier: String, title: String?, isOwn: Bool, participants: [StubParticipant]? = nil
  ) {
    (self.identifier, self.title, self.isOwn) = (identifier, title, isOwn)
    self.participants =
      participants
      ?? [
        StubParticipant(
          isOwn ? "ada@example.com" : "bob@example.com", .owner, .readWrite, .accepted)
      ]
  }

  var url: URL? { URL(string: "https://cloud.test/share/\(identifier)") }
  var renderableParticipants: [any RenderableShareParticipant] { participants }
}

/// A participant in memory.
struct StubParticipant: RenderableShareParticipant {
  var identity: StubIdentity
  var role: CKShare.ParticipantRole
  var permission: CKShare.ParticipantPermission
  var acceptanceStatus: CKShare.ParticipantAcceptanceStatus

  init(
    _ emailAddress: String?, _ role: CKShare.ParticipantRole,
    _ permission: CKShare.ParticipantPermission,
    _ acceptanceStatus: CKShare.ParticipantAcceptanceStatus, name: PersonNameComponents? = nil
  ) {
    identity = StubIdentity(nameComponents: name, emailAddress: emailAddress)
    (self.role, self.permission, self.acceptanceStatus) = (role, permission, acceptanceStatus)
  }

  var participantID: String { identity.emailAddress ?? "unknown" }
  var renderableUserIdentity: any RenderableUserIdentity { identity }
}

/// A person in memory.
struct StubIdentity: RenderableUserIdentity {
  var nameComponents: PersonNameComponents?
  var emailAddress: String?
}

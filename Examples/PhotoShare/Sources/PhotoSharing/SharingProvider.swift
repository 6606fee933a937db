import CloudKit
import CoreData
import Foundation

/// The sharing information that views read.
///
/// Views use this protocol instead of the container. So a test can inject a test double, and reach
/// each state of a view without an account or a network.
@MainActor public protocol SharingProvider: AnyObject {
  /// Whether an object is in a share of this user or of another user.
  func isShared(object: NSManagedObject) -> Bool
  /// Whether the object with an ID is in a share.
  func isShared(objectID: NSManagedObjectID) -> Bool
  /// Returns the participants of the share of an object.
  func participants(for object: NSManagedObject) -> [any RenderableShareParticipant]
  /// Returns the shares of objects.
  ///
  /// An unshared object has no entry.
  func shares(matching objectIDs: [NSManagedObjectID]) throws
    -> [NSManagedObjectID: any RenderableShare]
  /// Whether the user may change an object.
  func canEdit(object: NSManagedObject) -> Bool
  /// Whether the user may delete an object.
  func canDelete(object: NSManagedObject) -> Bool
}

/// Changes shares and their participants.
@MainActor public protocol SharingActions: AnyObject {
  /// Returns all shares, those of this user first.
  func shares() throws -> [any RenderableShare]
  /// Shares an object and all that it is related to.
  ///
  /// - Parameters:
  ///   - share: A share of this user; nil for a new one.
  ///   - title: The title of a new share.
  @discardableResult
  func share(_ object: NSManagedObject, to share: (any RenderableShare)?, title: String)
    async throws -> any RenderableShare
  /// Invites a person to a share of this user.
  func invite(
    _ emailAddress: String, _ permission: CKShare.ParticipantPermission,
    to share: any RenderableShare) async throws
  /// Removes a participant from a share of this user.
  func remove(_ participant: any RenderableShareParticipant, from share: any RenderableShare)
    async throws
  /// Ends a share of this user and keeps its objects, or leaves the share of another user.
  func end(_ share: any RenderableShare) async throws
}

/// The reason why an operation on a share is not possible.
public enum SharingFailure: Error, Equatable {
  /// The object is in a share already.
  case isShared
  /// The user is not the owner of the share.
  case notOwner
  /// The text is not an e-mail address, or no participant was found for it.
  case noAddress(String)
  /// The user may not change the object.
  case readOnly
  /// The share has ended, on this device or elsewhere.
  case ended
}

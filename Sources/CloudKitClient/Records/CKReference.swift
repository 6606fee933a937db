public import Foundation

extension CKRecord {
  /// A reference to another record.
  public typealias Reference = CKReference

  /// The effect of deleting a reference's target.
  public enum ReferenceAction: UInt, Sendable {
    /// No effect: the reference may dangle.
    case none = 0
    /// The referencing record is deleted too.
    case deleteSelf = 1
  }
}

// Sendable: immutable.
/// A reference to another record; also available as `CKRecord.Reference`.
public final class CKReference: NSObject, NSCopying, NSSecureCoding, Sendable {
  /// The effect of deleting a reference's target.
  public typealias Action = CKRecord.ReferenceAction

  /// The ID of the target.
  public let recordID: CKRecord.ID
  /// The effect of deleting the target.
  public let action: CKRecord.ReferenceAction

  /// Creates a reference to a record by its ID.
  ///
  /// The record need not exist.
  public init(recordID: CKRecord.ID, action: CKRecord.ReferenceAction) {
    self.recordID = recordID
    self.action = action
  }

  /// Creates a reference to a record, which need not have been saved.
  public convenience init(record: CKRecord, action: CKRecord.ReferenceAction) {
    self.init(recordID: record.recordID, action: action)
  }

  // MARK: Archives

  /// Creates a reference from an archive; nil if the archive contains none.
  public convenience init?(coder: NSCoder) {
    guard let recordID = coder.object(CKRecord.ID.self, Key.recordID),
      let action = CKRecord.ReferenceAction(
        rawValue: UInt(bitPattern: coder.decodeInteger(forKey: Key.action)))
    else { return nil }
    self.init(recordID: recordID, action: action)
  }

  /// Encodes the reference into an archive.
  public func encode(with coder: NSCoder) {
    coder.encode(recordID, forKey: Key.recordID)
    coder.encode(Int(action.rawValue), forKey: Key.action)
  }

  private enum Key {
    static let recordID = "RecordID"
    static let action = "ReferenceAction"
  }

  /// Whether the class supports secure coding, which it does.
  public static var supportsSecureCoding: Bool { true }

  /// Returns the reference itself, which is immutable.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: Identity

  /// Whether two references have the same target and action.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKReference else { return false }
    return recordID == other.recordID && action == other.action
  }

  /// A hash that is the same for equal references.
  public override var hash: Int { recordID.hash ^ Int(action.rawValue) }

  /// The target and the action.
  public override var description: String { "<CKReference: \(recordID), action=\(action)>" }
}

public import Foundation

extension CKRecord {
  /// A link to a record, as the value of a field.
  public typealias Reference = CKReference

  /// What a reference means when its target is deleted.
  public enum ReferenceAction: UInt, Sendable {
    /// Nothing: the reference may lead nowhere.
    case none = 0
    /// The record that holds the reference is deleted with its target.
    case deleteSelf = 1
  }
}

// Sendable: immutable.
/// A link to a record, as the value of a field: `CKRecord.Reference`.
public final class CKReference: NSObject, NSCopying, NSSecureCoding, Sendable {
  /// What a reference means when its target is deleted.
  public typealias Action = CKRecord.ReferenceAction

  /// The record that the reference leads to.
  public let recordID: CKRecord.ID
  /// What the reference means when that record is deleted.
  public let action: CKRecord.ReferenceAction

  /// A link to a record that is known by its name, whether or not it exists.
  public init(recordID: CKRecord.ID, action: CKRecord.ReferenceAction) {
    self.recordID = recordID
    self.action = action
  }

  /// A link to a record, which need not have been saved.
  public convenience init(record: CKRecord, action: CKRecord.ReferenceAction) {
    self.init(recordID: record.recordID, action: action)
  }

  // MARK: Archives

  /// Reads a reference from an archive; nil where it holds none.
  public convenience init?(coder: NSCoder) {
    guard let recordID = coder.object(CKRecord.ID.self, Key.recordID),
      let action = CKRecord.ReferenceAction(
        rawValue: UInt(bitPattern: coder.decodeInteger(forKey: Key.action)))
    else { return nil }
    self.init(recordID: recordID, action: action)
  }

  /// Writes the reference into an archive.
  public func encode(with coder: NSCoder) {
    coder.encode(recordID, forKey: Key.recordID)
    coder.encode(Int(action.rawValue), forKey: Key.action)
  }

  private enum Key {
    static let recordID = "RecordID"
    static let action = "ReferenceAction"
  }

  /// True: a reference holds a name and a number only.
  public static var supportsSecureCoding: Bool { true }

  /// The reference itself: it never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: Identity

  /// References are equal where they lead to the same record and mean the same.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKReference else { return false }
    return recordID == other.recordID && action == other.action
  }

  /// Equal references have equal hashes.
  public override var hash: Int { recordID.hash ^ Int(action.rawValue) }

  /// Where the reference leads.
  public override var description: String { "<CKReference: \(recordID), action=\(action)>" }
}

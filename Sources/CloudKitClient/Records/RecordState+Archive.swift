import CloudRecords
import Foundation
import GeographicLocations

/// The archived form of a record. Each part has its own key, so that a record can share an archive
/// with the app's own values.
extension RecordState {
  /// Decodes what `encode(with:fields:)` wrote; nil if a required part is missing or invalid.
  init?(coder: NSCoder) {
    guard let recordType = coder.text(Key.recordType),
      CloudName.recordType.defect(in: recordType) == nil,
      let recordID = coder.object(CKRecord.ID.self, Key.recordID)
    else { return nil }
    self.init(recordType: recordType, recordID: recordID)
    changeTag = coder.text(Key.changeTag)
    created = Stamp(coder, Key.creator, Key.creationDate)
    modified = Stamp(coder, Key.modifier, Key.modificationDate)
    parent = coder.object(CKRecord.Reference.self, Key.parent)
    isParentChanged = coder.decodeBool(forKey: Key.isParentChanged)
    formerParent = coder.object(CKRecord.Reference.self, Key.formerParent)
    share = coder.object(CKRecord.Reference.self, Key.share)
    sharing = Sharing(coder: coder)
    if let data = coder.object(NSData.self, Key.seals) {
      seals = SealStamps(bytes: [UInt8](data as Data)) ?? [:]
    }
    guard let plain = Fields(coder, Key.fields, Key.changedFields, Key.formerFields),
      let encrypted = Fields(
        coder, Key.encryptedFields, Key.changedEncryptedFields, Key.formerEncryptedFields)
    else { return nil }
    self.plain = plain
    self.encrypted = encrypted
  }

  func encode(with coder: NSCoder, fields: Bool) {
    coder.encode(recordType as NSString, forKey: Key.recordType)
    coder.encode(recordID, forKey: Key.recordID)
    coder.encode(changeTag as NSString?, forKey: Key.changeTag)
    created?.encode(with: coder, Key.creator, Key.creationDate)
    modified?.encode(with: coder, Key.modifier, Key.modificationDate)
    coder.encode(parent, forKey: Key.parent)
    coder.encode(isParentChanged, forKey: Key.isParentChanged)
    if let formerParent { coder.encode(formerParent, forKey: Key.formerParent) }
    coder.encode(share, forKey: Key.share)
    sharing?.encode(with: coder)
    if !seals.isEmpty { coder.encode(Data(seals.bytes) as NSData, forKey: Key.seals) }
    guard fields else { return }
    plain.encode(with: coder, Key.fields, Key.changedFields, Key.formerFields)
    encrypted.encode(
      with: coder, Key.encryptedFields, Key.changedEncryptedFields, Key.formerEncryptedFields)
  }

  private enum Key {
    static let recordType = "RecordType"
    static let recordID = "RecordID"
    static let changeTag = "RecordChangeTag"
    static let creator = "CreatorUserRecordID"
    static let creationDate = "RecordCreationDate"
    static let modifier = "LastModifiedUserRecordID"
    static let modificationDate = "RecordModificationDate"
    static let parent = "ParentReference"
    static let isParentChanged = "HasUpdatedParentReference"
    static let formerParent = "FormerParentReference"
    static let share = "ShareReference"
    static let seals = "ParhelionSeals"
    static let fields = "Fields"
    static let changedFields = "ChangedFields"
    static let formerFields = "FormerFields"
    static let encryptedFields = "EncryptedFields"
    static let changedEncryptedFields = "ChangedEncryptedFields"
    static let formerEncryptedFields = "FormerEncryptedFields"
  }
}

extension RecordState.Stamp {
  fileprivate init?(_ coder: NSCoder, _ userKey: String, _ dateKey: String) {
    guard let user = coder.object(CKRecord.ID.self, userKey),
      let date = coder.object(NSDate.self, dateKey)
    else { return nil }
    self.init(user: user, date: date as Date)
  }

  fileprivate func encode(with coder: NSCoder, _ userKey: String, _ dateKey: String) {
    coder.encode(user, forKey: userKey)
    coder.encode(date as NSDate, forKey: dateKey)
  }
}

extension RecordState.Fields {
  /// The classes of archived field values.
  private static let classes: [AnyClass] = [
    NSDictionary.self, NSArray.self, NSString.self, NSNumber.self, NSDate.self, NSData.self,
    CKReference.self,
    CKAsset.self, CLLocation.readableFromArchives,
  ]

  /// Decodes fields; empty if the archive contains system fields only, nil if it contains invalid
  /// values.
  fileprivate init?(
    _ coder: NSCoder, _ valuesKey: String, _ changedKey: String, _ formerKey: String
  ) {
    self.init()
    guard coder.containsValue(forKey: valuesKey) else { return }
    guard let contents = Self.contents(coder, valuesKey),
      let before = Self.contents(coder, formerKey),
      let changed = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: changedKey)
        as? [String]
    else { return nil }
    self.contents = contents
    self.before = before
    self.changed = Set(changed)
  }

  private static func contents(_ coder: NSCoder, _ key: String) -> [String: FieldContent]? {
    guard coder.containsValue(forKey: key) else { return [:] }
    guard let values = coder.decodeObject(of: classes, forKey: key) as? [String: Any] else {
      return nil
    }
    var contents: [String: FieldContent] = [:]
    for (key, value) in values {
      guard CloudName.fieldName.defect(in: key) == nil, let content = FieldContent(value) else {
        return nil
      }
      contents[key] = content
    }
    return contents
  }

  fileprivate func encode(
    with coder: NSCoder, _ valuesKey: String, _ changedKey: String, _ formerKey: String
  ) {
    coder.encode(contents.mapValues(\.archivable) as NSDictionary, forKey: valuesKey)
    coder.encode(before.mapValues(\.archivable) as NSDictionary, forKey: formerKey)
    coder.encode(changed.sorted() as NSArray, forKey: changedKey)
  }
}

extension FieldContent {
  /// The value as an archivable object.
  fileprivate var archivable: NSObject {
    switch self {
    case .string(let text): text as NSString
    case .integer(let number): NSNumber(value: number)
    case .double(let number): NSNumber(value: number)
    case .date(let date): date as NSDate
    case .data(let data): data as NSData
    case .reference(let reference): reference
    case .asset(let asset): asset
    case .location(let location): location
    case .list(let members): members.map(\.archivable) as NSArray
    }
  }
}

import CloudKitClient
import Foundation

extension RecordChanges {
  /// Creates the files of all assets, by field; if one fails, none remain.
  package func stage(_ staging: some AssetStaging) throws -> [String: StagedFile] {
    var files: [String: StagedFile] = [:]
    do {
      for setting in settings {
        guard case .asset(let value) = setting.content else { continue }
        files[setting.field] = try staging.stage(value)
      }
    } catch {
      staging.remove(Array(files.values))
      throw error
    }
    return files
  }

  /// Writes the fields, and returns about how many bytes they take in a request.
  func apply(to record: CKRecord, _ files: [String: StagedFile]) -> Int {
    var bytes = MappingLimits.bareRecordBytes
    for setting in settings {
      record.set(value(of: setting, files), setting)
      bytes += setting.requestBytes
    }
    return bytes
  }

  private func value(of setting: Setting, _ files: [String: StagedFile]) -> (
    any CKRecordValueProtocol
  )? {
    switch setting.content {
    case .cleared: nil
    case .inline(let value): value.fieldValue
    case .asset:
      files[setting.field].map {
        setting.isFileSealed ? CKAsset(sealing: $0.url) : CKAsset(fileURL: $0.url)
      }
    }
  }
}

extension RecordChanges.Setting {
  fileprivate var requestBytes: Int {
    let value =
      switch content {
      case .cleared: 0
      case .inline(let value): value.length
      case .asset: MappingLimits.assetReferenceBytes
      }
    return field.utf8.count + MappingLimits.fieldBytes + value
      + (isEncrypted ? MappingLimits.sealBytes : 0)
  }
}

extension RecordValue {
  /// The value in the form that `CKRecord` takes.
  fileprivate var fieldValue: (any CKRecordValueProtocol)? {
    switch self {
    case .string(let text): text
    case .integer(let number): number
    case .double(let number): number
    case .milliseconds(let number): Date(timeIntervalSince1970: Double(number) / 1_000)
    case .bytes(let data): data
    case .file: nil
    }
  }
}

extension CKRecord {
  /// Sets or clears a field.
  ///
  /// A new record needs no clearing. If the field exists in the other form, plain or encrypted, it
  /// is cleared first, because a record cannot have both.
  fileprivate func set(_ value: (any CKRecordValueProtocol)?, _ setting: RecordChanges.Setting) {
    let (own, other): (any CKRecordKeyValueSetting, any CKRecordKeyValueSetting) =
      setting.isEncrypted ? (encryptedValues, self) : (self, encryptedValues)
    if other.holds(setting.field) { other.clear(setting.field) }
    if value != nil || recordChangeTag != nil || own.holds(setting.field) {
      own[setting.field] = value
    }
  }

  /// Returns the fields whose values are in assets; nil for a record without its fields.
  package func assets(of fields: Set<String>) -> Set<String>? {
    guard holds(MirrorNames.entityName) else { return nil }
    let twins = allKeys().filter { $0.hasSuffix(MirrorNames.assetSuffix) && fields.contains($0) }
    return Set(twins.map { String($0.dropLast(MirrorNames.assetSuffix.count)) })
  }

  /// Returns the approximate bytes of the fields that are not in a set.
  package func bytes(ofFieldsBeside own: Set<String>) -> Int {
    var bytes = 0
    for values in [self, encryptedValues] as [any CKRecordKeyValueSetting] {
      for key in values.allKeys() where !own.contains(key) {
        let value: Int =
          switch values[key] as (any CKRecordValueProtocol)? {
          case let text as String: text.utf8.count
          case let data as Data: data.count
          default: MappingLimits.assetReferenceBytes
          }
        bytes += key.utf8.count + MappingLimits.fieldBytes + value + MappingLimits.sealBytes
      }
    }
    return bytes
  }
}

extension CKRecordKeyValueSetting {
  package func holds(_ field: String) -> Bool {
    (self[field] as (any CKRecordValueProtocol)?) != nil
  }

  fileprivate func clear(_ field: String) { self[field] = nil as (any CKRecordValueProtocol)? }
}

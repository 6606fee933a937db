import CloudKitClient
import CloudMirroring
import Foundation
import MirrorModel

/// Reads the server's content with a full listing of its feed.
struct ServerReading {
  private let database: CKDatabase

  init(_ place: DemoPlace) {
    database = place.account.cloudContainer(port: place.port).privateCloudDatabase
  }

  /// The content of the store's zone, and the titles of notes whose attachments are files.
  func contents() async throws -> (contents: DemoContents, filed: [String]) {
    let records = try await records()
    let folders = records.filter { $0.recordType == "CD_Folder" }
    let names = Dictionary(
      folders.map { ($0.recordID.recordName, Self.text($0, "CD_name")) },
      uniquingKeysWith: { first, _ in first })
    let notes = records.filter { $0.recordType == "CD_Note" }
    let contents = DemoContents(
      folders: Array(names.values), notes: try notes.map { try Self.note($0, folders: names) })
    return (
      contents, notes.filter { Self.file($0) != nil }.map { Self.text($0, "CD_title") }.sorted()
    )
  }

  private func records() async throws -> [CKRecord] {
    let zone = CKRecordZone.ID(zoneName: MirrorNames.zone)
    var (records, token): ([CKRecord.ID: CKRecord], CKServerChangeToken?) = ([:], nil)
    while true {
      let page = try await database.recordZoneChanges(inZoneWith: zone, since: token)
      for (name, result) in page.modificationResultsByID { records[name] = try result.get().record }
      for deletion in page.deletions { records[deletion.recordID] = nil }
      token = page.changeToken
      if !page.moreComing { return Array(records.values) }
    }
  }

  private static func note(_ record: CKRecord, folders: [String: String]) throws -> DemoNote {
    let inline: Data? = record["CD_attachment"]
    let data = try file(record).map { try Data(contentsOf: $0) } ?? inline
    return DemoNote(
      folder: folders[text(record, "CD_folder")] ?? "", title: text(record, "CD_title"),
      text: text(record, "CD_text"), attachment: data.map { DemoAttachment($0) })
  }

  private static func file(_ record: CKRecord) -> URL? {
    let asset: CKAsset? = record["CD_attachment" + MirrorNames.assetSuffix]
    return asset?.fileURL
  }

  private static func text(_ record: CKRecord, _ field: String) -> String {
    let text: String? = record[field]
    return text ?? ""
  }
}

import Foundation
import ManagedObjectModel
import ObjectRows
import ParhelionCommands
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

@Suite struct `The check of a full-text index` {
  /// Checks a store of two notes with a full-text index after a change to it.
  private func check(changedBy sql: String, in folder: URL) throws -> (CommandStatus, String) {
    let text = NSAttributeDescription()
    (text.name, text.attributeType, text.isOptional) = ("text", .stringAttributeType, true)
    text.isIndexedBySpotlight = true
    let note = NSEntityDescription()
    (note.name, note.properties) = ("Note", [text])
    let model = NSManagedObjectModel()
    model.entities = [note]
    var options = StoreOptions()
    options.maintainsFullTextIndex = true
    let url = folder.appendingPathComponent("notes.sqlite")
    let opened = try StoreOpening(url: url, layouts: .of(model), options: options).run()
    try opened.connection.execute(
      """
      INSERT INTO ZNOTE(Z_PK, Z_ENT, Z_OPT, ZTEXT) VALUES (1, 1, 1, 'red pie'), (2, 1, 1, NULL);
      UPDATE Z_PRIMARYKEY SET Z_MAX = 2
      """
    )
    try opened.connection.execute(sql)
    try opened.connection.close()
    let console = RecordingConsole()
    return (ParhelionTool.run(["store", "check", url.path], console: console), console.result)
  }

  @Test func `A valid index has no issues`() throws {
    try withTemporaryDirectory { folder in
      let (status, result) = try check(changedBy: "UPDATE ZNOTE SET ZTEXT = 'blue'", in: folder)
      #expect(status == .success)
      #expect(result == "Nothing is wrong.\n")
    }
  }

  @Test(arguments: [
    (
      "INSERT INTO PHF_ZNOTE(PHF_ZNOTE, rowid, ZTEXT) VALUES ('delete', 1, 'red pie')",
      "PHF_ZNOTE has other words for the row"
    ),
    (
      "INSERT INTO PHF_ZNOTE(rowid, ZTEXT) VALUES (7, 'ghost')",
      "PHF_ZNOTE has other words for the row"
    ),
    ("DROP TRIGGER PHF_ZNOTE_UPDATE", "no trigger PHF_ZNOTE_UPDATE on ZNOTE"),
  ])
  func `Wrong words and missing triggers are issues`(sql: String, message: String) throws {
    try withTemporaryDirectory { folder in
      let (status, result) = try check(changedBy: sql, in: folder)
      #expect(status == .failure)
      #expect(result.contains(message), "\(result)")
    }
  }

  @Test func `A store without the index has no issues`() throws {
    try withTemporaryDirectory { folder in
      let drop = ["INSERT", "UPDATE", "DELETE"].map { "DROP TRIGGER PHF_ZNOTE_\($0);" }.joined()
      let (_, result) = try check(changedBy: drop + "DROP TABLE PHF_ZNOTE", in: folder)
      #expect(result == "Nothing is wrong.\n")
    }
  }
}

import Foundation
import ManagedObjectModel
import ManagedObjects
import ParhelionCommands
import PredicateLanguage

/// The operations of devices on folders and notes.
extension NSManagedObjectContext {
  /// The content of the store.
  func demoContents() throws -> DemoContents {
    let folders = try fetch(NSFetchRequest<NSManagedObject>(entityName: "Folder"))
    let notes = try fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))
    return DemoContents(
      folders: folders.map { $0.demoText("name") }, notes: notes.map { $0.demoNote() })
  }

  /// Creates notes in a folder, which is created if it is missing.
  func addDemoNotes(_ titles: [String], to folderName: String) throws {
    let folder = try demoObject("Folder", "name", folderName) ?? makeDemoFolder(folderName)
    for title in titles {
      let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: self)
      note.setValue(title, forKey: "title")
      note.setValue(folder, forKey: "folder")
    }
  }

  private func makeDemoFolder(_ name: String) -> NSManagedObject {
    let folder = NSEntityDescription.insertNewObject(forEntityName: "Folder", into: self)
    folder.setValue(name, forKey: "name")
    return folder
  }

  /// The note with a title, which must exist.
  func demoNote(_ title: String) throws -> NSManagedObject {
    guard let note = try demoObject("Note", "title", title) else {
      throw CommandError("There is no note “\(title)”.")
    }
    return note
  }

  private func demoObject(_ entity: String, _ key: String, _ value: String) throws
    -> NSManagedObject?
  {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.predicate = NSPredicate(format: "%K == %@", key, value)
    return try fetch(request).first
  }
}

extension NSManagedObject {
  fileprivate func demoText(_ key: String) -> String { value(forKey: key) as? String ?? "" }

  fileprivate func demoNote() -> DemoNote {
    let folder = value(forKey: "folder") as? NSManagedObject
    let data = value(forKey: "attachment") as? Data
    return DemoNote(
      folder: folder?.demoText("name") ?? "", title: demoText("title"), text: demoText("text"),
      attachment: data.map { DemoAttachment($0) })
  }
}

import CoreData
import Notes

let e = NSEntityDescription()
e.name = "Note"
let n = Note(entity: e, insertInto: nil)
let x: NSExpression? = nil
print(type(of: n), Note.fetchRequest().entityName as Any)

import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage
import SQLiteDriver
import SQLiteStore
import Testing

@Suite struct `The SQL of a fetch` {
  let store: LibraryStore

  init() throws {
    store = try LibraryStore()
  }

  private func sorted(_ entity: String, _ descriptors: [NSSortDescriptor]) throws -> String {
    var fetch = try store.fetch(entity)
    fetch.specification.sortDescriptors = descriptors
    let sql = try store.translator.keys(fetch).sql
    return String(sql.split(separator: " FROM ", maxSplits: 1)[1])
  }

  @Test func `The SQL selects number, key, version and the requested columns`() throws {
    let statement = try store.translator.rows(store.fetch("Author"), selecting: ["ZNAME", "ZBORN"])
    #expect(
      statement.sql == "SELECT t0.Z_ENT, t0.Z_PK, t0.Z_OPT, t0.ZNAME, t0.ZBORN FROM ZAUTHOR t0")
  }

  @Test func `Entities of one table are distinguished`() throws {
    let sql = { (entity: String, includesSubentities: Bool) in
      var fetch = try store.fetch(entity)
      fetch.specification.includesSubentities = includesSubentities
      return try String(store.translator.count(fetch).sql.dropFirst("SELECT COUNT(*) FROM ".count))
    }
    #expect(try sql("Item", true) == "ZITEM t0")
    #expect(try sql("Item", false) == "ZITEM t0 WHERE t0.Z_ENT = 2")
    #expect(try sql("Book", true) == "ZITEM t0 WHERE t0.Z_ENT IN (3, 4)")
    #expect(try sql("Book", false) == "ZITEM t0 WHERE t0.Z_ENT = 3")
    #expect(try sql("Film", true) == "ZITEM t0 WHERE t0.Z_ENT = 5")
    #expect(try sql("Author", false) == "ZAUTHOR t0")
  }

  @Test func `Limit and offset are bound`() throws {
    let bounds = { (limit: Int, offset: Int) in
      var fetch = try store.fetch("Author")
      fetch.specification.fetchLimit = limit
      fetch.specification.fetchOffset = offset
      return fetch
    }
    let both = try store.translator.keys(bounds(5, 10))
    #expect(both.sql.hasSuffix(" LIMIT ? OFFSET ?"))
    #expect(both.bindings == [5, 10])
    let offset = try store.translator.keys(bounds(0, 10))
    #expect(offset.sql.hasSuffix(" LIMIT ? OFFSET ?"))
    #expect(offset.bindings == [-1, 10])
    #expect(try store.translator.keys(bounds(5, 0)).bindings == [5])
    #expect(
      try store.translator.count(bounds(5, 10)).sql
        == "SELECT COUNT(*) FROM (SELECT 1 FROM ZAUTHOR t0 LIMIT ? OFFSET ?)")
  }

  @Test func `The key is ordered last, in the direction of the last descriptor`() throws {
    #expect(try sorted("Author", []) == "ZAUTHOR t0")
    #expect(
      try sorted(
        "Author",
        [
          NSSortDescriptor(key: "name", ascending: true),
          NSSortDescriptor(key: "born", ascending: false),
        ])
        == "ZAUTHOR t0 ORDER BY t0.ZNAME, t0.ZBORN DESC, t0.Z_PK DESC")
    #expect(
      try sorted("Author", [NSSortDescriptor(key: "self", ascending: false)])
        == "ZAUTHOR t0 ORDER BY t0.Z_PK DESC")
    #expect(
      try sorted("Author", [NSSortDescriptor(key: nil, ascending: true)])
        == "ZAUTHOR t0 ORDER BY t0.Z_PK")
  }

  @Test func `To-one relationships in an order use outer joins`() throws {
    #expect(
      try sorted("Item", [NSSortDescriptor(key: "owner.mentor.name", ascending: true)])
        == """
        ZITEM t0 LEFT OUTER JOIN ZAUTHOR t1 ON t0.ZOWNER = t1.Z_PK \
        LEFT OUTER JOIN ZAUTHOR t2 ON t1.ZMENTOR = t2.Z_PK ORDER BY t2.ZNAME, t0.Z_PK
        """)
    var fetch = try store.fetch("Item", NSPredicate(format: "owner.mentor.rating > 3"))
    fetch.specification.sortDescriptors = [NSSortDescriptor(key: "owner.name", ascending: true)]
    #expect(
      try store.translator.count(fetch).sql
        == """
        SELECT COUNT(*) FROM ZITEM t0 JOIN ZAUTHOR t1 ON t0.ZOWNER = t1.Z_PK \
        JOIN ZAUTHOR t2 ON t1.ZMENTOR = t2.Z_PK WHERE t2.ZRATING > ?
        """)
    #expect(
      try store.translator.keys(fetch).sql.contains("JOIN ZAUTHOR t2 ON t1.ZMENTOR = t2.Z_PK WHERE")
    )
    #expect(try store.translator.keys(fetch).sql.contains("LEFT") == false)
  }

  @Test(arguments: [
    ("compare:", ""), ("caseInsensitiveCompare:", " COLLATE NSCollateNoCase"),
    ("localizedStandardCompare:", " COLLATE NSCollateLocaleSensitive"),
    ("localizedCompare:", " COLLATE ParhelionCollateLocalized"),
    ("localizedCaseInsensitiveCompare:", " COLLATE ParhelionCollateLocalizedNoCase"),
  ])
  func `Texts are ordered as the selector says`(selector: String, collation: String) throws {
    let descriptor = NSSortDescriptor(key: "name", ascending: false, selector: Selector(selector))
    let sql = try sorted("Author", [descriptor])
    #expect(sql == "ZAUTHOR t0 ORDER BY t0.ZNAME\(collation) DESC, t0.Z_PK DESC")
    var fetch = try store.fetch("Author")
    fetch.specification.sortDescriptors = [descriptor]
    _ = try store.keys(fetch)
  }

  @Test func `The SQL is cached for all values of one form`() throws {
    let sql = { (format: String, arguments: [Any]) in
      try store.translator.keys(
        store.fetch("Author", NSPredicate(format: format, argumentArray: arguments))
      ).sql
    }
    _ = try sql("name == %@", ["a"])
    #expect(store.translator.rememberedTranslations == 1)
    for index in 0..<10 { _ = try sql("name == %@", ["\(index)"]) }
    #expect(store.translator.rememberedTranslations == 1)
    _ = try sql("name == %@", [NSNull()])
    _ = try sql("name != %@", ["a"])
    _ = try sql("name ==[c] %@", ["a"])
    _ = try store.translator.count(store.fetch("Author", NSPredicate(format: "name == 'b'")))
    _ = try store.translator.rows(
      store.fetch("Author", NSPredicate(format: "name == 'b'")), selecting: ["ZNAME"])
    _ = try store.translator.rows(
      store.fetch("Author", NSPredicate(format: "name == 'b'")), selecting: ["ZBORN"])
    #expect(store.translator.rememberedTranslations == 7)
  }

  @Test func `The SQL is evicted when there are too many forms`() throws {
    for index in 0..<(Limits.translations * 2) {
      let parts = (0..<10).map { (index >> $0) & 1 == 0 ? "name == 'a'" : "rating > 1" }
      _ = try store.translator.keys(
        store.fetch("Author", NSPredicate(format: parts.joined(separator: " AND "))))
      #expect(store.translator.rememberedTranslations <= Limits.translations)
    }
  }
}

import SourceMigration
import TestSupport
import Testing

@Suite("Properties of every migration")
struct MigrationPropertyTests {
  /// Pieces of source that the migration changes.
  static let migratable = [
    "@objc class A: NSObject { @objc dynamic var b = 1 }", "public @objc func c() {}",
    "@objcMembers class D {}",
    "let e = #keyPath(Post.author.name)", "let f = \"\\(#keyPath(Post.title)) == %@\"",
    "s(selector: #selector(NSString.compare(_:)))",
    "NSBatchDeleteRequest(fetchRequest: P.fetchRequest() as! NSFetchRequest<NSFetchRequestResult>)",
    "class Post {}\nextension Post {\n  override func willSave() {}\n}",
  ]

  /// Pieces of source that the migration must not change.
  static let inert = [
    "let a = 1", "// @objc #keyPath(A.b)", "/* @objc /* #selector(NSString.compare(_:)) */ */",
    "let b = \"@objc #keyPath(A.b)\"", "let c = #\"@objc \\(#keyPath(A.b))\"#",
    "let d = \"\"\"\n  @objc #keyPath(A.b)\n  \"\"\"", "let e = /@objc/",
    "#if os(iOS)\n@objc class F {}\n#endif",
    "struct G { var h: Int { 1 } }", "",
  ]

  private func pieces(from choices: [String], using generator: inout SeededGenerator) -> [String] {
    (0..<Int.random(in: 1...12, using: &generator)).map { _ in
      choices.randomElement(using: &generator) ?? ""
    }
  }

  @Test func `A second run changes nothing`() {
    var generator = SeededGenerator.forTest()
    for _ in 0..<300 {
      let newline = Bool.random(using: &generator) ? "\n" : "\r\n"
      let text = pieces(from: Self.migratable + Self.inert, using: &generator).joined(
        separator: newline)
      let first = Migrated(text)
      let second = Migrated(first.text)
      #expect(first.errors.isEmpty, "\(generator)")
      #expect(second.plan.changes.isEmpty, "\(generator)\n\(text)")
    }
  }

  @Test(arguments: [
    "@objc(#if a\n#endif) class A {}",
    "class Post {}\nextension Post {\n  override var a: Int\n  @objc override func willSave() {}\n}",
  ])
  func `Text that resembles Swift is stable after one run or is rejected`(_ text: String) {
    let migrated = Migrated(text)
    #expect(Migrated(migrated.text).plan.changes.isEmpty)
  }

  @Test func `Strings, comments and patterns keep their bytes everywhere`() {
    var generator = SeededGenerator.forTest()
    for _ in 0..<300 {
      let inert = pieces(from: Self.inert, using: &generator)
      var lines: [String] = []
      for piece in inert {
        lines.append(piece)
        lines += pieces(from: Self.migratable, using: &generator).prefix(2)
      }
      let migrated = Migrated(lines.joined(separator: "\n")).text
      var rest = migrated[...]
      for piece in inert {
        let found = rest.firstRange(of: piece)
        #expect(found != nil, "\(generator): lost \(piece)")
        rest = rest[(found?.upperBound ?? rest.startIndex)...]
      }
    }
  }

  @Test
  func `Randomly changed source never crashes and never turns an error into a change`() {
    var generator = SeededGenerator.forTest()
    let marks = Array("\"'`#@(){}[]/\\*\n\r.,:<>!?= ab".utf8)
    for _ in 0..<2_000 {
      var bytes = Array(
        pieces(from: Self.migratable + Self.inert, using: &generator).joined(separator: "\n").utf8)
      for _ in 0..<Int.random(in: 1...6, using: &generator) where !bytes.isEmpty {
        let place = Int.random(in: bytes.indices, using: &generator)
        if Bool.random(using: &generator) {
          bytes.remove(at: place)
        } else {
          bytes.insert(marks.randomElement(using: &generator) ?? 0, at: place)
        }
      }
      let migrated = Migrated(String(decoding: bytes, as: UTF8.self))
      #expect(migrated.errors.isEmpty || migrated.plan.changes.isEmpty, "\(generator)")
    }
  }
}

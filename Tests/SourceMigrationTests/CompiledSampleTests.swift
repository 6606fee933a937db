import Foundation
import SourceMigration
import TestSupport
import Testing

@Suite("Migrated code compiles")
struct CompiledSampleTests {
  /// The part of Core Data's API that the sample uses, as declared without Objective-C.
  private static let declarations = """
    import Foundation

    open class NSManagedObject: NSObject {
      public func setPrimitiveValue(_ value: Any?, forKey key: String) {}
      open func awakeFromInsert() {}
      open func willSave() {}
      @_disfavoredOverload open class func fetchRequest() -> NSFetchRequest<any NSFetchRequestResult> { .init() }
    }
    public protocol NSFetchRequestResult {}
    public class NSFetchRequest<Result> {}
    public class NSBatchDeleteRequest { public init<Result>(fetchRequest: NSFetchRequest<Result>) {} }
    public struct Selector { public init(_ name: String) {} }
    extension NSSortDescriptor {
      public convenience init(key: String?, ascending: Bool, selector: Selector) { fatalError("only compiled") }
    }
    """

  private static let sample = """
    import Foundation

    @objc(Post)
    public class Post: NSManagedObject {
      public @objc dynamic var title: String? { nil }
      @objc private func saved(_ note: Notification) { print(#keyPath(Post.title)) }
      @objc class func fetchRequest() -> NSFetchRequest<Post> { NSFetchRequest<Post>() }

      func start(with name: Notification.Name) {
        NotificationCenter.default.addObserver(
          self, selector: #selector(saved(_:)), name: name, object: nil)
        let sort = NSSortDescriptor(
          key: #keyPath(title), ascending: true, selector: #selector(NSString.localizedStandardCompare(_:)))
        let format = "\\(#keyPath(Post.title)) == %@"
        print(sort, format)
        _ = NSBatchDeleteRequest(fetchRequest: Post.fetchRequest() as! NSFetchRequest<NSFetchRequestResult>)
        let all = Post.fetchRequest() as! NSFetchRequest<NSFetchRequestResult>
        _ = NSBatchDeleteRequest(fetchRequest: all)
        let posts: NSFetchRequest<Post> = Post.fetchRequest()
        let delete = NSBatchDeleteRequest(fetchRequest: posts as! NSFetchRequest<NSFetchRequestResult>)
        print(delete)
      }
    }

    public extension Post {
      @objc override func awakeFromInsert() {
        super.awakeFromInsert()
        setPrimitiveValue(Date(), forKey: #keyPath(Post.title))
      }
    }

    class Draft: Post { @objc override func willSave() {} }
    @objc protocol Named { @objc var name: String { get } }
    """

  @Test func `The results of all rules type-check together`() throws {
    let migrated = Migrated(Self.sample)
    #expect(migrated.warnings.isEmpty)
    try withTemporaryDirectory { folder in
      for (name, text) in [("CoreData.swift", Self.declarations), ("Post.swift", migrated.text)] {
        try Data(text.utf8).write(to: folder.appendingPathComponent(name))
      }
      let process = Process()
      let output = Pipe()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      // A separate cache, because the user may have no home directory.
      process.arguments =
        [
          "swiftc", "-typecheck", "-swift-version", "5", "-module-cache-path",
          folder.path + "/cache",
        ]
        + ["CoreData.swift", "Post.swift"]
      process.currentDirectoryURL = folder
      process.standardError = output
      try process.run()
      let messages = String(
        decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      #expect(process.terminationStatus == 0, "\(messages)\n\(migrated.text)")
    }
  }
}

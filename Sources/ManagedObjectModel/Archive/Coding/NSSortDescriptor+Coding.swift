public import Foundation
public import PredicateLanguage

/// Archives of sort descriptors, like those of predicates.
///
/// A descriptor with a closure has no archived form. Encoding it stops the program, as an exception
/// does on Apple's platforms.
extension NSSortDescriptor: @retroactive NSSecureCoding {
  /// Whether descriptors can be decoded from archives of unknown origin: true.
  public static var supportsSecureCoding: Bool { true }

  /// Writes the descriptor to a keyed archive.
  public func encode(with coder: NSCoder) {
    coder.encodeArchive("sort descriptor") { () throws(ModelArchiveError) in
      guard selector != nil else {
        throw ModelArchiveError(.notArchivable, "\(self) compares with a closure.")
      }
      return try PredicateArchive.data { (builder, _) throws(ModelArchiveError) in
        SortDescriptorArchive.add(self, to: &builder)
      }
    }
  }
}

extension SortDescriptorFactory where Self: NSSortDescriptor {
  /// Reads a descriptor from a keyed archive of this platform.
  public init?(coder: NSCoder) {
    let descriptor = coder.decodeArchive { data throws(ModelArchiveError) in
      let object = try PredicateArchive.root(of: data)
      guard object.isKind(of: "NSSortDescriptor"),
        let descriptor = try SortDescriptorArchive.read(object) as? Self
      else { throw object.error(.wrongKind, "A sort descriptor is expected.") }
      return descriptor
    }
    guard let descriptor else { return nil }
    self.init(made: descriptor)
  }
}

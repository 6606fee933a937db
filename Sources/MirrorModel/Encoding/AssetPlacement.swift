/// Decides which long values of a record become assets, from their lengths alone.
///
/// | value | place |
/// |---|---|
/// | longer than `MappingLimits.inlineBytes` | asset |
/// | in a borrowed file | asset: it is never loaded |
/// | with external storage, from `MappingLimits.externalBytes` on | asset, as Apple does |
/// | any other, while the record is within `MappingLimits.recordBytes` | inline |
/// | the longest of the others, until the record fits | asset |
struct AssetPlacement {
  /// A long value, identified by its inline field.
  struct Candidate {
    package let field: String
    package let length: Int
    let isFile: Bool
    package let isEncrypted: Bool
    /// Whether a store may keep the value in a separate file.
    let isExternal: Bool

    /// Whether the value becomes an asset even if there is room.
    var isAlwaysAsset: Bool {
      isFile || length > MappingLimits.inlineBytes
        || (isExternal && length >= MappingLimits.externalBytes)
    }

    /// The bytes that the inline field takes in the record.
    fileprivate var inlineBytes: Int {
      field.utf8.count + MappingLimits.fieldBytes + length
        + (isEncrypted ? MappingLimits.sealBytes : 0)
    }

    /// The bytes that the asset's field takes in the record.
    fileprivate var assetBytes: Int {
      field.utf8.count + MirrorNames.assetSuffix.utf8.count + MappingLimits.fieldBytes
        + MappingLimits.assetReferenceBytes
    }
  }

  /// The inline fields whose values become assets.
  private(set) var assets: Set<String> = []
  /// The approximate size of the record in bytes, rather over- than underestimated.
  private(set) var bytes: Int

  /// Decides which candidates become assets.
  ///
  /// - Parameter fixedBytes: The bytes of the record without the candidates.
  init(of candidates: [Candidate], fixedBytes: Int) {
    bytes = fixedBytes
    var inline: [Candidate] = []
    for candidate in candidates {
      if candidate.isAlwaysAsset {
        assets.insert(candidate.field)
        bytes += candidate.assetBytes
      } else {
        inline.append(candidate)
        bytes += candidate.inlineBytes
      }
    }
    guard bytes > MappingLimits.recordBytes else { return }
    for candidate in inline.sorted(by: { ($1.length, $0.field) < ($0.length, $1.field) }) {
      guard bytes > MappingLimits.recordBytes, candidate.length >= MappingLimits.shortestAsset
      else { return }
      assets.insert(candidate.field)
      bytes += candidate.assetBytes - candidate.inlineBytes
    }
  }
}

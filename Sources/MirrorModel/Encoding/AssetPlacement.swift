/// Decides which long values a record holds as assets: a pure function of their lengths.
///
/// | a value | lies |
/// |---|---|
/// | longer than `MappingLimits.inlineBytes` | in an asset |
/// | of a lent file | in an asset: it is never loaded |
/// | with external storage, from `MappingLimits.externalBytes` on | in an asset, as Apple does |
/// | any other, while the record is within `MappingLimits.recordBytes` | inline |
/// | the longest of the others, until the record is | in an asset |
struct AssetPlacement {
  /// A long value, by the field that would hold it inline.
  struct Candidate {
    package let field: String
    package let length: Int
    let isFile: Bool
    package let isEncrypted: Bool
    /// Whether a store keeps it in a file of its own where it is long.
    let isExternal: Bool

    /// Whether it lies in an asset whatever room there is.
    var isAlwaysAsset: Bool {
      isFile || length > MappingLimits.inlineBytes
        || (isExternal && length >= MappingLimits.externalBytes)
    }

    /// What the field takes of its record, inline.
    fileprivate var inlineBytes: Int {
      field.utf8.count + MappingLimits.fieldBytes + length
        + (isEncrypted ? MappingLimits.sealBytes : 0)
    }

    /// What the asset's field takes of its record.
    fileprivate var assetBytes: Int {
      field.utf8.count + MirrorNames.assetSuffix.utf8.count + MappingLimits.fieldBytes
        + MappingLimits.assetReferenceBytes
    }
  }

  /// The fields whose values are assets, by the names of the fields that would hold them inline.
  private(set) var assets: Set<String> = []
  /// About how many bytes the record has, and rather more than less.
  private(set) var bytes: Int

  /// Decides which candidates become files.
  ///
  /// - Parameter fixedBytes: What the record has beside the candidates.
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

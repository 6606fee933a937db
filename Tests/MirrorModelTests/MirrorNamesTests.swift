import MirrorModel
import Testing

@Suite("Names in the cloud")
struct MirrorNamesTests {
  /// Records of Apple's container are found only by these names.
  @Test("Record types, fields and zones have Apple's names")
  func names() {
    #expect(MirrorNames.zone == "com.apple.coredata.cloudkit.zone")
    #expect(MirrorNames.prefix + "title" + MirrorNames.assetSuffix == "CD_title_ckAsset")
    #expect(MirrorNames.joinType == "CDMR")
    #expect(MirrorNames.importAuthor == "NSCloudKitMirroringDelegate.import")
  }
}

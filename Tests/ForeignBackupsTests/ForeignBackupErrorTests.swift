import Testing

@testable import ForeignBackups

struct ForeignBackupErrorTests {
  @Test func `A part that is damaged is named`() {
    let error = ForeignBackupError.damaged(part: "the tag of metadata.json")
    #expect("\(error)" == "the tag of metadata.json is damaged")
  }
}

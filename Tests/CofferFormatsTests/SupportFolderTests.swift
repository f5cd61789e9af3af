import CofferFormats
import Testing

@Test(arguments: [
    ("Log.sqlite", ".Log_SUPPORT"), ("Log.copy.sqlite", ".Log.copy_SUPPORT"), ("Log", ".Log_SUPPORT"),
    ("Größe.sqlite", ".Größe_SUPPORT"),
])
func `the folder of values is named after the store, without its end`(fileName: String, folder: String) {
    #expect(SupportFolder(of: fileName).name == folder)
    #expect(SupportFolder(of: fileName).values == "\(folder)/_EXTERNAL_DATA")
}

/// The style sheet of the printed pages: A4 and Letter alike, black on white.
///
/// Sizes are in millimetres, lines too, so that the printer's fonts change where
/// a line ends and little else.
enum KitStyle {
  static let css = """
    @page{margin:14mm 16mm}
    *{box-sizing:border-box}
    html{background:#fff;color:#000}
    body{font:3.4mm/4.4mm \(sans);max-width:178mm;margin:0 auto}
    @media screen{body{padding:12mm 0}section{margin-bottom:20mm}}
    section+section{break-before:page}
    h1{font-size:5.6mm;line-height:6.6mm;margin:0;overflow-wrap:anywhere}
    h2{font-size:4mm;line-height:4.8mm;margin:2.6mm 0 .8mm}
    p{margin:0 0 1.4mm}
    header{display:flex;justify-content:space-between;align-items:baseline;\
    border-bottom:.6mm solid #000;padding-bottom:1.4mm;margin-bottom:2.2mm}
    header p{font-size:3mm;margin:0 0 0 6mm;white-space:nowrap}
    .lead{font-size:3.8mm;line-height:4.8mm;font-weight:bold;overflow-wrap:anywhere}
    .code{display:flex;align-items:center;justify-content:space-between;gap:5mm;\
    border:.6mm solid #000;border-radius:2mm;padding:2mm 4mm;margin:2.4mm 0;break-inside:avoid}
    .code h2{margin:0 0 1mm}
    .digits{font:bold 8mm/10mm \(mono);white-space:nowrap;margin:0 0 1mm}
    .code .qr{width:26mm;height:26mm;flex:none}
    .hint{font-size:3mm;line-height:4mm}
    .mono,code,.lines,.steps{font-family:\(mono)}
    code{font-size:3.1mm;white-space:nowrap}
    table{border-collapse:collapse;width:100%}
    .facts{line-height:4.2mm;margin-top:1.6mm}
    .facts th{text-align:left;font-weight:bold;width:37mm;vertical-align:top}
    .facts th,.facts td{padding:.7mm 1mm;border-bottom:.2mm solid #999;overflow-wrap:anywhere}
    .facts .blank th,.facts .blank td{padding:1.7mm 1mm .5mm}
    .half{display:inline-block;width:50%}
    ol{margin:0 0 1.4mm;padding-left:6mm}
    .steps{font-size:2.7mm;line-height:4.2mm}
    .word{white-space:nowrap}
    .steps li{margin-bottom:1.6mm;overflow-wrap:anywhere}
    .steps li::marker{font-family:\(sans)}
    .offline .qr{display:block;width:70mm;height:70mm;margin:1mm auto}
    .lines{font-size:3.1mm;line-height:3.5mm;width:auto}
    .lines th,.lines td{font-weight:normal;text-align:left;padding:.1mm 4mm .1mm 0;\
    white-space:nowrap}
    """

  private static let sans =
    #""Liberation Sans","DejaVu Sans","Noto Sans",Arial,Helvetica,sans-serif"#
  private static let mono =
    #""Liberation Mono","DejaVu Sans Mono","Noto Sans Mono",Menlo,Consolas,monospace"#
}

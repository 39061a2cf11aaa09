/// The style sheet of the printed page: A4 and Letter alike, black on white.
enum KitStyle {
  static let css = """
    @page{margin:14mm 16mm}
    *{box-sizing:border-box}
    html{background:#fff;color:#000}
    body{font:10pt/1.35 "Liberation Sans","DejaVu Sans",Arial,Helvetica,sans-serif;max-width:178mm;\
    margin:0 auto}
    @media screen{body{padding:12mm 0}}
    h1{font-size:20pt;line-height:1.1;margin:0}
    h2{font-size:11.5pt;margin:4.5mm 0 1.2mm}
    p{margin:0 0 1.5mm}
    header{display:flex;justify-content:space-between;align-items:baseline;border-bottom:.6mm solid #000;\
    padding-bottom:2mm;margin-bottom:3mm;gap:8mm}
    .name{font-size:12pt;font-weight:bold;overflow-wrap:anywhere;text-align:right}
    .lead{font-size:10.5pt}
    .code{display:flex;align-items:center;justify-content:space-between;gap:5mm;border:.6mm solid #000;\
    border-radius:2mm;padding:3mm 4mm;margin:3mm 0;break-inside:avoid}
    .code h2{margin:0 0 1mm}
    .digits{font:bold 24pt/1.25 "Liberation Mono","DejaVu Sans Mono",Menlo,Consolas,monospace;\
    white-space:nowrap;margin:0 0 1mm}
    .code .qr{width:27mm;height:27mm;flex:none}
    .hint{font-size:8.5pt;line-height:1.3}
    .mono,code,.lines,.steps{font-family:"Liberation Mono","DejaVu Sans Mono",Menlo,Consolas,monospace}
    code{font-size:8.8pt;white-space:nowrap}
    table{border-collapse:collapse;width:100%}
    .facts th{text-align:left;font-weight:bold;width:37mm;vertical-align:top}
    .facts th,.facts td{padding:1.1mm 1mm;border-bottom:.2mm solid #999;overflow-wrap:anywhere}
    ol{margin:0 0 1.5mm;padding-left:6mm}
    .steps{font-size:7.8pt;line-height:1.35}
    .word{white-space:nowrap}
    .steps li{margin-bottom:.8mm;overflow-wrap:anywhere}
    .steps li::marker{font-family:"Liberation Sans",Arial,sans-serif}
    .offline{break-before:page;break-inside:avoid}
    .offline .qr{display:block;width:84mm;height:84mm;margin:2mm auto}
    .lines{font-size:8.6pt;width:auto}
    .lines th,.lines td{font-weight:normal;text-align:left;padding:.35mm 4mm .35mm 0;white-space:nowrap}
    @media screen{.offline{margin-top:20mm}}
    """
}

/// The word list of SLIP-39: the first four letters of each word, which tell it apart.
enum ShareWordList {
  static let count = 1024

  /// Every word as a number: its four letters, one per byte.
  private static let packed: [UInt32] = {
    var words: [UInt32] = []
    words.reserveCapacity(count)
    text.withUTF8Buffer { letters in
      for start in stride(from: 0, to: letters.count, by: 4) {
        words.append((start..<start + 4).reduce(0) { unsafe $0 << 8 | UInt32(letters[$1]) })
      }
    }
    return words
  }()

  /// The index of a word's first four letters; `nil` if no word begins with them.
  ///
  /// Always reads the whole list, as ``EnglishWordList/index(of:)`` does.
  static func index(of letters: UInt32) -> Int? {
    var found: UInt32 = 0
    for (index, word) in packed.enumerated() {
      let difference = letters ^ word
      // All ones only if there is no difference.
      let equal = ((difference | (0 &- difference)) >> 31) &- 1
      found |= UInt32(index + 1) & equal
    }
    return found == 0 ? nil : Int(found) - 1
  }

  private static let text: StaticString = """
    acadacidacneacquacroactiactradapadeqadjuadmiadoraduladvaadvoafraagaiagenagreaideaircairlairp\
    ajaralaralbualcoaliealivalphalrealtoalumalwaamazambiamouamusanalanatanceanciangeangranimansw\
    anteanxiaparaquaarcaarenarguarmeartiartwaspeauctauguauntaveraviaavoiawarawayaxisaxlebeambear\
    beavbecobedrbehabeinbelibelobenebestbeyobikebiolbirtbishblacblanblesblimblinbluebodyboltbori\
    bornbothbounbracbranbravbreabriebrokbrotbrowbuckbudgbuilbulbbulgbumpbundburdburnbusybuyecage\
    calccamecampcanycapacapicaptcarbcardcarecargcarpcarvcatecausceilcentcerachamchancharchecchem\
    cheschewchubcineciviclasclaycleaclieclimclinclocclogclosclotclubcluscoalcoascodicolucompcorn\
    costcouncourcovecowbcradcrafcrazcredcriccrimcriscritcrowcruccruncruscryscubicultcuricurlcust\
    cylidaisdamadancdarkdatadaugdeaddealdebrdebudecedecidecldecodecrdelidemadensdenydepadepedepi\
    depldescdesedesideskdestdetadetedevidevodiagdictdietdiledimidinidipldisadiscdisedishdismdisp\
    distdivedivodocudomadomedomidougdowndragdramdreadresdrifdrindrovdrugdryeduckdukeduradwardyna\
    earlearteaseeasyechoecliecoledgeediteduceithelboeldeelecelegelemelepelevelitelseemaiemeremis\
    empeemphemplemptendiendlendoenemenerenfoengaenjoenlaentrenveenvyepidepisequaequieraserodesca\
    estaestievalevenevidevilevokexacexamexceexchexclexcuexecexerexhaexotexpaexpeexplexprexteextr\
    eyebfacifactfailfainfakefalsfamifamofancfangfantfatafatifavofawnfibefictfiltfinafindfingfire\
    firmfiscfishfitnflamflasflavfleaflexflipfloaflorfluffocuforbforcforeforgformfortforwfounfrac\
    fragfreqfresfriafridfriefrosfrotfrozfumefundfurlfusegalagamegarbgardgarlgasogathgenegenigenr\
    genugeolgestgladglanglasglenglimgoatgoldgradgrangrasgravgraygreagriegrilgringrocgrosgrougrow\
    grumguarguesguilguitgumshairhamshandhangharvhavehavohawkhazaheadhealhearheathelpheraherdhesi\
    hoboholiholyhomehormhosphourhugehumahumihunthusbhushhuskhybrideaidenidleimagimpaimplimprimpu\
    inclincoincrindeindiinduinfainfoinheinjuinmainseinsiinstinteintiinvainvoirisislaisolitemivor\
    jackjerkjewejoinjudijuicjumpjuncjunijunkjuryjustkernkeybkidnkindkitcknifknitladeladlladylair\
    lamplanglarglaselaunlawsleadleaflearleavlectlegalegelegslendlenglevelibelibrliceliftlikelila\
    lilylipsliqulistlitelivilizaloanlobelocalosiloudloyalucklunalunclungluxulyinlyrimachmagamaid\
    mailmainmakemakimamamanamandmansmanumaramarcmarkmarvmasomatemathmaximayomeanmedamedimembmemo\
    mentmercmerimethmetrmidsmildmilimineminimiramixemixtmobimodemodimoismomemornmortmothmounmous\
    movemuchmulemultmuscmusemusimustnailnatineckneganervnetwnewsnuclnumbnumenylooasiobesobjeobse\
    obtaoceaofteolymomitoraloranorbiordeordiorgaouncovenoverownepacepacipackpaidpainpajapancpant\
    papapapeparcparkpartpatepatrpaympayrpeacpeanpeaspecapenapencpercperfpermpetiphanpharphotphra\
    physpickpictpiecpilepinkpipepistpitcplaiplanplasplatplaypleaplotplunpracpraypreapredpregprem\
    preppresprevprieprimprioprisprivprizprobprocprofprogpromprosprovprunpublpulspumppunipunypupa\
    purcpurppythquanquarquicquieraceraciradarailrainraisrandrankrapiraspreacrealreboreburecarece\
    recoregrregurejerelaremeremiremorendreparepereplrequrescreseresirespresuretaretrreunreverevi\
    rewarhymrhytrichrivariverobirockromaromprostrounroyaruinrulerumosacksafasalasalosaltsatisato\
    savesaysscanscarscatscenschosciescouscrascrescriscroseafseassecrsecusegmsenishadshafshamshap\
    sharshelshershorshoushrisidesilesilvsimisimpsingsistskinskunslapslavsledslicslimslowslussmar\
    smeasmelsmirsmitsmoksmugsnaksnapsnifsocisoftsoldsolusoulsourspacsparspeaspecspelspenspewspid\
    spilspinspirspitsprasprisquasquestadstafstanstarstatstaysteastepsticstilstorstrastristylsubj\
    submsugasuitsunlsupesurfsurpsurvsweaswimswinswitsymbsympsyndsysttacktacttadptaletasktasttaug\
    taxiteacteamteastemptenatendtenstermtesttextthanthattheatheotherthorthrethumthunticktidytimb\
    timetingtofutogetoletotatoxitractraftraitrantrastravtreatrentriatrictriptriutroutruetrustwic\
    twintypetypiuglyultiumbruncoundeunfaunfounhauniounivunkiunknunusunwrupgrupstuserusheusuavali\
    valuvampvanivarivegavelvventverdveriveryvetevexevictvideviewvintviolviravisivisuvitavocavoic\
    voluvotevotiwalnwarmwarnwatcwavywealweapwebcwelcwelfwestwidtwildwindwinewirewisdwithwitswolf\
    womaworkwortwrapwriswritwrotyearyelpyielyogazero
    """
}

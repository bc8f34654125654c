/** What a word says of yes and no. `denied` and `failed` are told from `not`: they are outcomes. */
export type Polarity = 'yes' | 'not' | 'approved' | 'denied' | 'failed';

/**
 * Words of polarity, case-folded. English in full; of other languages what an answer turns on. Synonyms share a class,
 * so that `cannot` and `unable to` are one fact. Words with an everyday second meaning are left out (`si`, `sim`).
 */
const POLARITY: Readonly<Record<Polarity, string>> = {
  yes: 'yes yeah yep true ja oui sí sì да ναι evet ano हाँ 예 네 نعم כן',
  not: [
    'no not nope non none never neither nor nothing nobody nowhere cannot cant wont dont without unable impossible',
    'unavailable ineligible invalid incorrect unauthorized unauthorised unsupported false isnt arent wasnt werent',
    'doesnt didnt hasnt havent couldnt wouldnt shouldnt',
    'nein nicht nichts kein keine keinen keinem keiner keines keins nie niemals niemand ohne unmöglich',
    'ne pas jamais aucun aucune sans nunca ningún ningun ninguna tampoco não nenhum nenhuma sem nessun nessuno nessuna senza',
    'niet niets geen nooit niemand zonder inte ingen inget nej aldrig utan ikke nei aldri uten uden',
    'не нет нельзя невозможно никогда никто ничего никакой никаких без ні немає неможливо ніколи',
    'nigdy bez niemożliwe není nelze nikdy nemožné değil hayır yok δεν δε μη μην όχι χωρίς tidak bukan belum không chưa',
    'لا لم لن ليس ليست غير بدون नहीं ना मत बिना',
    'לא ולא שלא אין ואין שאין אי ללא בלי אינו אינה אינם',
    '안 못 아니요 아닙니다 없습니다 없어요 없음 않습니다 않아요 않음 불가능합니다 불가합니다',
    '不 没 沒 未 无 無 否 ない ません ไม่',
  ].join(' '),
  approved: [
    'approve approves approved approval accept accepts accepted grant grants granted authorize authorized authorise',
    'authorised allowed permitted genehmigt approuvé approuvée aprobado aprobada одобрено одобрен одобрена одобрены',
    'אושר אושרה 批准 同意',
  ].join(' '),
  denied: [
    'deny denies denied denial refuse refuses refused refusal reject rejects rejected decline declines declined',
    'forbidden prohibited disallowed abgelehnt refusé refusée rechazado rechazada отказано',
    'отказ отклонено отклонён отклонен отклонена отклонены נדחה נדחתה סורב 拒绝 拒絕 拒否',
  ].join(' '),
  failed: 'fail fails failed failure unsuccessful unsuccessfully error errors',
};

const polarities = new Map(
  Object.entries(POLARITY).flatMap(([polarity, words]) => words.split(' ').map((word) => [word, polarity as Polarity])),
);

/** @param word case-folded */
export function polarityOf(word: string): Polarity | undefined {
  const known = polarities.get(word);
  if (known !== undefined) return known;
  return /n['’]t$|^n['’][aeéêiouyh]|^non-/.test(word) ? 'not' : undefined;
}

/** Words of polarity in scripts that put no blanks between words. */
export const UNSPACED_POLARITY: readonly string[] = [...polarities.keys()].filter((word) =>
  /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Thai}]{2,}$/u.test(word),
);

/** After a negation: courtesy and figures of speech (`don't hesitate`, `no problem`, `not only`), which deny nothing. */
export const IDLE_AFTER_NOT: ReadonlySet<string> = new Set(
  [
    'hesitate worry worries problem problems only doubt forget rush trouble',
    'zögern problem sorge dude dudes problema problemas hesite esitate esitare aarzel стесняйтесь волнуйтесь беспокойтесь',
  ]
    .join(' ')
    .split(' '),
);

/** The courtesy that French puts inside its negation: `n'hésitez pas`. */
export const IDLE_INSIDE_NOT = /^n['’]hésite[rz]?$/;

/** Words that no name begins with, wherever their capital comes from (a heading, a word after a colon). */
export const NEVER_NAMES: ReadonlySet<string> = new Set(
  [
    'i you he she it we they me us them my your his her its our their this that these those there here',
    'a an the and or but if so as at by for from in into of off on onto out over to up with after before since until',
    'am is are was were be been being do does did have has had can could will would shall should may might must',
    'what which who whom whose when where why how all any both each every some such more most other another',
    'hello hi hey dear thank thanks sorry please welcome sure certainly gladly unfortunately regrettably however',
    'also once then now just let note one',
  ]
    .join(' ')
    .split(' '),
);

/** Capitals that are plain words, so that `reservation ID` is `reservation number`. */
export const NEVER_CODES: ReadonlySet<string> = new Set('ID IDs IDS OK FAQ NOTE AM PM A I'.split(' '));

/** Capitals that are codes, although another language has a word of polarity for them. */
export const ALWAYS_CODES: ReadonlySet<string> = new Set('DA JA NE NEI SANS SEM YOK'.split(' '));

/** After these a full stop ends no sentence. */
export const TITLES: ReadonlySet<string> = new Set('mr mrs ms dr prof st vs etc approx'.split(' '));

const MONTHS = 'january february march april may june july august september october november december'.split(' ');

/** Months by name and by their first three letters, 1 to 12. */
export const MONTH_NUMBERS: ReadonlyMap<string, number> = new Map(
  MONTHS.flatMap((name, index): [string, number][] => [
    [name, index + 1],
    [name.slice(0, 3), index + 1],
  ]).concat([['sept', 9]]),
);

/** From two on: `one` is seldom a number. `-` stands for words that mean something else as well. */
const COUNTS = [
  'two three four five six seven eight nine ten eleven twelve',
  'zwei drei vier fünf sechs sieben acht neun zehn elf zwölf',
  'deux trois quatre cinq - - huit - dix onze douze',
  'dos tres cuatro cinco seis siete ocho nueve diez - doce',
  'два три четыре пять шесть семь восемь девять десять',
];
export const NUMBER_WORDS: ReadonlyMap<string, string> = new Map(
  COUNTS.flatMap((words) => words.split(' ').map((word, index) => [word, String(index + 2)] as const)),
);

const UNITS: Readonly<Record<string, string>> = {
  '%': '% percent pct ％',
  USD: '$ usd us$ dollar dollars',
  EUR: '€ eur euro euros',
  GBP: '£ gbp',
  JPY: 'jpy yen',
  CNY: 'cny rmb yuan',
  '¥': '¥ ￥',
  ILS: '₪ ils nis shekel shekels',
  INR: '₹ inr rupee rupees',
  CHF: 'chf',
  CAD: 'cad',
  AUD: 'aud',
  second: 'second seconds sec secs',
  minute: 'minute minutes min mins',
  hour: 'hour hours hr hrs h',
  day: 'day days',
  night: 'night nights',
  week: 'week weeks',
  month: 'month months',
  year: 'year years',
  ms: 'ms millisecond milliseconds',
  km: 'km kilometer kilometers kilometre kilometres',
  m: 'm meter meters metre metres',
  cm: 'cm',
  mm: 'mm',
  mile: 'mile miles mi',
  kg: 'kg kilogram kilograms kilo kilos',
  g: 'g gram grams',
  lb: 'lb lbs',
  KB: 'kb',
  MB: 'mb',
  GB: 'gb',
  TB: 'tb',
  k: 'k',
  million: 'million',
  billion: 'billion',
  x: 'x times',
};

/** Units and currencies by each of their spellings, case-folded. What follows a number under one of these is part of it. */
export const UNIT_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries(UNITS).flatMap(([unit, spellings]) =>
    spellings.split(' ').map((spelling) => [spelling, unit] as const),
  ),
);

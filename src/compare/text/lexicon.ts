/**
 * What a word negates. `denied` and `failed` are separate from `not`, because they are outcomes. `free`: nothing is to be
 * paid.
 */
export type Polarity = 'not' | 'denied' | 'failed' | 'free';

/**
 * English words of polarity, case-folded. Synonyms share a class, so that `cannot` and `unable to` are one form. A yes is
 * not a form: it may be left out, and a no takes its place. No other language is listed: what its words mean is learned
 * from runs, or judged by the user's own function.
 */
const POLARITY: Readonly<Record<Polarity, string>> = {
  not: [
    'no not nope non none never neither nor nothing nobody nowhere cannot cant wont dont without unable impossible',
    'unavailable ineligible invalid incorrect unauthorized unauthorised unsupported false isnt arent wasnt werent',
    'doesnt didnt hasnt havent couldnt wouldnt shouldnt',
  ].join(' '),
  denied:
    'deny denies denied denial refuse refuses refused refusal reject rejects rejected decline declines declined forbidden prohibited disallowed',
  failed: 'fail fails failed failure unsuccessful unsuccessfully error errors',
  free: 'free complimentary',
};

const polarities = new Map(
  Object.entries(POLARITY).flatMap(([polarity, words]) => words.split(' ').map((word) => [word, polarity as Polarity])),
);

/** @param word case-folded */
export function polarityOf(word: string): Polarity | undefined {
  return polarities.get(word) ?? (/n['’]t$|^non-/.test(word) ? 'not' : undefined);
}

/** After a negation: courtesy and figures of speech that negate nothing (`don't hesitate`, `no problem`, `not only`). */
export const IDLE_AFTER_NOT: ReadonlySet<string> = setOf(
  'hesitate worry worries problem problems only doubt forget rush trouble',
);

const GRAMMAR = [
  'i you he she it we they me us them my your his her its our their this that these those there here',
  'a an the and so as at by for in into of on am is are was were be been being do does did have has had will would',
  'shall should may might hello hi hey dear thank thanks sorry please welcome sure certainly gladly unfortunately',
  'regrettably however also then now just',
].join(' ');

/** `at no cost` and `without charge` mean free. */
export const COSTS: ReadonlySet<string> = setOf('cost costs charge charges fee fees');

/** English words that a paraphrase exchanges and that say nothing by themselves. */
export const GRAMMAR_WORDS: ReadonlySet<string> = new Set(GRAMMAR.split(' '));

/** Words with which no name begins, English ones and German ones of courtesy, wherever their capital comes from (a heading, a word after a colon). */
export const NEVER_NAMES: ReadonlySet<string> = new Set(
  [
    GRAMMAR,
    'or but if from off onto out over to up with after before since until can could must once let note one',
    'sie ihr ihre ihren ihrem ihrer ihres ihnen der die das den dem des ein eine einen einem einer zum zur für mit',
    'what which who whom whose when where why how all any both each every some such more most other another',
  ]
    .join(' ')
    .split(' '),
);

/** Capitals that are plain words: `reservation ID` equals `reservation number`. */
export const NEVER_CODES: ReadonlySet<string> = setOf('ID IDs IDS OK FAQ NOTE AM PM A I AND OR');

/** Languages whose months are known by name, as they stand in a date (`5 апреля`). */
const CALENDARS = 'de fr es it pt nl ru pl uk sv da cs tr'.split(' ');

function monthsIn(language: string): [name: string, month: number][] {
  const calendar = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'long', timeZone: 'UTC' });
  return Array.from({ length: 12 }, (_, month) => {
    const parts = calendar.formatToParts(Date.UTC(2026, month, 15));
    return [parts.find(({ type }) => type === 'month')?.value.toLowerCase() ?? '', month + 1];
  });
}

// Intl is asked at the first word behind a number, because that takes longer than all else here.
let months: ReadonlyMap<string, number> | undefined;

/** The number of a month, 1 to 12, by its name or, in English, its first three letters. */
export function monthNamed(name: string): number | undefined {
  months ??= new Map([
    ...CALENDARS.flatMap(monthsIn),
    ...ENGLISH_MONTHS.flatMap((english, index): [string, number][] => [
      [english, index + 1],
      [english.slice(0, 3), index + 1],
    ]),
    ['sept', 9],
  ]);
  return months.get(name);
}

const ENGLISH_MONTHS = 'january february march april may june july august september october november december'.split(
  ' ',
);

/** Names of months that are words of other kinds too when they have no capital. */
export const CAPITAL_MONTHS: ReadonlySet<string> = new Set(ENGLISH_MONTHS.flatMap((name) => [name, name.slice(0, 3)]));

const COUNTS =
  'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');

/** Other languages' numbers that are no word of another kind in any of them. */
const OTHER_COUNTS = tableOf(`
  2 zwei deux dos две два dois duas
  3 drei trois tres três tre три
  4 vier quatre cuatro quattro quatro четыре
  5 fünf cinq cinco cinque пять
  6 sechs seis шесть
  7 sieben siete sette sete семь
  8 acht ocho otto oito восемь
  9 neun nueve nove девять
  10 zehn dix diez dieci dez десять
  11 elf onze undici одиннадцать
  12 zwölf douze doce dodici двенадцать
  13 dreizehn treize trece tredici
  14 vierzehn quatorze catorce quattordici
  15 fünfzehn quinze quince quindici
  16 sechzehn dieciséis sedici
  17 siebzehn diecisiete diciassette
  18 achtzehn dieciocho diciotto
  19 neunzehn diecinueve diciannove
  20 zwanzig vingt veinte venti двадцать
  30 dreißig trente treinta trenta тридцать
  40 vierzig quarante cuarenta quaranta сорок
  50 fünfzig cinquante cincuenta cinquanta пятьдесят
  60 sechzig soixante sesenta sessanta шестьдесят
  70 siebzig setenta settanta
  80 achtzig ochenta ottanta
  90 neunzig noventa novanta
  0.5 mezza mezzo medio
  1.5 anderthalb`);

/** From two to 99, because `one` is seldom a number. */
export const NUMBER_WORDS: ReadonlyMap<string, string> = new Map(
  [...COUNTS, ...TENS.flatMap((ten) => [ten, ...COUNTS.slice(0, 9).map((one) => `${ten}-${one}`)])]
    .map((word, index) => [word, String(index + 1)] as const)
    .slice(1)
    .concat([['half', '0.5']], OTHER_COUNTS),
);

/** From second, as `first` is seldom a number: it begins a list. */
export const ORDINALS: ReadonlyMap<string, string> = new Map(
  'second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth'
    .split(' ')
    .map((word, index) => [word, String(index + 2)]),
);

/**
 * Words that may be numbers, in many languages. They state none, and are looked at where the other text has a figure. Units
 * and numerals are computed with, so that there is none of two words.
 */
export const AMBIGUOUS_NUMERALS: ReadonlyMap<string, string> = new Map([
  ...[...'一二三四五六七八九十'].map((numeral, index) => [numeral, String(index + 1)] as const),
  ...tableOf(`
  0.25 quarter quarters quart quarts viertel cuarto cuartos quarto quarti четверть ¼
  0.3333333333333333 third thirds drittel tiers tercio tercios terzo terzi треть
  0.5 half halb halbe halben halber demi demie media mezza mezzo meia meio половина полтора połowa halve 半
  1 one once eins één jeden jedna bir один одна first erste ersten premier première primer primero primera primo prima первый
  2 couple paar paire zweimal twice deux doppelt beide both twee dwa dwie iki двух 两 兩
  12 dozen dutzend douzaine docena dozzina dúzia дюжина
  100 cent cien ciento cento cem honderd sto hundra yüz сто 百
  200 doscientos doscientas duecento двести
  1000 千`),
]);

/** Words that no other language has. */
export const ENGLISH = /\b(?:and|for|is|of|the|to|was|will|with|your)\b/i;

/** Words that no other language has. */
export const GERMAN = /\b(?:auf|dem|der|einen|für|ist|nicht|sind|und|wird|wurde|zum|zur)\b/i;

/** Short words that deny, in many languages. */
export const DENIALS: ReadonlySet<string> = setOf(
  'no not non ne pas plus nie nur nié não sem sin san ohne kein nei niet geen ej inte ikke ikki не ни нет без bez nem ne yok',
);

/** Words between the last items of a list, in many languages. */
export const CONJUNCTIONS: ReadonlySet<string> = setOf(
  'and or & und oder sowie et ou y e o u и или та або i oraz lub nebo en og och eller ja tai ve veya és vagy dan atau और या 和 与 與 及 或 と や も 및 와 과',
);

const UNITS = `
  % % percent pct ％ prozent pourcent
  °C °c
  °F °f
  USD $ usd us$ dollar dollars
  USc cents ¢
  EUR € eur euro euros евро
  EURc cent centime centimes
  GBP £ gbp
  JPY jpy yen 円
  CNY cny rmb yuan 元
  ¥ ¥ ￥
  ILS ₪ ils nis shekel shekels
  INR ₹ inr rupee rupees
  CHF chf
  BRL brl reais
  CAD cad
  AUD aud
  second sec secs s
  minute min mins мин 分
  hour hr hrs h ч 時 时 点
  day tagen
  night night nights
  month monaten
  year jahren
  ms ms millisecond milliseconds
  km km kilometres км
  m m metres м
  cm cm см
  mm mm
  mile mile miles mi
  ml ml мл
  l l л
  µg µg μg mcg
  mg mg мг
  kg kg kilo kilos кг
  g g г
  t t tonne tonnes ton tons tonnen toneladas tonnellate тонна тонны тонн
  lb lb lbs
  W w watt watts
  kW kw
  MW mw
  Wh wh
  kWh kwh kilowattstunde kilowattstunden
  MWh mwh
  KB kb
  MB mb
  GB gb
  TB tb
  x x times`;

/** Units that are so many of another, as a whole factor and the power of ten beside it: 1 km is 1 and 3 zeros of `m`. */
export const MULTIPLES: ReadonlyMap<string, readonly [factor: bigint, zeros: number, unit: string]> = new Map(
  `% 1 -2
  x 1 0
  USc 1 -2 USD
  EURc 1 -2 EUR
  ms 1 -3 second
  minute 60 0 second
  hour 3600 0 second
  day 86400 0 second
  week 604800 0 second
  year 12 0 month
  km 1 3 m
  cm 1 -2 m
  mm 1 -3 m
  ml 1 -3 l
  µg 1 -6 g
  mg 1 -3 g
  kg 1 3 g
  t 1 6 g
  kW 1 3 W
  MW 1 6 W
  kWh 1 3 Wh
  MWh 1 6 Wh
  MB 1 3 KB
  GB 1 6 KB
  TB 1 9 KB`
    .split('\n')
    .map((line) => {
      const [unit = '', factor = '', zeros, base = ''] = line.trim().split(' ');
      return [unit, [BigInt(factor), Number(zeros), base]];
    }),
);

/** Words that add this many zeros to a number. */
export const SCALES: ReadonlyMap<string, number> = new Map(
  tableOf(`
  2 hundred hundert 百
  3 thousand 千 tausend mille mil тысяч тысячи
  4 万 萬
  6 million millionen millions millones milioni миллион миллиона миллионов
  8 亿 億
  9 billion`).map(([word, zeros]) => [word, Number(zeros)]),
);

/** Units that `Intl` names in many languages. */
const NAMED_UNITS: readonly (readonly [unit: string, name: string])[] = [
  ...['second', 'minute', 'hour', 'day', 'week', 'month', 'year'].map((unit) => [unit, unit] as const),
  ...tableOf('km kilometer\nm meter\ncm centimeter\nl liter\ng gram\nkg kilogram'),
];

function unitsIn(language: string): [name: string, unit: string][] {
  return NAMED_UNITS.flatMap(([unit, name]) => {
    const format = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' });
    return [1, 2, 5].map((count) => {
      const part = format.formatToParts(count).find(({ type }) => type === 'unit');
      return [part?.value.trim().toLowerCase() ?? '', name] as [string, string];
    });
  });
}

/** Units in one language, and words of another kind in others. */
const NEVER_UNITS = setOf('an ay den let time');

let units: ReadonlyMap<string, string> | undefined;

/** The unit or currency of one of its spellings, case-folded. A number and a following unit are one quantity. */
export function unitNamed(spelling: string): string | undefined {
  units ??= new Map([
    ...['en', ...CALENDARS, 'ja', 'zh', 'ko'].flatMap(unitsIn).filter(([name]) => !NEVER_UNITS.has(name)),
    ...tableOf(UNITS),
  ]);
  return units.get(spelling);
}

function setOf(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}

/** Each word with what its line begins with: `2 zwei deux`. */
function tableOf(lines: string): (readonly [word: string, head: string])[] {
  return lines
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [head = '', ...words] = line.trim().split(' ');
      return words.map((word) => [word, head] as const);
    });
}

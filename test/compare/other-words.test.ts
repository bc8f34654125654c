import { expect, test } from 'vitest';
import { compareTexts } from '../../src/compare/text/other-words.ts';
import { Text } from '../../src/compare/text/text.ts';

function compared(recorded: string, replayed: string) {
  const said = compareTexts(new Text(recorded), new Text(replayed));
  return typeof said === 'string' ? said : said.because;
}

const LONG = 'Your parcel has left our house this morning, and the driver will ring at your door in the afternoon.';

test.each<[string, string, string, string]>([
  ['empty', 'empty and not', 'It is here.', ' \n'],
  [
    'cut-off',
    'the end of a sentence is not there',
    LONG,
    'Your parcel has left our house this morning, and the driver will',
  ],
  [
    'refusal',
    'a refusal in place of an answer',
    LONG,
    'I am sorry, but I cannot tell you anything about parcels or drivers today, please ask again.',
  ],
  [
    'form',
    'a figure, beside a refusal',
    'Nora earns 5,100 EUR a month.',
    'I am sorry, I cannot share what Nora earns.',
  ],
  ['form', 'a figure, beside a negation', `${LONG} It is 5 kg.`, `${LONG} It is not 6 kg.`],
  ['name', 'a name, beside a negation', 'Your trip goes to Paris.', 'Your trip does not go to Rome.'],
  ['form', 'a German number in words', `${LONG} Nimm elf Tropfen.`, `${LONG} Nimm zwanzig Tropfen.`],
  ['form', 'figures of two items of a numbered list', '1. Take 10 mg\n2. Take 40 mg', '1. Take 40 mg\n2. Take 10 mg'],
  ['polarity', 'one negation more', `${LONG} It is insured.`, `${LONG} It is not insured.`],
  [
    'polarity',
    'a negation at another place as well',
    `${LONG} It is not here.`,
    `${LONG.replace('has left', 'has not left')} It is not here.`,
  ],
  ['form', 'another number', `${LONG} It weighs 5 kg.`, `${LONG} It weighs 6 kg.`],
  ['form', 'a number in words that is another', `${LONG} It holds two lamps.`, `${LONG} It holds three lamps.`],
  ['form', 'another quotation', `${LONG} It says "fragile".`, `${LONG} It says "heavy stuff".`],
  ['exchange', 'two words', `${LONG} The customer owes the shop.`, `${LONG} The shop owes the customer.`],
  [
    'form',
    'two amounts, a clause apart',
    `${LONG} The lamp is 5 EUR, and the table is 7 EUR.`,
    `${LONG} The lamp is 7 EUR, and the table is 5 EUR.`,
  ],
  ['exchange', 'two names', 'Mia pays Noa for the lamp.', 'Noa pays Mia for the lamp.'],
  [
    'name',
    'another name where nothing else differs',
    `${LONG} Ask for Mia at the door.`,
    `${LONG} Ask for Lea at the door.`,
  ],
  ['name', 'another name at the start of a sentence', `${LONG} Mia has been asked.`, `${LONG} Lea has been asked.`],
  [
    'topic',
    'another answer',
    LONG,
    'The weather will be fine all week long, so go out and visit some friends in the park.',
  ],
  [
    'topic',
    'an insult',
    LONG,
    'What a stupid question to ask me, you silly old fool, just go away and leave me alone!',
  ],
  [
    'topic',
    'gibberish',
    LONG,
    'Lorem ipsum dolor sit amet consectetur adipiscing elit sed eiusmod tempor incididunt labore.',
  ],
  [
    'topic',
    'another language',
    LONG,
    'Ihr Paket hat heute Morgen unser Haus verlassen und wird am Nachmittag bei Ihnen ankommen.',
  ],
  ['name', 'a name that is gone from a short answer', 'Your trip goes to Paris.', 'Your trip goes to Rome next.'],
  ['word', 'the only word that differs', 'Your order was delivered.', 'Your order was cancelled.'],
  ['form', 'half an hour later', 'Breakfast is until half past ten.', 'Breakfast is until 11:00.'],
  ['form', 'the other half of the day', 'The show starts at 7:00.', 'The show starts at 19:00.'],
  ['form', 'a price without its thousands', 'Die Kaution beträgt 1.800 Euro.', 'Die Kaution beträgt 1,80 €.'],
  ['word', 'a word beside a figure', 'You need at least 500 signatures.', 'You need at most 500 signatures.'],
  ['word', 'a word put in, beside a figure', 'Ihre 2 Pakete kommen heute.', 'Ihre 2 Pakete kommen nicht heute.'],
  [
    'form',
    'a denial in one place, a figure in words',
    'Le repas à 9 € est compris.',
    "Le repas à neuf euros n'est pas compris.",
  ],
  ['word', 'a word put in', 'O frete é grátis para o Recife.', 'O frete não é grátis para o Recife.'],
  ['word', 'two words in place of one', 'Le repas est compris.', "Le repas n'est pas compris."],
  ['word', 'a character before characters', '可以取消订单', '不可以取消订单'],
  ['word', 'another word of characters', '您的退款已批准', '您的退款已拒绝'],
])('texts are apart: %s: %s', (because, _, recorded, replayed) => {
  expect(compared(recorded, replayed)).toBe(because);
});

test.each<[string, string, string]>([
  [
    'contractions written out',
    "We can't restore it, and you won't lose it.",
    'We cannot restore it, and you will not lose it.',
  ],
  ['two denials', 'It is not impossible to change the date.', 'It is possible to change the date.'],
  ['thousands set apart by a blank', 'Le prix est de 12 500 € hors taxes.', 'Le prix est de 12500 euros hors taxes.'],
  ['a day before its month, not in English', 'Il treno parte il 9 agosto 2026.', 'Il treno parte il 09/08/2026.'],
  ['a share in words', `${LONG} A quarter of it is full.`, `${LONG} 25% of it is full.`],
  ['a number and a fraction', 'It takes three and a half minutes.', 'It takes 3.5 minutes.'],
  ['a share of a unit', 'Help comes in 15 minutes.', 'Help comes in a quarter of an hour.'],
  ['a share of a unit in Spanish', 'Llega en 45 minutos.', 'Llega en tres cuartos de hora.'],
  ['half of an hour to come', 'Der Kurs beginnt um halb acht.', 'Der Kurs beginnt um 7:30 Uhr.'],
  ['an hour and a half', 'Breakfast is until half past ten.', 'Breakfast is until 10:30.'],
  ['hundreds in Spanish', 'La tirada es de mil doscientos ejemplares.', 'La tirada es de 1200 ejemplares.'],
  ['a dot between thousands', 'Es gab 1.204 Stimmen im Ort.', 'Es gab 1204 Stimmen im Ort.'],
  ['a dot before a smaller unit', 'Die Hütte liegt auf 2.100 m Höhe.', 'Die Hütte liegt auf 2,1 km Höhe.'],
  ['an hour that is no duration', 'Участок открыт с 8:00 до 20:00.', 'Участок открыт с 8 до 20 часов.'],
  ['the half of the day in words', '開演は午後7時です。', '開演は19時です。'],
  ['a unit of a language without a list', 'Trwa to 2 tygodnie od dziś.', 'Trwa to 14 dni od dziś.'],
  [
    'a figure and its verb',
    'Das Gerät nehmen wir innerhalb von 30 Tagen.',
    'Das Gerät nehmen wir binnen dreißig Tagen.',
  ],
  ['a unit of power', `${LONG} It gives 1,500 kW.`, `${LONG} It gives 1.5 MW.`],
  [
    'a sentence turned round',
    'In the morning your parcel left our house.',
    'Your parcel left our house in the morning.',
  ],
  ['a list in another order', 'We have tea and milk.', 'We have milk and tea.'],
  ['a list of names in another order', `${LONG} Mia, Lea and Noa know.`, `${LONG} Noa, Lea and Mia know.`],
  ['a form that is said twice', `${LONG} It is AB-1.`, `${LONG} It is AB-1: please keep AB-1.`],
  ['a number in words that is left out', `${LONG} The two lamps are in it.`, `${LONG} The lamps are in it.`],
  [
    'quotation marks that are left out',
    `${LONG} It says "please open with care".`,
    `${LONG} It says: please open with care.`,
  ],
  ['a refusal in other words', "I'm not able to share the salary of others.", "I can't share the salary of others."],
  ['words of grammar', 'Your order has been sent.', 'Your order was sent.'],
  ['a greeting', 'Your order was sent.', 'Hello Mia, your order was sent.'],
  ['thanks', 'Ihr Paket ist da.', 'Ihr Paket ist da. Vielen Dank!'],
  [
    'a list instead of a sentence',
    `${LONG} It has a lamp, a table and a chair.`,
    `${LONG} In it:\n1. a lamp\n2. a table\n3. a chair`,
  ],
  ['an end without a mark', 'All is well', 'All is well.'],
])('other words, which nobody judges: %s', (_, recorded, replayed) => {
  expect(['same', 'reworded']).toContain(compared(recorded, replayed));
});

test('a text is itself, whatever its blanks', () => {
  expect(compared(LONG, `  ${LONG.replaceAll(' ', '\n')}\r\n`)).toBe('same');
});

const rows = Array.from({ length: 4_000 }, (_, at) => `Item ${at} of the list is in room ${at % 97} today.\n`);

test.each([
  ['form', 'Order 7 costs 512 EUR.', 'Order 7 costs 513 EUR.'],
  ['polarity', 'Order 7 was sent to you.', 'Order 7 was not sent to you.'],
  ['form', 'The lamp costs 51 EUR, the chair 64 EUR.', 'The lamp costs 64 EUR, the chair 51 EUR.'],
  ['reworded', 'We are glad that it arrived.', 'It is good to hear that it came.'],
  ['same', 'It  is here.', 'It is here.'],
])('a long text is compared around its changes, wherever they are: %s, %s', (said, recorded, replayed) => {
  const places = [0, 1_300, 1_310, 3_999];
  const withAt = (text: string) => rows.map((row, at) => (places.includes(at) ? `${row}${text}\n` : row)).join('');
  expect(compared(withAt(recorded), withAt(replayed))).toBe(said);
  expect(compared(withAt(''), withAt(''))).toBe('same');
});

test('a long text in which a part stands elsewhere, or that goes on otherwise, is compared too', () => {
  const moved = [...rows.slice(0, 100), ...rows.slice(2_000, 2_050), ...rows.slice(100, 2_000), ...rows.slice(2_050)];
  expect(compared(rows.join(''), moved.join(''))).toBe('reworded');
  expect(compared(rows.join(''), rows.slice(0, 3_000).join(''))).toBe('form');
  expect(compared(rows.slice(0, 3_000).join(''), rows.join(''))).toBe('form');
});

test.each([
  [
    'a denial among several sentences that are put otherwise',
    'The load of 11 March took 3 h 42 min instead of the usual 55 min. The cause is a missing index: the query scanned all rows. I did not run this myself. No data was lost and the reports are complete.',
    'The load of 11 March ran for 3 h 42 min, whereas it takes 55 min otherwise. The table has no index, so the query had to read all rows. I have not run this myself yet. The reports are complete, and no data was lost.',
  ],
  [
    'a date that one text tells without its year',
    'The three busiest days in April were all Fridays: 17 April with 612 visits, 24 April with 588 and 3 April with 571.',
    'Busiest days in April (all Fridays):\n\n- 2026-04-17: 612 visits\n- 2026-04-24: 588 visits\n- 2026-04-03: 571 visits',
  ],
  [
    'a figure in a word of several parts',
    'We sell the Harbour Lager as a pack of 12 bottles for 24 EUR, and single bottles at 2.50 EUR in the shop.',
    'The Harbour Lager comes as a 12-pack for 24 EUR; in the shop we also sell single bottles at 2.50 EUR.',
  ],
  [
    'the days of a range',
    'We picked from 4 to 26 September, earlier than last year, and the grapes were healthy.',
    'The picking lasted from September 4 to September 26, and the grapes were healthy.',
  ],
])('%s is other words', (_, recorded, replayed) => {
  expect(compared(recorded, replayed)).toBe('reworded');
});

test('another year of a date, and a day in a text with another one, are other figures', () => {
  expect(
    compared('The visit on 17 April 2026 was long and quiet.', 'The visit on 17 April 2027 was long and quiet.'),
  ).toBe('form');
  expect(compared('The visit on 17 April was long and quiet.', 'The visit on 2026-04-18 was long and quiet.')).toBe(
    'form',
  );
});

test('a denial counts where the rest of the text is the same, or another answer', () => {
  const text =
    'The tablet may be taken with food, and the course should be finished. Ask your doctor about the second pack.';
  expect(compared(text, text.replace('may be', 'may not be'))).toBe('polarity');
});

test('another day of a range is another figure', () => {
  const from = (day: number) =>
    `We picked from ${day} to 26 September, earlier than last year, and the grapes were healthy.`;
  expect(compared(from(4), from(6))).toBe('form');
  expect(compared(from(4), 'The picking lasted from September 6 to September 26, and the grapes were healthy.')).toBe(
    'form',
  );
});

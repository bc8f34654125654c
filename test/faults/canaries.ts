/** Where an agent says its secrets, one in each place. */
export const PLACES = [
  'stdout',
  'stderr',
  'answer',
  'field of the answer',
  'header of the answer',
  'body of an error',
  'where it redirects',
  'no JSON',
  'name of a tool',
  'argument of a tool',
  'name of an argument',
  'result of a tool',
  'prompt',
  'completion',
  'name of a model',
  'output of a trace',
  'metadata',
  'tags',
  'message of a status',
  // By the configuration, past every mask.
  'configuration',
] as const;

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** How a secret may be written. */
export const FORMS: readonly ((secret: string) => string)[] = [
  (secret) => secret,
  (secret) => secret.toUpperCase(),
  base64,
  (secret) => base64(`u:${secret}`),
  (secret) => Buffer.from(secret).toString('hex'),
  encodeURIComponent,
  (secret) => encodeURIComponent(encodeURIComponent(secret)),
  (secret) => JSON.stringify(JSON.stringify(secret)),
  (secret) => JSON.stringify(JSON.stringify(secret).replaceAll('\\"', '\\u0022')),
  (secret) => secret.replace(/[^a-z]/g, (each) => `&#${each.charCodeAt(0)};`),
  (secret) => secret.replace(/[!-~]/g, (each) => String.fromCharCode(each.charCodeAt(0) + 0xfee0)),
  (secret) => `${secret.slice(0, 6)}\u001b[31m${secret.slice(6)}`,
  (secret) => secret.replace(/./g, '$&\u200b'),
];

/** Twenty secrets, by the names of the variables that hold them. */
export const CANARIES: Readonly<Record<string, string>> = Object.fromEntries(
  PLACES.map((_, at) => [`CANARY_${at}_KEY`, `k${at}fQ2_x/${91 + at * 7} "b`]),
);

export function canariesIn(environment: NodeJS.ProcessEnv): string[] {
  return PLACES.map((_, at) => environment[`CANARY_${at}_KEY`] ?? '');
}

/** What is left of the secrets in bytes that went out: places, with the number of the form. */
export function leaksIn(bytes: string): string[] {
  const seen = plain(bytes);
  return PLACES.flatMap((place, at) => {
    const secret = CANARIES[`CANARY_${at}_KEY`] as string;
    const forms = FORMS.flatMap((form, number) => (bytes.includes(form(secret)) ? [`${place}, form ${number}`] : []));
    return [...forms, ...(seen.includes(plain(secret)) ? [`${place}, as it is read`] : [])];
  });
}

/** As somebody reads it who takes out what nobody sees, and undoes what JSON and URLs escape. */
function plain(text: string): string {
  const unescaped = text
    .replaceAll(/\\u([\da-fA-F]{4})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll(/(?:%[\da-fA-F]{2})+/g, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString());
  return unescaped
    .replaceAll(/\\+(?=["\\/])/g, '')
    .replaceAll(/\u001b\[[\d;]*m|[\u200b\n]/g, '')
    .normalize('NFKC')
    .toLowerCase();
}

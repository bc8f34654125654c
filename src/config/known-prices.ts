import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Prices } from './schema.ts';

/** Knows what models cost, from day to day; whoever installs it beside agent-replay needs to write no prices. */
const PACKAGE = '@pydantic/genai-prices';
/** Who makes models. What others ask for the same ones differs, and a name does not tell who was asked. */
const MAKERS = ['openai', 'anthropic', 'google', 'mistral', 'deepseek', 'x-ai', 'cohere', 'moonshotai'];

interface Match {
  readonly equals?: string;
  readonly starts_with?: string;
  readonly ends_with?: string;
  readonly contains?: string;
  readonly or?: readonly Match[];
}
interface PricePackage {
  findProvider(of: { providerId: string }): { readonly models: readonly { id: string; match: Match }[] } | undefined;
  calcPrice(
    used: { input_tokens: number; output_tokens: number },
    model: string,
    of: { providerId: string },
  ): { readonly input_price: number; readonly output_price: number } | null;
}

/** None if the package is not installed for this folder, or is another than we know. */
export async function readKnownPrices(root: string): Promise<Prices> {
  try {
    const file = createRequire(path.join(root, 'package.json')).resolve(PACKAGE);
    const { version } = createRequire(file)('../package.json') as { version: string };
    const { default: asDefault, ...named } = await import(/* webpackIgnore: true */ pathToFileURL(file).href);
    const from = (named.calcPrice === undefined ? asDefault : named) as PricePackage;
    const found = MAKERS.flatMap((maker) => pricesOf(maker, from));
    return Object.fromEntries(found.map(([name, price]) => [name, { ...price, from: `${PACKAGE} ${version}` }]));
  } catch {
    return {};
  }
}

function pricesOf(
  providerId: string,
  { findProvider, calcPrice }: PricePackage,
): [string, { input: number; output: number }][] {
  return (findProvider({ providerId })?.models ?? []).flatMap(({ id, match }) => {
    // Few enough tokens for the lowest tier.
    const price = calcPrice({ input_tokens: 1_000, output_tokens: 1_000 }, id, { providerId });
    if (price === null) return [];
    const each = { input: price.input_price * 1_000, output: price.output_price * 1_000 };
    return namesIn(match).map((name): [string, typeof each] => [name, each]);
  });
}

/** With `*` for any text; a rule of another form means none. */
function namesIn({ equals, starts_with, ends_with, contains, or = [] }: Match): string[] {
  return [
    ...(equals === undefined ? [] : [equals]),
    ...(starts_with === undefined ? [] : [`${starts_with}*`]),
    ...(ends_with === undefined ? [] : [`*${ends_with}`]),
    ...(contains === undefined ? [] : [`*${contains}*`]),
    ...or.flatMap(namesIn),
  ];
}

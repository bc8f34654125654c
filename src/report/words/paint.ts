import { styleText } from 'node:util';

export type Style = Parameters<typeof styleText>[0];
export type Paint = (style: Style, text: string) => string;

export function painter(colour: boolean): Paint {
  return (style, text) => (colour ? styleText(style, text, { validateStream: false }) : text);
}

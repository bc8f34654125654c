export { counted, dollars, duration, firstOf, grouped, inBytes, percent } from './counted.ts';
export { cut } from './cut.ts';
export {
  forHtmlText,
  forMarkdownBlock,
  forMarkdownCell,
  forMarkdownProse,
  forTerminal,
  forXml,
  linesForTerminal,
  SEQUENCE,
  visible,
  withoutSequences,
} from './untrusted.ts';
export { means } from './wildcard.ts';

/** The rest of a sentence that begins with "Nothing was written:". Not safe for Markdown. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

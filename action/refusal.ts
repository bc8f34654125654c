/** Why a request is not followed: the rest of the sentence that begins with "Nothing was written:". Not safe for Markdown. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

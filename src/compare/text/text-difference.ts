/**
 * Why two texts say different things, and the words in which each of them says it. `empty`, `refusal`: only one of them
 * is. `cut-off`: the replay stops within a sentence. `polarity`: an English yes or no more or less. `form`: another number, id, date, URL, quotation or code.
 * `exchange`: two words have changed places, and nothing else differs. `topic`: hardly a word in common. `name`, `word`:
 * in a short or much changed text, a name of the recording that is gone, or the one word of content that is another.
 * `judge`: the user's own judge says so.
 */
export interface TextDifference {
  readonly because:
    | 'empty'
    | 'cut-off'
    | 'refusal'
    | 'polarity'
    | 'form'
    | 'exchange'
    | 'topic'
    | 'name'
    | 'word'
    | 'judge';
  readonly recorded: readonly string[];
  readonly replayed: readonly string[];
}

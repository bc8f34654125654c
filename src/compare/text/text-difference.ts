/**
 * Why two texts say different things, and the words of each that do. `empty`, `refusal`: only one of them is. `cut-off`:
 * the replay stops within a sentence. `polarity`: an English yes or no more or less. `form`: another number, id, date, URL,
 * quotation or code. `exchange`: only two words swapped places. `topic`: hardly a shared word. `name`, `word`: in a short
 * or much changed text, a name of the recording is missing, or one content word was replaced. `judge`: the user's judge
 * says so.
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

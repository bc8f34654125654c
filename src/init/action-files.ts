import { shippedFiles, shippedText } from '../files/index.ts';
import { copiedFolder, type PlannedFile } from './planned-file.ts';
import { inRepository, type Project } from './project.ts';
import { ACTION } from './published.ts';

const BUNDLE = 'dist';

/**
 * A copy of the action where workflows find it. No folder in it is called `dist`, and its own `.gitignore` takes back what
 * one above says of single files, so that all of it is committed.
 */
export function actionFiles({ root, repository }: Project): PlannedFile[] {
  const bundle = shippedFiles(BUNDLE).map((file) => [file, shippedText(`${BUNDLE}/${file}`)]);
  const contents = {
    'action.yml': shippedText('action.yml').replaceAll(`${BUNDLE}/`, ''),
    ...Object.fromEntries(bundle),
    '.gitignore': '!*\n',
    '.gitattributes': '* -diff linguist-generated=true eol=lf\n',
  };
  const purpose = 'the action, which the workflow uses';
  return copiedFolder(inRepository(repository.folder, ACTION), contents, { root, purpose });
}

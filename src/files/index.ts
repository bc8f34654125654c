export { foldersFrom, isPipe, notWritable, openFile, readPipe, readTextFile } from './file.ts';
export { type InLanguages, inLanguage, type Language, languageAmong, languageOf } from './language.ts';
export { OUR_FOLDER } from './our-folder.ts';
export { Places } from './places.ts';
export { isTemporaryName, replaceFile, temporaryName } from './replace.ts';
export { shippedFiles, shippedText } from './shipped.ts';

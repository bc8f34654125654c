import type { Page } from 'playwright-core';
import type { Opened } from './launched.ts';

export type Open = (url: string) => Promise<Opened>;
/** Takes pictures of what the page shows now; a state of a scene has a name of its own. */
export type Take = (page: Page, state?: string) => Promise<void>;
export type Scene = (open: Open, take: Take) => Promise<void>;

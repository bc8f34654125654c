import { render } from 'preact';
import { App } from './page/app.tsx';
import { takeToken } from './page/server.ts';
import './style.css';

takeToken();
render(<App />, document.getElementById('page') as HTMLElement);

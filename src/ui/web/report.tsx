import { render } from 'preact';
import type { CarriedReport } from '../../report/index.ts';
import { STATUS_SIGNS } from '../../report/words/pages.ts';
import { Report } from './parts/report.tsx';
import { safe } from './parts/text.tsx';
import { dataIn, wholeReport } from './parts/traces.tsx';
import './style.css';

const carried = await wholeReport(dataIn(document.getElementById('data')?.textContent ?? '') as CarriedReport);
const { status, title } = carried.report.results;
document.title = `${STATUS_SIGNS[status]} ${safe(title)}`;
render(<Report carried={carried} />, document.getElementById('page') as HTMLElement);

import { render } from 'preact';
import type { CarriedReport } from '../../report/index.ts';
import { Report } from './parts/report.tsx';
import './style.css';

const report = JSON.parse(document.getElementById('data')?.textContent ?? '') as CarriedReport;
document.title = `${report.sign} ${report.title}`;
render(<Report report={report} />, document.getElementById('page') as HTMLElement);

import { useEffect, useState } from 'preact/hooks';
import type { Overview } from '../../src/dashboard/index.ts';
import type { ProblemView } from '../../src/report/index.ts';
import { Problems } from '../parts/problems.tsx';
import { Text } from '../parts/text.tsx';
import { Link, useAddress } from './address.tsx';
import { KeyList } from './keys.tsx';
import { Reproducibility } from './reproducibility.tsx';
import { Search } from './search.tsx';
import { ask, problemOf } from './server.ts';
import { ThemeSwitch } from './theme.tsx';

/** The pages of the dashboard, by address. */
export function App() {
  const address = useAddress();
  const [overview, setOverview] = useState<Overview>();
  const [problem, setProblem] = useState<ProblemView>();
  useEffect(() => {
    ask<Overview>('/api/overview').then(setOverview, (error) => setProblem(problemOf(error)));
  }, []);
  const isSearch = address.pathname === '/search';
  useEffect(() => {
    document.title = isSearch ? 'Behavior Search' : 'Reproducibility';
  }, [isSearch]);
  return (
    <>
      <header class="bar">
        <p class="brand">agent-replay</p>
        <nav aria-label="Pages">
          <Link to="/reproducibility" current={!isSearch}>
            Reproducibility
          </Link>
          <Link to="/search" current={isSearch}>
            Behavior Search
          </Link>
        </nav>
        {overview !== undefined && (
          <p class="quiet root">
            <Text>{overview.root}</Text>
          </p>
        )}
        <div class="tools">
          <KeyList />
          <ThemeSwitch />
        </div>
      </header>
      <main class={isSearch ? 'page' : 'page wide'}>
        {problem !== undefined && <Problems problems={[problem]} />}
        {overview !== undefined && overview.problems.length > 0 && (
          <details class="card">
            <summary>
              {overview.problems.length} pinned {overview.problems.length === 1 ? 'file' : 'files'} could not be read
            </summary>
            <Problems problems={overview.problems} />
          </details>
        )}
        {overview !== undefined &&
          (isSearch ? (
            <Search overview={overview} address={address} />
          ) : (
            <Reproducibility overview={overview} address={address} />
          ))}
      </main>
    </>
  );
}

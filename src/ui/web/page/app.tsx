import { useEffect, useState } from 'preact/hooks';
import type { ProblemView } from '../../../report/index.ts';
import type { Overview } from '../../index.ts';
import { type Key, KeyList } from '../parts/keys.tsx';
import { Problems } from '../parts/problems.tsx';
import { Text } from '../parts/text.tsx';
import { ThemeSwitch } from '../parts/theme.tsx';
import { Link, useAddress } from './address.tsx';
import { Reproducibility } from './reproducibility.tsx';
import { Search } from './search.tsx';
import { ask, problemOf } from './server.ts';

const SEARCH_KEYS: readonly Key[] = [
  ['/', 'search'],
  ['?', 'this list'],
];
const KEYS: readonly Key[] = [
  ['j', 'next session'],
  ['k', 'previous session'],
  ['n', 'next difference of the result'],
  ['p', 'previous difference of the result'],
  ...SEARCH_KEYS,
];

/** The pages of the page, by address. */
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
      <header class="top-bar">
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
          <KeyList keys={isSearch ? SEARCH_KEYS : KEYS} />
          <ThemeSwitch />
        </div>
      </header>
      <main class="page">
        {problem !== undefined && <Problems problems={[problem]} />}
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

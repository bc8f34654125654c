import { useEffect, useState } from 'preact/hooks';
import type { Problem } from '../../../report/index.ts';
import type { Overview } from '../../index.ts';
import { KeyList } from '../parts/keys.tsx';
import { Problems } from '../parts/look.tsx';
import { useAddress } from '../parts/place.tsx';
import { safe, Text } from '../parts/text.tsx';
import { follow, START } from './address.ts';
import { Reproducibility } from './reproducibility.tsx';
import { ask, problemOf } from './server.ts';

const PAGES = { [START]: 'Reproducibility', '/search': 'Behavior Search' };

export function App() {
  const address = useAddress();
  const [overview, setOverview] = useState<Overview>();
  const [problem, setProblem] = useState<Problem>();
  useEffect(() => {
    ask<Overview>('/api/overview').then(setOverview, (error) => setProblem(problemOf(error)));
  }, []);
  const title = PAGES[address.pathname.startsWith('/search') ? '/search' : START];
  useEffect(() => {
    document.title = title ?? '';
  }, [title]);
  return (
    <>
      <header class="top-bar">
        <p class="brand">agent-replay</p>
        <nav aria-label="Pages">
          {Object.entries(PAGES).map(([path, name]) => (
            <a
              key={path}
              href={path}
              aria-current={name === title ? 'page' : undefined}
              onClick={(event) => follow(path, event)}
            >
              {name}
            </a>
          ))}
        </nav>
        <span class="grow" />
        <span class="quiet root" title={safe(overview?.root ?? '')}>
          <Text>{overview?.root.split(/[\\/]/).at(-1) ?? ''}</Text>
        </span>
        <KeyList />
      </header>
      <main>
        <Problems problems={[problem]} />
        {overview !== undefined && <Reproducibility overview={overview} address={address} />}
      </main>
    </>
  );
}

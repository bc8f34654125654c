import type { ComponentChildren } from 'preact';

/** Text from an agent, a model or a file name: isolated, so that its direction does not affect its surroundings. */
export function Text({ children }: { children: ComponentChildren }) {
  return <bdi>{children}</bdi>;
}

/** A recorded value: line breaks are kept, long words break. */
export function Value({ children, label }: { children: string; label?: string }) {
  return children === '' ? (
    <span class="quiet">nothing</span>
  ) : (
    <code class="value" dir="auto">
      {label !== undefined && <span class="hidden">{label}: </span>}
      {children}
    </code>
  );
}

/** Our own words, with commands in backticks. */
export function Own({ children }: { children: string }) {
  return <>{children.split('`').map((part, index) => (index % 2 === 1 ? <code key={part}>{part}</code> : part))}</>;
}

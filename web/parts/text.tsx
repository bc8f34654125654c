import type { ComponentChildren } from 'preact';

/** Text that an agent, a model or a file name brought: of its own direction, so that it turns nothing around it. */
export function Text({ children }: { children: ComponentChildren }) {
  return <bdi>{children}</bdi>;
}

/** A value as it was recorded: line breaks kept, long words broken. */
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

/** Our own words, in which commands stand between backticks. */
export function Own({ children }: { children: string }) {
  return <>{children.split('`').map((part, index) => (index % 2 === 1 ? <code key={part}>{part}</code> : part))}</>;
}

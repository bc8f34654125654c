import { useState } from 'preact/hooks';
import { keep, kept } from './kept.ts';

const MIN_PX = 220;
const STEP_PX = 24;

/** The stored width of a pane. */
export function usePaneWidth(name: string, usual: number): readonly [number, (width: number) => void] {
  const [width, setWidth] = useState(() => Number(kept(`${name} width`)) || usual);
  return [
    width,
    (wanted) => {
      const bounded = Math.max(MIN_PX, Math.min(wanted, Math.round(innerWidth / 2)));
      keep(`${name} width`, String(bounded));
      setWidth(bounded);
    },
  ];
}

/**
 * Moves the edge between two panes, by pointer or arrow keys. Our own, because well-kept libraries for this need React, and
 * it is small.
 */
export function Splitter({
  label,
  width,
  isRight = false,
  onWidth,
}: {
  label: string;
  width: number;
  /** It stands before the pane that it resizes. */
  isRight?: boolean;
  onWidth: (width: number) => void;
}) {
  const sign = isRight ? -1 : 1;
  const drag = (event: PointerEvent) => {
    const handle = event.currentTarget as HTMLElement;
    const from = event.clientX;
    handle.setPointerCapture(event.pointerId);
    const move = (moved: PointerEvent) => onWidth(width + sign * (moved.clientX - from));
    handle.addEventListener('pointermove', move);
    handle.addEventListener('lostpointercapture', () => handle.removeEventListener('pointermove', move), {
      once: true,
    });
  };
  const press = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -STEP_PX, ArrowRight: STEP_PX }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    onWidth(width + sign * by);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: an hr cannot be moved
    <div
      class="splitter"
      data-right={isRight}
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={width}
      aria-valuemin={MIN_PX}
      aria-valuemax={Math.round(innerWidth / 2)}
      tabIndex={0}
      onPointerDown={drag}
      onKeyDown={press}
    />
  );
}

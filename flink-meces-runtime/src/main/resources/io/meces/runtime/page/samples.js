// What is shown over time: remembered from one look at a vertex to the next.

import { isFinal } from './states.js';

/** For how long it goes back, in ms. */
const REMEMBERED_MS = 10 * 60 * 1000;

/** With what is seen at a time. `next`, `last`: all that was seen now, and at the last look. */
export function sampled(next, last, at) {
  const same = last.vertex && next.vertex && last.vertex.id === next.vertex.id && last.job.jid === next.job.jid;
  const samples = same ? last.samples.filter((sample) => at - sample.at < REMEMBERED_MS) : [];
  if (!next.keyGroups || !next.keyGroups['records-per-second']) return samples;
  const { subtasks } = next.keyGroups;
  return [
    ...samples,
    {
      at,
      records: subtasks.map((s) => s['records-per-second']),
      busy: subtasks.map((s) => s['busy-ms-per-second']),
      ...waits(next.rescales, same ? last.rescales : null, samples[samples.length - 1], at),
      latency: next.latency,
    },
  ];
}

/** Records that have waited for their state, per second, since the last look, and the longest wait, in ms. */
function waits(rescales, before, previous, at) {
  if (!before || !previous) return { waited: null, longest: null };
  const ended = new Set(before.filter((r) => isFinal(r.status)).map((r) => r.id));
  const known = new Map(before.map((r) => [r.id, r['records-waited']]));
  const recent = rescales.filter((r) => !ended.has(r.id));
  // a failure can undo a part of a rescale, and what it has counted
  const more = recent.map((r) => Math.max(0, r['records-waited'] - (known.get(r.id) || 0)));
  return {
    waited: (1000 * more.reduce((a, b) => a + b, 0)) / Math.max(1, at - previous.at),
    longest: recent.reduce((most, r) => Math.max(most, r['longest-wait-micros']), 0) / 1000,
  };
}
